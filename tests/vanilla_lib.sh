# For cli/ scripts that prove from vanilla proofs: the fixtures' proofs as files, and values of JSON texts.
proofs=$(cd "$(dirname "$0")/../data/proofs" && pwd)

field() { # JSON-TEXT KEY...: the value
    python3 -c 'import json,sys
v=json.loads(sys.argv[1])
for k in sys.argv[2:]: v=v[int(k)] if isinstance(v,list) else v[k]
print(str(v).lower() if isinstance(v,bool) else v)' "$@"
}

# vanilla FIXTURE [EXPRESSION]: its proofs as a JSON array of base64. The expression makes another list of p, a list of bytearrays.
vanilla() {
    python3 - "$proofs/$1.json" "${2:-p}" <<'END'
import base64, json, sys
fixture = json.load(open(sys.argv[1]))
key, items = ("vanilla_proof_bincode_b64", fixture["sectors"]) if "sectors" in fixture else ("bincode_b64", fixture["partition_vanilla_proofs"])
p = [bytearray(base64.b64decode(item[key])) for item in items]
tampered = [bytearray(base64.b64decode(item.get("tampered_b64") or b"")) for item in items]
def flip(proofs, *places):
    for i, at in places:
        proofs[i][at] ^= 1
    return proofs
print(json.dumps([base64.b64encode(x).decode() for x in eval(sys.argv[2])]))
END
}
