#!/bin/bash
# ctest: quick asan
# Vanilla proofs and statements that must be refused before anything is proven: exit code and message. No parameters are needed.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
export CUZK_PARAM_CACHE=$tmp/none

# try CODE REGEX KIND FIXTURE EXPRESSION OPTION...: proves from the fixture's proofs as the expression changes them. A fault found in the file
# names it; what begins with comm_ is about the options.
try() {
    local pattern=$2
    [ "$1" = 65 ] && [[ $pattern != comm_* ]] && pattern="error: $tmp/v.json: .*($pattern)"
    vanilla "$4" "$5" > "$tmp/v.json"
    expect "$1" "$pattern" "$build/cuzk" prove "$3" --vanilla "$tmp/v.json" "${@:6}"
}

# ---- WinningPoSt ----
post=$(cat "$proofs/winning-2kib-1.json")
random=$(field "$post" randomness)
winning=(--registered-proof 0 --randomness "$random")
try 66 "params-absent" winning winning-2kib-1 p "${winning[@]}" # nothing wrong but this
for n in 0 7 39 55 60 36751 36815; do
    try 65 "vanilla proof 0.*\(bincode-truncated\)" winning winning-2kib-1 "[p[0][:$n]]" "${winning[@]}"
done
try 65 "1 byte.*bincode-trailing" winning winning-2kib-1 "[p[0]+b'x']" "${winning[@]}"
try 65 "inclusion_proofs\[0\].data: tag .*bincode-tag" winning winning-2kib-1 "flip(p,(0,56))" "${winning[@]}"
try 65 "inclusion_proofs\[0\].data.path: 2 items instead of 6 .byte 124. .bincode-length." winning winning-2kib-1 p --registered-proof 1 --randomness "$random"
try 65 "tag 0 .Single. instead of 1 .Sub." winning winning-2kib-1 p --registered-proof 3 --randomness "$random"
try 65 "tag 0 .Single. instead of 2 .Top." winning winning-2kib-1 p --registered-proof 4 --randomness "$random"
try 65 "1 of 1 sectors is faulty: 21; sector 21: inclusion_proofs\[0\]: opens leaf 35 instead of" winning winning-2kib-1 p --registered-proof 0 --randomness "00${random:2}"
try 65 "no vanilla proof at all; expected one .post-no-sectors" winning winning-2kib-1 "[]" "${winning[@]}"
try 65 "2 vanilla proofs are given.*at most 1 sector .post-too-many-sectors" winning winning-2kib-1 "p+p" "${winning[@]}"
try 65 "sector 21 instead of 22 .other-sector" winning winning-2kib-1 p "${winning[@]}" --sector-num 22
try 2 "there is no registered PoSt proof 15" winning winning-2kib-1 p --registered-proof 15 --randomness "$random"
try 2 "registered proof 10 is StackedDrgWindow2KiBV1_2, which is not one for winning" winning winning-2kib-1 p --registered-proof 10 --randomness "$random"
expect 66 "none" "$build/cuzk" prove winning --vanilla "$tmp/none" "${winning[@]}"
printf '["AAAA", "A*=="]' > "$tmp/v.json"
expect 65 "v.json: vanilla proof 1: is not base64 at character 1" "$build/cuzk" prove winning --vanilla "$tmp/v.json" "${winning[@]}"
echo '["AAAA", 1]' > "$tmp/v.json"
expect 65 "v.json: element 1 .byte 10.: a number; expected a JSON array of base64 strings.*vanilla-json" "$build/cuzk" prove winning --vanilla "$tmp/v.json" "${winning[@]}"
python3 -c 'import base64,json,sys; sys.stdout.buffer.write(base64.b64decode(json.load(open(sys.argv[1]))[0]))' "$proofs/winning-2kib-1.vanilla.json" > "$tmp/raw"
expect 66 "params-absent" "$build/cuzk" prove winning --vanilla "$tmp/raw" "${winning[@]}"

