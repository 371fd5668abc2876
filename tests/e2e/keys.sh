#!/bin/bash
# ctest: needs=params_2k needs=params_post timeout=600
# Every key of the daemon's configuration has an effect, or is warned of.
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/make_venv.sh" "$build/e2e"
PYTHONPATH="$build/e2e/client:$here" CUZK_TEST_BUILD="$build" CUZK_TEST_PARAMS="${CUZK_TEST_PARAMS:-$here/../../build/params-test}" \
    "$build/e2e/venv/bin/python" -m unittest -v "${2:+keys_test.}${2:-keys_test}"
