# SPDX-License-Identifier: Apache-2.0
"""Whatever is killed of a run that watches a command: every process ends, and what the ranks recorded is stored.

RANKSCOPE_CTL: rankscopectl, by default that of the build, which has the observer beside it.
The window is opened by tests_main_window beside it (watching_window.cpp).
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
from observed import PROGRAMS, ProgramTest, needs

CTL = Path(os.environ.get("RANKSCOPE_CTL") or observed.SOURCE / "build/release/bin/rankscopectl")
WINDOW = CTL.with_name("tests_main_window")
KEPT = 2000
"""The newest steps, whose single collectives a store keeps (newestSteps in core/store/tables/run_meta.h)."""


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

    def synthetic(self, ranks, steps, milliseconds=2):
        return [sys.executable, "-B", PROGRAMS / "synthetic_ranks.py", self.folder, ranks, steps, milliseconds]

    def watch(self, ranks, steps=1_000_000, options=(), milliseconds=2, **more):
        """Starts the ranks under `rankscopectl run`. Returns its process."""
        command = [CTL, "run", "--runs", self.runs, *options, "--", *self.synthetic(ranks, steps, milliseconds)]
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

    def show(self):
        """Completes the store of a run that lost its supervisor. Returns the report, in which no record may be lost."""
        shown = self.ctl("show", self.run_folder(), "--json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        report = json.loads(shown.stdout)
        self.assertEqual([c for c in report["counters"] if c["name"] in ("malformed", "dropped") and c["value"]], [])
        return report

    def store(self):
        store = sqlite3.connect(f"file:{self.run_folder()}/run.sqlite?mode=ro", uri=True)
        self.addCleanup(store.close)
        return store

    def check_everything_is_stored(self, ranks):
        report = self.show()
        store = self.store()
        stored = dict(store.execute("SELECT rank, count(*) FROM step WHERE complete GROUP BY rank"))
        newest = dict(store.execute("SELECT rank, max(step) FROM step WHERE complete GROUP BY rank"))
        for rank, (begun, recorded, _) in enumerate(self.counts(ranks)):
            self.assertGreater(recorded, 0)
            self.assertLessEqual(recorded, stored.get(rank, 0), f"rank {rank}")
            self.assertLessEqual(stored[rank], begun, f"rank {rank}")
            self.assertEqual(newest[rank], stored[rank] - 1)
        return report

    def check_it_finished(self, steps):
        """Two ranks, which nothing disturbed: checks the end, that no process is left, and that nothing is missing."""
        self.wait_for(lambda: self.info().get("state") not in (None, "starting", "running"), timeout=300)
        info = self.info()
        self.assertEqual((info["state"], info["exit_code"]), ("finished", 0), info["cause"])
        self.check_nothing_is_left()
        self.show()
        store = self.store()
        found = store.execute("SELECT rank, count(*), min(step), max(step) FROM step WHERE complete GROUP BY rank")
        self.assertEqual(list(found), [(rank, steps, 0, steps - 1) for rank in range(2)])
        calls = list(store.execute("SELECT group_id, rank, count(*), min(sequence), max(sequence) FROM collective "
                                   "GROUP BY group_id, rank"))
        for _, _, count, first, last in calls:
            self.assertEqual(count, last - first + 1)
        self.assertEqual(*({(group, *rest) for group, rank, *rest in calls if rank == r} for r in range(2)))
        self.assertGreaterEqual(max(count for _, _, count, *_ in calls), min(steps, KEPT))


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
        self.assertGreaterEqual(len(self.processes()), 10)  # the launcher, its ranks and their workers
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
        self.assertGreaterEqual(len(self.processes()), 193)
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
    """The terminal is closed, which sends SIGHUP."""

    def watch_in_terminal(self, **more):
        """Starts two ranks on a terminal. Returns its other end and the process."""
        outer, inner = pty.openpty()
        outer = os.fdopen(outer, "rb", buffering=0)
        self.addCleanup(outer.close)
        name = os.ttyname(inner)

        def take_terminal():
            os.close(os.open(name, os.O_RDWR))  # a session without a terminal gets the first that it opens

        process = self.watch(2, stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
                             preexec_fn=take_terminal, **more)
        os.close(inner)
        return outer, process

    def test_the_run_stops_in_order(self):
        outer, process = self.watch_in_terminal()
        self.wait_until_trained(2)
        outer.close()
        process.wait(timeout=60)
        self.check_nothing_is_left()
        self.assertEqual(self.check_everything_is_stored(2)["state"], "stopped")
        self.assertEqual(len({recorded for _, recorded, _ in self.counts(2)}), 1)  # they left after the same step

    def test_a_detached_run_continues(self):
        outer, _ = self.watch_in_terminal(options=["--detach"], steps=1_000)
        self.wait_until_trained(2)
        outer.close()
        self.check_it_finished(1_000)


@unittest.skipUnless(WINDOW.is_file(), f"{WINDOW} was not built, or tests were left out")
class WindowTest(KillTest):
    """A window that has started a command with Run > Watch a command… is killed: the run continues to its end."""

    def window_environment(self):
        homes = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
        return observed.environment(self.folder, None, QT_QPA_PLATFORM="offscreen",
                                    **{name: str(self.folder / name) for name in homes})

    def open_window(self, *command):
        """Opens a window, which starts the command if there is one. Returns its process."""
        with open(self.folder / "window", "wb") as output:
            process = subprocess.Popen([WINDOW, "watching_window", self.runs, *map(str, command)], stdout=output,
                                       cwd=self.folder, env=self.window_environment())
        self.addCleanup(process.wait)
        self.addCleanup(observed.end_marked, self.folder)
        return process

    def kill(self, window):
        self.assertIsNone(window.poll())
        window.kill()
        window.wait()

    def wait_until_shown(self, state, step=0):
        """Waits until the window that was opened last shows the run in a state, and at least at a step."""

        def shown():
            words = (self.folder / "window").read_text().splitlines()[-1:]
            words = words[0].split() if words else []
            return len(words) == 3 and words[:2] == [self.run_folder().name, state] and int(words[2]) >= step

        self.wait_for(shown, timeout=120)

    def wait_until_remembered(self):
        """Waits until the next window will open the run by itself."""
        settings = self.folder / "XDG_CONFIG_HOME/rankscope/window.ini"
        self.wait_for(lambda: settings.exists() and f"lastRun={self.run_folder()}" in settings.read_text(), timeout=60)

    def check_the_next_window(self, window, steps):
        """Checks that the window, opened after the kill, shows the whole run, and is all that is left."""
        self.check_it_finished(steps)
        self.wait_until_shown("finished", steps - 1)
        self.wait_for(lambda: observed.marked(self.folder) == [window.pid], timeout=20)

    def test_the_run_continues(self):
        steps = 5_000
        window = self.open_window(*self.synthetic(2, steps))
        self.wait_until_trained(2)
        self.wait_until_shown("running", 50)
        self.wait_until_remembered()
        self.assertGreaterEqual(len(self.processes()), 7)  # the launcher, its ranks and their workers
        self.kill(window)
        window = self.open_window()
        self.wait_until_shown("running", 50)
        self.check_the_next_window(window, steps)

    def test_while_the_run_starts(self):
        """At moments before the window knows the run's folder, and soon after."""
        for milliseconds in (0, 20, 50, 100, 200, 400):
            with self.subTest(milliseconds=milliseconds):
                self.runs = self.folder / f"runs-{milliseconds}"
                window = self.open_window(*self.synthetic(2, 200))
                self.wait_for(lambda: "started" in (self.folder / "window").read_text(), timeout=60)
                time.sleep(milliseconds / 1000)
                self.kill(window)
                self.wait_for(self.info, timeout=60)
                self.check_it_finished(200)
                self.wait_for(lambda: not observed.marked(self.folder), timeout=20)
                picture = self.folder / "window.png"
                subprocess.run([CTL.with_name("rankscope"), "--screenshot", picture, "--run", "last", "--runs", self.runs],
                               env=self.window_environment(), check=True, timeout=120)

    @needs("torch")
    def test_the_result_is_the_same(self):
        """With DistributedDataParallel and forked loader workers, started by torchrun."""
        epochs = 40
        arguments = ["workers=2", "context=fork", f"epochs={epochs}"]
        plain = self.run_ranks("plain.py", observed=False, arguments=arguments)
        self.assertEqual(plain.code, 0, plain.err)
        window = self.open_window(*self.torchrun("plain.py", arguments))
        self.wait_until_shown("running", 20)
        self.wait_until_remembered()
        self.kill(window)
        self.assertEqual(self.info()["state"], "running")
        self.check_the_next_window(self.open_window(), 6 * epochs)
        log = (self.run_folder() / "command.log").read_text()
        self.assertEqual(sorted(line for line in log.splitlines() if ": weights " in line), sorted(plain.out.splitlines()))


if __name__ == "__main__":
    unittest.main()
