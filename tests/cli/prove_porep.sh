#!/bin/bash
# ctest: needs=params_2k timeout=1800
# cuzk prove porep and cuzk verify porep on a sealed sector: every CPU path, one and two threads, the reference's bytes for its r, s.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
export CUZK_PARAM_CACHE=$root/build/params-test
c1=$proofs/porep-2kib-m1000-s11.c1.json

fixture=$(cat "$proofs/porep-2kib-m1000-s11.json")
r=$(field "$fixture" fixed_rs_proofs 2 r_le 0)
s=$(field "$fixture" fixed_rs_proofs 2 s_le 0)
want=$(field "$fixture" fixed_rs_proofs 2 proof)
for path in $("$build/cuzk" doctor | sed -n 's/^cpu paths *//p' | sed 's/(in use)//'); do
    for threads in 1 2; do
        json=$(CUZK_CPU=$path "$build/cuzk" prove porep --c1 "$c1" --r "$r" --s "$s" --threads $threads --json 2> "$tmp/log")
        same "proof by $path with $threads threads" "$want" "$(field "$json" proof)"
        same "path is reported" "$path $threads true 1 2687961" \
            "$(field "$json" cpu) $(field "$json" threads) $(field "$json" verified) $(field "$json" partitions) $(field "$json" constraints)"
        for stage in load check synthesis ntt msm verify total; do
            same "stage $stage is timed" 1 "$(python3 -c "print(int($(field "$json" timings_ms "$stage") > 0))")"
        done
        same "anonymous memory within 700 MiB" 1 "$(python3 -c "print(int(0 < $(field "$json" peak_anon_bytes) <= 700 << 20))")"
        same "peak RSS covers it" 1 "$(python3 -c "print(int($(field "$json" peak_rss_bytes) >= $(field "$json" peak_anon_bytes)))")"
        same "CPU seconds are reported" 1 "$(python3 -c "print(int($(field "$json" cpu_seconds) > 0))")"
    done
done

# Fresh randomness: another proof, valid for this miner and no other.
expect 0 "peak memory" "$build/cuzk" prove porep --c1 "$c1" -o "$tmp/proof"
expect 65 "sector 11 instead of 12 .other-sector." "$build/cuzk" prove porep --c1 "$c1" --sector-num 12
expect 65 "replica-id-other-prover" "$build/cuzk" prove porep --c1 "$c1" --miner-id 1001
expect 65 "no-sector-number" "$build/cuzk" prove porep --c1 "$proofs/porep-2kib-m1000-s11.c1out.json" --miner-id 1000
same "a proof is 192 bytes" 192 "$(stat -c %s "$tmp/proof")"
checks=$((checks + 1))
[ "$(od -An -v -tx1 "$tmp/proof" | tr -d ' \n')" != "$want" ] || { failures=$((failures + 1)); echo "FAILED: r and s are not random"; }
expect 0 "^valid$" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/proof" --miner-id 1000
expect 1 "invalid: .*replica-id-other-prover" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/proof" --miner-id 1001
expect 1 "invalid" "$build/cuzk" verify porep --c1 "$proofs/porep-2kib-m1000-s12.c1out.json" --proof "$tmp/proof"
echo "$want" > "$tmp/hex"
expect 0 "^valid$" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/hex"
expect 0 "^valid$" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/hex" --prover-id e807000000000000000000000000000000000000000000000000000000000000
expect 78 "params-not-published" env FIL_PROOFS_VERIFY_PRODUCTION_PARAMS=yes "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/hex"
expect 2 "FIL_PROOFS_VERIFY_PRODUCTION_PARAMS" env FIL_PROOFS_VERIFY_PRODUCTION_PARAMS=perhaps "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/hex"
head -c 191 "$tmp/proof" > "$tmp/short"
expect 1 "proof-wrong-length" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/short"
: > "$tmp/empty"
expect 1 "proof-wrong-length" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/empty"
expect 66 "no-such|absent|No such" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/none"
expect 2 "partition 1 asked for" "$build/cuzk" prove porep --c1 "$c1" --partition 1
expect 2 "name one" "$build/cuzk" prove porep --c1 "$proofs/porep-2kib-ni-s7.c1out.json" --r "$r" --s "$s"
expect 73 "." "$build/cuzk" prove porep --c1 "$c1" -o "$tmp/no/such/folder"

# A sector that was never sealed.
"$build/cuzk-bench" gen-vanilla porep --synthetic --sector-size 2KiB --miner-id 1001 -o "$tmp/synthetic.json" 2> "$tmp/log"
expect 0 "^verified +1 partition of 2687961 rows" "$build/cuzk" prove porep --c1 "$tmp/synthetic.json" --miner-id 1001 -o "$tmp/proof"
expect 0 "^valid$" "$build/cuzk" verify porep --c1 "$tmp/synthetic.json" --proof "$tmp/proof"
expect 1 "invalid" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/proof"
finish
