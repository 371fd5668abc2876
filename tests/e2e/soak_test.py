"""A daemon in its steady state: 475 WindowPoSt, 20 WinningPoSt and 5 PoRep in five equal rounds, by clients that take any priority, cancel,
disconnect and come back. After each round the daemon is idle; what it holds then must not grow from round to round."""
import collections
import concurrent.futures
import pathlib
import random
import re
import threading
import time
import unittest

import grpc
from cuzk.v1 import proving_pb2 as pb
from cuzk.v1 import proving_pb2_grpc as stubs
from e2e import OPTIONS, Daemon, porep, verify, window, winning

SEED, ROUNDS, CLIENTS = 1, 5, 12
COMPLETED, CANCELLED = pb.AwaitProofResponse.COMPLETED, pb.AwaitProofResponse.CANCELLED
# The slope that the idle daemon's anonymous memory may have: the ring of timeline events and SQLite's cache fill up in the course of the
# test, 7 MiB together, and what is free in glibc's arenas comes and goes.
RSS_KIB_PER_JOB = 20


class Client:
    """One client with its own connection."""

    def __init__(self, d):
        self.d = d
        self.connect()

    def connect(self):
        self.channel = grpc.insecure_channel(f"unix:{self.d.socket}", options=OPTIONS + [("grpc.use_local_subchannel_pool", 1)])
        self.stub = stubs.ProvingEngineStub(self.channel)

    def prove(self, request):
        return self.stub.Prove(pb.ProveRequest(submit=request), timeout=1800).result

    def prove_and_disconnect(self, request, seconds):
        """Leaves the call and the connection after some time, then comes back and asks for the same."""
        call = self.stub.Prove.future(pb.ProveRequest(submit=request), timeout=1800)
        try:
            return call.result(seconds).result
        except grpc.FutureTimeoutError:
            self.channel.close()
            self.connect()
            return self.prove(request)

    def cancel(self, request, seconds):
        job = self.stub.SubmitProof(request, timeout=600).job_id
        time.sleep(seconds)
        self.stub.CancelProof(pb.CancelProofRequest(job_id=job), timeout=600)
        return self.stub.AwaitProof(pb.AwaitProofRequest(job_id=job), timeout=1800)


