"""What the end-to-end tests share: a daemon process, channels to it, requests from the fixtures."""
import base64
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import grpc
from cuzk.v1 import proving_pb2 as pb
from cuzk.v1 import proving_pb2_grpc as stubs

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROOFS = ROOT / "tests" / "data" / "proofs"
BUILD = pathlib.Path(os.environ["CUZK_TEST_BUILD"])
PARAMS = pathlib.Path(os.environ["CUZK_TEST_PARAMS"]).resolve()
LIMIT = 256 << 20
OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1), ("grpc.enable_retries", 0)]


def fixture(name):
    return json.loads((PROOFS / f"{name}.json").read_text())


MINERS = itertools.count(2000)  # a WinningPoSt proof is of no miner, but the job is: another input each time


def winning(request_id="", **fields):
    post = fixture("winning-2kib-1")
    proofs = json.loads((PROOFS / "winning-2kib-1.vanilla.json").read_text())
    fields = {"proof_kind": pb.WINNING_POST, "registered_proof": 0, "miner_id": next(MINERS), "randomness": bytes.fromhex(post["randomness"]),
              "vanilla_proofs": [base64.b64decode(p) for p in proofs], **fields}
    return pb.SubmitProofRequest(request_id=request_id, **fields)


def porep(request_id="", **fields):
    fields = {"proof_kind": pb.POREP_SEAL_COMMIT, "sector_number": 11, "miner_id": 1000,
              "vanilla_proof": (PROOFS / "porep-2kib-m1000-s11.c1.json").read_bytes(), **fields}
    return pb.SubmitProofRequest(request_id=request_id, **fields)


def porep_fixture(name, request_id="", **fields):
    """The request for porep-2kib-NAME, its C1 output wrapped as Curio does."""
    statement = fixture(f"porep-2kib-{name}")
    c1 = base64.b64encode((PROOFS / statement["c1_output_file"]).read_bytes()).decode()
    wrapper = {"Phase1Out": c1, "SectorNum": statement["sector_id"], "SectorSize": statement["sector_size"]}
    return porep(request_id, vanilla_proof=json.dumps(wrapper).encode(), **{"sector_number": statement["sector_id"], **fields})


def window(name="window-2kib-v1_2-1sector", registered_proof=10, request_id="", **fields):
    post = fixture(name)
    fields = {"proof_kind": pb.WINDOW_POST_PARTITION, "registered_proof": registered_proof, "miner_id": next(MINERS),
              "randomness": bytes.fromhex(post["randomness"]),
              "vanilla_proofs": [base64.b64decode(s["vanilla_proof_bincode_b64"]) for s in post["sectors"]], **fields}
    return pb.SubmitProofRequest(request_id=request_id, **fields)


def snap(request_id="", **fields):
    update = fixture("update-2kib-1")
    fields = {"proof_kind": pb.SNAP_DEALS_UPDATE, "registered_proof": 0, "sector_number": 31, "miner_id": next(MINERS),
              "vanilla_proofs": [base64.b64decode(p["bincode_b64"]) for p in update["partition_vanilla_proofs"]],
              **{name: bytes.fromhex(update[name]) for name in ("comm_r_old", "comm_r_new", "comm_d_new")}, **fields}
    return pb.SubmitProofRequest(request_id=request_id, **fields)


def post_params(folder):
    """A copy of the PoSt parameters in FOLDER/params, which may be damaged."""
    (params := pathlib.Path(folder, "params")).mkdir()
    for file in PARAMS.glob("v28-proof-of-spacetime-fallback*"):
        shutil.copy(file, params)
    return params


def damage(params):
    """Exchanges two points of each file's last sum: the files are well formed, and proofs made from them are wrong."""
    for file in params.glob("*.params"):
        with open(file, "r+b") as f:
            f.seek(-3 * 192, os.SEEK_END)
            points = f.read(2 * 192)
            f.seek(-3 * 192, os.SEEK_END)
            f.write(points[192:] + points[:192])


