#!/bin/bash
# ctest: long needs=params_2k needs=params_post needs=params_snap timeout=1800
# The daemon within 512 MiB, 1, 2 and 4 GiB.
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/make_venv.sh" "$build/e2e"
PYTHONPATH="$build/e2e/client:$here" CUZK_TEST_BUILD="$build" CUZK_TEST_PARAMS="${CUZK_TEST_PARAMS:-$here/../../build/params-test}" \
    "$build/e2e/venv/bin/python" -m unittest -v "${2:+memory_test.}${2:-memory_test}"
