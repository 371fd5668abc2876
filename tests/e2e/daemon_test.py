"""cuzk-daemon through grpcio."""
import base64
import contextlib
import itertools
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import grpc
from cuzk.v1 import proving_pb2 as pb
from cuzk.v1 import proving_pb2_grpc as stubs
from e2e import BUILD, LIMIT, OPTIONS, PROOFS, ROOT, Daemon, damage, fixture, porep, porep_fixture, post_params, snap, verify, window, winning
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

COMPLETED = pb.AwaitProofResponse.COMPLETED
TOKEN = "correct-horse-battery-staple"


def get(url, token=None):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.status, response.headers, response.read().decode()


class DaemonTest(unittest.TestCase):
    def daemon(self, **options):
        daemon = Daemon(**options)
        self.addCleanup(daemon.clean_up)
        return daemon

    def refused(self, code, call, *args, **kwargs):
        with self.assertRaises(grpc.RpcError) as caught:
            call(*args, **kwargs)
        self.assertEqual(caught.exception.code(), code, caught.exception.details())
        return caught.exception.details()


class Proving(DaemonTest):
    @classmethod
    def setUpClass(cls):
        cls.d = Daemon().ready()
        cls.stub = cls.d.stub()

    @classmethod
    def tearDownClass(cls):
        try:
            cls.d.stop()
        finally:
            cls.d.clean_up()

    def prove(self, request, partitions=1):
        result = self.stub.Prove(pb.ProveRequest(submit=request), timeout=300).result
        self.assertEqual(result.status, COMPLETED, result.error_message)
        self.assertEqual(len(result.proof), 192 * partitions)
        self.assertTrue(verify(request, result.proof))
        wrong = bytearray(result.proof)
        wrong[:192] = wrong[:48] + wrong[144:192] + wrong[96:144] + wrong[:48]  # C for part of B: no proof
        self.assertFalse(verify(request, bytes(wrong)))
        return result

    def test_prove_winning(self):
        request = winning("winpost-1000-00ff")
        result = self.prove(request)
        self.assertEqual(result.job_id, "winpost-1000-00ff")
        self.assertGreater(result.total_ms, 0)

    def test_prove_porep(self):
        self.prove(porep("porep-1000-11"))
        self.prove(porep_fixture("m1000-s12", "porep-1000-12"))

    def test_prove_window(self):
        for name, registered, partitions in (("window-2kib-v1_2-1sector", 10, 1), ("window-2kib-v1-3sectors", 5, 2),
                                             ("window-2kib-v1_2-3sectors", 10, 2)):
            with self.subTest(name):
                self.prove(window(name, registered), partitions)
        second = window("window-2kib-v1_2-3sectors", partition_index=1)
        del second.vanilla_proofs[:2]
        self.prove(second)

    def test_prove_snap(self):
        self.prove(snap("snap-1000-31"))

    def test_other_fixtures_are_of_another_miner(self):
        for name in ("ni-s7", "synth-s6", "v1-s5", "v1_1-s1", "v1_1-s2"):
            with self.subTest(name):
                refused = self.refused(grpc.StatusCode.INVALID_ARGUMENT, self.stub.SubmitProof, porep_fixture(name), timeout=60)
                self.assertRegex(refused, "replica_id")
        self.assertRegex(self.refused(grpc.StatusCode.INVALID_ARGUMENT, self.stub.SubmitProof, window("window-2kib-faulty", vanilla_proofs=[
            base64.b64decode(next(s["tampered_b64"] for s in fixture("window-2kib-faulty")["sectors"] if s["tampered_b64"]))]), timeout=60),
                         r"vanilla_proofs\[0\]|sector 22")

    def test_submit_then_await_by_several(self):
        request = winning("twice")
        job = self.stub.SubmitProof(request, timeout=30).job_id
        self.assertEqual(job, "twice")
        calls = [self.stub.AwaitProof.future(pb.AwaitProofRequest(job_id=job), timeout=120) for _ in range(3)]
        proofs = {c.result().proof for c in calls}
        self.assertEqual(len(proofs), 1)
        again = self.stub.AwaitProof(pb.AwaitProofRequest(job_id=job), timeout=10)
        self.assertEqual({again.proof}, proofs)
        attached = self.stub.Prove(pb.ProveRequest(submit=request), timeout=10).result
        self.assertEqual({attached.proof}, proofs)

    def test_another_input_under_the_same_id(self):
        first = self.stub.SubmitProof(winning("same"), timeout=30).job_id
        second = self.stub.SubmitProof(porep("same"), timeout=30).job_id
        self.assertEqual((first, second), ("same", "same#2"))
        newest = self.stub.AwaitProof(pb.AwaitProofRequest(job_id="same"), timeout=300)
        self.assertTrue(verify(porep(), newest.proof))

    def test_empty_id_is_drawn(self):
        result = self.stub.Prove(pb.ProveRequest(submit=winning()), timeout=120).result
        self.assertEqual(result.status, COMPLETED)
        self.assertNotEqual(result.job_id, "")

    def test_refusals_name_the_field(self):
        cases = [
            (pb.SubmitProofRequest(), "invalid proof_kind: 0"),
            (winning(proof_kind=9), "invalid proof_kind: 9"),
            (winning(randomness=b"short"), "randomness"),
            (winning(vanilla_proofs=[]), "vanilla_proofs"),
            (winning(vanilla_proofs=[b""]), r"vanilla_proofs\[0\]"),
            (winning(vanilla_proofs=[b"junk"]), "vanilla"),
            (winning(registered_proof=99), "registered PoSt proof 99"),
            (porep(vanilla_proof=b""), "vanilla_proof"),
            (porep(vanilla_proof=porep().vanilla_proof + b"x"), "trailing|offset|byte"),
            (porep(vanilla_proof=porep().vanilla_proof[:4096]), "vanilla_proof|C1|byte"),
            (porep(miner_id=1001), "miner|prover|replica"),
            (porep(sector_number=12), "sector"),
            (pb.SubmitProofRequest(proof_kind=pb.SNAP_DEALS_UPDATE, vanilla_proofs=[b"x"], comm_r_old=bytes(31)), "comm_r_old"),
            (winning("x" * 200), "request_id"),
            (winning("x\nTo make the proof again:"), "request_id: holds a control character"),
        ]
        for request, words in cases:
            with self.subTest(words):
                self.assertRegex(self.refused(grpc.StatusCode.INVALID_ARGUMENT, self.stub.SubmitProof, request, timeout=60), words)
        self.assertEqual(self.refused(grpc.StatusCode.INVALID_ARGUMENT, self.stub.Prove, pb.ProveRequest(), timeout=10), "missing submit field")

    def test_unknown_job(self):
        for call, request in ((self.stub.AwaitProof, pb.AwaitProofRequest(job_id="nobody")),
                              (self.stub.CancelProof, pb.CancelProofRequest(job_id="nobody"))):
            self.assertEqual(self.refused(grpc.StatusCode.NOT_FOUND, call, request, timeout=10), "job not found: nobody")

    def test_await_time_out_and_cancel(self):
        job = self.stub.SubmitProof(porep("slow", vanilla_proof=porep().vanilla_proof + b" "), timeout=30).job_id
        late = self.stub.AwaitProof(pb.AwaitProofRequest(job_id=job, timeout_ms=1), timeout=30)
        self.assertEqual(late.status, pb.AwaitProofResponse.TIMEOUT)
        waiting = self.stub.AwaitProof.future(pb.AwaitProofRequest(job_id=job), timeout=60)
        self.assertTrue(self.stub.CancelProof(pb.CancelProofRequest(job_id=job), timeout=10).was_running)
        self.assertEqual(waiting.result().status, pb.AwaitProofResponse.CANCELLED)
        self.assertFalse(self.stub.CancelProof(pb.CancelProofRequest(job_id=job), timeout=10).was_running)

    def test_a_client_that_goes_leaves_the_job(self):
        call = self.stub.Prove.future(pb.ProveRequest(submit=winning("left", partition_index=0)), timeout=0.3)
        with self.assertRaises(grpc.RpcError):
            call.result()
        deadline = time.monotonic() + 20
        while True: # the submission may still be on its way
            try:
                result = self.stub.AwaitProof(pb.AwaitProofRequest(job_id="left"), timeout=120)
                break
            except grpc.RpcError as error:
                self.assertEqual(error.code(), grpc.StatusCode.NOT_FOUND)
                self.assertLess(time.monotonic(), deadline)
        self.assertEqual(result.status, COMPLETED)

    def test_messages_at_the_limit(self):
        def request_of(n):
            filler = pb.SubmitProofRequest(proof_kind=pb.POREP_SEAL_COMMIT, vanilla_proof=b"{")
            size = n - filler.ByteSize() - 3 # two length bytes become five
            filler.vanilla_proof = b"{" + bytes(size)
            filler.vanilla_proof = filler.vanilla_proof + bytes(n - filler.ByteSize())
            self.assertEqual(filler.ByteSize(), n)
            return filler
        self.refused(grpc.StatusCode.INVALID_ARGUMENT, self.stub.SubmitProof, request_of(LIMIT), timeout=120)
        self.refused(grpc.StatusCode.RESOURCE_EXHAUSTED, self.stub.SubmitProof, request_of(LIMIT + 1), timeout=120)

    def test_many_fields_cost_no_memory(self):
        """Two bytes each on the wire, some 90 once they are unpacked."""
        def peak():
            return int(re.search(r"VmHWM:\s*(\d+)", (proc / "status").read_text()).group(1)) << 10
        proc, n = pathlib.Path("/proc", str(self.d.process.pid)), 32 << 20
        (proc / "clear_refs").write_text("5")
        before = peak()
        for method in ("cuzk.v1.ProvingEngine/SubmitProof", "grpc.health.v1.Health/Check"):
            call = self.d.channel().unary_unary(f"/{method}", request_serializer=bytes)
            self.assertIn("more than 65536 fields", self.refused(grpc.StatusCode.INVALID_ARGUMENT, call, b"\x30\0" * (n // 2), timeout=60))
        self.assertLess(peak() - before, 6 * n)

    def test_junk_instead_of_a_message(self):
        channel = self.d.channel()
        for method in ("SubmitProof", "Prove", "AwaitProof", "CancelProof", "PreloadSRS", "EvictSRS"):
            call = channel.unary_unary(f"/cuzk.v1.ProvingEngine/{method}", request_serializer=bytes)
            self.refused(grpc.StatusCode.INVALID_ARGUMENT, call, b"\x0a\xff\xff", timeout=10)
        for text in (b"\xff\xfe", b"a\0b"):
            self.assertIn("request_id: is not UTF-8, or holds a NUL", self.refused(
                grpc.StatusCode.INVALID_ARGUMENT, channel.unary_unary("/cuzk.v1.ProvingEngine/SubmitProof", request_serializer=bytes),
                b"\x0a" + bytes([len(text)]) + text, timeout=10))
        self.refused(grpc.StatusCode.UNIMPLEMENTED, channel.unary_unary("/cuzk.v1.ProvingEngine/Nothing", request_serializer=bytes), b"", timeout=10)

    def test_preload_status_evict(self):
        first = self.stub.PreloadSRS(pb.PreloadSrsRequest(circuit_id="winning-2k"), timeout=120)
        again = self.stub.PreloadSRS(pb.PreloadSrsRequest(circuit_id="winning-2k"), timeout=120)
        self.assertTrue(again.already_loaded)
        self.assertEqual(again.load_time_ms, 0)
        del first
        status = self.stub.GetStatus(pb.GetStatusRequest(), timeout=5)
        loaded = {s.circuit_id: s for s in status.loaded_srs}
        self.assertGreater(loaded["winning-2k"].size_bytes, 1 << 20)
        self.assertEqual({q.proof_kind for q in status.queues}, {"porep-c2", "snap-update", "window-post", "winning-post"})
        self.assertGreater(status.pinned_memory_limit_bytes, 0)
        self.assertEqual(self.refused(grpc.StatusCode.NOT_FOUND, self.stub.PreloadSRS, pb.PreloadSrsRequest(circuit_id="porep-3k"), timeout=10),
                         "unknown circuit ID: porep-3k")
        self.refused(grpc.StatusCode.FAILED_PRECONDITION, self.stub.PreloadSRS, pb.PreloadSrsRequest(circuit_id="porep-32g"), timeout=10)
        evicted = self.stub.EvictSRS(pb.EvictSrsRequest(circuit_id="winning-2k"), timeout=60)
        self.assertEqual((evicted.was_loaded, evicted.freed_bytes), (True, loaded["winning-2k"].size_bytes))
        self.assertNotIn("winning-2k", {s.circuit_id for s in self.stub.GetStatus(pb.GetStatusRequest(), timeout=5).loaded_srs})
        evicted = self.stub.EvictSRS(pb.EvictSrsRequest(circuit_id="winning-2k"), timeout=60)
        self.assertEqual((evicted.was_loaded, evicted.freed_bytes), (False, 0))
        self.assertEqual(self.refused(grpc.StatusCode.NOT_FOUND, self.stub.EvictSRS, pb.EvictSrsRequest(circuit_id="porep-3k"), timeout=10),
                         "unknown circuit ID: porep-3k")

    def test_metrics(self):
        self.stub.Prove(pb.ProveRequest(submit=winning("metrics")), timeout=120)
        text = self.stub.GetMetrics(pb.GetMetricsRequest(), timeout=5).prometheus_text
        families = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
        self.assertEqual(families[:9], ["cuzk_proofs_completed_total", "cuzk_proofs_failed_total", "cuzk_uptime_seconds", "cuzk_queue_depth",
                                        "cuzk_proofs_completed", "cuzk_proofs_failed", "cuzk_proof_duration_seconds", "cuzk_running_jobs",
                                        "cuzk_gpu_workers"])
        self.assertRegex(text, r'cuzk_proofs_completed\{proof_kind="winning_post"\} [1-9]')
        self.assertRegex(text, r'cuzk_proof_duration_seconds_sum\{proof_kind="winning_post"\} \d+\.\d{3}\n')
        self.assertEqual(len(families), len(set(families)))
        manual = (ROOT / "docs" / "operations.md").read_text()
        self.assertEqual([f for f in families[9:] if f"`{f}`" not in manual], [])
        for stage in ("synthesis", "ntt", "msm", "verify"):
            name, labels = "cuzk_stage_seconds", f'proof_kind="winning_post",stage="{stage}"'
            buckets = [int(n) for n in re.findall(rf'{name}_bucket\{{{labels},le="[^"]*"\}} (\d+)', text)]
            self.assertEqual(buckets, sorted(buckets))
            self.assertEqual(len(buckets), 18)
            self.assertIn(f'{name}_bucket{{{labels},le="+Inf"}} {buckets[-1]}\n', text)
            self.assertIn(f"{name}_count{{{labels}}} {buckets[-1]}\n", text)
            self.assertGreater(buckets[-1], 0)
            self.assertRegex(text, rf"{name}_sum\{{{labels}\}} \d+\.\d{{3}}\n")
        self.assertEqual(get(self.d.http() + "/metrics")[2].split("# TYPE")[1], text.split("# TYPE")[1])

    def test_status_over_http(self):
        self.stub.Prove(pb.ProveRequest(submit=winning("</script>\"\\ \u00e9")), timeout=120)
        code, headers, text = get(self.d.http() + "/status")
        self.assertEqual((code, headers["Content-Type"], headers["Access-Control-Allow-Origin"]), (200, "application/json", "*"))
        status = json.loads(text)
        self.assertEqual(list(status)[:8], ["uptime_secs", "memory", "synthesis", "pipelines", "gpu_workers", "allocations", "counters", "buffers"])
        # H13: ids as the client gave them, whole
        job = next(j for j in status["jobs"] if j["job_id"] == "</script>\"\\ \u00e9")
        self.assertEqual((job["state"], job["partitions"][0]["stage"]), ("completed", "done"))
        self.assertGreater(len(json.loads(get(self.d.http() + "/trace")[2])["traceEvents"]), 0)
        quoted = urllib.parse.quote("</script>\"\\ \u00e9")
        trace = json.loads(get(f"{self.d.http()}/trace?job={quoted}")[2])["traceEvents"]
        spans = {p: [e["name"] for e in trace if e["ph"] == p and e["tid"] == 0] for p in "BE"}
        self.assertEqual(spans, dict.fromkeys("BE", ["SYNTH", "NTT", "MSM", "VERIFY"]))
        times = [e["ts"] for e in trace if e["ph"] != "M"]
        self.assertEqual(times, sorted(times))
        self.assertEqual({e["args"]["job"] for e in trace if e["ph"] != "M"}, {"</script>\"\\ \u00e9"})
        self.assertIn("<!doctype html>", get(self.d.http() + "/")[2].lower())
        self.assertIn("winning-post: ready", get(self.d.http() + "/readyz")[2])
        self.assertEqual(get(self.d.http() + "/healthz")[2], "ok\n")
        with self.assertRaises(urllib.error.HTTPError) as caught:
            get(self.d.http() + "/nothing")
        self.assertEqual((caught.exception.code, caught.exception.read()), (404, b"404 Not Found\n"))
        self.assertIn("TIMELINE,", self.d.output())

    def test_health(self):
        health = health_pb2_grpc.HealthStub(self.d.channel())
        for service in ("", "cuzk.v1.ProvingEngine", "porep-c2", "winning-post"):
            self.assertEqual(health.Check(health_pb2.HealthCheckRequest(service=service), timeout=5).status, health_pb2.HealthCheckResponse.SERVING)
        self.refused(grpc.StatusCode.NOT_FOUND, health.Check, health_pb2.HealthCheckRequest(service="nobody"), timeout=5)
        watch = health.Watch(health_pb2.HealthCheckRequest(service="nobody"), timeout=20)
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN)
        watch.cancel()

    def test_reflection(self):
        database = ProtoReflectionDescriptorDatabase(self.d.channel())
        self.assertEqual(set(database.get_services()), {"cuzk.v1.ProvingEngine", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"})
        file = database.FindFileContainingSymbol("cuzk.v1.ProvingEngine")
        self.assertEqual([m.name for s in file.service for m in s.method][:3], ["SubmitProof", "AwaitProof", "Prove"])
        self.assertEqual(database.FindFileContainingSymbol("cuzk.v1.AwaitProofResponse.Status").name, "cuzk/v1/proving.proto")
        self.assertEqual(database.FindFileByName("grpc/health/v1/health.proto").package, "grpc.health.v1")
        with self.assertRaises(KeyError):
            database.FindFileContainingSymbol("cuzk.v1.Nothing")


class Cancelling(DaemonTest):
    """CancelProof in each state of a job."""

    def cancel(self, d, job_id):
        return d.stub().CancelProof(pb.CancelProofRequest(job_id=job_id), timeout=60).was_running

    def result(self, d, job_id):
        return d.stub().AwaitProof(pb.AwaitProofRequest(job_id=job_id), timeout=300)

    def job(self, d, job_id):
        return next(j for j in json.loads(get(d.http() + "/status")[2])["jobs"] if j["job_id"] == job_id)

    def test_waiting_and_in_each_stage(self):
        d = self.daemon().ready()
        c1 = porep().vanilla_proof
        stages, waiting = ["synthesis", "ntt", "msm"], [f"waiting-{i}" for i in range(20)]
        for spaces, name in enumerate(stages + waiting):
            d.stub().SubmitProof(porep(name, vanilla_proof=c1 + b" " * spaces), timeout=60)
        self.assertEqual(self.job(d, waiting[-1])["state"], "queued")
        for name in reversed(waiting):
            self.assertTrue(self.cancel(d, name))
            self.assertEqual(self.result(d, name).status, pb.AwaitProofResponse.CANCELLED)
        for stage in stages: # each job is caught in another stage of its partition
            until = time.monotonic() + 120
            while self.job(d, stage)["partitions"][0]["stage"] != stage:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.002)
            self.assertTrue(self.cancel(d, stage))
            self.assertEqual(self.result(d, stage).status, pb.AwaitProofResponse.CANCELLED)
        self.assertFalse(self.cancel(d, "msm")) # it is cancelled already
        status = d.stub().GetStatus(pb.GetStatusRequest(), timeout=5)
        self.assertEqual([(q.pending, q.in_progress) for q in status.queues], 4 * [(0, 0)])
        self.assertNotRegex(d.output(), r"TIMELINE,\d+,COMPLETED,")
        d.stop()

    def test_after_the_end(self):
        d = self.daemon()
        d.stop(None)
        params = post_params(d.folder)
        d = self.daemon(env={"CUZK_PARAM_CACHE": str(params)}).ready()
        done = d.stub().Prove(pb.ProveRequest(submit=winning("done")), timeout=120).result
        self.assertFalse(self.cancel(d, "done"))
        self.assertEqual(self.result(d, "done").proof, done.proof)
        damage(params)
        d.stub().EvictSRS(pb.EvictSrsRequest(circuit_id="winning-2k"), timeout=60)
        failed = d.stub().Prove(pb.ProveRequest(submit=winning("failed")), timeout=120).result
        self.assertEqual(failed.status, pb.AwaitProofResponse.FAILED)
        self.assertFalse(self.cancel(d, "failed"))
        self.assertEqual(self.result(d, "failed").error_message, failed.error_message)
        d.stop()


class Deadlines(DaemonTest):
    def test_of_the_call_is_the_jobs(self):
        """Of jobs of one priority those go first that somebody waits for with a deadline: Prove's and AwaitProof's grpc-timeout."""
        d = self.daemon().ready()
        stub = d.stub()
        for i in range(12):
            stub.SubmitProof(window(request_id=f"patient-{i}", priority=pb.LOW), timeout=60)
        urgent = stub.AwaitProof.future(pb.AwaitProofRequest(job_id="patient-11"), timeout=250)
        stub.Prove(pb.ProveRequest(submit=window(request_id="urgent", priority=pb.LOW)), timeout=200)
        urgent.result()
        for i in range(12):
            stub.AwaitProof(pb.AwaitProofRequest(job_id=f"patient-{i}"))
        completed = [line.split(",")[3] for line in d.output().splitlines() if re.match(r"TIMELINE,\d+,COMPLETED,", line)]
        self.assertEqual(len(completed), 13)
        self.assertLess(completed.index("urgent"), completed.index("patient-8"), completed)
        self.assertLess(completed.index("patient-11"), completed.index("patient-8"), completed)
        d.stop()


class Sockets(DaemonTest):
    """R28: a socket is taken where nobody else has it, and nothing else is removed for it."""

    def test_mode_and_removal(self):
        d = self.daemon().ready()
        self.assertEqual(stat.S_IMODE(d.socket.stat().st_mode), 0o660)
        d.stop()
        self.assertEqual([f.name for f in d.folder.iterdir() if f.name.startswith(d.socket.name)], []) # nor its lock

    def test_live_socket_is_left_alone(self):
        first = self.daemon().ready()
        second = self.daemon(listen=f"unix://{first.socket}")
        self.assertEqual(second.process.wait(30), 69)
        self.assertIn("socket-live", second.output())
        first.stub().GetStatus(pb.GetStatusRequest(), timeout=5)

    def test_other_process_behind_the_socket(self):
        d = self.daemon()
        d.stop(None)
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(d.socket))
            other.listen()
            second = self.daemon(listen=f"unix://{d.socket}")
            self.assertEqual(second.process.wait(30), 69)
            self.assertIn("socket-live", second.output())
            self.assertTrue(d.socket.exists())

    def test_another_daemons_socket_is_left_alone(self):
        first = self.daemon().ready()
        first.socket.unlink()
        lock = first.socket.with_name(first.socket.name + ".lock")
        lock.unlink()
        second = self.daemon(listen=f"unix://{first.socket}").ready()
        first.stop()
        first.stub().GetStatus(pb.GetStatusRequest(), timeout=5)
        self.assertTrue(lock.exists())
        second.stop()
        self.assertFalse(first.socket.exists() or lock.exists())

    def test_stale_socket_is_replaced(self):
        first = self.daemon().ready()
        first.process.kill()
        first.process.wait()
        self.assertTrue(first.socket.exists())
        second = self.daemon(listen=f"unix://{first.socket}").ready()
        first.stub().GetStatus(pb.GetStatusRequest(), timeout=5)
        second.stop()

    def test_regular_file_is_left_alone(self):
        d = self.daemon()
        d.stop(None)
        d.socket.write_text("precious")
        second = self.daemon(listen=f"unix://{d.socket}")
        self.assertEqual(second.process.wait(30), 69)
        self.assertIn("socket-not-a-socket", second.output())
        self.assertEqual(d.socket.read_text(), "precious")

    def test_long_path(self):
        d = self.daemon(listen="unix:///tmp/" + "x" * 120)
        self.assertEqual(d.process.wait(30), 78)
        self.assertIn("socket-path-long", d.output())
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        longest = f"{folder}/".ljust(106, "x")
        self.daemon(listen=f"unix://{longest}").ready().stop()
        self.assertEqual(self.daemon(listen=f"unix://{longest}x").process.wait(30), 78)


class FailedStart(DaemonTest):
    @unittest.skipUnless(os.geteuid() == 0, "the threads of a user who has no other are counted")
    def test_with_too_few_threads(self):
        """Whichever thread is the first that is not given, gRPC's own among them: the daemon ends, and says so."""
        for threads in range(2, 100, 2):
            d = self.daemon(config="[synthesis]\nthreads = 2\n", before=f"""
import os, resource, sys
os.chown(os.path.dirname(sys.argv[3]), 65534, -1)
resource.setrlimit(resource.RLIMIT_NPROC, ({threads}, {threads}))
os.setuid(65534)""")
            while "cuzk-daemon ready" not in d.output() and d.process.poll() is None:
                time.sleep(0.01)
                if "cannot start" in d.output():
                    d.process.wait(20)
            if d.process.poll() is None:
                break
            self.assertIn(d.process.returncode, (70, 71), d.output())
            self.assertFalse(d.socket.exists())
            self.assertNotIn("Address already in use", d.output())
            d.clean_up()
        self.assertGreater(threads, 8)
        self.assertLess(threads, 98)
        d.stop()

    def without_budget(self, before):
        d = self.daemon(config="[synthesis]\nthreads = 2\n", before=before)
        if d.process.wait(30) == 77:
            self.skipTest("no mounts can be made here")
        self.assertEqual(d.process.returncode, 78, d.output())
        self.assertRegex(d.output(), r"memory\.total_budget: .*set a number of bytes \(memory-unknown\)")

    def test_without_memory(self):
        self.without_budget("import resource; resource.setrlimit(resource.RLIMIT_DATA, (200 << 20, 200 << 20))")

    def test_without_proc(self):
        self.without_budget("""
import ctypes, sys
libc = ctypes.CDLL(None)
if libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 0x44000, None) or libc.mount(b"none", b"/proc", b"tmpfs", 0, None):
    sys.exit(77)""")

    def test_status_port_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            d = self.daemon(status=False, daemon_keys=f'status_listen = "127.0.0.1:{taken.getsockname()[1]}"')
            self.assertEqual(d.process.wait(30), 69)
        self.assertIn("cannot listen: Address already in use", d.output())
        self.assertFalse(d.socket.exists())


class Network(DaemonTest):
    def certificate(self, folder):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder / "key.pem", "-out",
                        folder / "cert.pem"], check=True, capture_output=True)

    def tcp(self, **options):
        d = self.daemon(listen="127.0.0.1:0", **options).ready()
        return d, f"127.0.0.1:{d.port_of('listening on TCP')}"

    def test_tcp(self):
        d, address = self.tcp()
        with grpc.insecure_channel(address, options=OPTIONS) as channel:
            result = stubs.ProvingEngineStub(channel).Prove(pb.ProveRequest(submit=winning("tcp")), timeout=120).result
            self.assertEqual(result.status, COMPLETED)
        taken = self.daemon(listen=address)
        self.assertEqual(taken.process.wait(30), 69)
        d.stop()

    def test_both_at_once(self):
        d = self.daemon()
        d.stop(None)
        both = self.daemon(listen=f"unix://{d.socket}, 127.0.0.1:0").ready()
        port = both.port_of("listening on TCP")
        for target in (f"unix:{d.socket}", f"127.0.0.1:{port}"):
            with grpc.insecure_channel(target) as channel:
                stubs.ProvingEngineStub(channel).GetStatus(pb.GetStatusRequest(), timeout=5)

    def test_insecure_outside_is_refused(self):
        d = self.daemon(listen="0.0.0.0:0")
        self.assertEqual(d.process.wait(30), 78)
        self.assertIn("listen-insecure", d.output())
        allowed = self.daemon(listen="0.0.0.0:0", daemon_keys="allow_insecure = true").ready()
        allowed.stop()

    def test_tokens(self):
        d = self.daemon()
        d.stop(None)
        tokens = d.folder / "tokens"
        tokens.write_text(f"# people\n{TOKEN}\n")
        tokens.chmod(0o600)
        guarded, address = self.tcp(config=f'[auth]\ntoken_file = "{tokens}"')
        with grpc.insecure_channel(address) as channel:
            call = stubs.ProvingEngineStub(channel).GetStatus
            for metadata in (None, [("authorization", "Bearer wrong-horse-battery-staple")], [("authorization", TOKEN)],
                             [("authorization", f"Bearer {TOKEN}x")]):
                self.refused(grpc.StatusCode.UNAUTHENTICATED, call, pb.GetStatusRequest(), timeout=5, metadata=metadata)
            call(pb.GetStatusRequest(), timeout=5, metadata=[("authorization", f"Bearer {TOKEN}")])
        guarded.stop()
        tokens.write_bytes(f"{TOKEN}\0\n{TOKEN}2\n".encode()) # to its writer this is another token, to a reader of strings TOKEN alone
        cut = self.daemon(config=f'[auth]\ntoken_file = "{tokens}"')
        self.assertEqual(cut.process.wait(30), 78)
        self.assertIn("token-nul", cut.output())
        tokens.chmod(0o644)
        readable = self.daemon(config=f'[auth]\ntoken_file = "{tokens}"')
        self.assertEqual(readable.process.wait(30), 78)

    def test_http_asks_for_tokens_outside(self):
        d = self.daemon()
        d.stop(None)
        tokens = d.folder / "tokens"
        tokens.write_text(TOKEN)
        tokens.chmod(0o600)
        guarded = self.daemon(status=False, daemon_keys='status_listen = "0.0.0.0:0"', config=f'[auth]\ntoken_file = "{tokens}"').ready()
        with self.assertRaises(urllib.error.HTTPError) as caught:
            get(guarded.http() + "/status")
        self.assertEqual(caught.exception.code, 401)
        self.assertEqual(get(guarded.http() + "/status", TOKEN)[0], 200)

    def test_tls(self):
        d = self.daemon()
        d.stop(None)
        self.certificate(d.folder)
        cert = (d.folder / "cert.pem").read_bytes()
        key = (d.folder / "key.pem").read_bytes()
        tls = f'[tls]\ncert = "{d.folder}/cert.pem"\nkey = "{d.folder}/key.pem"\n'
        for config, credentials, code in (
                (tls, grpc.ssl_channel_credentials(cert), None),
                (tls, grpc.ssl_channel_credentials(), grpc.StatusCode.UNAVAILABLE),
                (tls + f'client_ca = "{d.folder}/cert.pem"\n', grpc.ssl_channel_credentials(cert, key, cert), None),
                (tls + f'client_ca = "{d.folder}/cert.pem"\n', grpc.ssl_channel_credentials(cert), grpc.StatusCode.UNAVAILABLE)):
            served, address = self.tcp(config=config)
            with grpc.secure_channel(address, credentials) as channel:
                call = stubs.ProvingEngineStub(channel).GetStatus
                if code is None:
                    call(pb.GetStatusRequest(), timeout=10)
                else:
                    self.refused(code, call, pb.GetStatusRequest(), timeout=10)
            with grpc.insecure_channel(address) as channel:
                with self.assertRaises(grpc.RpcError):
                    stubs.ProvingEngineStub(channel).GetStatus(pb.GetStatusRequest(), timeout=3)
            served.stop()

    def test_bad_certificate(self):
        d = self.daemon()
        d.stop(None)
        (d.folder / "cert.pem").write_text("no certificate")
        bad = self.daemon(listen="127.0.0.1:0", config=f'[tls]\ncert = "{d.folder}/cert.pem"\nkey = "{d.folder}/cert.pem"\n')
        self.assertEqual(bad.process.wait(30), 69)


