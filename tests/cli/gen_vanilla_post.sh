#!/bin/bash
# ctest: needs=params_post needs=params_snap timeout=1800
# cuzk-bench gen-vanilla winning-post, window-post, snap-prove: all sizes, proven and verified at 2 KiB; what is refused.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
export CUZK_PARAM_CACHE=$(cd "$(dirname "$0")/../.." && pwd)/build/params-test
gen() { "$build/cuzk-bench" gen-vanilla "$1" --synthetic "${@:2}"; }
hex_of() { sed -n "s/^\($1\) (hex): //p" "$tmp/log"; }

# proven KIND ROWS FILE ARGUMENT...: proves and verifies; another bit of the statement's last value does not.
proven() {
    local kind=$1 rows=$2 file=$3
    shift 3
    expect 0 "$rows rows" "$build/cuzk" prove "$kind" --vanilla "$file" "$@" -o "$tmp/proof"
    expect 0 "^valid$" "$build/cuzk" verify "$kind" --vanilla "$file" "$@" --proof "$tmp/proof"
    local last=${!#} flipped
    flipped=$(printf '%x' $((0x${last:0:1} ^ 1)))${last:1}
    expect 1 "invalid" "$build/cuzk" verify "$kind" --vanilla "$file" "${@:1:$#-1}" "$flipped" --proof "$tmp/proof"
}

gen winning-post --registered-proof 0 -o "$tmp/w" 2> "$tmp/log"
proven winning 90883 "$tmp/w" --registered-proof 0 --randomness "$(hex_of Randomness)"
gen window-post --registered-proof 5 --sectors 2 --sector-number 7 --seed 5 -o "$tmp/d" 2> "$tmp/log"
proven window 21889 "$tmp/d" --registered-proof 5 --randomness "$(hex_of Randomness)"
gen window-post --registered-proof 10 --randomness "$(printf '%064d' 0)" -o "$tmp/d" 2> "$tmp/log"
same "the randomness given" "$(printf '%064d' 0)" "$(hex_of Randomness)"
proven window 21889 "$tmp/d" --registered-proof 10 --randomness "$(hex_of Randomness)"
gen snap-prove --registered-proof 0 -o "$tmp/s" 2> "$tmp/log"
proven snap 1705044 "$tmp/s" --registered-proof 0 --comm-r-old "$(hex_of comm_r_old)" --comm-r-new "$(hex_of comm_r_new)" \
    --comm-d-new "$(hex_of comm_d_new)"

# What else is printed; lengths as the reference's.
expect 0 "^StackedDrgWindow32GiBV1_2, synthetic: miner 1001, 3 x 10 challenges$" gen window-post --sectors 3 --miner-id 1001 -o "$tmp/x"
expect 0 "^sector 6: comm_r \(hex\): [0-9a-f]{64}$" gen window-post --sector-number 5 --sectors 2 -o "$tmp/x"
expect 0 "^vanilla proof 0: 24960 bytes$" gen window-post -o "$tmp/x"
expect 0 "^$tmp/x: 33284 bytes$" gen window-post -o "$tmp/x"
same "the size that is printed" 33284 "$(stat -c %s "$tmp/x")"
for i in 0 1 2 3 4; do
    expect 0 "^StackedDrgWinning.*V1, synthetic: miner 1000, 1 x 66 challenges$" gen winning-post --registered-proof $i -o "$tmp/x"
    expect 0 "^StackedDrgWindow.*V1, synthetic: miner 1000, 2 x 10 challenges$" gen window-post --registered-proof $((5 + i)) --sectors 2 -o "$tmp/x"
done
expect 0 "^StackedDrg8MiBV1, synthetic: 4 x 10 challenges$" gen snap-prove --registered-proof 1 -o "$tmp/x"
expect 0 "^vanilla proof 3: [0-9]+ bytes$" gen snap-prove --registered-proof 1 --seed 1 -o "$tmp/y"
same "another seed" 1 "$(cmp -s "$tmp/x" "$tmp/y"; echo $?)"
gen snap-prove --registered-proof 1 --seed 1 --threads 1 -o "$tmp/x" 2> /dev/null
same "same seed, same bytes" "$(sha256sum < "$tmp/y")" "$(sha256sum < "$tmp/x")"
same "the default file" "winning-vanilla.json" "$(mkdir "$tmp/d0" && cd "$tmp/d0" && gen winning-post --registered-proof 0 2> /dev/null; ls)"

rm "$tmp/x"
expect 2 "^error: --synthetic is missing" "$build/cuzk-bench" gen-vanilla winning-post -o "$tmp/x"
expect 2 "is not one for winning" gen winning-post --registered-proof 5 -o "$tmp/x"
expect 2 "is not one for window" gen window-post --registered-proof 3 -o "$tmp/x"
expect 2 "no registered update proof 5" gen snap-prove --registered-proof 5 -o "$tmp/x"
expect 2 "3 sectors are asked for: StackedDrgWindow2KiBV1_2 takes 1 to 2 .synthetic-sectors" gen window-post --registered-proof 10 --sectors 3 -o "$tmp/x"
expect 2 "0 sectors are asked for" gen window-post --sectors 0 -o "$tmp/x"
expect 2 "a winning PoSt is of one sector" gen winning-post --sectors 1 -o "$tmp/x"
expect 2 "snap-prove takes no sector" gen snap-prove --miner-id 1000 -o "$tmp/x"
expect 2 "--randomness takes 64 hexadecimal digits" gen window-post --randomness 00 -o "$tmp/x"
expect 2 "unexpected argument \"y\"" gen window-post -o "$tmp/x" y
expect 2 "unknown option .--sealed" gen snap-prove --sealed x -o "$tmp/x"
expect 0 "usage: cuzk-bench gen-vanilla winning-post" "$build/cuzk-bench" gen-vanilla --help
expect 73 "no/such/folder" gen winning-post -o "$tmp/no/such/folder/x"
expect 74 "disk-full" gen winning-post -o /dev/full
same "nothing is left of what failed" "no" "$([ -e "$tmp/x" ] && echo yes || echo no)"
finish