# What is no list at all says so, whoever reads it.
json="expected a JSON array of base64 strings"
hex=$(od -An -v -tx1 -N 100 "$tmp/raw" | tr -d ' \n')
for text in "|the file is empty; $json.*vanilla-empty" '{"proofs": []}|byte 0: { instead of .; '"$json" "null|byte 0: n instead of .; $json" \
    "$hex|byte 0: hexadecimal digits; $json"; do
    printf '%s' "${text%%|*}" > "$tmp/text"
    expect 65 "error: $tmp/text: ${text#*|}" "$build/cuzk" prove winning --vanilla "$tmp/text" "${winning[@]}"
    expect 65 "error: $tmp/text: ${text#*|}" "$build/cuzk" verify snap --vanilla "$tmp/text" --registered-proof 0 --comm-r-old "$random" --comm-r-new "$random" \
        --comm-d-new "$random" --proof "$tmp/text"
    expect 65 "error: $tmp/text: ${text#*|}" "$build/cuzk-bench" single --type winning --vanilla "$tmp/text"
done
printf '["%s"]' "$hex" > "$tmp/text"
expect 65 "vanilla proof 0: hexadecimal digits; expected base64 .vanilla-base64" "$build/cuzk" prove winning --vanilla "$tmp/text" "${winning[@]}"
head -c 1000 /dev/zero > "$tmp/zeros"
expect 65 "error: $tmp/zeros: taken as one proof in bincode, for it is no JSON array of base64: vanilla proof 0" "$build/cuzk" prove winning --vanilla "$tmp/zeros" "${winning[@]}"
expect 65 "error: $tmp/zeros: taken as one proof in bincode.*16: StackedDrg32GiBV1 needs one" "$build/cuzk" prove snap --vanilla "$tmp/zeros" --registered-proof 3 \
    --comm-r-old "$(printf '%063d0' 1)" --comm-r-new "$(printf '%063d0' 1)" --comm-d-new "$(printf '%063d0' 1)"
expect 1 "$tmp/zeros: the proof has 1000 bytes; expected 192, or 384 hexadecimal digits: 192 for each of 1 partition .proof-wrong-length" \
    "$build/cuzk" verify winning --vanilla "$tmp/raw" "${winning[@]}" --proof "$tmp/zeros"

# ---- WindowPoSt ----
post=$(cat "$proofs/window-2kib-faulty.json")
window=(--registered-proof 10 --randomness "$(field "$post" randomness)")
try 66 "params-absent" window window-2kib-faulty p "${window[@]}"
try 65 "1 of 4 sectors is faulty: 22; sector 22: inclusion_proofs\[5\]: leaf and hashes do not lead" window window-2kib-faulty "[p[0],tampered[1],p[2],p[3]]" "${window[@]}"
try 65 "3 of 4 sectors are faulty: 21-22, 24; sector 21: comm_r is not .*; sector 22: .*; sector 24: " window window-2kib-faulty "flip([p[0],tampered[1],p[2],p[3]],(0,8),(3,9))" "${window[@]}"
try 65 "sector 22: comm_r is all zero" window window-2kib-faulty "[p[0],p[1][:8]+bytes(32)+p[1][40:],p[2]]" "${window[@]}"
try 65 "vanilla proof 1 .sector 22.: comm_r.*not-canonical" window window-2kib-faulty "[p[0],p[1][:8]+b'\xff'*32+p[1][40:],p[2]]" "${window[@]}"
try 65 "sector 21 after sector 22: the chain goes through them in ascending order" window window-2kib-faulty "[p[1],p[0]]" "${window[@]}"
try 65 "sector 21 twice" window window-2kib-faulty "[p[0],p[0]]" "${window[@]}"
try 65 "no vanilla proof at all; expected one for each sector .post-no-sectors" window window-2kib-faulty "[]" "${window[@]}"
try 65 "4 vanilla proofs are given: one partition of StackedDrgWindow2KiBV1_2 has at most 2 sectors" window window-2kib-faulty p "${window[@]}" --partition 0
try 65 "sector 21.: .*inclusion_proofs\[0\].data.path: 2 items instead of 6" window window-2kib-faulty p --registered-proof 11 --randomness "$(field "$post" randomness)"
try 2 "registered proof 4 is StackedDrgWinning64GiBV1" window window-2kib-faulty p --registered-proof 4 --randomness "$(field "$post" randomness)"
try 2 "r and s are for one partition, but .* has 2: name one" window window-2kib-faulty p "${window[@]}" --r "$(printf '%064d' 0)" --s "$(printf '%064d' 0)"

# API 1.0 counts sectors over the whole proof: another partition's number, other leaves.
post=$(cat "$proofs/window-2kib-v1-3sectors.json")
window=(--registered-proof 5 --randomness "$(field "$post" randomness)")
try 66 "params-absent" window window-2kib-v1-3sectors "p[2:]" "${window[@]}" --partition 1
try 65 "1 of 1 sectors is faulty: 23; .*opens leaf" window window-2kib-v1-3sectors "p[2:]" "${window[@]}" --partition 2
try 65 "1 of 1 sectors is faulty: 23; .*opens leaf" window window-2kib-v1-3sectors "p[2:]" "${window[@]}"

