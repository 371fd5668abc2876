# For cli/params_generate*.sh: the reference's parameter files from its trapdoor, into build/params-test for the tests that prove.
data=$(cd "$(dirname "$0")/../data/params-2k" && pwd)
params=$(cd "$(dirname "$0")/../.." && pwd)/build/params-test
mkdir -p "$params"

# generate CIRCUIT NAME: the circuit's three files have the digests of NAME.sha256. The reference drew the same trapdoor for all circuits.
generate() {
    local prefix
    prefix=$(sed -n 's/^[0-9a-f]*  \(.*\)\.vk$/\1/p' "$data/$2.sha256")
    rm -f "$params/$prefix".*
    expect 0 "making TEST parameters" "$build/cuzk" params generate --circuit "$1" --trapdoor "$data/porep-2kib.trapdoor.json" --param-cache "$params"
    expect 0 "params: OK" bash -c "cd '$params' && sha256sum -c '$data/$2.sha256'"
    same "$1: no other file is left" 3 "$(ls -A "$params" | grep -c "${prefix##*-}")"
    expect 0 "^points: not checked, --points looks" "$build/cuzk" params verify --circuit "$1" --param-cache "$params"
}
