#!/bin/bash
# ctest: long serial timeout=7200
# A 32 GiB PoRep made here: all ten partitions natively, within the memory and the time promised; and by every path, every one of
# their row values and variables compared and every row tested.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
source "$(dirname "$0")/../synth_lib.sh"

expect 0 "StackedDrg32GiBV1_1, synthetic: .*, 10 x 18 challenges" "$build/cuzk-bench" gen-vanilla porep --synthetic --sector-size 32GiB -o "$tmp/c1.json"
json=$(synth --c1 "$tmp/c1.json" --iterations 3 --json)
same "circuits, rows" "10 130278869" "$(field "$json" circuits) $(field "$json" rows)"
same "no allocation once the buffers are there" 0 "$(field "$json" allocations)"
same "2 GiB are enough" 1 "$(($(field "$json" peak_rss_bytes) <= 2 << 30))"
printf 'native, ten partitions: %s CPU nanoseconds\n' "$(field "$json" cpu_ns_runs)"

available=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
if [ "$available" -lt 8 ]; then
    echo "$available GiB are available, 8 are needed for all paths: not run"
    finish
    exit 77
fi
expect 0 "^porep-32g: recorded" "$build/cuzk" pce record --circuit porep-32g --templates
all 130278869 --c1 "$tmp/c1.json"
while read -r line; do
    same "partitions by $(field "$line" path)" 10 "$(field "$line" circuits)"
    same "20 GiB are enough for $(field "$line" path)" 1 "$(($(field "$line" peak_rss_bytes) <= 20 << 30))"
    printf '%s: %s rows per core-second\n' "$(field "$line" path)" "$(field "$line" rows_per_core_second)"
done <<< "$output"
finish