# ---- EmptySectorUpdate ----
update=$(cat "$proofs/update-2kib-1.json")
declare -A comm
for name in r_old r_new d_new; do comm[$name]=$(field "$update" "comm_$name"); done
snap() { # CODE REGEX EXPRESSION [R_OLD R_NEW D_NEW]
    try "$1" "$2" snap update-2kib-1 "$3" --registered-proof "${7:-0}" --comm-r-old "${4:-${comm[r_old]}}" --comm-r-new "${5:-${comm[r_new]}}" --comm-d-new "${6:-${comm[d_new]}}"
}
flipped() { local hex=${comm[$1]}; printf '%02x%s' $((16#${hex:0:2} ^ 1)) "${hex:2}"; }
ones=$(printf 'f%.0s' {1..64}) zeros=$(printf '%064d' 0)
snap 66 "params-absent" p
for n in 0 31 39 303 15063; do
    snap 65 "vanilla proof 0.*bincode-truncated" "[p[0][:$n]]"
done
snap 65 "bincode-trailing" "[p[0]+b'x']"
snap 65 "tag .*bincode-tag" "flip(p,(0,304))"
snap 65 "2 vanilla proofs instead of 1.*update-partitions" "p+p"
snap 65 "0 vanilla proofs instead of 1.*update-partitions" "[]"
snap 65 "1 vanilla proof instead of 16: StackedDrg32GiBV1" p "" "" "" 3
snap 65 "comm_r_old: is not below.*not-canonical" p "$ones"
snap 65 "comm_r_new: is not below.*not-canonical" p "" "$ones"
snap 65 "comm_d_new: is not below.*not-canonical" p "" "" "$ones"
snap 65 "comm_r_old is all zero" p "$zeros"
snap 65 "comm_d_new is all zero" p "" "" "$zeros"
snap 65 "comm_d_new: is not the root of the new data's tree .wrong-comm-d" p "" "" "$(flipped d_new)"
snap 65 "comm_r_old: is not the hash of comm_c" p "$(flipped r_old)"
snap 65 "partition 0: (challenge|comm_r_new)" p "" "$(flipped r_new)"
snap 65 "partition 0: comm_r_old: is not the hash" "flip(p,(0,0))"
snap 2 "there is no registered update proof 5" p "" "" "" 5

# ---- Options ----
expect 2 "no kind of proof \"wpost\"; known: porep, window, winning, snap" "$build/cuzk" prove wpost
expect 2 "no kind of proof \"x\"" "$build/cuzk" verify x
expect 2 "--vanilla FILE is missing" "$build/cuzk" prove winning
expect 2 "--registered-proof N is missing" "$build/cuzk" prove winning --vanilla x
expect 2 "--randomness HEX is missing" "$build/cuzk" prove window --vanilla x --registered-proof 5
expect 2 "--comm-r-old HEX is missing" "$build/cuzk" prove snap --vanilla x --registered-proof 0
expect 2 "--comm-d-new HEX is missing" "$build/cuzk" prove snap --vanilla x --registered-proof 0 --comm-r-old "$zeros" --comm-r-new "$zeros"
expect 2 "--c1 does not apply to winning" "$build/cuzk" prove winning --c1 x
expect 2 "--vanilla does not apply to porep" "$build/cuzk" prove porep --c1 x --vanilla y
expect 2 "--miner-id does not apply to window" "$build/cuzk" prove window --vanilla x "${window[@]}" --miner-id 1
expect 2 "--partition does not apply to winning" "$build/cuzk" verify winning --vanilla x "${winning[@]}" --partition 0
expect 2 "--randomness does not apply to snap" "$build/cuzk" prove snap --vanilla x --registered-proof 0 --randomness "$zeros"
expect 2 "--randomness takes 64 hexadecimal digits" "$build/cuzk" prove winning --vanilla x --registered-proof 0 --randomness 12
expect 2 "--registered-proof takes a whole number" "$build/cuzk" prove winning --vanilla x --registered-proof -1
expect 2 "--proof FILE is missing" "$build/cuzk" verify winning --vanilla x "${winning[@]}"
finish
