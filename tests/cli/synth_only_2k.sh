#!/bin/bash
# ctest: timeout=900
# cuzk-bench synth-only: PoRep and Snap by every path, every value compared, with each storage of linear combinations.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
source "$(dirname "$0")/../synth_lib.sh"

update=$(cat "$proofs/update-2kib-1.json")
vanilla update-2kib-1 > "$tmp/v.json"
all 1705044 --type snap --vanilla "$tmp/v.json" --registered-proof 0 --comm-r-old "$(field "$update" comm_r_old)" \
    --comm-r-new "$(field "$update" comm_r_new)" --comm-d-new "$(field "$update" comm_d_new)"
expect 0 "^porep-2k: recorded" "$build/cuzk" pce record --circuit porep-2k --templates
for storage in vec inline1 inline2 inline4; do
    all 2687961 --c1 "$proofs/porep-2kib-m1000-s11.c1.json" --lc-storage $storage
done

# The buffers of one iteration serve the next.
"$build/cuzk-bench" gen-vanilla porep --synthetic --sector-size 512MiB -o "$tmp/512.json" > /dev/null
json=$(synth --c1 "$tmp/512.json" --iterations 2 --json)
same "rows" 4423473 "$(field "$json" rows)"
same "no allocation in the second iteration" 0 "$(field "$json" allocations)"
same "some in the first" 1 "$(($(field "$json" allocations_first) > 0))"
finish
