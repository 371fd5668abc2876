#!/bin/bash
# ctest: makes=params_post timeout=900
# The reference's 2 KiB WinningPoSt and WindowPoSt parameters from its trapdoor. The window file was made by bellperson itself.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../params_lib.sh"

generate winning-2k winning-2kib
generate wpost-2k window-2kib
expect 0 "^points: each was checked" "$build/cuzk" params verify --points --circuit wpost-2k --param-cache "$params"
finish
