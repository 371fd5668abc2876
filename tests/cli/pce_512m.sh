#!/bin/bash
# ctest: long serial timeout=3600
# Both recorded forms of the 512 MiB PoRep, where the flat file fits in memory: the same values, and templates take half the time at most.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
source "$(dirname "$0")/../synth_lib.sh"

"$build/cuzk-bench" gen-vanilla porep --synthetic --sector-size 512MiB -o "$tmp/c1.json" > /dev/null 2>&1
expect 0 "^porep-512m: recorded" "$build/cuzk" pce record --circuit porep-512m
expect 0 "^porep-512m: recorded" "$build/cuzk" pce record --circuit porep-512m --templates
for form in flat templates; do
    expect 0 "^csr $form: 3 x 4423473 row values equal to native's, all rows hold" synth --c1 "$tmp/c1.json" --path all --validate --recorded $form
done

# CPU time of the matrices alone, interleaved; the first iteration reads the file and its checksums.
matvec() { # FORM: nanoseconds
    local json
    json=$(synth --c1 "$tmp/c1.json" --path csr --recorded "$1" --iterations 5 --threads 1 --json)
    echo $(($(field "$json" cpu_ns) - $(field "$json" witness_cpu_ns)))
}
flat=$(for i in 1 2 3; do matvec flat; matvec templates >> "$tmp/templates"; done | sort -n | head -n 1)
templates=$(sort -n "$tmp/templates" | head -n 1)
echo "flat $flat ns, templates $templates ns"
same "templates are at least twice as fast" 1 "$((flat >= 2 * templates))"
finish
