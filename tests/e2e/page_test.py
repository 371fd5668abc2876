"""The status page, driven in Chromium."""
import re
import unittest

from cuzk.v1 import proving_pb2 as pb
from e2e import BUILD, Daemon, porep, winning
from playwright.sync_api import sync_playwright


class Page(unittest.TestCase):
    def test_live(self):
        d = Daemon().ready()
        self.addCleanup(d.clean_up)
        stub = d.stub()
        running = [stub.Prove.future(pb.ProveRequest(submit=porep("porep-1000-11")), timeout=500)]
        stub.SubmitProof(porep("porep-cancelled", vanilla_proof=porep().vanilla_proof + b" "), timeout=60)
        stub.CancelProof(pb.CancelProofRequest(job_id="porep-cancelled"), timeout=20)
        with sync_playwright() as p:
            browser = p.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            pages, problems, requests = {}, [], []
            for name, width, height in (("desktop", 1280, 1000), ("phone", 390, 1300)):
                page = browser.new_page(viewport={"width": width, "height": height})
                page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
                page.on("pageerror", lambda e: problems.append(str(e)))
                page.on("request", lambda r: requests.append(r.url))
                page.goto(d.http() + "/")
                pages[name] = page
            for i in range(3):
                stub.Prove(pb.ProveRequest(submit=winning(f"winpost-{i}-<b>&")), timeout=200)
            for name, page in pages.items():
                with self.subTest(name):
                    page.wait_for_selector("#timeline .job:has-text('winpost-2-<b>&'):has-text('completed')", timeout=60000)
                    self.assertGreater(page.locator("#timeline .row i").count(), 3)
                    self.assertRegex(page.locator("#tiles").inner_text(), r"Completed\s+\d+")
                    self.assertIn("winning-2k", page.locator("#srs").inner_text())
                    self.assertIn("cancelled", page.locator("#jobs").inner_text())
                    self.assertEqual(page.locator("#state").inner_text(), "serving")
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), page.viewport_size["width"])
                    page.screenshot(path=str(BUILD / "e2e" / f"page-{name}.png"))
            running[0].result()
            d.stop()
            problems_before = len(problems)
            page = pages["desktop"]
            page.wait_for_selector("#state:has-text('does not answer')", timeout=20000)
            self.assertEqual(problems[:problems_before], [])
            self.assertEqual({re.sub(r":\d+/", "/", u) for u in requests} - {"http://127.0.0.1/", "http://127.0.0.1/status"}, set())
            browser.close()


if __name__ == "__main__":
    unittest.main()
