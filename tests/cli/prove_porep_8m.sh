#!/bin/bash
# ctest: long timeout=7200
# An 8 MiB PoRep of a sector that was never sealed, with test parameters made here: proven and verified.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
export CUZK_PARAM_CACHE=$tmp/params
mkdir "$CUZK_PARAM_CACHE"

expect 0 "StackedDrg8MiBV1_1, synthetic" "$build/cuzk-bench" gen-vanilla porep --synthetic --sector-size 8MiB -o "$tmp/c1.json"
expect 0 "making TEST parameters" "$build/cuzk" params generate --circuit porep-8m
expect 0 "^verified +1 partition of [0-9]+ rows" "$build/cuzk" prove porep --c1 "$tmp/c1.json" --miner-id 1000 -o "$tmp/proof"
expect 0 "^valid$" "$build/cuzk" verify porep --c1 "$tmp/c1.json" --proof "$tmp/proof"
"$build/cuzk-bench" gen-vanilla porep --synthetic --sector-size 8MiB --seed 1 -o "$tmp/other.json" 2> /dev/null
expect 1 "invalid" "$build/cuzk" verify porep --c1 "$tmp/other.json" --proof "$tmp/proof"
finish
