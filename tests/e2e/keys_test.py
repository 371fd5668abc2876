"""What each key of cuzk-daemon's configuration does. Where daemon_test has a test of it, EFFECTS names that."""
import json
import re
import subprocess
import time
import urllib.request

import daemon_test
import grpc
from cuzk.v1 import proving_pb2 as pb
from e2e import BUILD, PARAMS, damage, porep, post_params, verify, window, winning


def wait_until(condition, seconds=120):
    until = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > until:
            raise AssertionError("that did not come")
        time.sleep(0.02)
    return value


class Keys(daemon_test.DaemonTest):
    def get(self, d, path):
        with urllib.request.urlopen(d.http() + path, timeout=10) as response:
            return response.read().decode()

    def status(self, d):
        return json.loads(self.get(d, "/status"))

    def timeline(self, d, event, job):
        """When that happened, in ms; None if it did not."""
        found = re.search(rf"^TIMELINE,(\d+),{event},{job},", d.output(), re.M)
        return found and int(found.group(1))

    def cancel(self, d, *jobs):
        for job in jobs:
            d.stub().CancelProof(pb.CancelProofRequest(job_id=job), timeout=60)
        d.stop()

    def test_safety_margin(self):
        totals = []
        for mib in (260, 300):
            d = self.daemon(config=f'[memory]\nsafety_margin = "{mib}MiB"\n').ready()
            totals.append(d.stub().GetStatus(pb.GetStatusRequest(), timeout=5).pinned_memory_limit_bytes)
            d.stop()
        self.assertEqual(totals[0] - totals[1], 40 << 20)

    def test_eviction_min_idle(self):
        for idle, evictable in (("0", True), ("1h", False)):
            d = self.daemon(config=f'[memory]\neviction_min_idle = "{idle}"\n').ready()
            d.stub().PreloadSRS(pb.PreloadSrsRequest(circuit_id="winning-2k"), timeout=60)
            self.assertEqual([s["evictable"] for s in self.status(d)["allocations"]["srs"]], [evictable])
            d.stop()

    def test_batches(self):
        """The first of two waits for the second, for a job that is never batched, or for the time to pass."""
        d = self.daemon(config="[scheduler]\nmax_batch_size = 2\nmax_batch_wait_ms = 3600000\n").ready()
        stub, c1 = d.stub(), porep().vanilla_proof
        stub.SubmitProof(porep("first"), timeout=60)
        stub.PreloadSRS(pb.PreloadSrsRequest(circuit_id="porep-2k"), timeout=60)
        time.sleep(0.5)
        self.assertIsNone(self.timeline(d, "SYNTH_START", "first"))
        stub.SubmitProof(porep("second", vanilla_proof=c1 + b" "), timeout=60)
        wait_until(lambda: self.timeline(d, "SYNTH_START", "first"))
        stub.SubmitProof(porep("third", vanilla_proof=c1 + b"  "), timeout=60)
        time.sleep(0.5)
        self.assertIsNone(self.timeline(d, "SYNTH_START", "third"))
        stub.SubmitProof(window(), timeout=60)
        stub.CancelProof(pb.CancelProofRequest(job_id="first"), timeout=60)
        stub.CancelProof(pb.CancelProofRequest(job_id="second"), timeout=60)
        wait_until(lambda: self.timeline(d, "SYNTH_START", "third"))
        self.cancel(d, "third")
        d = self.daemon(config="[scheduler]\nmax_batch_size = 2\nmax_batch_wait_ms = 700\n").ready()
        d.stub().SubmitProof(porep("alone"), timeout=60)
        started = wait_until(lambda: self.timeline(d, "SYNTH_START", "alone"))
        self.assertGreaterEqual(started - self.timeline(d, "SUBMITTED", "alone"), 700)
        self.cancel(d, "alone")

    def test_queue_limit(self):
        d = self.daemon(config="[scheduler]\nqueue_limit = 1\n").ready()
        d.stub().SubmitProof(porep("first"), timeout=60)
        words = self.refused(grpc.StatusCode.RESOURCE_EXHAUSTED, d.stub().SubmitProof, winning("second"), timeout=60)
        self.assertIn("at most 1", words)
        self.cancel(d, "first")

    def test_threads(self):
        for n in (1, 3):
            d = self.daemon(config=f"[synthesis]\nthreads = {n}\n").ready()
            self.assertEqual(self.status(d)["threads"], n)
            d.stop()

    def test_param_cache(self):
        empty = self.daemon()
        empty.stop(None)
        d = self.daemon(env={"CUZK_SRS_PARAM_CACHE": str(empty.folder)}).ready()
        self.assertIn(str(empty.folder), self.refused(grpc.StatusCode.FAILED_PRECONDITION, d.stub().SubmitProof, winning(), timeout=60))
        d.stop()

    def test_preload(self):
        d = self.daemon(env={"CUZK_SRS_PRELOAD": "winning-2k,wpost-2k"}).ready()
        wait_until(lambda: {s["circuit_id"] for s in self.status(d)["allocations"]["srs"]} == {"winning-2k", "wpost-2k"})
        d.stub().EvictSRS(pb.EvictSrsRequest(circuit_id="winning-2k"), timeout=60) # it comes back when it is needed
        self.assertIn("winning-post: ready\n", self.get(d, "/readyz"))
        d.stop()
        for file in (params := post_params(d.folder)).glob("*.vk"):
            file.write_bytes(b"")
        d = self.daemon(env={"CUZK_SRS_PRELOAD": "winning-2k", "CUZK_SRS_PARAM_CACHE": str(params)}).ready()
        wait_until(lambda: "SRS_FAILED" in d.output())
        self.assertIn("winning-post: not ready: winning-2k is being loaded\n", self.get(d, "/readyz"))
        d.stop()

    def test_level(self):
        d = self.daemon(config='[logging]\nlevel = "warn"\n[pipeline]\nenabled = true\n')
        wait_until(d.socket.exists)
        d.stop()
        self.assertEqual({line.split()[1] for line in (d.folder / "log").read_text().splitlines()}, {"WARN"})

    def test_keep_results(self):
        d = self.daemon(config='[jobs]\nkeep_results = "1"\n').ready()
        d.stub().Prove(pb.ProveRequest(submit=window(request_id="short")), timeout=300)
        wait_until(lambda: all(j["job_id"] != "short" for j in self.status(d)["jobs"]))
        self.refused(grpc.StatusCode.NOT_FOUND, d.stub().AwaitProof, pb.AwaitProofRequest(job_id="short"), timeout=10)
        d.stop()

    def test_capsule_dir(self):
        """What is kept of a proof that failed its check is enough to make it again: the command is in the text."""
        place = self.daemon()
        place.stop(None)
        capsules = place.folder / "capsules" # made by the daemon
        damage(params := post_params(place.folder))
        d = self.daemon(env={"CUZK_PARAM_CACHE": str(params)}, config=f'[jobs]\ncapsule_dir = "{capsules}"\n').ready()
        for request, replays in ((winning("wrong"), ((params, 70), (PARAMS, 0))), (window(request_id="wrong too"), ((PARAMS, 0),))):
            result = d.stub().Prove(pb.ProveRequest(submit=request), timeout=300).result
            self.assertEqual(result.status, pb.AwaitProofResponse.FAILED)
            text, = capsules.glob("*.txt")
            command = re.search(r"^    cuzk (prove .*) --param-cache DIR$", text.read_text(), re.M).group(1).split()
            for folder, code in replays:
                done = subprocess.run([BUILD.resolve() / "cuzk", *command, "--param-cache", folder, "-o", "proof"], cwd=capsules, capture_output=True,
                                      text=True, timeout=100, check=False)
                self.assertEqual(done.returncode, code, done.stderr)
            self.assertTrue(verify(request, (capsules / "proof").read_bytes()))
            self.assertRegex(text.read_text(), r"r and s, .* not kept")
            for file in capsules.iterdir():
                file.unlink()
        d.stop()

    def test_every_key(self):
        lines = subprocess.run([BUILD / "cuzk-daemon", "--keys"], capture_output=True, text=True, check=True).stdout.splitlines()
        keys = {line.split()[0]: " default " in line for line in lines}
        self.assertEqual({key for key, works in keys.items() if works}, set(EFFECTS))
        ignored = [key for key, works in keys.items() if not works]
        values = {"memory.pinned_budget": '"1GiB"', "memory.working_memory_budget": '"1GiB"', "gpus.devices": "[0, 1]",
                  "scheduler.sort_by_type": "true", "pipeline.enabled": "false"}
        sections = {}
        for key in ignored:
            section, name = key.split(".")
            sections.setdefault(section, []).append(f"{name} = {values.get(key, 2)}\n")
        d = self.daemon(config="".join(f"[{section}]\n" + "".join(lines) for section, lines in sections.items())).ready()
        for key in ignored:
            self.assertRegex(d.output(), rf"WARN cuzk_daemon: {re.escape(key)} (is deprecated|has no effect)")
        d.stop()


