package interop

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	pb "cuzk/v1"
)

// fixture is what the files in tests/data/proofs say of the statement, whatever the kind.
type fixture struct {
	Randomness string `json:"randomness"`
	CommROld   string `json:"comm_r_old"`
	CommRNew   string `json:"comm_r_new"`
	CommDNew   string `json:"comm_d_new"`
	Sectors    []struct {
		Proof []byte `json:"vanilla_proof_bincode_b64"`
	} `json:"sectors"`
	Partitions []struct {
		Proof []byte `json:"bincode_b64"`
	} `json:"partition_vanilla_proofs"`
}

func readJSON(t *testing.T, name string, into interface{}) {
	t.Helper()
	check(t, json.Unmarshal(readFixture(t, name), into))
}

func readFixture(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "tests/data/proofs", name))
	check(t, err)
	return text
}

func decodeHex(t *testing.T, text string) []byte {
	t.Helper()
	bytes, err := hex.DecodeString(text)
	check(t, err)
	return bytes
}

// porep: spaces behind the JSON make it another input with the same proof.
func porep(t *testing.T, id string, spaces int) *pb.SubmitProofRequest {
	c1 := append(readFixture(t, "porep-2kib-m1000-s11.c1.json"), fmt.Sprintf("%*s", spaces, "")...)
	return &pb.SubmitProofRequest{RequestId: id, ProofKind: pb.ProofKind_POREP_SEAL_COMMIT, SectorSize: 2048,
		RegisteredProof: 5, Priority: pb.Priority_NORMAL, VanillaProof: c1, SectorNumber: 11, MinerId: 1000}
}

func winning(t *testing.T, id string) *pb.SubmitProofRequest {
	var post fixture
	var proofs [][]byte
	readJSON(t, "winning-2kib-1.json", &post)
	readJSON(t, "winning-2kib-1.vanilla.json", &proofs)
	return &pb.SubmitProofRequest{RequestId: id, ProofKind: pb.ProofKind_WINNING_POST, Priority: pb.Priority_CRITICAL,
		VanillaProofs: proofs, MinerId: 1000, Randomness: decodeHex(t, post.Randomness)}
}

func window(t *testing.T, id string) *pb.SubmitProofRequest {
	var post fixture
	readJSON(t, "window-2kib-v1_2-3sectors.json", &post)
	request := &pb.SubmitProofRequest{RequestId: id, ProofKind: pb.ProofKind_WINDOW_POST_PARTITION, RegisteredProof: 10,
		Priority: pb.Priority_HIGH, MinerId: 1000, Randomness: decodeHex(t, post.Randomness)}
	for _, sector := range post.Sectors {
		request.VanillaProofs = append(request.VanillaProofs, sector.Proof)
	}
	return request
}

func snap(t *testing.T, id string) *pb.SubmitProofRequest {
	var update fixture
	readJSON(t, "update-2kib-1.json", &update)
	request := &pb.SubmitProofRequest{RequestId: id, ProofKind: pb.ProofKind_SNAP_DEALS_UPDATE, SectorNumber: 31, MinerId: 1000,
		CommROld: decodeHex(t, update.CommROld), CommRNew: decodeHex(t, update.CommRNew), CommDNew: decodeHex(t, update.CommDNew)}
	for _, partition := range update.Partitions {
		request.VanillaProofs = append(request.VanillaProofs, partition.Proof)
	}
	return request
}

// verify has the command line verify the proof under the request's statement.
func verify(t *testing.T, r *pb.SubmitProofRequest, proof []byte) {
	t.Helper()
	folder := t.TempDir()
	file := func(name string, bytes []byte) string {
		path := filepath.Join(folder, name)
		check(t, os.WriteFile(path, bytes, 0o600))
		return path
	}
	names := map[pb.ProofKind]string{pb.ProofKind_POREP_SEAL_COMMIT: "porep", pb.ProofKind_SNAP_DEALS_UPDATE: "snap",
		pb.ProofKind_WINDOW_POST_PARTITION: "window", pb.ProofKind_WINNING_POST: "winning"}
	args := []string{"verify", names[r.ProofKind], "--param-cache", params, "--proof", file("proof", proof)}
	if r.ProofKind == pb.ProofKind_POREP_SEAL_COMMIT {
		args = append(args, "--c1", file("c1.json", r.VanillaProof), "--miner-id", fmt.Sprint(r.MinerId))
	} else {
		list := []string{}
		for _, p := range r.VanillaProofs {
			list = append(list, base64.StdEncoding.EncodeToString(p))
		}
		text, err := json.Marshal(list)
		check(t, err)
		args = append(args, "--vanilla", file("vanilla.json", text), "--registered-proof", fmt.Sprint(r.RegisteredProof))
	}
	for name, bytes := range map[string][]byte{"randomness": r.Randomness, "comm-r-old": r.CommROld, "comm-r-new": r.CommRNew,
		"comm-d-new": r.CommDNew} {
		if len(bytes) > 0 {
			args = append(args, "--"+name, hex.EncodeToString(bytes))
		}
	}
	if out, err := exec.Command(filepath.Join(build, "cuzk"), args...).CombinedOutput(); err != nil {
		t.Errorf("cuzk verify: %v\n%s", err, out)
	}
}
