#!/bin/bash
# ctest: needs=params_2k needs=params_post timeout=900
# What users of other provers reported, replayed against the daemon: the numbers are those of docs/testing.md.
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/make_venv.sh" "$build/e2e"
"${CC:-cc}" -shared -fPIC -O1 -Wall -Wextra -Werror -o "$build/e2e/faults.so" "$here/faults.c" -ldl
PYTHONPATH="$build/e2e/client:$here" CUZK_TEST_BUILD="$build" CUZK_TEST_PARAMS="${CUZK_TEST_PARAMS:-$here/../../build/params-test}" \
    "$build/e2e/venv/bin/python" -m unittest -v "${2:+replays_test.}${2:-replays_test}"
