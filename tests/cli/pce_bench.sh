#!/bin/bash
# ctest: timeout=900
# cuzk-bench pce-bench and pce-pipeline: the reference's lines, exactly but for figures; the saved file; refusals.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
c1=$(cd "$(dirname "$0")/../data/proofs" && pwd)/porep-2kib-m1000-s11.c1.json
# A command's output with N for what is measured.
lines() { "$build/cuzk-bench" "$@" --c1 "$c1" | sed -E 's/ *[0-9]+\.[0-9] (GiB|GB)/ N \1/g; s/ *[0-9]+\.[0-9]+(s|x)\b/ N\1/g; s/(size|time|speed|extract|synth|wall)= N/\1=N/g'; }
circuit="synth=Ns  circuits=1  constraints=2687961"

same "pce-bench" "=== PCE Benchmark ===
c1:       $c1
sector:   11 (miner 1000)

c1 loaded: 133585 bytes

--- Step 1: Baseline synthesis (old path) ---
  $circuit

--- Step 2: PCE extraction (RecordingCS) ---
  extract=Ns

--- Step 3: PCE synthesis (WitnessCS + MatVec) ---
  $circuit

--- Results ---
baseline synth: Ns
PCE synth: Ns
speedup: Nx
PCE extract: Ns (one-time cost)

--- Correctness Validation ---
  circuit 0: PASS (all 2687961 constraints match)
  ALL CIRCUITS MATCH — PCE is correct!

--- Saving PCE to disk ---
  saved to: $tmp/saved.bin  size=N GiB  time=Ns  speed=N GB/s

--- Verifying round-trip load ---
  loaded in Ns  speed=N GB/s
  round-trip verification: PASS" "$(lines pce-bench --sector-num 11 --miner-id 1000 --validate --save-pce "$tmp/saved.bin" | sed 's/: N/: N/')"

# What was saved is the recorded file, as cuzk pce takes it.
mv "$tmp/saved.bin" "$tmp/pce-porep-2k.bin"
mv "$tmp/saved.bin.sums" "$tmp/pce-porep-2k.bin.sums"
expect 0 "checksums +checked" "$build/cuzk" pce info --circuit porep-2k --param-cache "$tmp"
rm "$tmp"/pce-*

same "pce-pipeline" "=== PCE Pipeline Benchmark ===
c1:         $c1
sector:     1 (miner 1000)
num_proofs: 2
parallel:   1 (sequential)
compare:    old + PCE

c1 loaded: 133585 bytes
  [RSS] after c1 load N GiB

--- Old-path synthesis (for comparison, will drop) ---
  old-path: $circuit  wall=Ns
  [RSS] old-path results DROPPED N GiB

--- PCE Extraction (one-time) ---
  extract=Ns
  [RSS] after PCE extraction N GiB

--- Sequential PCE proofs (2 iterations) ---

  proof 1/2
    $circuit  wall=Ns
  [RSS] proof 1 synthesis complete N GiB
  [RSS] proof 1 results DROPPED N GiB

  proof 2/2
    $circuit  wall=Ns
  [RSS] proof 2 synthesis complete N GiB
  [RSS] proof 2 results DROPPED N GiB

--- Summary (sequential) ---
PCE extraction: Ns (one-time, amortized)
  proof  1 synth: Ns
  proof  2 synth: Ns
  average synth: Ns
  peak RSS: N GiB
  [RSS] final (after all proofs dropped) N GiB" "$(lines pce-pipeline -n 2 --compare-old)"

same "pce-pipeline, parallel" "parallel:   2 (concurrent pipelines)
compare:    PCE only

c1 loaded: 133585 bytes
  [RSS] after c1 load N GiB

--- PCE Extraction (one-time) ---
  extract=Ns
  [RSS] after PCE extraction N GiB

--- Parallel PCE proofs (3 proofs, 2 concurrent) ---

  wave 1 (2 concurrent syntheses)
  [RSS] wave 1 all 2 syntheses complete N GiB
    pipeline 0: synth=Ns  circuits=1
    pipeline 1: synth=Ns  circuits=1
    wave wall=Ns
  [RSS] wave 1 results DROPPED N GiB

  wave 2 (1 concurrent syntheses)
  [RSS] wave 2 all 1 syntheses complete N GiB
    pipeline 0: synth=Ns  circuits=1
    wave wall=Ns
  [RSS] wave 2 results DROPPED N GiB

--- Summary (parallel, j=2) ---
PCE extraction: Ns (one-time)
total proofs:       3
avg synth/proof: Ns
max synth/proof: Ns
peak RSS: N GiB
  [RSS] final (after all dropped) N GiB" "$(lines pce-pipeline -n 3 -j 2 | tail -n +5)"

for command in pce-bench pce-pipeline; do
    expect 0 "^usage: cuzk-bench $command" "$build/cuzk-bench" $command --help
    expect 2 "--c1 FILE is missing" "$build/cuzk-bench" $command
    expect 2 "unexpected argument" "$build/cuzk-bench" $command --c1 "$c1" x
    expect 2 "--vanilla does not apply to porep" "$build/cuzk-bench" $command --c1 "$c1" --vanilla x
    expect 65 "sector 11 instead of 12" "$build/cuzk-bench" $command --c1 "$c1" --sector-num 12
    head -c 100000 "$c1" > "$tmp/cut.json"
    expect 65 "cut.json.*byte" "$build/cuzk-bench" $command --c1 "$tmp/cut.json"
    expect 66 "no-such-file" "$build/cuzk-bench" $command --c1 "$tmp/no-such-file"
done
expect 2 "--num-proofs must be at least 1" "$build/cuzk-bench" pce-pipeline --c1 "$c1" -n 0
expect 2 "--parallel takes a whole number" "$build/cuzk-bench" pce-pipeline --c1 "$c1" -j x
finish
