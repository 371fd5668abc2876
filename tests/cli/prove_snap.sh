#!/bin/bash
# ctest: needs=params_snap timeout=900
# cuzk prove and verify snap: the reference's bytes for its r, s; other commitments are refused.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
export CUZK_PARAM_CACHE=$(cd "$(dirname "$0")/../.." && pwd)/build/params-test

update=$(cat "$proofs/update-2kib-1.json")
vanilla update-2kib-1 > "$tmp/v.json"
snap=(snap --vanilla "$tmp/v.json" --registered-proof 0)
old=(--comm-r-old "$(field "$update" comm_r_old)")
new=(--comm-r-new "$(field "$update" comm_r_new)" --comm-d-new "$(field "$update" comm_d_new)")
json=$("$build/cuzk" prove "${snap[@]}" "${old[@]}" "${new[@]}" --r "$(field "$update" fixed_rs_proofs 1 r_le 0)" \
    --s "$(field "$update" fixed_rs_proofs 1 s_le 0)" --json 2> "$tmp/log")
same "proof" "$(field "$update" fixed_rs_proofs 1 proof)" "$(field "$json" proof)"
same "what is reported" "true 1 1705044" "$(field "$json" verified) $(field "$json" partitions) $(field "$json" constraints)"
same "anonymous memory within 500 MiB" 1 "$(python3 -c "print(int(0 < $(field "$json" peak_anon_bytes) <= 500 << 20))")"
field "$json" proof > "$tmp/proof"
expect 0 "^valid$" "$build/cuzk" verify "${snap[@]}" "${old[@]}" "${new[@]}" --proof "$tmp/proof"
expect 0 "^valid$" "$build/cuzk" verify "${snap[@]}" "${old[@]}" "${new[@]}" --partition 0 --proof "$tmp/proof"
expect 1 "invalid: $tmp/proof: partition 0: .*proof-invalid" "$build/cuzk" verify "${snap[@]}" --comm-r-old "$(field "$update" comm_r_new)" "${new[@]}" --proof "$tmp/proof"
expect 2 "partition 1 asked for, but .* has 1" "$build/cuzk" verify "${snap[@]}" "${old[@]}" "${new[@]}" --partition 1 --proof "$tmp/proof"
finish
