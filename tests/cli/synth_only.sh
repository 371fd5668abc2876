#!/bin/bash
# ctest: quick
# cuzk-bench synth-only for every kind by both paths, and its refusals.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"

# both ROWS OPTION...: what each path reports.
both() {
    local rows=$1 output path
    shift
    output=$("$build/cuzk-bench" synth-only --json "$@")
    same "paths of $*" "native lc" "$(sed 's/.*"path":"\([a-z]*\)".*/\1/' <<< "$output" | xargs)"
    while read -r line; do
        same "rows of $*" "$rows" "$(field "$line" rows)"
        same "rate of $*" 1 "$(python3 -c "print(int($(field "$line" rows_per_core_second) > 0))")"
    done <<< "$output"
}

winning=(--vanilla "$proofs/winning-2kib-1.vanilla.json" --registered-proof 0 --randomness "$(field "$(cat "$proofs/winning-2kib-1.json")" randomness)")
both 90883 --type winning "${winning[@]}"
vanilla window-2kib-v1-3sectors "p[2:]" > "$tmp/v.json"
both 21889 --type window --vanilla "$tmp/v.json" --registered-proof 5 --partition 1 --randomness "$(field "$(cat "$proofs/window-2kib-v1-3sectors.json")" randomness)"
update=$(cat "$proofs/update-2kib-1.json")
vanilla update-2kib-1 > "$tmp/v.json"
both 1705044 --type snap --vanilla "$tmp/v.json" --registered-proof 0 --comm-r-old "$(field "$update" comm_r_old)" \
    --comm-r-new "$(field "$update" comm_r_new)" --comm-d-new "$(field "$update" comm_d_new)"
both 2687961 --c1 "$proofs/porep-2kib-m1000-s11.c1.json" --sector-num 11 --miner-id 1000

expect 2 "no path \"x\"" "$build/cuzk-bench" synth-only --type winning "${winning[@]}" --path x
expect 2 "--c1 FILE is missing" "$build/cuzk-bench" synth-only
expect 2 "no kind of proof \"x\"" "$build/cuzk-bench" synth-only --type x
expect 2 "--iterations must be at least 1" "$build/cuzk-bench" synth-only --type winning "${winning[@]}" --iterations 0
expect 65 "post-faulty-sectors" "$build/cuzk-bench" synth-only --type winning "${winning[@]:0:5}" "$(printf '%064d' 0)"
expect 2 "partition 1 asked for" "$build/cuzk-bench" synth-only --c1 "$proofs/porep-2kib-m1000-s11.c1.json" --partition 1
finish