class Daemon:
    """A cuzk-daemon with its own folder; config is TOML to go behind the listeners, listen what it listens on, user a number, before what its
    process does first, in Python. An interpreter of its own does that and not preexec_fn, which runs next to the threads that grpc starts in
    a forked child: those don't block what it blocks."""

    def __init__(self, config="", listen=None, daemon_keys="", status=True, args=(), env=None, before="", user=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cuzk-e2e-"))
        self.socket = self.folder / "cuzk.sock"
        self.listen = listen or f"unix://{self.socket}"
        status = 'status_listen = "127.0.0.1:0"\n' if status else ""
        self.config = self.folder / "cuzk.toml"
        self.write_config(f'[daemon]\nlisten = "{self.listen}"\n{status}{daemon_keys}\n[srs]\nparam_cache = "{PARAMS}"\n{config}')
        self.log = open(self.folder / "log", "w+", encoding="utf-8")
        self.errors = open(self.folder / "errors", "w+", encoding="utf-8")
        if user is not None:
            os.chown(self.folder, user, -1)
        command = [BUILD / "cuzk-daemon", "--config", self.config, *args]
        if before:
            command = [sys.executable, "-I", "-c", before + "\nimport os, sys\nos.execv(sys.argv[1], sys.argv[1:])", *command]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.errors, env={**os.environ, **(env or {})}, user=user)

    def write_config(self, text):
        self.config.write_text(text)

    def output(self):
        return (self.folder / "log").read_text() + (self.folder / "errors").read_text()

    def wait_log(self, text, seconds=30):
        until = time.monotonic() + seconds
        while text not in self.output():
            if time.monotonic() > until or (self.process.poll() is not None and text not in self.output()):
                raise AssertionError(f"no {text!r} in the daemon's output:\n{self.output()}")
            time.sleep(0.02)

    def ready(self):
        self.wait_log("cuzk-daemon ready")
        return self

    def port_of(self, line):
        self.wait_log(line)
        text = next(l for l in self.output().splitlines() if line in l)
        return int(text.rsplit("port=", 1)[1].split()[0])

    def http(self):
        return f"http://127.0.0.1:{self.port_of('status HTTP server listening')}"

    def channel(self):
        return grpc.insecure_channel(f"unix:{self.socket}", options=OPTIONS)

    def stub(self):
        return stubs.ProvingEngineStub(self.channel())

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def stop(self, expect=0, seconds=60):
        if self.process.poll() is None:
            self.signal()
        code = self.process.wait(seconds)
        assert expect is None or code == expect, f"exit code {code}:\n{self.output()}"
        return code

    def clean_up(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()
        self.errors.close()
        shutil.rmtree(self.folder, ignore_errors=True)


VERIFY = {pb.POREP_SEAL_COMMIT: "porep", pb.SNAP_DEALS_UPDATE: "snap", pb.WINDOW_POST_PARTITION: "window", pb.WINNING_POST: "winning"}


def verify(submit, proof):
    """By the command line, outside of the daemon: whether the proof is valid for the request's statement."""
    with tempfile.TemporaryDirectory(prefix="cuzk-e2e-") as folder:
        (path := pathlib.Path(folder, "proof")).write_bytes(proof)
        command = [BUILD / "cuzk", "verify", VERIFY[submit.proof_kind], "--proof", path, "--param-cache", PARAMS]
        if submit.proof_kind == pb.POREP_SEAL_COMMIT:
            (c1 := pathlib.Path(folder, "c1.json")).write_bytes(submit.vanilla_proof)
            command += ["--c1", c1, "--miner-id", str(submit.miner_id)]
        else:
            (vanilla := pathlib.Path(folder, "vanilla.json")).write_text(json.dumps([base64.b64encode(p).decode() for p in submit.vanilla_proofs]))
            command += ["--vanilla", vanilla, "--registered-proof", str(submit.registered_proof)]
        if submit.partition_index:
            command += ["--partition", str(submit.partition_index)]
        for name in ("randomness", "comm_r_old", "comm_r_new", "comm_d_new"):
            if getattr(submit, name):
                command += ["--" + name.replace("_", "-"), getattr(submit, name).hex()]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
