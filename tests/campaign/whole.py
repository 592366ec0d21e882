# SPDX-License-Identifier: Apache-2.0
"""A run in a scenario: launched, waited for, and checked by all oracles."""
import json
import os

import oracles
import processes
import telemetry
from expected import Done
from place import read_info, text_of
from tally import Tally


class Run:
    """Starts `place.launch_args(*more)` in the foreground, with the prefix and environment that a scenario needs."""

    def __init__(self, stage, place, *more, ranks=2, resume=None, environment=None, steps=30, prefix=()):
        self.stage, self.place, self.done = stage, place, Done()
        self.before = place.run_folders()
        args = place.launch_args(f"trainer.max_steps={steps}", *more, ranks=ranks, resume=resume)
        self.child = place.start([*prefix, *args], environment=environment)
        self.folder = None

    def begun(self, seconds=60):
        """Returns the run's folder; None: the launch was refused."""
        if not self.folder:
            self.folder = self.place.new_run(self.before, self.child, seconds)
        return self.folder

    def step(self, rank=0):
        board = self.begun() and telemetry.read_board(os.path.join(self.folder, "ranks", str(rank), "board"))
        return board.step if board and board.stage >= telemetry.STAGE_RUNNING else -1

    def reaches(self, step, seconds=90):
        return processes.wait_until(lambda: self.step() >= step or self.child.poll() is not None, seconds) \
            and self.child.poll() is None

    def rank(self, number):
        info = processes.wait_until(lambda: (i := read_info(self.folder)) and i["rank_pids"] and i, 30)
        return processes.identity(info["rank_pids"][number])

    def wait(self, seconds=180):
        """Returns the exit code; None: it does not end."""
        try:
            return self.child.wait(seconds)
        except Exception:  # subprocess.TimeoutExpired
            self.stage.expect(False, f"launch does not end within {seconds} s: {text_of(self.child)[-500:]}")
            return None

    def ends_with(self, code, seconds=180):
        got = self.wait(seconds)
        self.begun(1)
        return self.stage.expect(got == code, f"launch ended with {got}, expected {code}: "
                                 f"{text_of(self.child)[-500:]}")

    def said(self):
        return text_of(self.child)

    def examine(self, thorough=False):
        """Checks the run with all oracles; returns its run.json."""
        if not self.stage.expect(self.begun(1), f"there is no run: {self.said()[-500:]}"):
            return None
        code, out, said = self.place.ctl("show", self.folder, "--json")
        if self.stage.expect(code == 0, f"show ends with {code}: {said.strip()}"):
            problem = json.loads(out)["store_problem"]
            self.stage.expect(not problem, f"the store: {problem} {said.strip()}")
        info = read_info(self.folder)
        if not self.stage.expect(info is not None, "run.json cannot be read"):
            return None
        tally = Tally()
        journals = oracles.journals_of(self.place, self.folder, info["world_size"])
        oracles.files(tally, self.stage.name, self.folder)
        oracles.records(tally, self.stage.name, self.folder, journals)
        oracles.end(tally, self.stage.name, self.folder, info, self.done, journals)
        oracles.checkpoints(tally, self.stage.name, self.place, self.folder, thorough)
        self.stage.problems += tally.problems
        self.stage.records += tally.sum("records")
        return info
