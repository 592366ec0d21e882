# SPDX-License-Identifier: Apache-2.0
"""Every hook raises, one by one, and the program continues."""
import json
import sys

import observed
from observed import PROGRAMS, ProgramTest, needs

sys.path.insert(0, str(observed.OBSERVER))

from rankscope_observer import start  # noqa: E402

OPEN = """\
import os, sys
from rankscope_observer import ending, forks, rank, software, stacks
from rankscope_observer.guard import HOOKS
def fail(*arguments):
    raise ValueError("a hook fails")
HOOKS[sys.argv[1]].function = fail
rank.open_rank(0, 1)
print(rank.training is not None, flush=True)
os.waitpid(os.fork() or os._exit(0), 0)
try:
    [][1]
except IndexError:
    sys.exit(4)
"""
ONCE = ("stacks.offer", "stacks.permit_native", "software.report", "ending.watch", "forks.watch", "forks.before_fork",
        "ending.leaving")
# Of lightning.nemo: test_nemo.py. Graphs need a GPU, and the last two a Python from 3.12 on and multiprocessing.
ELSEWHERE = ("lightning.nemo.", "hooks.compiled.captured", "forks.has_only", "ending.printing")


class FailingHooksTest(ProgramTest):
    def test_hooks_that_run_once(self):
        for name in (*ONCE, "ending.program_ends"):
            with self.subTest(hook=name):
                ran = self.run_program([sys.executable, self.script(OPEN), name])
                self.assertEqual((ran.code, ran.out, ran.err), (4, "True\n", ""))
                notes = [note for note in ran.ranks[0].notes() if note.startswith(f"{name} is off: ValueError")]
                self.assertEqual(len(notes), 1)
                if name != "ending.watch":
                    self.assertEqual(ran.ranks[0].end()[:2], (2, 4))

    @needs("torch")
    def test_hooks_of_torch(self):
        self.check_all("plain", ("lightning.", "collectives."))

    @needs("torch", "lightning")
    def test_hooks_of_lightning(self):
        self.check_all("lightning", ("hooks.", "collectives.", "ending.leaving"))

    def check_all(self, kind, others):
        ran = self.run_program([sys.executable, PROGRAMS / "failing_hooks.py", kind], timeout=1200)
        self.assertEqual(ran.code, 0, ran.err)
        results = json.loads(ran.out)
        once = {name for name in results if name in ONCE or ".install" in name or name.startswith(ELSEWHERE)}
        once |= {"hooks.distributed.launched", "ending.program_ends"}
        for name, (raised, same) in results.items():
            self.assertTrue(same, name)
            if name not in once and not name.startswith(others):
                self.assertEqual(min(raised, 1), 1, f"{name} was not called")
        notes = [note for note in ran.ranks[0].notes() if " is off: ValueError: a hook fails" in note]
        self.assertEqual(len(notes), sum(raised > 0 for raised, _ in results.values()))
        self.assertTrue(all(raised <= 1 for raised, _ in results.values()))

    @needs("torch")
    def test_hooks_that_cannot_be_installed(self):
        ran = self.run_program([sys.executable, PROGRAMS / "failing_installs.py"])
        self.assertEqual((ran.code, ran.err, ran.ranks), (0, "", {}))
        self.assertEqual(set(ran.out.split()), set(start.ACTIONS))
