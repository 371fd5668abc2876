#!/bin/bash
# ctest: timeout=120
# What an installation holds, and that another program builds against it by pkg-config and runs.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

expect 0 "" cmake --install "$build" --prefix "$tmp/usr"
for file in bin/cuzk bin/cuzk-daemon bin/cuzk-bench include/cuzk/engine.h share/cuzk/cuzk.toml lib/systemd/system/cuzk.service \
    lib/sysusers.d/cuzk.conf; do
    same "$file is there" yes "$([ -s "$tmp/usr/$file" ] && echo yes)"
done
same "the unit starts what was installed" "$tmp/usr/bin/cuzk-daemon" "$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$tmp/usr/lib/systemd/system/cuzk.service")"
read -ra flags <<< "$(PKG_CONFIG_PATH=$tmp/usr/lib/pkgconfig pkg-config --static --cflags --libs cuzk)"
expect 0 "" "${CC:-cc}" "$root/examples/prove_c1.c" -o "$tmp/prove_c1" "${flags[@]}"
expect 2 "usage" "$tmp/prove_c1"
finish
