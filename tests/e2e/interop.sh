#!/bin/bash
# ctest: needs=params_2k needs=params_post needs=params_snap timeout=900
# The daemon through grpc-go and the client that protoc-gen-go makes from proto/, both as Debian packages them: interop/client_test.go.
# Without Go this fails.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
export GOPATH=$build/interop:/usr/share/gocode GO111MODULE=off GOTOOLCHAIN=local GOFLAGS= GOCACHE=$build/interop/cache
for tool in go protoc protoc-gen-go; do
    command -v $tool > /dev/null || { echo "interop: no $tool: tools/install-deps interop" >&2; exit 1; }
done
mkdir -p "$build/interop/src"
protoc -I"$here/../../proto" --go_out=plugins=grpc:"$build/interop/src" cuzk/v1/proving.proto
cd "$here/interop"
CUZK_TEST_BUILD=$build CUZK_TEST_PARAMS=${CUZK_TEST_PARAMS:-$here/../../build/params-test} go test -count=1 -v ${2:+-run "$2"} .
