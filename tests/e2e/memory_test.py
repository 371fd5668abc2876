"""cuzk-daemon with little memory (R41): under a memory cgroup of v1 or v2 where this process may make one, and under RLIMIT_DATA. It proves
what fits, refuses what does not, and is never killed."""
import os
import pathlib
import time
import unittest

import grpc
from cuzk.v1 import proving_pb2 as pb
from e2e import Daemon, porep, snap, verify, window, winning

MIB = 1 << 20
COMPLETED = pb.AwaitProofResponse.COMPLETED


class Cgroup:
    """A memory cgroup that may take `limit` bytes, swap included; OSError where none can be made."""

    def __init__(self, limit):
        v1 = pathlib.Path("/sys/fs/cgroup/memory")
        self.is_v1 = v1.is_dir()
        self.path = (v1 if self.is_v1 else pathlib.Path("/sys/fs/cgroup")) / f"cuzk-test-{os.getpid()}-{limit}"
        if not self.is_v1:
            (self.path.parent / "cgroup.subtree_control").write_text("+memory")
        self.path.mkdir()
        try:
            (self.path / ("memory.limit_in_bytes" if self.is_v1 else "memory.max")).write_text(str(limit))
        except OSError:
            self.path.rmdir()
            raise
        swap = self.path / ("memory.memsw.limit_in_bytes" if self.is_v1 else "memory.swap.max")
        if swap.exists():
            swap.write_text(str(limit if self.is_v1 else 0))

    def enter(self):
        """For Daemon's `before`."""
        return f"import os; open({str(self.path / 'cgroup.procs')!r}, 'w').write(str(os.getpid()))"

    def peak(self):
        file = self.path / ("memory.max_usage_in_bytes" if self.is_v1 else "memory.peak")
        return int(file.read_text()) if file.exists() else 0

    def kills(self):
        file = self.path / ("memory.oom_control" if self.is_v1 else "memory.events")
        return int(dict(line.split() for line in file.read_text().splitlines())["oom_kill"])

    def remove(self):
        for _ in range(50): # a process that has just ended may still be counted
            try:
                return self.path.rmdir()
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"{self.path} cannot be removed")


class Memory(unittest.TestCase):
    def prove_all(self, d, limit, expected):
        """Every kind at once: who is refused for now tries again, as clients do. expected: the kinds that can never fit."""
        stub, refused, running = d.stub(), set(), []
        for make in (porep, snap, window, winning, window):
            request = make(request_id=f"{make.__name__}-{len(running)}")
            if self.submit(stub, request):
                running.append(request)
            else:
                refused.add(make.__name__)
        for request in running:
            result = stub.AwaitProof(pb.AwaitProofRequest(job_id=request.request_id), timeout=600)
            self.assertEqual(result.status, COMPLETED, f"{limit // MIB} MiB, {request.request_id}: {result.error_message}")
            self.assertTrue(verify(request, result.proof))
        status = stub.GetStatus(pb.GetStatusRequest(), timeout=5)
        self.assertLess(status.pinned_memory_limit_bytes, limit)
        self.assertEqual(refused, expected, f"{limit // MIB} MiB")
        d.stop() # exit code 0: alive to the end

    def submit(self, stub, request):
        until = time.monotonic() + 600
        while True:
            try:
                stub.SubmitProof(request, timeout=60)
                return True
            except grpc.RpcError as error:
                self.assertEqual(error.code(), grpc.StatusCode.RESOURCE_EXHAUSTED, error.details())
                self.assertLess(time.monotonic(), until)
                pushback = dict(error.trailing_metadata()).get("grpc-retry-pushback-ms")
                if pushback is None: # never
                    self.assertRegex(error.details(), r"\d+.* budget")
                    return False
                time.sleep(int(pushback) / 1000)

    LIMITS = {512 * MIB: {"porep", "snap"}, 1024 * MIB: set(), 2048 * MIB: set(), 4096 * MIB: set()}

    def test_cgroup(self):
        for limit, expected in self.LIMITS.items():
            with self.subTest(limit // MIB):
                try:
                    group = Cgroup(limit)
                except OSError as error:
                    self.skipTest(f"no memory cgroup can be made here: {error}")
                self.addCleanup(group.remove)
                d = Daemon(before=group.enter())
                self.addCleanup(d.clean_up)
                self.prove_all(d.ready(), limit, expected)
                print(f"cgroup {'v1' if group.is_v1 else 'v2'} of {limit // MIB} MiB: peak {group.peak() // MIB} MiB")
                self.assertEqual(group.kills(), 0)

    def test_rlimit_data(self):
        for limit, expected in self.LIMITS.items():
            with self.subTest(limit // MIB):
                d = Daemon(before=f"import resource; resource.setrlimit(resource.RLIMIT_DATA, ({limit}, {limit}))")
                self.addCleanup(d.clean_up)
                self.prove_all(d.ready(), limit, expected)


if __name__ == "__main__":
    unittest.main()
