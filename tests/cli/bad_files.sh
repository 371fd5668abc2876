#!/bin/bash
# ctest: quick asan
# What stands where a file is expected: pipes, devices, folders, links; standard streams that are closed; names that would play with a terminal.
# Nothing waits, and no parameters are needed.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
export CUZK_PARAM_CACHE=$tmp/params
mkdir "$CUZK_PARAM_CACHE"
c1=$proofs/porep-2kib-m1000-s11.c1.json
list=$proofs/winning-2kib-1.vanilla.json
winning=(--registered-proof 0 --randomness "$(field "$(cat "$proofs/winning-2kib-1.json")" randomness)")
name=$("$build/cuzk" params list | sed -n 's/^winning-2k .* \(.*\)\.params$/\1/p')
mkfifo "$tmp/fifo"
patient() { timeout -k 5 60 "$@"; }

# ---- Inputs ----
expect 74 "/fifo: a pipe that nobody writes to .pipe-without-writer" patient "$build/cuzk" prove porep --c1 "$tmp/fifo"
expect 74 "/fifo: a pipe that nobody writes to" patient "$build/cuzk" prove winning --vanilla "$tmp/fifo" "${winning[@]}"
expect 74 "/fifo: a pipe that nobody writes to" patient "$build/cuzk" verify winning --vanilla "$list" "${winning[@]}" --proof "$tmp/fifo"
expect 74 "/fifo: a pipe that nobody writes to" patient "$build/cuzk" params generate --circuit winning-2k --trapdoor "$tmp/fifo"
expect 74 "/fifo: is a pipe, not a regular file .file-not-regular" patient "$build/cuzk-daemon" --config "$tmp/fifo"
expect 74 "/dev/zero: is a character device, not a regular file or a pipe" patient "$build/cuzk" prove porep --c1 /dev/zero
expect 74 "/dev/zero: is a character device" patient "$build/cuzk" prove winning --vanilla /dev/zero "${winning[@]}"
expect 74 "$tmp: is a directory" patient "$build/cuzk" prove porep --c1 "$tmp"
for left in fifo /dev/zero "$tmp"; do
    ln -sfn "$left" "$CUZK_PARAM_CACHE/$name.vk"
    ln -sfn "$left" "$CUZK_PARAM_CACHE/$name.params"
    [ "$left" = fifo ] && ln -sfn "$tmp/fifo" "$CUZK_PARAM_CACHE/fifo"
    expect 74 "$name.vk: is a .*, not a regular file" patient "$build/cuzk" verify winning --vanilla "$list" "${winning[@]}" --proof <(head -c 192 /dev/zero)
    expect 74 "$name.params: is a .*params-unreadable" patient "$build/cuzk" prove winning --vanilla "$list" "${winning[@]}"
    expect 74 "$name.params: is a " patient "$build/cuzk" params verify --circuit winning-2k