class Connections(DaemonTest):
    """Who holds connections open, silent or a byte at a time, keeps nobody else out."""

    def connect(self, address, begin=b""):
        s = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        self.addCleanup(s.close)
        s.settimeout(15)
        s.connect(address)
        s.sendall(begin)
        return s

    def hold(self, n, address, begin, more):
        """n connections that have sent begin, and get one byte of more after the other from then on."""
        held, done = [self.connect(address, begin) for _ in range(n)], threading.Event()
        def drip():
            for byte in itertools.cycle(more):
                for s in held:
                    with contextlib.suppress(OSError): # it was closed
                        s.send(bytes([byte]))
                if done.wait(1):
                    return
        thread = threading.Thread(target=drip)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(done.set)
        return held

    def wait_closed(self, s):
        with contextlib.suppress(ConnectionResetError):
            while s.recv(1000): # a greeting
                pass

    def test_http_half_open(self):
        d = self.daemon().ready()
        address = ("127.0.0.1", urllib.parse.urlsplit(d.http()).port)
        dripping = self.hold(600, address, b"GET /status HTTP/1.1\r\nHost: ", b"x")
        for path in ("/status", "/metrics", "/healthz"):
            self.assertEqual(get(d.http() + path)[0], 200)
        self.wait_closed(dripping[0]) # for one that came later
        self.wait_closed(self.connect(address, b"GET /status")) # soon, as nothing follows
        d.stop()

    def test_grpc_half_open(self):
        """More than the process may have files at its start. With too few the library would stop listening for good."""
        d = self.daemon(before="import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (128, 4096))").ready()
        silent = [self.connect(str(d.socket)) for _ in range(600)]
        d.stub().GetStatus(pb.GetStatusRequest(), timeout=60)
        self.assertEqual(get(d.http() + "/status")[0], 200)
        for s in silent:
            self.wait_closed(s)
        d.stop()


