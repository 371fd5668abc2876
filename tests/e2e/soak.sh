#!/bin/bash
# ctest: long serial needs=params_2k needs=params_post timeout=3600
# 500 jobs through one daemon, with clients that cancel and disconnect.
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/make_venv.sh" "$build/e2e"
PYTHONPATH="$build/e2e/client:$here" CUZK_TEST_BUILD="$build" CUZK_TEST_PARAMS="${CUZK_TEST_PARAMS:-$here/../../build/params-test}" \
    "$build/e2e/venv/bin/python" -m unittest -v soak_test