EFFECTS = {
    "daemon.listen": daemon_test.Network.test_both_at_once,
    "daemon.status_listen": daemon_test.Proving.test_status_over_http,
    "daemon.allow_insecure": daemon_test.Network.test_insecure_outside_is_refused,
    "tls.cert": daemon_test.Network.test_tls,
    "tls.key": daemon_test.Network.test_tls,
    "tls.client_ca": daemon_test.Network.test_tls,
    "auth.token_file": daemon_test.Network.test_tokens,
    "memory.total_budget": daemon_test.Signals.test_hup_reloads,
    "memory.safety_margin": Keys.test_safety_margin,
    "memory.eviction_min_idle": Keys.test_eviction_min_idle,
    "scheduler.max_batch_size": Keys.test_batches,
    "scheduler.max_batch_wait_ms": Keys.test_batches,
    "scheduler.queue_limit": Keys.test_queue_limit,
    "synthesis.threads": Keys.test_threads,
    "srs.param_cache": Keys.test_param_cache,
    "srs.preload": Keys.test_preload,
    "logging.level": Keys.test_level,
    "logging.format": daemon_test.CommandLine.test_json_logs,
    "jobs.journal": daemon_test.Signals.test_second_term_stops_and_the_journal_remembers,
    "jobs.keep_results": Keys.test_keep_results,
    "jobs.capsule_dir": Keys.test_capsule_dir,
}
