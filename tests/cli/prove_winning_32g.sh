#!/bin/bash
# ctest: long timeout=3600
# A WinningPoSt at 32 GiB size with test parameters, made here: proven, verified, within its memory; what it takes is printed.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
export CUZK_PARAM_CACHE=$tmp/params
mkdir "$CUZK_PARAM_CACHE"

expect 0 "making TEST parameters of winning-32g" "$build/cuzk" params generate --circuit winning-32g
"$build/cuzk-bench" gen-vanilla winning-post --synthetic -o "$tmp/v.json" 2> "$tmp/log"
winning=(winning --vanilla "$tmp/v.json" --registered-proof 3 --randomness "$(sed -n 's/^Randomness (hex): //p' "$tmp/log")")
for i in 1 2 3; do
    json=$("$build/cuzk" prove "${winning[@]}" --json 2> "$tmp/log")
    same "verified, rows" "true 370723" "$(field "$json" verified) $(field "$json" constraints)"
    same "anonymous memory within 500 MiB" 1 "$(python3 -c "print(int(0 < $(field "$json" peak_anon_bytes) <= 500 << 20))")"
    printf '%s: %s CPU seconds, %s ms, peak RSS %s bytes, anonymous %s\n' "$(field "$json" cpu)" "$(field "$json" cpu_seconds)" \
        "$(field "$json" timings_ms total)" "$(field "$json" peak_rss_bytes)" "$(field "$json" peak_anon_bytes)"
done
field "$json" proof > "$tmp/proof"
expect 0 "^valid$" "$build/cuzk" verify "${winning[@]}" --proof "$tmp/proof"
finish