done
rm "$CUZK_PARAM_CACHE"/*

# Other things' files.
expect 78 "$c1: holds no certificate in PEM" "$build/cuzk-bench" status --ca "$c1" -a https://127.0.0.1:1
: > "$tmp/nothing"
expect 78 "nothing: has no token in its first line" "$build/cuzk-bench" status --token-file "$tmp/nothing"
same "a trapdoor that is none" "error: $c1: field \"alpha_le\" must be a string of 64 hexadecimal digits (trapdoor-field)" \
    "$("$build/cuzk" params generate --circuit winning-2k --trapdoor "$c1" 2>&1)"
same "an empty one" "error: $tmp/nothing: the file is empty; expected a JSON object (trapdoor-not-json)" \
    "$("$build/cuzk" params generate --circuit winning-2k --trapdoor "$tmp/nothing" 2>&1)"

# What doctor and params list say without reading.
prefix=$CUZK_PARAM_CACHE/$name
looks() { # REGEX
    expect 78 "winning-2k +UNUSABLE $1$" "$build/cuzk" doctor
    expect 0 "^winning-2k +47299128 bytes +unusable +$name.params  $1$" "$build/cuzk" params list
}
expect 0 "^winning-2k +47299128 bytes +absent +$name.params$" "$build/cuzk" params list
: > "$prefix.params"
looks ".params: 0 bytes, expected 47299128"
truncate -s 47299128 "$prefix.params"
looks ".vk: No such file or directory"
truncate -s 13636 "$prefix.vk"
expect 0 "winning-2k  .*present$" "$build/cuzk" doctor
ln -sfn "$tmp" "$prefix.vk"
looks ".vk: no regular file"
ln -sfn "$name.params" "$prefix.params"
looks ".params: Too many levels of symbolic links"
rm "$CUZK_PARAM_CACHE"/*
expect 66 "vk-absent" "$build/cuzk" verify winning --vanilla "$list" "${winning[@]}" --proof <(head -c 192 /dev/zero)

# A pipe is as good as a file where one is read from end to end.
absent="$name.params: No such file"
expect 66 "$absent" "$build/cuzk" prove winning --vanilla <(cat "$list") "${winning[@]}"
expect 66 "$absent" bash -c 'cat "$1" | "$2" prove winning --vanilla - "${@:3}"' - "$list" "$build/cuzk" "${winning[@]}"
expect 66 "params-absent" bash -c '"$2" prove porep --c1 /dev/stdin < "$1"' - "$c1" "$build/cuzk"
expect 66 "params-absent" bash -c 'cat "$1" | "$2" prove porep --c1 -' - "$c1" "$build/cuzk"
expect 65 "standard input: .*c1-truncated" bash -c 'head -c 1000 "$1" | "$2" prove porep --c1 -' - "$c1" "$build/cuzk"
expect 65 "/dev/fd/[0-9]*: .*c1-" "$build/cuzk" prove porep --c1 <(echo '[]')
expect 65 "/dev/fd/[0-9]*: byte 0: { instead of .*vanilla-json" "$build/cuzk" prove winning --vanilla <(head -c 5 "$c1") "${winning[@]}"

# ---- Faults name the file they were found in ----
python3 - "$proofs/porep-2kib-m1000-s11.c1out.json" > "$tmp/other.json" <<'END2'
import json, sys
c1 = json.load(open(sys.argv[1]))
c1["seed"][0] ^= 1
print(json.dumps(c1))
END2
expect 65 "error: $tmp/other.json: .*partition 0.*wrong-" "$build/cuzk" prove porep --c1 "$tmp/other.json"
expect 65 "error: $tmp/other.json: .*wrong-" "$build/cuzk-bench" synth-only --c1 "$tmp/other.json"

# ---- A bare C1 output names no sector, but both numbers together say what its replica_id must be ----
bare=$proofs/porep-2kib-m1000-s11.c1out.json
expect 66 "params-absent" "$build/cuzk" prove porep --c1 "$bare" --miner-id 1000 --sector-num 11
expect 65 "c1out.json: replica_id does not follow.*replica-id-other-prover" "$build/cuzk" prove porep --c1 "$bare" --miner-id 1001 --sector-num 11
expect 65 "c1out.json: replica_id does not follow.*replica-id-other-prover" "$build/cuzk" prove porep --c1 "$bare" --miner-id 1000 --sector-num 12
expect 1 "replica-id-other-prover" "$build/cuzk" verify porep --c1 "$bare" --miner-id 1000 --sector-num 12 --proof "$c1"
expect 65 "no-sector-number" "$build/cuzk" prove porep --c1 "$bare" --miner-id 1000
expect 65 "no-sector-number" "$build/cuzk" prove porep --c1 "$bare" --sector-num 11

# ---- Options ----
for twice in "--c1 x --c1=y" "--partition 1 --partition 1" "-o x --output y" "--threads 1 --threads 2" "--param-cache x --param-cache x"; do
    option=${twice%% *}
    expect 2 "error: ${option/#-o/--output} is given more than once" "$build/cuzk" prove porep $twice
done
expect 2 "error: --output is given an empty value" "$build/cuzk" prove porep --c1 x -o ""
expect 2 "error: --param-cache is given an empty value" "$build/cuzk" doctor --param-cache=
expect 2 "error: --circuit is given more than once" "$build/cuzk" params verify --circuit x --circuit x
expect 2 "error: --log2 is given more than once" "$build/cuzk-bench" ntt --log2 4 --log2 5
expect 2 "error: --addr is given more than once" "$build/cuzk-bench" -a x status -a y
expect 2 "error: --config is given more than once" "$build/cuzk-daemon" -c x --config y

# ---- Names that would play with the terminal ----
escaped='\\x1b\[31m\\x0aerror: all is well\\xff'
nasty=$(printf '%s/\e[31m\nerror: all is well\xff' "$tmp")
expect 66 "^error: .*$escaped: No such file" "$build/cuzk" prove porep --c1 "$nasty"
expect 66 "$escaped/$name.params: No such file" "$build/cuzk" prove winning --vanilla "$list" "${winning[@]}" --param-cache "$nasty"
expect 2 "no command \".x1b" "$build/cuzk" $'\e[31m'
expect 0 "parameters in .*$escaped" "$build/cuzk" params list --param-cache "$nasty"
expect 0 "parameters .*$escaped" "$build/cuzk" doctor --param-cache "$nasty"
for text in "$("$build/cuzk" prove porep --c1 "$nasty" 2>&1)" "$("$build/cuzk" doctor --param-cache "$nasty")"; do
    same "no escape reaches the terminal" 0 "$(grep -c $'\e' <<< "$text")"
done

# ---- Outputs ----
# What cannot be made is refused before the work, so nothing is said but that. 32 GiB would take a while.
cut_short() { (ulimit -t 5; "$@"); }
for command in "gen-vanilla porep --synthetic --sector-size 32GiB" "gen-vanilla window-post --synthetic" "gen-vanilla snap-prove --synthetic"; do
    same "$command into no folder" "error: $tmp/none/x: No such file or directory (file-not-creatable)" \
        "$(cut_short "$build/cuzk-bench" $command -o "$tmp/none/x" 2>&1)"
done
expect 73 "/none/pce-porep-32g.bin: No such file" cut_short "$build/cuzk" pce record --circuit porep-32g --param-cache "$tmp/none"
expect 73 "$tmp/none/x: No such file" "$build/cuzk-bench" pce-bench --c1 "$tmp/none" --save-pce "$tmp/none/x"
same "a directory" "error: $tmp: is a directory (file-not-creatable)" "$("$build/cuzk-bench" gen-vanilla snap-prove --synthetic -o "$tmp" 2>&1)"
gen() { "$build/cuzk-bench" gen-vanilla winning-post --synthetic --registered-proof 0 --threads 1 "$@" 2> /dev/null; }
gen -o "$tmp/want" || echo "FAILED: gen-vanilla"
umask 027
echo old > "$tmp/target"
chmod 604 "$tmp/target"
ln -s target "$tmp/link"
gen -o "$tmp/link"
same "a link leads to the new file" "target 604" "$(readlink "$tmp/link") $(stat -c %a "$tmp/target")"
same "which is complete" "" "$(cmp "$tmp/want" "$tmp/target" 2>&1)"
gen -o "$tmp/fresh"
same "a new file's mode is the umask's" 640 "$(stat -c %a "$tmp/fresh")"
expect 73 "$tmp: is a directory" "$build/cuzk-bench" gen-vanilla winning-post --synthetic --registered-proof 0 -o "$tmp"
expect 73 "/fifo: " patient "$build/cuzk-bench" gen-vanilla winning-post --synthetic --registered-proof 0 -o "$tmp/fifo"
echo before > "$tmp/log"
gen -o /proc/self/fd/1 >> "$tmp/log"
same "standard output is appended to" "" "$(cmp <(echo before; cat "$tmp/want") "$tmp/log" 2>&1)"
gen -o /proc/self/fd/1 | cmp - "$tmp/want" || { failures=$((failures + 1)); echo "FAILED: into a pipe"; }

# A closed standard stream: no file takes its place.
"$build/cuzk-bench" gen-vanilla winning-post --synthetic --registered-proof 0 --threads 1 -o "$tmp/closed" 2>&- >&- <&-
same "closed streams" "" "$(cmp "$tmp/want" "$tmp/closed" 2>&1)"
expect 74 "cannot write to standard output" bash -c '"$1" params list >&-' - "$build/cuzk"
expect 74 "standard input: " bash -c '"$1" prove porep --c1 - <&-' - "$build/cuzk"

same "no temporary file is left" "" "$(find "$tmp" -name '*.tmp' -o -name '*.lock')"
finish
