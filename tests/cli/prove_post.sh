#!/bin/bash
# ctest: needs=params_post timeout=900
# cuzk prove and verify winning and window: the reference's bytes for its r, s on every CPU path, partitions, changed statements.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
export CUZK_PARAM_CACHE=$(cd "$(dirname "$0")/../.." && pwd)/build/params-test

# Sets r, s and want to partition $3 of the variant $2 of the fixture's text $1.
take_variant() {
    r=$(field "$1" fixed_rs_proofs "$2" r_le "$3")
    s=$(field "$1" fixed_rs_proofs "$2" s_le "$3")
    want=$(field "$1" fixed_rs_proofs "$2" proof)
    want=${want:$((384 * $3)):384}
}

# ---- WinningPoSt ----
post=$(cat "$proofs/winning-2kib-1.json")
winning=(winning --vanilla "$proofs/winning-2kib-1.vanilla.json" --registered-proof 0 --randomness "$(field "$post" randomness)")
take_variant "$post" 1 0
for path in $("$build/cuzk" doctor | sed -n 's/^cpu paths *//p' | sed 's/(in use)//'); do
    json=$(CUZK_CPU=$path "$build/cuzk" prove "${winning[@]}" --r "$r" --s "$s" --json 2> "$tmp/log")
    same "proof by $path" "$want" "$(field "$json" proof)"
    same "what is reported" "$path true 1 90883" \
        "$(field "$json" cpu) $(field "$json" verified) $(field "$json" partitions) $(field "$json" constraints)"
    for stage in load check synthesis ntt msm verify total; do
        same "stage $stage is timed" 1 "$(python3 -c "print(int($(field "$json" timings_ms "$stage") > 0))")"
    done
    same "anonymous memory within 200 MiB" 1 "$(python3 -c "print(int(0 < $(field "$json" peak_anon_bytes) <= 200 << 20))")"
done
python3 -c 'import base64,json,sys; sys.stdout.buffer.write(base64.b64decode(json.load(open(sys.argv[1]))[0]))' "$proofs/winning-2kib-1.vanilla.json" > "$tmp/raw"
expect 0 "$want" "$build/cuzk" prove winning --vanilla "$tmp/raw" "${winning[@]:3}" --r "$r" --s "$s"
expect 0 "peak memory" "$build/cuzk" prove "${winning[@]}" --sector-num 21 -o "$tmp/proof"
same "a proof is 192 bytes" 192 "$(stat -c %s "$tmp/proof")"
expect 0 "^valid$" "$build/cuzk" verify "${winning[@]}" --proof "$tmp/proof" --sector-num 21
expect 1 "invalid: .*sector 21 instead of 22 .other-sector" "$build/cuzk" verify "${winning[@]}" --proof "$tmp/proof" --sector-num 22
expect 1 "invalid: $tmp/proof: partition 0: .*proof-invalid" "$build/cuzk" verify "${winning[@]:0:6}" "$(printf '%064d' 0)" --proof "$tmp/proof"
expect 2 "is not one for winning" "$build/cuzk" verify winning --vanilla "$tmp/raw" --registered-proof 5 --randomness "$(printf '%064d' 0)" --proof "$tmp/proof"
field "$post" proof > "$tmp/reference"
expect 0 "^valid$" "$build/cuzk" verify "${winning[@]}" --proof "$tmp/reference"
od -An -v -tx1 "$tmp/proof" | tr -d ' \n' > "$tmp/hex"
expect 0 "^valid$" "$build/cuzk" verify "${winning[@]}" --proof "$tmp/hex"
printf '\0' >> "$tmp/hex"
expect 1 "proof-wrong-length" "$build/cuzk" verify "${winning[@]}" --proof "$tmp/hex"
expect 78 "params-not-published" env FIL_PROOFS_VERIFY_PRODUCTION_PARAMS=1 "$build/cuzk" prove "${winning[@]}"

# ---- WindowPoSt: three sectors in two partitions, for both API versions ----
for fixture in window-2kib-v1-3sectors:5 window-2kib-v1_2-3sectors:10; do
    post=$(cat "$proofs/${fixture%:*}.json")
    statement=(--registered-proof "${fixture#*:}" --randomness "$(field "$post" randomness)")
    vanilla "${fixture%:*}" > "$tmp/v.json"
    vanilla "${fixture%:*}" "p[:2]" > "$tmp/0.json"
    vanilla "${fixture%:*}" "p[2:]" > "$tmp/1.json"
    expect 0 "2 partitions of 21889 rows" "$build/cuzk" prove window --vanilla "$tmp/v.json" "${statement[@]}" -o "$tmp/proof"
    same "two proofs" 384 "$(stat -c %s "$tmp/proof")"
    expect 0 "^valid$" "$build/cuzk" verify window --vanilla "$tmp/v.json" "${statement[@]}" --proof "$tmp/proof"
    field "$post" proof > "$tmp/reference"
    expect 0 "^valid$" "$build/cuzk" verify window --vanilla "$tmp/v.json" "${statement[@]}" --proof "$tmp/reference"
    for k in 0 1; do
        take_variant "$post" 0 $k
        partition=(window --vanilla "$tmp/$k.json" "${statement[@]}" --partition $k)
        expect 0 "^$want$" "$build/cuzk" prove "${partition[@]}" --r "$r" --s "$s"
        dd if="$tmp/proof" of="$tmp/part" bs=192 skip=$k count=1 status=none
        expect 0 "^valid$" "$build/cuzk" verify "${partition[@]}" --proof "$tmp/part"
        expect 1 "proof-wrong-length" "$build/cuzk" verify "${partition[@]}" --proof "$tmp/proof"
        dd if="$tmp/proof" of="$tmp/part" bs=192 skip=$((1 - k)) count=1 status=none
        expect 1 "invalid: $tmp/part: partition $k: " "$build/cuzk" verify "${partition[@]}" --proof "$tmp/part"
    done
done
expect 0 "^$want$" "$build/cuzk" prove "${partition[@]}" --r "$r" --s "$s" --check-points
expect 1 "proof-wrong-length" "$build/cuzk" verify window --vanilla "$tmp/v.json" "${statement[@]}" --proof "$tmp/part"
finish
