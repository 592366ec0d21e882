# SPDX-License-Identifier: Apache-2.0
"""Whatever is killed of a run that watches a command: every process ends, and what the ranks recorded is stored.

RANKSCOPE_CTL: rankscopectl, by default that of the build, which has the observer beside it.
"""
import json
import os
import pty
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import unittest
from pathlib import Path

import observed
from observed import PROGRAMS, ProgramTest

CTL = Path(os.environ.get("RANKSCOPE_CTL") or observed.SOURCE / "build/release/bin/rankscopectl")


def field(path, name):
    """Returns a line of /proc/…/status."""
    for line in path.read_text().splitlines():
        if line.startswith(name + ":"):
            return line.split()[1]
    return ""


class KillTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.runs = self.folder / "runs"

    def ctl(self, *arguments):
        variables = observed.environment(self.folder, None)
        return subprocess.run([CTL, *arguments], env=variables, cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False)

    def watch(self, ranks, steps=1_000_000, options=(), milliseconds=2, **more):
        """Starts the ranks under `rankscopectl run`. Returns its process."""
        program = [sys.executable, "-B", PROGRAMS / "synthetic_ranks.py", self.folder, ranks, steps, milliseconds]
        command = [CTL, "run", "--runs", self.runs, *options, "--", *program]
        process = subprocess.Popen(list(map(str, command)), cwd=self.folder,
                                   env=observed.environment(self.folder, None),
                                   **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **more})
        self.addCleanup(process.wait)
        self.addCleanup(observed.end_marked, self.folder)
        return process

    def run_folder(self):
        return next(self.runs.iterdir())

    def info(self):
        try:
            return json.loads((self.run_folder() / "run.json").read_text())
        except (OSError, StopIteration, ValueError):
            return {}

    def counts(self, ranks):
        data = (self.folder / "counts").read_bytes()
        return [struct.unpack_from("@qqq", data, 24 * rank) for rank in range(ranks)]

    def wait_until_trained(self, ranks, steps=50):
        def trained():
            try:
                return self.info().get("state") == "running" and min(c[1] for c in self.counts(ranks)) >= steps
            except (OSError, struct.error):
                return False

        self.wait_for(trained, timeout=120)

    def processes(self):
        """Returns the processes of the command: all that have the run's folder in their environment."""
        wanted = f"RANKSCOPE_RUN_DIR={self.run_folder()}".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0") and field(folder / "status", "State") != "Z":
                    found.append(int(folder.name))
            except OSError:
                pass
        return found

    def guard(self):
        supervisor = str(self.info()["supervisor_pid"])
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if field(folder / "status", "Name") == "rankscope-guard" and field(folder / "status", "PPid") == supervisor:
                    return int(folder.name)
            except OSError:
                pass
        return self.fail("there is no guard")

    def check_nothing_is_left(self, seconds=20):
        self.wait_for(lambda: not self.processes(), seconds)

    def check_everything_is_stored(self, ranks):
        """`show` completes the store of a run that lost its supervisor."""
        shown = self.ctl("show", self.run_folder(), "--json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        malformed = [c for c in json.loads(shown.stdout)["counters"] if c["name"] in ("malformed", "dropped") and c["value"]]
        self.assertEqual(malformed, [])
        store = sqlite3.connect(f"file:{self.run_folder()}/run.sqlite?mode=ro", uri=True)
        self.addCleanup(store.close)
        stored = dict(store.execute("SELECT rank, count(*) FROM step WHERE complete GROUP BY rank"))
        newest = dict(store.execute("SELECT rank, max(step) FROM step WHERE complete GROUP BY rank"))
        for rank, (begun, recorded, _) in enumerate(self.counts(ranks)):
            self.assertGreater(recorded, 0)
            self.assertLessEqual(recorded, stored.get(rank, 0), f"rank {rank}")
            self.assertLessEqual(stored[rank], begun, f"rank {rank}")
            self.assertEqual(newest[rank], stored[rank] - 1)
        return json.loads(shown.stdout)


class WhoIsKilled(KillTest):
    def kill(self, *pids):
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    def check(self, ranks, process, cause):
        process.wait(timeout=60)
        self.check_nothing_is_left()
        self.assertIn(cause, self.check_everything_is_stored(ranks)["cause"])

    def test_nobody(self):
        process = self.watch(3, steps=60)
        self.assertEqual(process.wait(timeout=120), 0)
        self.check_nothing_is_left()
        self.assertEqual(self.check_everything_is_stored(3)["state"], "finished")

    def test_the_supervisor(self):
        process = self.watch(3)
        self.wait_until_trained(3)
        self.assertGreaterEqual(len(self.processes()), 7)  # the launcher, its ranks and their workers
        self.kill(process.pid)
        self.check(3, process, "its supervisor was lost (killed)")

    def test_the_guard(self):
        process = self.watch(3)
        self.wait_until_trained(3)
        self.kill(self.guard())
        self.check(3, process, "rankscope-guard")

    def test_both(self):
        """Then the next command ends what the ranks have left."""
        process = self.watch(3)
        self.wait_until_trained(3)
        self.kill(process.pid, self.guard())
        process.wait(timeout=60)
        self.assertEqual(self.ctl("show", self.run_folder()).returncode, 0)
        self.check(3, process, "its supervisor was lost (killed)")

    def test_the_launcher(self):
        """Its ranks, which are in sessions of their own, have 20 s."""
        process = self.watch(2)
        self.wait_until_trained(2)
        launcher = next(pid for pid in self.processes() if field(Path(f"/proc/{pid}/status"), "PPid") == str(self.guard()))
        self.kill(launcher)
        self.assertEqual(process.wait(timeout=60), 128 + signal.SIGKILL)
        self.check(2, process, "the command ended with SIGKILL")

    def test_a_rank(self):
        process = self.watch(2)
        self.wait_until_trained(2)
        self.kill(self.info()["rank_pids"][1])
        time.sleep(0.5)
        self.assertIsNone(process.poll())  # the launcher waits for the other one
        self.assertEqual(self.ctl("stop", self.run_folder()).returncode, 0)
        process.wait(timeout=60)
        self.check_nothing_is_left()
        self.check_everything_is_stored(2)

    def test_many_ranks(self):
        process = self.watch(64, milliseconds=200)
        self.wait_until_trained(64, steps=5)
        self.assertGreaterEqual(len(self.processes()), 129)
        self.kill(process.pid)
        self.check(64, process, "its supervisor was lost (killed)")

    def test_many_ranks_with_their_guard(self):
        process = self.watch(64, milliseconds=200)
        self.wait_until_trained(64, steps=5)
        self.kill(process.pid, self.guard())
        process.wait(timeout=60)
        self.assertEqual(self.ctl("show", self.run_folder()).returncode, 0)
        self.check(64, process, "its supervisor was lost (killed)")


class TerminalTest(KillTest):
    def test_it_is_closed(self):
        outer, inner = pty.openpty()
        outer = os.fdopen(outer, "rb", buffering=0)
        self.addCleanup(outer.close)
        name = os.ttyname(inner)

        def take_terminal():
            os.close(os.open(name, os.O_RDWR))  # a session without a terminal gets the first that it opens

        process = self.watch(2, stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
                             preexec_fn=take_terminal)
        os.close(inner)
        self.wait_until_trained(2)
        outer.close()
        process.wait(timeout=60)
        self.check_nothing_is_left()
        self.assertEqual(self.check_everything_is_stored(2)["state"], "stopped")
        self.assertEqual(len({recorded for _, recorded, _ in self.counts(2)}), 1)  # they left after the same step


if __name__ == "__main__":
    unittest.main()
