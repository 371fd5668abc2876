#!/bin/bash
# ctest: makes=params_snap timeout=1800
# The reference's 2 KiB EmptySectorUpdate parameters from its trapdoor.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../params_lib.sh"

generate snap-2k update-2kib
finish
