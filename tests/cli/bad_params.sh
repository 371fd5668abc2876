#!/bin/bash
# ctest: needs=params_2k timeout=1200
# Parameter files that are absent, damaged or another circuit's, directories that cannot be read, disks that are full: exit code and
# message, and never half a file under the real name (R19, R20, R22).
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
good=$root/build/params-test
c1=$root/tests/data/proofs/porep-2kib-m1000-s11.c1.json
name=$(ls "$good" | sed -n 's/^\(v28-stacked.*\)\.params$/\1/p')
dir=$tmp/params
mkdir "$dir"
params=$dir/$name.params vk=$dir/$name.vk

prove() { "$build/cuzk" prove porep --c1 "$c1" --param-cache "$dir" "$@"; }
verify() { "$build/cuzk" params verify --circuit porep-2k --param-cache "$dir" "$@"; }
# Writes hex bytes at an offset of the file; mend puts the good file's bytes back there.
poke() { printf "$(sed 's/../\\x&/g' <<< "$2")" | dd of="$params" bs=1 seek="$1" conv=notrunc status=none; }
mend() { dd if="$good/$name.params" of="$params" bs=1 skip="$1" seek="$1" count=192 conv=notrunc status=none; }
# Big-endian 32-bit count at an offset of the good file.
count() { echo $((16#$(od -An -v -tx1 -j "$1" -N 4 "$good/$name.params" | tr -d ' '))); }

# Section starts (of their counts), from the file itself.
n_ic=$(count 864)
h=$((868 + 96 * n_ic))
l=$((h + 4 + 96 * $(count $h)))
a=$((l + 4 + 96 * $(count $l)))
b1=$((a + 4 + 96 * $(count $a)))
b2=$((b1 + 4 + 96 * $(count $b1)))
end=$((b2 + 4 + 192 * $(count $b2)))
same "sections fill the file" "$(stat -c %s "$good/$name.params")" $end

expect 66 "$name.params.*params-absent" prove
touch "$dir/v27-${name#v28-}.params"
expect 66 "$name.params: No such file.*there is v27-${name#v28-}.params, of another version.*params-absent" prove # R23
rm "$dir/v27-${name#v28-}.params"
expect 66 "params-absent" "$build/cuzk" prove porep --c1 "$c1" --param-cache "$tmp/no-such-directory"
: > "$params"
expect 78 "empty.*params-empty" prove

cp "$good/$name.params" "$params"
cp "$good/$name.vk" "$vk"
for cut in "$((end - 1)):b_g2" "$((b2 + 4 + 192)):b_g2" "$((b2 + 2)):b_g2" "$((b1 + 100)):b_g1" "$((a + 100)):section a" "$((l + 100)):section l" \
    "$((h + 100)):section h" "$((h + 2)):section h" "900:key" "800:key.*800" "10:key.*10"; do
    truncate -s "${cut%%:*}" "$params"
    expect 78 "${cut##*:}.*params-truncated" prove
    expect 78 "damaged" verify
done

cp "$good/$name.params" "$params"
echo x >> "$params"
expect 78 "params-trailing" prove
truncate -s "$end" "$params"
poke "$h" 00000000
expect 78 "damaged" verify
expect 78 "params-" prove
poke "$h" ffffffff
expect 78 "params-truncated" prove
mend "$h"

# Another circuit's file under this name, and a key that is not the one beside it.
poke 864 "$(printf '%08x' $((n_ic - 1)))"
expect 78 "params-" prove
mend 864
rm "$vk"
expect 66 "$name.vk" prove
head -c 4707 "$good/$name.vk" > "$vk"
expect 78 "vk-" prove
head -c 192 /dev/zero > "$tmp/proof"
cp "$(ls "$good"/v28-proof-of-spacetime*.vk | head -1)" "$vk"
expect 78 "$name.vk: a key of another circuit: [0-9]+ ic points, porep-2k has [0-9]+ inputs .vk-other-circuit" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/proof" --param-cache "$dir"
{ printf '\x40'; head -c 95 /dev/zero; tail -c +97 "$good/$name.vk"; } > "$vk"
expect 78 "$name.vk: verifying key: alpha_g1 at byte 0 is no usable point \(point-at-infinity\)$" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/proof" --param-cache "$dir"
cp "$good/$name.vk" "$vk"
expect 1 "invalid: $tmp/proof: partition 0: proof: A at byte 0 is no usable point \(point-bad-flags\)$" "$build/cuzk" verify porep --c1 "$c1" --proof "$tmp/proof" --param-cache "$dir"
head -c 4612 "$good/$name.vk" > "$vk"
tail -c 96 "$good/$name.vk" | tac -rs. >> "$vk"
expect 78 "differs at byte 4[67][0-9]+ from the key inside.*vk-differs" prove
head -c 868 "$good/$name.vk" > "$vk"
expect 78 "$name.vk: has 868 bytes, the key inside .*$name.params takes 4708 .vk-differs" prove
cp "$good/$name.vk" "$vk"

# Points: off the curve and outside the subgroup are found when asked for; the proof from them is caught by the self-check at the latest.
point=$((h + 4 + 96 * 1000)) # early in the first section: checking stops there
poke $((point + 95)) 55
expect 78 "point 1000 of section h.*point-not-on-curve" verify --points
expect 78 "point-not-on-curve" prove --check-points
mend $point
poke $point "$(cat "$root/tests/data/params-2k/g1-outside-subgroup.hex")"
expect 78 "point-not-in-subgroup" prove --check-points
poke $point "40$(printf '0%.0s' {1..190})"
expect 78 "infinity" prove

mend $point
expect 0 "^points: not checked, --points looks" verify

# A directory that may not be read: as nobody, for root may read all.
chmod 700 "$tmp"
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$tmp"
    mkdir -m 700 "$tmp/locked"
    cp "$vk" "$tmp/locked"
    cp "$build/cuzk" "$c1" "$tmp" && chmod 755 "$tmp/cuzk" && chmod 644 "$tmp"/*.json
    expect 77 "locked.*(Permission|permission)" setpriv --reuid=65534 --regid=65534 --clear-groups \
        "$tmp/cuzk" prove porep --c1 "$tmp/$(basename "$c1")" --param-cache "$tmp/locked"
    # Disk full while generating: nothing of ours is left, least of all under the real name.
    mkdir "$tmp/small"
    mount -t tmpfs -o size=20m none "$tmp/small"
    expect 74 "disk|space|No space" "$build/cuzk" params generate --circuit porep-2k --param-cache "$tmp/small"
    same "a full disk leaves no file" "" "$(ls -A "$tmp/small")"
    umount "$tmp/small"
else
    mkdir -m 000 "$tmp/locked"
    expect 77 "locked" "$build/cuzk" prove porep --c1 "$c1" --param-cache "$tmp/locked"
    expect 74 "large|space" bash -c "ulimit -f 20000; '$build/cuzk' params generate --circuit porep-2k --param-cache '$tmp/small'"
    same "no file is left" "" "$(ls -A "$tmp/small")"
fi
expect 73 "not-made|Not a directory|exist" "$build/cuzk" params generate --circuit porep-2k --param-cache "$vk/x"

# A trapdoor file that is none.
echo '{' > "$tmp/trapdoor"
expect 65 "trapdoor-not-json" "$build/cuzk" params generate --circuit porep-2k --trapdoor "$tmp/trapdoor" --param-cache "$tmp/new"
sed 's/"tau_le": *"[0-9a-f]*"/"tau_le": "00"/' "$root/tests/data/params-2k/porep-2kib.trapdoor.json" > "$tmp/trapdoor"
expect 65 "tau_le.*trapdoor-field" "$build/cuzk" params generate --circuit porep-2k --trapdoor "$tmp/trapdoor" --param-cache "$tmp/new"
expect 66 "." "$build/cuzk" params generate --circuit porep-2k --trapdoor "$tmp/none" --param-cache "$tmp/new"
finish
