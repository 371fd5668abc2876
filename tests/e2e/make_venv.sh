#!/bin/bash
# A Python with grpcio in FOLDER/venv and the client generated from proto/ in FOLDER/client; done once, then kept.
# usage: make_venv.sh FOLDER
set -euo pipefail
folder=$1
proto=$(cd "$(dirname "$0")/../../proto" && pwd)
mkdir -p "$folder"
exec 9> "$folder/lock"
flock 9
if [ ! -e "$folder/venv/complete" ]; then
    rm -rf "$folder/venv"
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install -q --disable-pip-version-check grpcio grpcio-tools grpcio-health-checking grpcio-reflection
    touch "$folder/venv/complete"
fi
mkdir -p "$folder/client"
"$folder/venv/bin/python" -m grpc_tools.protoc -I"$proto" --python_out="$folder/client" --grpc_python_out="$folder/client" \
    "$proto/cuzk/v1/proving.proto"