def held_by(pid):
    """Anonymous memory in KiB, file descriptors and threads of a process."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    number = lambda key: int(re.search(rf"^{key}:\s*(\d+)", status, re.M).group(1))
    return {"rss_kib": number("RssAnon"), "fds": len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir())), "threads": number("Threads")}


def slope(values):
    """Of the least-squares line through values at 0, 1, 2..."""
    middle = (len(values) - 1) / 2
    return sum((i - middle) * v for i, v in enumerate(values)) / sum((i - middle) ** 2 for i in range(len(values)))


class Soak(unittest.TestCase):
    def setUp(self):
        self.d = Daemon()
        self.d.stop(None)
        self.d = Daemon(config=f'[jobs]\njournal = "{self.d.folder}/jobs.db"\nkeep_results = "20s"\n').ready()
        self.addCleanup(self.d.clean_up)
        self.ends = {} # of requests by id: (request, whether it may be cancelled, answer)
        self.most = collections.Counter()
        self.idle = threading.Event()

    def jobs_of(self, n, rng):
        makers = 95 * [window] + 4 * [winning] + [porep]
        rng.shuffle(makers)
        for i, make in enumerate(makers):
            request = make(request_id=f"{make.__name__}-{n}-{i}", priority=rng.randrange(5))
            if make is porep: # another input with the same proof
                request.vanilla_proof += b" " * n
            yield request, rng.choices(("prove", "disconnect", "cancel"), (60, 20, 20))[0], rng.uniform(0, 8)

    def client(self, jobs, lock):
        client = Client(self.d)
        while True:
            with lock:
                job = next(jobs, None)
            if job is None:
                client.channel.close()
                return
            request, what, seconds = job
            answer = client.prove(request) if what == "prove" else \
                client.prove_and_disconnect(request, seconds) if what == "disconnect" else client.cancel(request, seconds)
            self.ends[request.request_id] = (request, what == "cancel", answer)

    def watch(self):
        while not self.idle.wait(0.5):
            for key, value in held_by(self.d.process.pid).items():
                self.most[key] = max(self.most[key], value)

    def round(self, n):
        """Returns what the daemon held at most while it worked, and what it holds when nobody wants anything any more."""
        jobs, lock = self.jobs_of(n, random.Random(SEED * 1000 + n)), threading.Lock()
        self.most.clear()
        self.idle.clear()
        watcher = threading.Thread(target=self.watch)
        watcher.start()
        try:
            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
                for done in [clients.submit(self.client, jobs, lock) for _ in range(CLIENTS)]:
                    done.result()
        finally:
            self.idle.set()
            watcher.join()
        with self.d.channel() as channel:
            stub = stubs.ProvingEngineStub(channel)
            for circuit in ("wpost-2k", "winning-2k", "porep-2k"):
                self.evict(stub, circuit)
            status = stub.GetStatus(pb.GetStatusRequest(), timeout=60)
            self.assertEqual([(q.pending, q.in_progress) for q in status.queues], 4 * [(0, 0)])
        time.sleep(22) # results are forgotten, the clients' connections closed, idle memory given back
        return dict(self.most), held_by(self.d.process.pid)

    def evict(self, stub, circuit):
        until = time.monotonic() + 60
        while True:
            try:
                return stub.EvictSRS(pb.EvictSrsRequest(circuit_id=circuit), timeout=60)
            except grpc.RpcError as error: # a cancelled partition is still on its way out
                self.assertEqual(error.code(), grpc.StatusCode.FAILED_PRECONDITION, error.details())
                self.assertLess(time.monotonic(), until)
                time.sleep(0.2)

    def check_ends(self):
        proofs = set()
        for request, may_cancel, answer in self.ends.values():
            self.assertEqual(answer.job_id, request.request_id)
            self.assertIn(answer.status, (COMPLETED, CANCELLED) if may_cancel else (COMPLETED,), answer)
            if answer.status == COMPLETED:
                self.assertTrue(verify(request, answer.proof), request.request_id)
                self.assertNotIn(answer.proof, proofs)
                proofs.add(answer.proof)
        self.assertGreater(len(proofs), 80 * ROUNDS)
        return proofs

    def check_timeline(self):
        """Each job was submitted once and ended once, in the way its client was told; no partition was proven twice."""
        events = collections.defaultdict(collections.Counter)
        for line in (self.d.folder / "errors").read_text().splitlines():
            if line.startswith("TIMELINE,"):
                _, _, event, job, _ = line.split(",", 4)
                events[job][event] += 1
        self.assertEqual({job for job in events if job}, set(self.ends))
        for request, _, answer in self.ends.values():
            seen = events[request.request_id]
            completed = answer.status == COMPLETED
            self.assertEqual((seen["SUBMITTED"], seen["COMPLETED"], seen["CANCELLED"], seen["FAILED"]), (1, completed, not completed, 0))
            self.assertLessEqual(seen["PARTITION_DONE"], 1)
            self.assertLessEqual(seen["SYNTH_START"], 1)

    def test_500_jobs(self):
        began, rounds = time.monotonic(), []
        for n in range(ROUNDS):
            rounds.append(self.round(n))
            print(f"round {n} after {time.monotonic() - began:.0f} s: at most {rounds[-1][0]}, then {rounds[-1][1]}", flush=True)
        self.assertEqual(len(self.ends), 100 * ROUNDS)
        self.d.stop()
        proofs = self.check_ends()
        self.check_timeline()
        busy, idle = ([r[i] for r in rounds[1:]] for i in range(2)) # the first round warms up
        line = {key: slope([r[key] for r in idle]) for key in idle[0]}
        print(f"{len(proofs)} proofs verified, {len(self.ends) - len(proofs)} cancelled; a round adds {line}")
        self.assertLess(line["rss_kib"] / 100, RSS_KIB_PER_JOB)
        for key in ("fds", "threads"):
            self.assertLess(abs(line[key]), 0.5, key)
            self.assertLess(abs(slope([r[key] for r in busy])), 2, key)


if __name__ == "__main__":
    unittest.main()
