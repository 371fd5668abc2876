#!/bin/bash
# ctest: needs=params_post timeout=900
# Generations that meet another one, are ended, or find what a killed one left; all with a small stack.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
good=$root/build/params-test
name=$(sed -n 's/^[0-9a-f]*  \(.*\)\.vk$/\1/p' "$root/tests/data/params-2k/winning-2kib.sha256")
trapdoor=$root/tests/data/params-2k/porep-2kib.trapdoor.json
dir=$tmp/params
mkdir "$dir"
ulimit -s 256
generate() { "$build/cuzk" params generate --circuit winning-2k --param-cache "$dir" "$@"; }
await() { for _ in {1..600}; do "$@" && return; sleep 0.1; done; }
begin() {
    "$build/cuzk" params generate --circuit winning-2k --param-cache "$dir" --trapdoor "$trapdoor" 2> /dev/null &
    running=$!
    await test -e "$dir/$name.lock"
}

# Two at once: the second does no work. A signal that ends the first leaves nothing.
begin
expect 75 "$name.params: another process is making it .params-in-the-making" generate --trapdoor "$trapdoor"
kill -TERM $running
wait $running
same "ended by the signal" 143 $?
same "and nothing is left" "" "$(ls -A "$dir")"

# What a killed one leaves is completed if it is right.
begin
kill -KILL $running
wait $running 2> /dev/null
cp "$good/$name.vk" "$good/$name.meta" "$dir"
expect 73 "$name.vk: is there without .*$name.params.* remove it .params-exist" generate # another trapdoor
same "which is known before the work" 0 "$(generate 2>&1 | grep -c evaluating)"
printf x >> "$dir/$name.meta"
expect 73 "$name.meta: is there without" generate --trapdoor "$trapdoor"
cp "$good/$name.meta" "$dir"
same "the wrong ones were left alone" "" "$(cmp "$dir/$name.vk" "$good/$name.vk" 2>&1)"
expect 0 "making TEST parameters" generate --trapdoor "$trapdoor"
same "all three" "$name.meta $name.params $name.vk" "$(ls -A "$dir" | sort | tr '\n' ' ' | sed 's/ $//')"
same "the right ones" "" "$(for e in vk meta params; do cmp "$dir/$name.$e" "$good/$name.$e" 2>&1; done)"
expect 73 "$name.params: File exists .params-exist" generate --trapdoor "$trapdoor"

# Whatever proves and verifies is content with a small stack, too.
list=$root/tests/data/proofs/winning-2kib-1.vanilla.json
source "$root/tests/vanilla_lib.sh"
winning=(--registered-proof 0 --randomness "$(field "$(cat "$proofs/winning-2kib-1.json")" randomness)" --vanilla "$list" --param-cache "$good")
for path in $("$build/cuzk" doctor | sed -n 's/^cpu paths *//p' | sed 's/(in use)//'); do
    expect 0 "verified  " env CUZK_CPU="$path" "$build/cuzk" prove winning "${winning[@]}" -o "$tmp/proof"
done
expect 0 "^valid" "$build/cuzk" verify winning "${winning[@]}" --proof "$tmp/proof"
finish
