#!/bin/bash
# ctest: quick
# C1 files that cuzk-bench synth-only refuses: by name, before it synthesises anything. All kinds of faults are in test_filecoin_c1_bad.c.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"
source "$(dirname "$0")/../vanilla_lib.sh"
source "$(dirname "$0")/../synth_lib.sh"
porep=$proofs/porep-2kib-m1000-s11.c1.json

# w: the wrapper; c: what is inside.
bad() { # REGEX STATEMENTS [OPTION...]
    python3 - "$porep" "$2" > "$tmp/bad.json" <<'END'
import base64, json, sys
w = json.load(open(sys.argv[1]))
c = json.loads(base64.b64decode(w["Phase1Out"]))
p = c["vanilla_proofs"]["StackedDrg2KiBV1"][0]
exec(sys.argv[2])
if c is not None:
    w["Phase1Out"] = base64.b64encode(json.dumps(c).encode()).decode()
print(json.dumps(w))
END
    expect 65 "$1" synth --c1 "$tmp/bad.json" --path all "${@:3}"
}

# What cannot be read.
bad 'bad.json: Phase1Out: key "seed" is missing .*c1-missing-key' 'del c["seed"]'
bad 'bad.json: key "SectorNum" is missing .*c1-missing-key' 'del w["SectorNum"]'
bad "bad.json: SectorSize: 8388608 instead of the 2048 .*c1-sector-size" 'w["SectorSize"] = 8388608'
bad "bad.json: Phase1Out: comm_r: 31 bytes instead of 32 .*c1-length" 'c["comm_r"].pop()'
bad "bad.json: Phase1Out: vanilla_proofs\[0\]: 1 items instead of 2" 'p.pop()'
bad "bad.json: Phase1Out: comm_r: not below the modulus .*c1-not-canonical" 'c["comm_r"] = [255] * 32'
bad "bad.json: Phase1Out: registered_proof: unknown .*c1-registered-proof" 'c["registered_proof"] = "StackedDrg2KiBV1_3"'
bad "bad.json: Phase1Out: vanilla_proofs: proofs for 2KiB .*c1-registered-proof" 'c["registered_proof"] = "StackedDrg8MiBV1_1"'
bad 'bad.json: Phase1Out: vanilla_proofs: unknown kind "X" .*c1-tag' 'c["vanilla_proofs"] = {"X": [p]}'
bad "bad.json: Phase1Out: seed: a string instead .*c1-type" 'c["seed"] = "x"'
bad 'bad.json: Phase1Out: seed\[0\]: "256" is more than 255 .*c1-number' 'c["seed"][0] = 256'
bad 'vanilla_proofs\[0\]\[0\].labeling_proofs\[0\].node: "-9" is not .*c1-number' 'p[0]["labeling_proofs"][0]["node"] = -9'
bad "bad.json: Phase1Out: character 1 is not base64" 'c = None; w["Phase1Out"] = "A*=="'
bad "bad.json: Phase1Out: character 133535 is not base64 .*c1-base64" 'c = None; w["Phase1Out"] += "AAAA"'

# What no circuit would hold for.
bad "zero-comm-d" 'c["comm_d"] = [0] * 32'
bad "zero-seed" 'c["seed"] = [0] * 32'
bad "comm_r: is not the hash .*wrong-comm-r" 'c["comm_r"][0] ^= 1'
bad "replica-id-other-prover" 'c["ticket"][0] ^= 1' --miner-id 1000
bad "challenge 0, labeling_proofs\[0\].node: .*wrong-challenge" 'c["replica_id"][0] ^= 1'
bad "challenge 0, encoding_proof.node: 3 instead of challenge 2" 'p[0]["encoding_proof"]["node"] ^= 1'
bad "challenge 0, comm_d_proofs: .*wrong-path" 'p[0]["comm_d_proofs"]["data"]["Single"]["path"]["path"][2]["hashes"][0][0] ^= 1'
bad "challenge 0, comm_d_proofs: .*wrong-path" 'p[0]["comm_d_proofs"]["data"]["Single"]["root"][0] ^= 1'
bad "challenge 1, comm_r_last_proof: .*wrong-path" 'p[1]["comm_r_last_proof"]["data"]["Single"]["path"]["path"][1]["hashes"][6][9] ^= 1'
bad "challenge 1, comm_r_last_proof: opens leaf 21 instead of 29 .*wrong-index" 'p[1]["comm_r_last_proof"]["data"]["Single"]["path"]["path"][1]["index"] ^= 1'
bad "challenge 0, c_x.inclusion_proof: .*wrong-leaf" 'p[0]["replica_column_proofs"]["c_x"]["column"]["rows"][1][0] ^= 1'
bad "challenge 0, drg_parents\[3\].column.index: 1 instead of 0 .*wrong-parent" 'p[0]["replica_column_proofs"]["drg_parents"][3]["column"]["index"] ^= 1'
bad "challenge 1, exp_parents\[7\].inclusion_proof: .*wrong-path" 'p[1]["replica_column_proofs"]["exp_parents"][7]["inclusion_proof"]["data"]["Single"]["root"][0] ^= 1'
bad "challenge 0, labeling_proofs\[1\].parents\[36\]: .*wrong-parents" 'p[0]["labeling_proofs"][1]["parents"][36][0] ^= 1'
bad "challenge 0, labeling_proofs\[1\].layer_index: 1 instead of 2 .*wrong-layer" 'p[0]["labeling_proofs"][1]["layer_index"] = 1'

head -c 100000 "$porep" > "$tmp/cut.json"
expect 65 "cut.json.*byte" synth --c1 "$tmp/cut.json" --path all
: > "$tmp/empty.json"
expect 65 "empty.json" synth --c1 "$tmp/empty.json"
finish
