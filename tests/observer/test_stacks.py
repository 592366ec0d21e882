# SPDX-License-Identifier: Apache-2.0
"""Python stacks on a signal."""
import os
import signal
import subprocess
import sys

import rank_records
from observed import ProgramTest

PROGRAM = """\
import os, signal, sys, threading, time
if "own" in sys.argv:
    signal.signal(signal.SIGRTMIN + 7, lambda *_: os.write(1, b"its own\\n"))
from rankscope_observer import rank
rank.open_rank(0, 1)
if "ends" in sys.argv:
    import faulthandler
    faulthandler.unregister(signal.SIGRTMIN + 7)  # as Python does when it shuts down
def helps():
    time.sleep(1000)
threading.Thread(target=helps, daemon=True).start()
def trains():
    print("ready", flush=True)
    while True:
        sum(range(100000))
trains()
"""


class StacksTest(ProgramTest):
    def begin(self, *arguments):
        run = self.folder / "run"
        process = self.start([sys.executable, self.script(PROGRAM), *arguments], run)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process, rank_records.Rank(run, 0)

    def test_all_threads(self):
        process, rank = self.begin()
        number = int(rank.software()["faulthandler"])
        self.assertEqual(number, signal.SIGRTMIN + 7)
        stacks = rank.folder / "pystacks.txt"
        self.assertEqual(stacks.stat().st_mode & 0o777, 0o600)
        for _ in range(2):
            os.truncate(stacks, 0)
            os.kill(process.pid, number)
            self.wait_for(lambda: "in trains" in stacks.read_text() and "in helps" in stacks.read_text())
            self.assertEqual(stacks.read_text().count("in trains"), 1)
        self.assertIsNone(process.poll())

    def test_a_program_keeps_its_own_handler(self):
        process, rank = self.begin("own")
        self.assertNotIn("faulthandler", rank.software())
        os.kill(process.pid, signal.SIGRTMIN + 7)
        self.assertEqual(process.stdout.readline(), "its own\n")

    def test_a_request_that_comes_while_python_shuts_down(self):
        process, rank = self.begin("ends")
        os.kill(process.pid, int(rank.software()["faulthandler"]))
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(0.3)
        self.assertEqual((rank.folder / "pystacks.txt").read_text(), "")

    def test_a_link_is_not_followed(self):
        folder = self.folder / "run/ranks/0"
        folder.mkdir(parents=True, mode=0o700)
        (self.folder / "elsewhere").write_text("kept")
        (folder / "pystacks.txt").symlink_to(self.folder / "elsewhere")
        process, rank = self.begin()
        self.assertNotIn("faulthandler", rank.software())
        self.assertEqual((self.folder / "elsewhere").read_text(), "kept")
        self.assertIn("stacks.offer is off: OSError", " ".join(rank.notes()))