class Signals(DaemonTest):
    def test_term_drains(self):
        d = self.daemon().ready()
        stub = d.stub()
        proving = stub.Prove.future(pb.ProveRequest(submit=porep("last")), timeout=300)
        d.wait_log("job enqueued", 60)
        d.signal()
        d.wait_log("received SIGTERM")
        try:
            self.refused(grpc.StatusCode.UNAVAILABLE, stub.SubmitProof, winning("late"), timeout=20)
        finally:
            result = proving.result().result
        self.assertEqual(result.status, COMPLETED, result.error_message)
        self.assertEqual(d.process.wait(60), 0)
        self.assertIn("cuzk-daemon stopped", d.output())

    def test_term_before_it_listens(self):
        """A signal that is there before the first instruction: the daemon starts, drains and ends in order."""
        d = self.daemon(before="import os, signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM]); os.kill(os.getpid(), signal.SIGTERM)")
        self.assertEqual(d.process.wait(60), 0, d.output())
        self.assertIn("received SIGTERM", d.output())
        self.assertIn("cuzk-daemon stopped", d.output())

    def test_term_at_any_moment_of_the_start(self):
        for i in range(12):
            d = self.daemon()
            time.sleep(0.02 * i)
            d.signal()
            code = d.process.wait(60)
            self.assertIn(code, (0, -signal.SIGTERM)) # the latter: main had not begun
            if code != 0:
                self.assertEqual(d.output(), "")

    def test_second_term_stops_and_the_journal_remembers(self):
        d = self.daemon()
        d.stop(None)
        journal = f'[jobs]\njournal = "{d.folder}/jobs.db"\n'
        first = self.daemon(config=journal).ready()
        waiting = first.stub().Prove.future(pb.ProveRequest(submit=porep("kept")), timeout=300)
        first.wait_log("job enqueued", 60)
        first.signal()
        first.wait_log("received SIGTERM")
        first.signal()
        self.assertEqual(first.process.wait(60), 0)
        try:
            self.assertEqual(waiting.result().result.status, COMPLETED) # it was quick
        except grpc.RpcError as error:
            self.assertEqual(error.code(), grpc.StatusCode.UNAVAILABLE)
        second = self.daemon(config=journal).ready()
        result = second.stub().AwaitProof(pb.AwaitProofRequest(job_id="kept"), timeout=300)
        self.assertEqual(result.status, COMPLETED, result.error_message)
        self.assertTrue(verify(porep(), result.proof))
        second.stop()

    def test_hup_reloads(self):
        d = self.daemon().ready()
        before = d.stub().GetStatus(pb.GetStatusRequest(), timeout=5).pinned_memory_limit_bytes
        text = d.config.read_text()
        d.write_config(text + '[memory]\ntotal_budget = "3GiB"\n[logging]\nlevel = "debug"\n[synthesis]\nthreads = 1\n')
        d.signal(signal.SIGHUP)
        d.wait_log("configuration reloaded level=debug")
        d.wait_log("changes that need a restart keys=synthesis.threads")
        self.assertNotEqual(before, 3 << 30)
        self.assertEqual(d.stub().GetStatus(pb.GetStatusRequest(), timeout=5).pinned_memory_limit_bytes, 3 << 30)
        d.write_config("[memory]\ntotal_buget = 1\n")
        d.signal(signal.SIGHUP)
        d.wait_log("configuration not reloaded")
        self.assertIn('did you mean "memory.total_budget"', d.output())
        d.stop()

    def test_budget_that_is_too_small(self):
        """What could never run is said at the start and with each new budget, not only to whoever submits it."""
        d = self.daemon(config='[memory]\ntotal_budget = "200MiB"\n[synthesis]\nthreads = 2\n').ready()
        words = "WARN cuzk_daemon: memory.total_budget is too small for "
        circuit, kind = words + "a circuit whose parameters are there circuit=", words + "every job of a kind proof_kind="
        self.assertRegex(d.output(), circuit + r"porep-2k error=the job takes \d+ bytes at least .* the memory budget is 209715200 ")
        self.assertEqual(re.findall(kind + r"(\S+)", d.output()), ["porep-c2", "snap-update"])
        refused = self.refused(grpc.StatusCode.RESOURCE_EXHAUSTED, d.stub().SubmitProof, porep(), timeout=60)
        self.assertIn("the memory budget is 209715200 ", refused)
        text = d.config.read_text()
        for times, budget, kinds in ((1, "3GiB", 2), (2, "16MiB", 6)): # none more, then all four
            d.write_config(text.replace("200MiB", budget))
            d.signal(signal.SIGHUP)
            until = time.monotonic() + 30
            while d.output().count("configuration reloaded") < times:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.02)
            self.assertEqual(len(re.findall(kind, d.output())), kinds)
        d.stop()

    def test_notify_and_watchdog(self):
        d = self.daemon()
        d.stop(None)
        path = str(d.folder / "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
            s.bind(path)
            s.settimeout(20)
            watched = self.daemon(env={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "400000"})
            messages = [s.recv(1000).decode() for _ in range(4)]
            watched.stop()
        self.assertIn("READY=1", "\n".join(messages))
        self.assertGreaterEqual(sum("WATCHDOG=1" in m for m in messages), 2)

    def test_watch_sees_the_drain(self):
        d = self.daemon().ready()
        proving = d.stub().Prove.future(pb.ProveRequest(submit=porep("watched")), timeout=300)
        d.wait_log("job enqueued", 60)
        watch = health_pb2_grpc.HealthStub(d.channel()).Watch(health_pb2.HealthCheckRequest(service=""), timeout=300)
        self.assertEqual(next(watch).status, health_pb2.HealthCheckResponse.SERVING)
        d.signal()
        states = [r.status for r in watch]
        self.assertIn(states, ([health_pb2.HealthCheckResponse.NOT_SERVING], [])) # [] when the proof was quicker than the watch's second
        self.assertEqual(proving.result().result.status, COMPLETED)
        self.assertEqual(d.process.wait(30), 0)


class Bench(DaemonTest):
    def bench(self, *args, code=0, stdout=False):
        done = subprocess.run([BUILD / "cuzk-bench", *map(str, args)], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 or stdout else done.stderr

    def test_printed_lines(self):
        d = self.daemon().ready()
        at = ["-a", f"unix://{d.socket}"]
        post = ["--type", "winning", "--vanilla", PROOFS / "winning-2kib-1.vanilla.json", "--randomness", fixture("winning-2kib-1")["randomness"]]
        self.assertRegex(self.bench(*at, "preload", "-c", "winning-2k"), r"^winning-2k loaded in \d+ ms\n$")
        self.assertEqual(self.bench("preload", *at, "--circuit-id", "winning-2k"), "winning-2k already loaded\n")
        single = self.bench(*at, "single", *post)
        self.assertRegex(single, r"^\n=== Proof Result ===\nstatus:    COMPLETED\njob_id:    [0-9a-f-]{36}\n"
                         r"timings:   total=\d+ ms \(queue=\d+ ms, srs=\d+ ms, synth=\d+ ms, gpu=\d+ ms\)\n"
                         r"wall time: \d+ ms\nproof:     192 bytes \(hex: [0-9a-f]{384}\)\n$")
        proof = bytes.fromhex(single.split("hex: ")[1].split(")")[0])
        self.assertTrue(verify(winning(), proof))
        batch = self.bench("--addr", f"unix://{d.socket}", "batch", *post, "--count", 3, "-j", 2)
        self.assertRegex(batch, r"^=== Batch Benchmark ===\nproof type:  winning\ncount:       3\nconcurrency: 2\n\n"
                         r"(  \[[123]/3\] COMPLETED — \d+\.\ds \(prove=\d+ ms, queue=\d+ ms\)\n){3}\n=== Batch Summary ===\ntotal time:    \d")
        status = self.bench("status", *at)
        self.assertRegex(status, r"^=== cuzk daemon status ===\nuptime:           \d+s\nproofs completed: 4\nproofs failed:    0\n")
        self.assertRegex(status, r"\nLoaded SRS:\n  winning-2k \(tier=\d, size=\d+ bytes, refs=\d+\)\n")
        self.assertIn("cuzk_proofs_completed_total 4\n", self.bench("metrics", *at))
        self.assertEqual(json.loads(self.bench("batch", *at, *post, "-c", 1, "--json"))["completed"], 1)
        d.stop()

    def test_stress(self):
        d = self.daemon(config="[scheduler]\nqueue_limit = 6\n").ready()
        post = window()
        vanilla = d.folder / "vanilla.json"
        vanilla.write_text(json.dumps([base64.b64encode(p).decode() for p in post.vanilla_proofs]))
        command = ["stress", "-a", f"unix://{d.socket}", "-t", "wpost", "--vanilla", vanilla, "--registered-proof", 10, "--randomness",
                   post.randomness.hex(), "--count", 24, "--clients", 10, "--cancel", 30, "--disconnect", 40, "--within", 500]
        done = json.loads(self.bench(*command, "--json"))
        self.assertEqual((done["completed"] + done["cancelled"], done["wrong"]), (24, 0), done)
        for word in ("cancelled", "disconnects", "put_off"):
            self.assertGreater(done[word], 0, done)
        self.assertEqual(sum(p["completed"] for p in done["priorities"].values()), done["completed"])
        counters = json.loads(get(d.http() + "/status")[2])["counters"]
        self.assertEqual((counters["total_completed"], counters["total_cancelled"], counters["queue_depth"]),
                         (done["completed"], done["cancelled"], 0))
        output = self.on_terminal(*command)
        self.assertRegex(output, r"=== Stress ===\r\nproof type:  wpost\r\ncount:       24\r\nclients:     10\r\n")
        self.assertRegex(output, r"stress.* \d+ ?%")
        self.assertRegex(output, r"=== Stress Summary ===\r\ntotal time:    \d+\.\ds\r\ncompleted:     \d+\r\ncancelled:     \d+\r\nwrong:         0\r\n")
        counters = json.loads(get(d.http() + "/status")[2])["counters"]
        self.assertGreater(counters["total_completed"] + counters["total_cancelled"], 47) # the second run's inputs were new
        d.stop()

    def on_terminal(self, *args):
        main, terminal = pty.openpty()
        process = subprocess.Popen([BUILD / "cuzk-bench", *map(str, args)], stdout=terminal, stderr=terminal)
        os.close(terminal)
        output = b""
        with contextlib.suppress(OSError): # the end of a terminal
            while chunk := os.read(main, 4096):
                output += chunk
        os.close(main)
        self.assertEqual(process.wait(60), 0, output)
        return output.decode()

    def test_errors(self):
        self.assertIn("--count and --clients are at least 1", self.bench("stress", "-t", "winning", "--count", 0, code=2))
        self.assertIn("unknown proof type: nothing. Use: porep, snap, wpost, winning", self.bench("single", "-t", "nothing", code=2))
        self.assertIn("gRPC status 14", self.bench("status", "-a", "127.0.0.1:1", code=75))
        d = self.daemon().ready()
        refused = json.loads(self.bench("stress", "-t", "winning", "-a", f"unix://{d.socket}", "--count", 3, "--json", code=69, stdout=True))
        self.assertEqual((refused["completed"], refused["wrong"]), (0, 3))
        self.assertIn("vanilla_proofs: is empty", refused["first_wrong"])
        self.assertIn("vanilla_proofs: is empty", self.bench("single", "-t", "winning", "-a", f"unix://{d.socket}", code=65))
        self.assertIn("unknown circuit ID: x", self.bench("preload", "-c", "x", "-a", f"unix://{d.socket}", code=66))
        d.stop()


class CommandLine(DaemonTest):
    def run_daemon(self, *args, **env):
        return subprocess.run([BUILD / "cuzk-daemon", *args], capture_output=True, text=True, timeout=30, check=False, env={**os.environ, **env})

    def test_flags(self):
        self.assertRegex(self.run_daemon("--version").stdout, r"^cuzk-daemon \d+\.\d+\.\d+\n$")
        self.assertIn("--listen", self.run_daemon("-h").stdout)
        self.assertEqual(self.run_daemon("--nothing").returncode, 2)
        self.assertEqual(self.run_daemon("argument").returncode, 2)
        self.assertEqual(self.run_daemon("--config", "/nonexistent/cuzk.toml").returncode, 66)
        self.assertEqual(self.run_daemon("--log-level", "loud").returncode, 78)
        keys = self.run_daemon("--keys").stdout
        for variable in ("CUZK_MEMORY_TOTAL_BUDGET", "CUZK_PARAM_CACHE", "FIL_PROOFS_PARAMETER_CACHE", "RUST_LOG"):
            self.assertIn(variable, keys)

    def test_configuration_errors_name_the_key(self):
        """What only the start finds out: file, line and key, and the exit code of a wrong configuration."""
        folder = self.daemon().folder
        (folder / "file").touch()
        for section, key, value, words in (
                ("srs", "preload", '["winning-2k", "porep-3k"]', 'no circuit "porep-3k", did you mean "porep-2k"'),
                ("jobs", "journal", f'"{folder}"', f"{folder}: the journal cannot be opened: Is a directory"),
                ("jobs", "capsule_dir", f'"{folder}/file"', f"{folder}/file: Not a directory"),
                ("jobs", "capsule_dir", f'"{folder}/a/b"', f"{folder}/a/b: No such file or directory"),
                ("auth", "token_file", f'"{folder}/none"', f"{folder}/none: No such file or directory"),
                ("tls", "cert", f'"{folder}/none"\nkey = "{folder}/file"', f"{folder}/none: No such file or directory")):
            with self.subTest(key):
                (path := folder / "wrong.toml").write_text(f"# made up\n[{section}]\n{key} = {value}\n")
                done = self.run_daemon("--config", path, "--listen", f"unix://{folder}/other.sock")
                self.assertEqual(done.returncode, 78, done.stderr)
                self.assertIn(f"error: {path} line 3: {section}.{key}: {words}", done.stderr)
        done = self.run_daemon("--config", folder / "cuzk.toml", CUZK_JOBS_JOURNAL=str(folder))
        self.assertIn(f"error: CUZK_JOBS_JOURNAL: jobs.journal: {folder}: ", done.stderr)

    def test_deprecated_keys_are_warned_of(self):
        d = self.daemon(config='[pipeline]\nenabled = true\n[memory]\npinned_budget = "1GiB"\n').ready()
        self.assertRegex(d.output(), "WARN cuzk_daemon: memory.pinned_budget is deprecated")
        self.assertRegex(d.output(), "WARN cuzk_daemon: pipeline.enabled has no effect")
        d.stop()

    def test_json_logs(self):
        d = self.daemon(config='[logging]\nformat = "json"\n').ready()
        lines = [json.loads(line) for line in (d.folder / "log").read_text().splitlines()]
        self.assertIn("cuzk-daemon starting", [line["fields"]["message"] for line in lines])
        d.stop()


if __name__ == "__main__":
    unittest.main()
