#!/bin/bash
# ctest: quick
# cuzk pce: recording, what info says, verification, and the refusal of files that are cut, altered or of another circuit.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
export CUZK_PARAM_CACHE=$tmp
pce() { "$build/cuzk" pce "$@"; }

expect 0 "non-zero +A 150285, B 22230, C 27456, sum 199971" pce record --circuit wpost-2k
expect 0 "checksums +checked" pce info --circuit wpost-2k
expect 0 "^verified +every row" pce verify --circuit wpost-2k
expect 0 "distinct rows" pce record --circuit wpost-2k --templates
expect 0 "rows +21889 " pce info --circuit wpost-2k --templates
expect 0 "^verified +every row" pce verify --circuit wpost-2k --templates
expect 0 "rows +90883 " pce record --circuit winning-2k --templates
same "files" "pce-window-post-2k.bin pce-window-post-2k.bin.sums pce-window-post-2k.templates pce-winning-post-2k.templates" "$(cd "$tmp" && echo pce-*)"
same "the format's first bytes" "50434502 02000000 17000000 70560000 81550000" "$(od -An -v -tx1 -N20 "$tmp/pce-window-post-2k.bin" | tr -d ' \n' | sed 's/......../& /g; s/ $//')"

json=$(pce info --circuit wpost-2k --templates --json)
read -r bytes memory sum <<< "$(python3 -c 'import json,sys
v=json.loads(sys.argv[1]); n=v["nnz_with_input_constraints"]
print(v["file_bytes"], v["memory_bytes"], n["a"]+n["b"]+n["c"])' "$json")"
same "templates: file" "$(stat -c %s "$tmp/pce-window-post-2k.templates")" "$bytes"
same "templates: terms, and less memory than these" "199971 1" "$sum $((memory < sum * 36 ? 1 : 0))"
same "flat: checksums" "true" "$(python3 -c 'import json,sys; print(str(json.loads(sys.argv[1])["checksums"]).lower())' "$(pce info --circuit wpost-2k --json)")"

# Cut, altered, of another circuit: by name, before anything is evaluated.
cp "$tmp/pce-winning-post-2k.templates" "$tmp/pce-winning-post-8m.templates"
expect 65 "pce-winning-post-8m.templates: not of winning-8m: num_aux is [0-9]+, expected [0-9]+ .pce-other-circuit" pce info --circuit winning-8m --templates
for name in pce-window-post-2k.bin pce-window-post-2k.templates; do
    flag=$([ "$name" = "${name%.bin}" ] && echo --templates)
    mv "$tmp/$name" "$tmp/whole"
    head -c 100000 "$tmp/whole" > "$tmp/$name"
    expect 65 "$name: .*cut" pce info --circuit wpost-2k $flag
    (cat "$tmp/whole" && echo) > "$tmp/$name"
    expect 65 "$name: .*more" pce info --circuit wpost-2k $flag
    (head -c 100000 "$tmp/whole" && printf x && tail -c +100002 "$tmp/whole") > "$tmp/$name"
    expect 65 "$name: .*(altered|not what was recorded)" pce verify --circuit wpost-2k $flag
    (head -c 8 "$tmp/pce-winning-post-2k.templates" | tr K Q && tail -c +9 "$tmp/whole") > "$tmp/$name"
    expect 65 "$name: byte 0.*(begins with .CUZQTMPL., expected CUZKTMPL|magic is 43 55 5a 51, expected 50 43 45 02)" pce info --circuit wpost-2k $flag
    : > "$tmp/$name"
    expect 65 "$name: an empty file" pce info --circuit wpost-2k $flag
    rm "$tmp/$name"
    expect 66 "$name: No such file" pce info --circuit wpost-2k $flag
    mv "$tmp/whole" "$tmp/$name"
done
expect 0 "^verified" pce verify --circuit wpost-2k
sed 's/^bytes 7/bytes 6/' "$tmp/pce-window-post-2k.bin.sums" > "$tmp/sums"
mv "$tmp/sums" "$tmp/pce-window-post-2k.bin.sums"
expect 65 "pce-window-post-2k.bin.sums: altered" pce info --circuit wpost-2k
sed 's/^cuzk-block-sums 1/cuzk-block-sums 2/' "$tmp/pce-window-post-2k.bin.sums" > "$tmp/sums"
mv "$tmp/sums" "$tmp/pce-window-post-2k.bin.sums"
expect 65 "bin.sums: line 1: \"2\", expected version 1" pce info --circuit wpost-2k
rm "$tmp/pce-window-post-2k.bin.sums"
expect 0 "checksums +none" pce info --circuit wpost-2k
expect 0 "^verified" pce verify --circuit wpost-2k

expect 2 "circuit ID is missing" pce record
expect 2 "no circuit \"porep-1k\"" pce record --circuit porep-1k
expect 2 "no action \"look\"" pce look --circuit wpost-2k
expect 2 "unexpected argument" pce info --circuit wpost-2k more
expect 2 "what to do is missing" pce
expect 0 "usage: cuzk pce" pce --help
expect 73 "No such file" pce record --circuit wpost-2k --param-cache "$tmp/none"
finish
