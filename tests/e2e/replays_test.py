"""What users of other provers reported, replayed: R and H numbers are those of docs/testing.md. Each test says what must hold."""
import base64
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import time
import unittest

import e2e
import grpc
from cuzk.v1 import proving_pb2 as pb
from cuzk.v1 import proving_pb2_grpc as stubs
from daemon_test import COMPLETED, DaemonTest, get
from e2e import BUILD, PARAMS, Daemon, fixture, porep, winning

FAILED = pb.AwaitProofResponse.FAILED
INVALID = grpc.StatusCode.INVALID_ARGUMENT
WINDOW_FILE = "0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0"


def window(request_id="", name="window-2kib-v1_2-3sectors", **fields):
    """Three sectors in two partitions: the quickest proof of more than one."""
    return e2e.window(name, request_id=request_id, **fields)


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


def metric(stub, name):
    text = stub.GetMetrics(pb.GetMetricsRequest(), timeout=5).prometheus_text
    values = [float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name + " ")]
    return values[0] if values else 0


def timeline(daemon):
    """(event, job, detail) in order."""
    lines = (daemon.folder / "errors").read_text().splitlines()
    return [tuple(line.split(",", 4)[2:]) for line in lines if line.startswith("TIMELINE,")]


class Inputs(DaemonTest):
    """What is wrong with an input is said before anything is proven, and by name."""

    @classmethod
    def setUpClass(cls):
        cls.d = Daemon().ready()
        cls.stub = cls.d.stub()

    @classmethod
    def tearDownClass(cls):
        try:
            assert metric(cls.stub, "cuzk_proofs_failed_total") == 0  # refused, not failed
            cls.d.stop()
        finally:
            cls.d.clean_up()

    def says(self, request, words):
        self.assertRegex(self.refused(INVALID, self.stub.SubmitProof, request, timeout=60), words)

    def test_R1_c1_with_trailing_bytes(self):
        c1 = porep().vanilla_proof
        for tail in (b"x", b"{}", b"\0"):
            self.says(porep(vanilla_proof=c1.rstrip() + tail), rf"byte {len(c1.rstrip())}\b")

    def test_R2_c1_cut_broken_base64_wrong_case_of_keys(self):
        c1 = porep().vanilla_proof
        for n in range(4096, len(c1) - 1, 4096):
            self.says(porep(vanilla_proof=c1[:n]), "ends before its object does")
        at = c1.index(b'"Phase1Out"') + 20
        self.says(porep(vanilla_proof=c1[:at] + b"!" + c1[at + 1:]), "Phase1Out: .*base64")
        for key in (b"SectorNum", b"Phase1Out", b"SectorSize"):
            self.says(porep(vanilla_proof=c1.replace(b'"' + key + b'"', b'"' + key.lower() + b'"')), key.decode())

    def test_R3_short_reads_and_scalars_beyond_r(self):
        request = window()
        good = list(request.vanilla_proofs)
        for n in (7, 39, 55, 1000, len(good[1]) - 1):
            self.says(window(vanilla_proofs=[good[0], good[1][:n]]), r"vanilla proof 1.*bytes|vanilla proof 1.*ends|vanilla proof 1.*byte")
        self.says(window(vanilla_proofs=[good[0], good[1][:8] + b"\xff" * 32 + good[1][40:]]), r"vanilla proof 1 .*comm_r.*(canonical|modulus|field)")

    def test_R4_and_R13_empty_proofs(self):
        digest = bytes(32)
        snap = {"proof_kind": pb.SNAP_DEALS_UPDATE, "comm_r_old": digest, "comm_r_new": digest, "comm_d_new": digest}
        self.says(porep(vanilla_proof=b""), "vanilla_proof: is empty")
        for kind in (winning, window):
            self.says(kind(vanilla_proofs=[]), "vanilla_proofs: is empty")
            self.says(kind(vanilla_proofs=[b""]), r"vanilla_proofs\[0\]")
        self.says(pb.SubmitProofRequest(**snap), "vanilla_proofs: is empty")
        self.says(pb.SubmitProofRequest(vanilla_proofs=[b""], **snap), r"vanilla_proofs\[0\]")

    def test_R6_seed_of_zeros(self):
        c1 = json.loads(porep().vanilla_proof)
        inner = json.loads(base64.b64decode(c1["Phase1Out"]))
        inner["seed"] = [0] * 32
        c1["Phase1Out"] = base64.b64encode(json.dumps(inner).encode()).decode()
        self.says(porep(vanilla_proof=json.dumps(c1).encode()), "seed is all zero")

    def test_R7_and_R8_faulty_sectors_are_all_named(self):
        good = [base64.b64decode(s["vanilla_proof_bincode_b64"]) for s in fixture("window-2kib-faulty")["sectors"]]
        bad = [flipped(good[0], 8), base64.b64decode(fixture("window-2kib-faulty")["sectors"][1]["tampered_b64"]), good[2], flipped(good[3], 9)]
        self.says(window(name="window-2kib-faulty", vanilla_proofs=[good[0], bad[1], good[2], good[3]]), r"1 of 4 sectors is faulty: 22;")
        self.says(window(name="window-2kib-faulty", vanilla_proofs=bad), r"3 of 4 sectors are faulty: 21-22, 24; sector 21: comm_r")

    def test_R10_partition_out_of_range(self):
        self.says(window(partition_index=1 << 31), "partition_index")
        self.says(window(partition_index=1), "3 vanilla proofs are given: .*at most 2 sectors")

    def test_R11_sector_twice(self):
        proofs = list(window().vanilla_proofs)
        self.says(window(vanilla_proofs=[proofs[0], proofs[0]]), "sector 21 twice")

    def test_R12_and_R15_another_miner_or_sector(self):
        self.says(porep(miner_id=1001), "miner|prover|replica")
        self.says(porep(sector_number=12), "sector 11 instead of 12|sector.*12")

    def test_R25_large_bodies_arrive_whole(self):
        """Beyond a frame (16,384), a window (65,535) and a chunk of every buffer between: the byte that is wrong is named."""
        c1 = porep().vanilla_proof.rstrip()
        for pad in (16384, 65535, 3 << 20):
            self.says(porep(vanilla_proof=c1 + b" " * pad + b"x"), rf"byte {len(c1) + pad}\b")

    def frame(self, kind, flags, stream, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def test_R27_floods(self):
        """Rapid resets, pings, endless header blocks: the connection may go, the daemon stays and does not grow."""
        def resets():
            path = b"/cuzk.v1.ProvingEngine/GetStatus"
            headers = b"\x83\x86\x04" + bytes([len(path)]) + path + b"\x01\x01x"
            for i in range(1, 20001, 2):
                yield self.frame(1, 4, i, headers) + self.frame(3, 0, i, struct.pack(">I", 8))
        floods = {"resets": resets(), "pings": (self.frame(6, 0, 0, bytes(8)) for _ in range(50000)),
                  "continuations": (self.frame(1 if i == 0 else 9, 0, 1, b"\x00\x01a\x7f" + b"b" * 127) for i in range(50000))}
        before = self.resident()
        for name, frames in floods.items():
            with self.subTest(name), socket.socket(socket.AF_UNIX) as s:
                s.settimeout(20)
                s.connect(str(self.d.socket))
                s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self.frame(4, 0, 0))
                try:
                    for frame in frames:
                        s.sendall(frame)
                except (BrokenPipeError, ConnectionResetError, socket.timeout):
                    pass
                self.stub.GetStatus(pb.GetStatusRequest(), timeout=10)
        self.assertLess(self.resident() - before, 64 << 20)

    def resident(self):
        return int(pathlib.Path(f"/proc/{self.d.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Jobs(DaemonTest):
    def test_R35_urgent_overtakes(self):
        """A WinningPoSt that comes while one PoRep runs and one waits is done before any of that starts or ends."""
        d = self.daemon().ready()
        stub = d.stub()
        for i in range(2):
            stub.SubmitProof(porep(f"porep-{i}", vanilla_proof=porep().vanilla_proof + b" " * i), timeout=60)
        d.wait_log(",MSM_START,porep-", 120)
        self.assertEqual(stub.Prove(pb.ProveRequest(submit=winning("urgent")), timeout=120).result.status, COMPLETED)
        for i in range(2):
            self.assertTrue(stub.CancelProof(pb.CancelProofRequest(job_id=f"porep-{i}"), timeout=30).was_running)
        events = [e for e in timeline(d) if e[0] in ("SUBMITTED", "COMPLETED", "SYNTH_START", "PARTITION_DONE")]
        begin, end = events.index(("SUBMITTED", "urgent", "winning-2k")), events.index(("COMPLETED", "urgent", ""))
        self.assertEqual({job for event, job, _ in events[begin:end + 1] if event != "SUBMITTED"}, {"urgent"})
        d.stop()

    def test_R36_await_after_reconnecting(self):
        d = self.daemon().ready()
        with d.channel() as channel:
            job = stubs.ProvingEngineStub(channel).SubmitProof(window("gone"), timeout=30).job_id
        with d.channel() as channel:
            result = stubs.ProvingEngineStub(channel).AwaitProof(pb.AwaitProofRequest(job_id=job), timeout=60)
        self.assertEqual((result.status, len(result.proof)), (COMPLETED, 384))
        d.stop()

    def test_R37_killed_in_every_state(self):
        """The same job ids afterwards, each job finished once, and what was proven is not proven again."""
        request, other = window("kept"), window("kept-too")
        other.miner_id = request.miner_id  # the same input under another name
        for point in ("queued", "named", "running", "partition", "completed", "cancelled"):
            for state in (f"before-{point}", point):
                with self.subTest(state):
                    self.kill_and_restart(state, request, other)

    def live_until_killed(self, d, cancel, request, other):
        try:
            stub = d.stub()
            if cancel:
                stub.SubmitProof(winning("ahead"), timeout=30)  # so that there is something to cancel
            for r in (request, other):
                stub.SubmitProof(r, timeout=30)
            if cancel:
                stub.CancelProof(pb.CancelProofRequest(job_id="kept"), timeout=30)
            stub.AwaitProof(pb.AwaitProofRequest(job_id="kept"), timeout=60)
        except grpc.RpcError as error:
            self.assertEqual(error.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertEqual(d.process.wait(30), -signal.SIGKILL)

    def kill_and_restart(self, state, request, other):
        holder = self.daemon()
        holder.stop(None)
        config = f'[jobs]\njournal = "{holder.folder}/jobs.db"\n'
        self.live_until_killed(self.daemon(config=config, env={"CUZK_CRASH_AT": state}).ready(), "cancelled" in state, request, other)
        d = self.daemon(config=config).ready()
        stub = d.stub()
        jobs = {j["job_id"]: j for j in json.loads(get(d.http() + "/status")[2])["jobs"]}
        self.assertEqual(set(jobs) - {"ahead"}, set() if state == "before-queued" else {"kept"})
        kept = 0 if state == "cancelled" else sum(p["stage"] == "done" for p in jobs.get("kept", {"partitions": []})["partitions"])
        if state in ("partition", "before-completed", "completed"):
            self.assertGreaterEqual(kept, 1 if state == "partition" else 2)
        for r in (request, other):
            self.assertEqual(stub.SubmitProof(r, timeout=30).job_id, r.request_id)
        results = [stub.AwaitProof(pb.AwaitProofRequest(job_id=r.request_id), timeout=60) for r in (request, other)]
        self.assertEqual({r.status for r in results}, {COMPLETED})
        self.assertEqual(len({r.proof for r in results}), 1)
        self.assertEqual(metric(stub, 'cuzk_stage_seconds_count{proof_kind="window_post",stage="verify"}'), 2 - kept)
        d.signal(signal.SIGKILL)

    def test_R37_killed_by_the_same_job_each_time(self):
        """After three times it is failed, and the daemon serves others."""
        holder = self.daemon()
        holder.stop(None)
        config = f'[jobs]\njournal = "{holder.folder}/jobs.db"\n'
        for life in range(3):
            d = self.daemon(config=config).ready()
            if life == 0:
                d.stub().SubmitProof(porep("deadly"), timeout=60)
            d.wait_log(",SYNTH_START,deadly", 60)
            d.signal(signal.SIGKILL)
            d.process.wait(30)
        d = self.daemon(config=config).ready()
        result = d.stub().AwaitProof(pb.AwaitProofRequest(job_id="deadly"), timeout=60)
        self.assertEqual(result.status, FAILED)
        self.assertIn("the daemon died 3 times while proving it (partition 0)", result.error_message)
        self.assertRegex(d.output(), r"WARN .*a job was interrupted job_id=deadly cause=.*died 3 times")
        self.assertEqual(d.stub().Prove(pb.ProveRequest(submit=window()), timeout=100).result.status, COMPLETED)
        d.stop()

    def test_R38_term_under_load(self):
        d = self.daemon().ready()
        stub = d.stub()
        calls = [stub.Prove.future(pb.ProveRequest(submit=window(f"load-{i}")), timeout=200) for i in range(8)]
        d.wait_log(",MSM_START,load-", 60)
        while metric(stub, "cuzk_queue_depth") + metric(stub, "cuzk_running_jobs") + metric(stub, "cuzk_proofs_completed_total") < 8:
            time.sleep(0.01)
        d.signal()
        self.assertEqual([c.result().result.status for c in calls], [COMPLETED] * 8)
        self.assertEqual(d.process.wait(60), 0)

    def test_R40_same_request_at_once_is_computed_once(self):
        d = self.daemon().ready()
        stub = d.stub()
        request = window("one")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda _: stub.Prove(pb.ProveRequest(submit=request), timeout=100).result, range(8)))
        self.assertEqual({r.status for r in results}, {COMPLETED})
        self.assertEqual(len({r.proof for r in results}), 1)
        self.assertEqual(metric(stub, "cuzk_proofs_completed_total"), 1)
        self.assertEqual(metric(stub, 'cuzk_stage_seconds_count{proof_kind="window_post",stage="msm"}'), 2)
        d.stop()

    def test_R45_a_crash_says_what_ran(self):
        d = self.daemon().ready()
        d.stub().SubmitProof(porep("porep-crash"), timeout=60)
        d.wait_log(",NTT_START,porep-crash", 60)
        d.signal(signal.SIGSEGV)
        self.assertEqual(d.process.wait(30), -signal.SIGSEGV)
        self.assertRegex(d.output(), r"cuzk-daemon [0-9.]+ crashed: SIGSEGV sent by process \d+, thread \d+\n  build id [0-9a-f]{16,}\n"
                         r"  under way: job porep-crash, partition 0 of porep-2k, stage (ntt|msm)\n.*cuzk-daemon\(")

    def test_H6_queue_limit_holds_for_all_at_once(self):
        """Clients that submit at the same moment: places are taken before inputs are read."""
        d = self.daemon(config="[scheduler]\nqueue_limit = 3\n").ready()
        stub = d.stub()
        stub.SubmitProof(porep("first"), timeout=60)
        def submit(i):
            try:
                return stub.SubmitProof(porep(f"many-{i}", vanilla_proof=porep().vanilla_proof + b" " * (i + 1)), timeout=60).job_id
            except grpc.RpcError as error:
                self.assertEqual(error.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
                self.assertIn("grpc-retry-pushback-ms", dict(error.trailing_metadata()))
                return None
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            taken = [job for job in pool.map(submit, range(12)) if job]
        self.assertLessEqual(len(taken), 2)
        self.assertEqual(metric(stub, "cuzk_queue_depth") + metric(stub, "cuzk_running_jobs"), 1 + len(taken))
        d.signal(signal.SIGKILL)


class Files(DaemonTest):
    """Parameter files that are wrong, in copies of those of the smallest circuit."""

    def setUp(self):
        holder = self.daemon()
        holder.stop(None)
        self.dir = holder.folder / "params"
        self.dir.mkdir()
        self.good = next(PARAMS.glob(f"*{WINDOW_FILE}.params"))
        self.params = self.dir / self.good.name
        self.vk = self.params.with_suffix(".vk")
        shutil.copy(self.good.with_suffix(".vk"), self.vk)

    def start(self, **options):
        d = self.daemon(env={"CUZK_SRS_PARAM_CACHE": str(self.dir), **options.pop("env", {})}, **options).ready()
        return d, d.stub()

    def mend(self):
        """As a new file under the name, the way that files should be replaced."""
        shutil.copy(self.good, self.dir / "new")
        os.replace(self.dir / "new", self.params)

    def fails(self, stub, words):
        result = stub.Prove(pb.ProveRequest(submit=window()), timeout=100).result
        self.assertEqual(result.status, FAILED)
        self.assertEqual(result.proof, b"")
        self.assertRegex(result.error_message, words)

    def proves(self, stub):
        result = stub.Prove(pb.ProveRequest(submit=window()), timeout=100).result
        self.assertEqual((result.status, len(result.proof)), (COMPLETED, 384), result.error_message)

    def test_R17_and_R18_another_circuits_file(self):
        other = next(p for p in PARAMS.glob("v28-proof-of-spacetime-*.params") if p != self.good)
        self.params.symlink_to(other)
        d, stub = self.start()
        self.fails(stub, r"another circuit: 133 ic points, this circuit has 23 inputs")
        self.params.unlink()
        self.mend()
        self.proves(stub)
        d.stop()

    def test_R19_cut_parameters(self):
        size = self.good.stat().st_size
        d, stub = self.start()
        data = self.good.read_bytes()
        for n, words in ((0, "empty"), (500, "key"), (4000, "section h|key"), (2000000, "section h"), (size - 1, "b_g2")):
            with self.subTest(n):
                self.params.write_bytes(data[:n])
                self.fails(stub, words)
        self.mend()
        self.proves(stub)
        d.stop()

    def test_R20_flipped_bits(self):
        """In the key: found when it is opened. In points: found by the self-check, and the next proof has sound files."""
        data = self.good.read_bytes()
        inputs = struct.unpack(">I", data[864:868])[0]
        h = 868 + 96 * inputs + 4
        d, stub = self.start()
        for at, words in ((95, "."), (863, "."), (h + 96 * 1000 + 95, "does not verify|self-check|curve"), (len(data) - 1, "does not verify|self-check|curve")):
            with self.subTest(at):
                self.params.write_bytes(flipped(data, at))
                self.fails(stub, words)
        self.mend()
        self.proves(stub)
        d.stop()

    def test_R21_replaced_and_cut_while_in_use(self):
        self.mend()
        d, stub = self.start()
        self.proves(stub)
        self.mend()  # another file under the name: opened anew
        self.proves(stub)
        os.truncate(self.params, 3000000)
        self.fails(stub, re.escape(str(self.params)))
        self.mend()
        self.proves(stub)
        d.stop()

    def test_R22_no_directory_no_permission_read_only(self):
        d = self.daemon(env={"CUZK_SRS_PARAM_CACHE": str(self.dir / "none")}).ready()
        self.assertIn(str(self.dir / "none"), self.refused(grpc.StatusCode.FAILED_PRECONDITION, d.stub().SubmitProof, window(), timeout=20))
        d.stop()
        self.mend()
        nobody = {}
        if os.geteuid() == 0:  # who may read everything
            nobody = {"user": 65534}
            for folder in (self.dir.parent, self.dir):
                folder.chmod(0o755)
        d, stub = self.start(**nobody)
        self.dir.chmod(0)
        said = self.refused(grpc.StatusCode.FAILED_PRECONDITION, stub.SubmitProof, window(), timeout=20)
        self.assertRegex(said, f"{self.dir}.*[Pp]ermission")
        self.dir.chmod(0o555)  # read-only is enough
        self.proves(stub)
        self.dir.chmod(0o755)
        d.stop()

    def test_R22_disk_of_the_journal_full(self):
        """A job that cannot be journalled fails and says so; the daemon lives, and goes on when there is room again."""
        faults = self.dir.parent / "faults"
        faults.mkdir()
        self.mend()
        d, stub = self.start(config=f'[jobs]\njournal = "{faults}/jobs.db"\n', env={"LD_PRELOAD": str(BUILD / "e2e" / "faults.so"), "CUZK_FAULTS": str(faults)})
        self.proves(stub)
        (faults / "disk-full").touch()
        self.fails(stub, "journal.*disk.* full|journal.*full")
        self.fails(stub, "journal.*full")
        (faults / "disk-full").unlink()
        self.proves(stub)
        d.stop()

    def test_R23_parameters_of_another_version(self):
        old = self.params.name.replace("v28-", "v27-")
        (self.dir / old).touch()
        d, stub = self.start()
        said = self.refused(grpc.StatusCode.FAILED_PRECONDITION, stub.SubmitProof, window(), timeout=20)
        self.assertIn(self.params.name, said)
        self.assertIn(old, said)
        d.stop()

    def test_clock_jumps(self):
        """The wall clock goes ten years ahead and back while jobs run and clients wait: nothing is forgotten, ended or late by it."""
        faults = self.dir.parent / "faults"
        faults.mkdir()
        self.mend()
        d, stub = self.start(env={"LD_PRELOAD": str(BUILD / "e2e" / "faults.so"), "CUZK_FAULTS": str(faults)})
        year = 31557600
        for jump in (10 * year, -10 * year, 0):
            with self.subTest(jump):
                call = stub.Prove.future(pb.ProveRequest(submit=window(f"jump-{jump}")), timeout=60)
                d.wait_log(f",SYNTH_START,jump-{jump}", 60)
                (faults / "clock").write_text(str(jump))
                result = call.result().result
                self.assertEqual(result.status, COMPLETED, result.error_message)
                self.assertLess(result.total_ms, 60000)
                for job in ("jump-315576000", f"jump-{jump}"):
                    self.assertEqual(stub.AwaitProof(pb.AwaitProofRequest(job_id=job), timeout=10).status, COMPLETED)
                self.assertLess(stub.GetStatus(pb.GetStatusRequest(), timeout=5).uptime_seconds, 600)
        self.assertIn(time.strftime("%Y-%m-%dT", time.gmtime(time.time() + 10 * year))[:7], d.output())  # it did jump
        d.stop()


class Places(DaemonTest):
    def test_R28_folder_of_the_socket(self):
        holder = self.daemon()
        holder.stop(None)
        (holder.folder / "file").touch()
        for path, words in ((holder.folder / "file" / "s", "Not a directory"), (holder.folder / "a" / "b" / "s", "No such file")):
            d = self.daemon(listen=f"unix://{path}")
            self.assertIn(d.process.wait(30), (73, 77))
            self.assertIn(words, d.output())
        made = self.daemon(listen=f"unix://{holder.folder}/made/s").ready()
        made.stop()
        if os.geteuid() == 0:
            holder.folder.chmod(0o755)
            d = self.daemon(listen=f"unix://{holder.folder}/s", user=65534)
            self.assertEqual(d.process.wait(30), 77)
            self.assertIn("Permission denied", d.output())

    def test_R29_two_users(self):
        """Nothing is shared in /tmp or elsewhere: a lock file of another user's concerns only who wants that very socket."""
        first = self.daemon().ready()
        lock = pathlib.Path(f"{first.socket}.lock")
        self.assertTrue(lock.exists())
        other = {"user": 65534} if os.geteuid() == 0 else {}
        second = self.daemon(**other).ready()
        for d in (first, second):
            self.assertEqual(d.stub().Prove(pb.ProveRequest(submit=window()), timeout=100).result.status, COMPLETED)
        for d in (first, second):
            opened = [os.readlink(f) for f in pathlib.Path(f"/proc/{d.process.pid}/fd").iterdir()]
            self.assertEqual([f for f in opened if f.startswith("/tmp/") and not f.startswith(f"{d.folder}/")], [])
        second.stop()
        if other:
            first.folder.chmod(0o777)
            d = self.daemon(listen=f"unix://{first.socket}", **other)
            self.assertEqual(d.process.wait(30), 77)
            self.assertIn(f"{lock}: cannot be opened: Permission denied", d.output())
        first.stop()


if __name__ == "__main__":
    unittest.main()
