#!/bin/bash
# ctest: makes=params_2k timeout=1800
# The reference's own bytes from its trapdoor: 2 KiB PoRep parameters, which other tests prove with.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../params_lib.sh"

generate porep-2k porep-2kib
expect 0 "porep-2k .*1114707768 bytes +present" "$build/cuzk" params list --param-cache "$params"
expect 78 "not the published ones .params-not-published." "$build/cuzk" params verify --published --circuit porep-2k --param-cache "$params"
expect 78 "params-not-published" env FIL_PROOFS_VERIFY_PRODUCTION_PARAMS=1 "$build/cuzk" params verify --circuit porep-2k --param-cache "$params"
expect 73 "never replaced|exist" "$build/cuzk" params generate --circuit porep-2k --param-cache "$params"
expect 0 "params: OK" bash -c "cd '$params' && sha256sum -c '$data/porep-2kib.sha256'"
finish
