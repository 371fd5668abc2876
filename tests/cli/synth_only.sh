#!/bin/bash
# ctest: quick
# cuzk-bench synth-only: the reference's lines, PoSt by every path, storages, allocators, timing, and its refusals.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
source "$(dirname "$0")/../synth_lib.sh"
porep=$proofs/porep-2kib-m1000-s11.c1.json

# The reference's lines, exactly but for figures.
expected="=== Synthesis Microbenchmark ===
c1:         $porep
sector:     1 (miner 1000)
partition:  all
iterations: 2

c1 loaded:  133585 bytes
TIME  INFO synthesize_porep_c2_batch{job_id=\"synth-bench-0\"}: building circuits for all partitions (parallel) num_partitions=1
  [1] wall=Ns  synth=Ns  circuits=1  constraints=2687961
TIME  INFO synthesize_porep_c2_batch{job_id=\"synth-bench-1\"}: building circuits for all partitions (parallel) num_partitions=1
  [2] wall=Ns  synth=Ns  circuits=1  constraints=2687961

=== Summary (2 iterations) ===
wall:   avg=Ns  min=Ns
synth:  avg=Ns  min=Ns"
output=$(synth --c1 "$porep" --iterations 2)
same "the reference's lines" "$expected" "$(head -n 16 <<< "$output" |
    sed -E 's/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z /TIME /; s/=[0-9]+\.[0-9]s/=Ns/g')"
same "a table" "native" "$(tail -n 2 <<< "$output" | head -n 1 | cut -d' ' -f1)"
expect 0 "^sector:     11 \(miner 1000\)$" synth --c1 "$porep" --sector-num 11 --miner-id 1000 --partition 0
expect 0 "^partition:  0$" synth --c1 "$porep" --partition 0
expect 0 "^partition:  all$" synth --c1 "$porep" --partition all
expect 0 'synthesize_porep_c2\{job_id="synth-bench-0" partition=0\}: ' synth --c1 "$porep" --partition 0

winning=(--type winning --vanilla "$proofs/winning-2kib-1.vanilla.json" --registered-proof 0
    --randomness "$(field "$(cat "$proofs/winning-2kib-1.json")" randomness)")
all 90883 "${winning[@]}"
same "says that it records" 1 "$(grep -c "pce-winning-post-2k.templates is not there: recording" "$tmp/stderr")"
vanilla window-2kib-v1-3sectors "p[2:]" > "$tmp/v.json"
all 21889 --type window --vanilla "$tmp/v.json" --registered-proof 5 --partition 1 --randomness "$(field "$(cat "$proofs/window-2kib-v1-3sectors.json")" randomness)"
same "nothing is left of recording" "" "$(ls "$CUZK_PARAM_CACHE"; ls -d "${TMPDIR:-/tmp}"/cuzk-??????/pce-* 2> /dev/null)"
expect 0 "^lc inline2 presized: 3 x 90883 row values and all variables equal to native's, all rows hold, in each of 1$" synth "${winning[@]}" --path all --validate --lc-storage inline2 --presize

# Storages: what more fits inside asks less of the allocator; how much a Vec asks is known for this circuit.
lc() { field "$(synth "${winning[@]}" --path lc --json "${@:2}")" "$1"; }
counts=$(for s in vec inline1 inline2 inline4; do lc allocations --presize --lc-storage $s; done | xargs)
same "allocations by storage: $counts" "$counts" "$(tr ' ' '\n' <<< "$counts" | sort -rn | uniq | xargs)"
same "presizing saves allocations" 1 "$(($(lc allocations) > $(lc allocations --presize)))"
if grep -q __asan_init "$build/cuzk-bench"; then
    echo "under the address sanitizer another allocator is not to be had"
elif ldconfig -p | grep 'libjemalloc\.so\.2' > /dev/null; then
    same "allocator" jemalloc "$(lc allocator --allocator jemalloc)"
else
    expect 69 "libjemalloc.so.2 could not be loaded" synth "${winning[@]}" --allocator jemalloc
fi
same "allocator" glibc "$(lc allocator --allocator glibc)"

# A line per phase and partition, on stderr.
lines=$(CUZK_TIMING=1 synth "${winning[@]}" --path all 2>&1 > /dev/null | grep '^CUZK_TIMING: ' | sed -E 's/_ms=[0-9.]+/_ms=N/')
same "timing" "CUZK_TIMING: decode_ms=N CUZK_TIMING: check_ms=N CUZK_TIMING: record_ms=N CUZK_TIMING: synthesis_ms=N partition=0 \
CUZK_TIMING: synthesis_ms=N partition=0 CUZK_TIMING: matvec_ms=N partition=0 CUZK_TIMING: synthesis_ms=N partition=0" "$(xargs <<< "$lines")"
expect 0 "cycles +(not supported here|[0-9.]+/row)" synth "${winning[@]}" --counters

# Recorded circuits: those in the folder are used, and refused when they are altered.
if "$build/cuzk" pce record --circuit winning-2k --templates > /dev/null 2>&1; then
    templates=$CUZK_PARAM_CACHE/pce-winning-post-2k.templates
    expect 0 "^csr templates: 3 x 90883 row values equal" synth "${winning[@]}" --path all --validate
    "$build/cuzk" pce record --circuit winning-2k > /dev/null
    expect 0 "^csr flat: 3 x 90883 row values equal" synth "${winning[@]}" --path all --validate --recorded flat
    cp "$templates" "$tmp/kept"
    truncate -s -1 "$templates"
    expect 65 "pce-winning-post-2k.templates.*(cut|ends|bytes)" synth "${winning[@]}" --path csr
    cp "$tmp/kept" "$templates"
    printf X | dd of="$templates" bs=1 seek=5000 conv=notrunc status=none
    expect 65 "pce-winning-post-2k.templates.*checksum" synth "${winning[@]}" --path csr
    "$build/cuzk" pce record --circuit wpost-2k --templates > /dev/null 2>&1
    mv "$CUZK_PARAM_CACHE/pce-window-post-2k.templates" "$templates"
    expect 65 "pce-winning-post-2k.templates: not of winning-2k.*pce-other-circuit" synth "${winning[@]}" --path csr
    : > "$templates"
    expect 65 "pce-winning-post-2k.templates: an empty file" synth "${winning[@]}" --path csr
    rm "$templates"
    # Flat: altered without changing its length; cut; of another circuit; with other checksums; and without them.
    flat=$CUZK_PARAM_CACHE/pce-winning-post-2k.bin
    cp "$flat" "$tmp/kept"
    printf X | dd of="$flat" bs=1 seek=5000000 conv=notrunc status=none
    expect 65 "pce-winning-post-2k.bin: .*not what was recorded" synth "${winning[@]}" --path csr --recorded flat
    printf '\377\377\377\377' | dd of="$flat" bs=1 seek=5000000 conv=notrunc status=none
    mv "$flat.sums" "$tmp/sums"
    expect 70 "csr and native differ in A.*paths-differ" synth "${winning[@]}" --path csr --recorded flat --validate
    cp "$tmp/kept" "$flat"
    expect 0 "pce-winning-post-2k.bin has no checksums" synth "${winning[@]}" --path csr --recorded flat
    sed "s/^bytes /bytes 1/" "$tmp/sums" > "$flat.sums"
    expect 65 "pce-winning-post-2k.bin.sums" synth "${winning[@]}" --path csr --recorded flat
    mv "$tmp/sums" "$flat.sums"
    truncate -s -8 "$flat"
    expect 65 "pce-winning-post-2k.bin: .*cut" synth "${winning[@]}" --path csr --recorded flat
    "$build/cuzk" pce record --circuit wpost-2k > /dev/null
    mv "$CUZK_PARAM_CACHE/pce-window-post-2k.bin" "$flat"
    mv "$CUZK_PARAM_CACHE/pce-window-post-2k.bin.sums" "$flat.sums"
    expect 65 "pce-winning-post-2k.bin: not of winning-2k" synth "${winning[@]}" --path csr --recorded flat
    rm "$flat" "$flat.sums"
else
    same "cuzk pce record" 0 1
fi
expect 66 "pce-winning-post-2k.bin" synth "${winning[@]}" --path csr --recorded flat

expect 2 "no path \"x\"" synth "${winning[@]}" --path x
expect 2 "no storage \"list\"" synth "${winning[@]}" --lc-storage list
expect 2 "no recorded form \"x\"" synth "${winning[@]}" --recorded x
expect 2 "no allocator \"x\": glibc or jemalloc" synth "${winning[@]}" --allocator x
expect 2 "--c1 FILE is missing" synth
expect 2 "no kind of proof \"x\"" synth --type x
expect 2 "--iterations must be at least 1" synth "${winning[@]}" --iterations 0
expect 2 "unexpected argument" synth "${winning[@]}" x
expect 2 "partition 1 asked for" synth --c1 "$porep" --partition 1
expect 65 "post-faulty-sectors" synth "${winning[@]:0:7}" "$(printf '%064d' 0)"
expect 66 "no-such-file" synth --c1 "$tmp/no-such-file"

same "a full disk behind stdout" 74 "$(synth "${winning[@]}" > /dev/full 2> /dev/null; echo $?)"
same "a full disk behind stdout, JSON" 74 "$(synth "${winning[@]}" --json > /dev/full 2> /dev/null; echo $?)"
finish
