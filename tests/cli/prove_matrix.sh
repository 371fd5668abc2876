#!/bin/bash
# ctest: long needs=params_2k timeout=7200
# Every sealed 2 KiB sector of the reference, every CPU path, one and two threads, every (r, s) variant: the same bytes each time.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
export CUZK_PARAM_CACHE=$root/build/params-test
proofs=$root/tests/data/proofs

# Lines "variant r s proof" of partition 0 of a fixture.
variants() {
    python3 -c 'import json,sys
for v in json.load(open(sys.argv[1]))["fixed_rs_proofs"]: print(v["variant"], v["r_le"][0], v["s_le"][0], v["proof"][:384])' "$1"
}

for c1 in "$proofs"/porep-2kib-*.c1out.json; do
    name=$(basename "$c1" .c1out.json)
    while read -r variant r s want; do
        for path in $("$build/cuzk" doctor | sed -n 's/^cpu paths *//p' | sed 's/(in use)//'); do
            for threads in 1 2; do
                got=$(CUZK_CPU=$path "$build/cuzk" prove porep --c1 "$c1" --partition 0 --r "$r" --s "$s" --threads $threads 2> "$tmp/log") ||
                    cat "$tmp/log"
                same "$name, $variant, $path, $threads threads" "$want" "$got"
            done
        done
    done < <(variants "$proofs/$name.json")
done
finish
