"""What the end-to-end tests share: a daemon process, channels to it, requests from the fixtures."""
import base64
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
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


class Daemon:
    """A cuzk-daemon with its own folder; config is TOML to go behind the listeners, listen what it listens on."""

    def __init__(self, config="", listen=None, daemon_keys="", status=True, args=(), env=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cuzk-e2e-"))
        self.socket = self.folder / "cuzk.sock"
        self.listen = listen or f"unix://{self.socket}"
        status = 'status_listen = "127.0.0.1:0"\n' if status else ""
        self.config = self.folder / "cuzk.toml"
        self.write_config(f'[daemon]\nlisten = "{self.listen}"\n{status}{daemon_keys}\n[srs]\nparam_cache = "{PARAMS}"\n{config}')
        self.log = open(self.folder / "log", "w+", encoding="utf-8")
        self.errors = open(self.folder / "errors", "w+", encoding="utf-8")
        self.process = subprocess.Popen([BUILD / "cuzk-daemon", "--config", self.config, *args], stdout=self.log, stderr=self.errors,
                                        env={**os.environ, **(env or {})})

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


def verify_winning(proof):
    """By the verifier of the command line, under the fixture's statement."""
    with tempfile.NamedTemporaryFile() as f:
        f.write(proof)
        f.flush()
        return subprocess.run([BUILD / "cuzk", "verify", "winning", "--vanilla", PROOFS / "winning-2kib-1.vanilla.json", "--registered-proof",
                               "0", "--randomness", fixture("winning-2kib-1")["randomness"], "--proof", f.name, "--param-cache", PARAMS],
                              capture_output=True, check=False).returncode == 0


def verify_porep(proof):
    with tempfile.NamedTemporaryFile() as f:
        f.write(proof)
        f.flush()
        return subprocess.run([BUILD / "cuzk", "verify", "porep", "--c1", PROOFS / "porep-2kib-m1000-s11.c1.json", "--miner-id", "1000",
                               "--proof", f.name, "--param-cache", PARAMS], capture_output=True, check=False).returncode == 0
