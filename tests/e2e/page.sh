#!/bin/bash
# ctest: needs=params_2k needs=params_post timeout=600
# The status page in headless Chromium, at desktop and phone width, while proofs run. Screenshots go to BUILD/e2e.
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/make_venv.sh" "$build/e2e"
[ -e "$build/e2e/venv/playwright" ] || { "$build/e2e/venv/bin/python" -m pip install -q --disable-pip-version-check playwright && touch "$build/e2e/venv/playwright"; }
PYTHONPATH="$build/e2e/client:$here" CUZK_TEST_BUILD="$build" CUZK_TEST_PARAMS="${CUZK_TEST_PARAMS:-$here/../../build/params-test}" \
    "$build/e2e/venv/bin/python" -m unittest -v page_test
