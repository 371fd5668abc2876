#!/bin/bash
# ctest: quick
# cuzk-bench gen-vanilla porep: files that are read and synthesised, the same for the same seed; refusals.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
gen() { "$build/cuzk-bench" gen-vanilla porep "$@"; }

# Of zeros: CommD of an empty 2 KiB sector, as Filecoin has it.
expect 0 "^comm_d \(hex\): fc7e928296e516faade986b28f92d44a4f24b935485223376a799027bc18f833$" gen --synthetic --sector-size 2KiB -o "$tmp/a"
expect 0 "^StackedDrg2KiBV1_1, synthetic: miner 1000, sector 1, 1 x 2 challenges$" gen --synthetic --sector-size 2kib -o "$tmp/b"
same "same seed, same bytes" "$(sha256sum < "$tmp/a")" "$(sha256sum < "$tmp/b")"
expect 0 "bytes$" gen --synthetic --sector-size 2KiB --seed 1 -o "$tmp/b"
same "another seed" 1 "$(cmp -s "$tmp/a" "$tmp/b"; echo $?)"
expect 0 "bytes$" gen --synthetic --sector-size 2KiB --miner-id 1001 -o "$tmp/b"
same "another miner" 1 "$(cmp -s "$tmp/a" "$tmp/b"; echo $?)"
expect 0 "constraints=2687961$" "$build/cuzk-bench" synth-only --c1 "$tmp/a" --path native
expect 0 "StackedDrg512MiBV1, synthetic: miner 7, sector 12" gen --synthetic --sector-size 512MiB --registered-proof 2 --miner-id 7 --sector-number 12 -o "$tmp/512"
expect 0 "constraints=4423473$" "$build/cuzk-bench" synth-only --c1 "$tmp/512" --path native

# The wrapper, and the reference's names and order inside.
python3 - "$tmp/512" > "$tmp/keys" <<'END'
import base64, json, sys
w = json.load(open(sys.argv[1]))
c = json.loads(base64.b64decode(w["Phase1Out"], validate=True))
p = c["vanilla_proofs"]["StackedDrg512MiBV1"][0][1]
print(*w, w["SectorNum"], w["SectorSize"], *c, *p, *p["replica_column_proofs"]["c_x"]["column"])
END
same "keys" "SectorNum Phase1Out SectorSize 12 536870912 registered_proof vanilla_proofs comm_r comm_d replica_id seed ticket \
comm_d_proofs comm_r_last_proof replica_column_proofs labeling_proofs encoding_proof index rows _h" "$(cat "$tmp/keys")"

for number in 5 10 15; do
    expect 0 "bytes$" gen --seal --sector-size 2KiB --registered-proof $number -o "$tmp/sealed"
    expect 0 "constraints=2687961$" "$build/cuzk-bench" synth-only --c1 "$tmp/sealed" --path native
done

expect 2 "draws its challenges from comm_r.*synthetic-feature" gen --synthetic --sector-size 2KiB --registered-proof 10 -o "$tmp/x"
expect 2 "StackedDrg32GiBV1_2_Feat_NonInteractivePoRep draws" gen --synthetic --sector-size 32GiB --registered-proof 18 -o "$tmp/x"
expect 2 "sealing is offered for sectors of 2KiB and 8MiB, not of 512MiB" gen --seal --sector-size 512MiB -o "$tmp/x"
expect 2 'no sector size "3KiB"' gen --synthetic --sector-size 3KiB -o "$tmp/x"
expect 2 "registered proof 8 is StackedDrg32GiBV1_1, not of 2KiB" gen --synthetic --sector-size 2KiB --registered-proof 8 -o "$tmp/x"
expect 2 "whole number from 0 to 19" gen --synthetic --sector-size 2KiB --registered-proof 20 -o "$tmp/x"
expect 2 "either --synthetic or --seal" gen --sector-size 2KiB -o "$tmp/x"
expect 2 "either --synthetic or --seal" gen --seal --synthetic --sector-size 2KiB -o "$tmp/x"
expect 2 "--sector-size SIZE is missing" gen --synthetic -o "$tmp/x"
expect 2 "-o FILE is missing" gen --synthetic --sector-size 2KiB
expect 2 "unexpected argument" gen --synthetic --sector-size 2KiB -o "$tmp/x" y
expect 2 "what to generate is missing" "$build/cuzk-bench" gen-vanilla
expect 2 "what to generate is missing" "$build/cuzk-bench" gen-vanilla
expect 2 ".snap. cannot be generated: porep" "$build/cuzk-bench" gen-vanilla snap
expect 0 "usage" "$build/cuzk-bench" gen-vanilla --help
expect 73 "no/such/folder" gen --synthetic --sector-size 2KiB -o "$tmp/no/such/folder/x"
expect 74 "disk-full" gen --synthetic --sector-size 2KiB -o /dev/full
same "nothing is left of what failed" "no" "$([ -e "$tmp/x" ] && echo yes || echo no)"
finish
