# SPDX-License-Identifier: Apache-2.0
"""The faults that tests/bench/watched_faults plants in programs of this folder, and the expected diagnosis of each.

As in diagnosis_matrix.py, the expectations follow only from the definitions in docs/diagnosis.md. A fault inside of a
program is a mistake such as a user makes, in the user's own code; the others are done to the processes from outside.
"""
import pathlib
import re
import sys
from dataclasses import dataclass

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))
from diagnosis_matrix import Case  # noqa: E402

BATCH, RANKS, STEP, SECONDS = 4, 2, 25, 6
ANY = ("none", "data_wait", "to_device", "preprocess", "augment", "forward", "loss", "backward", "optimizer", "validate",
       "checkpoint", "barrier")


@dataclass(frozen=True)
class Program:
    name: str
    file: str
    dataset: str
    modules: tuple
    torchrun: bool = False

    def line_of(self, kind):
        """Returns "file.py:88" for the line with the fault's comment."""
        for number, line in enumerate((FOLDER / self.file).read_text().splitlines(), 1):
            if line.endswith(f"# fault: {kind}"):
                return f"{self.file}:{number}"
        raise ValueError(f"{self.file} has no line with the fault {kind}")


PROGRAMS = (Program("plain", "plain_ddp.py", "Sounds", ("torch",), torchrun=True),
            Program("lightning", "lightning_ddp.py", "Sounds", ("torch", "lightning")),
            Program("nemo", "nemo_nest.py", "Speech", ("torch", "lightning", "nemo")))


@dataclass(frozen=True)
class WatchedCase(Case):
    program: Program = PROGRAMS[0]
    kind: str = ""            # of a fault inside of the program
    workers: int = 0
    place: str = ""           # regular expression for what some text of the incident must say: the line, or the sample

    @property
    def rank(self):
        return min(self.holders)

    @property
    def what(self):
        fault = self.kind.replace("_", " ") or f"{self.signal} to {'a worker' if self.to == 'worker' else 'it'}"
        return f"{self.program.name}: {fault}, rank {self.rank}{f', {self.workers} workers' if self.workers else ''}"

    def arguments(self, notes):
        """Returns the program's arguments for the fault."""
        args = [f"steps={self.steps}", f"workers={self.workers}", f"rank={self.rank}", f"notes={notes}"]
        if self.kind:
            args += [f"fault={self.kind}", f"step={STEP}", f"seconds={SECONDS}", f"sample={sample_of(self.rank)}"]
        return args


def sample_of(rank):
    """Returns the first item of the batch with the fault. Ranks take items in turn."""
    return STEP * BATCH * RANKS + rank


class Builder:
    def __init__(self, program):
        self.program, self.cases = program, []

    def add(self, cause, rank, phases=ANY, kind="", **more):
        name = f"{self.program.name[0].upper()}{len(self.cases) + 1:02d}"
        self.cases.append(WatchedCase(name, RANKS, (), frozenset([rank]), cause, phases, sync=False, bn=False,
                                      steps=more.pop("steps", 45), timeout=300, program=self.program, kind=kind, **more))

    def at_line(self, cause, rank, kind, **more):
        place = re.escape(self.program.line_of(kind)) + r"(?!\d)"
        self.add(cause, rank, kind=kind, place=place, measured="at_once", hangs=True, **more)

    def slow_sample(self, rank, workers):
        place = rf"{self.program.dataset}\[(\d+, )*{sample_of(rank)}[,\]]"
        self.add("data_loading", rank, ("data_wait",), "slow_sample", workers=workers, place=place)


def cases_of(program):
    b = Builder(program)
    b.slow_sample(1, 0)
    b.slow_sample(0, 2)
    b.add("stopped", 1, signal="SIGSTOP", measured="signal_stall", steps=150)
    b.add("stopped", 0, signal="SIGSTOP", measured="signal_stall", steps=150)
    b.add("dead", 1, signal="SIGKILL", measured="signal", steps=400, evidence={"signal_name": "SIGKILL"})
    b.add("dead", 0, signal="SIGKILL", measured="signal", steps=400, evidence={"signal_name": "SIGKILL"})
    b.add("loader_worker_died", 1, signal="SIGKILL", to="worker", measured="signal", steps=400, workers=2)
    for rank in (1, 0):
        b.at_line("dead", rank, "exception")
        b.at_line("mismatched_collective", rank, "extra_collective")
        b.at_line("grown_buffer", rank, "other_size")
        b.at_line("uneven_calls", rank, "called_twice")
    b.add("uneven_batches", 1, kind="few_batches", measured="last_step", hangs=True)
    b.add("uneven_batches", 0, kind="few_batches", measured="last_step", hangs=True, workers=2)
    b.add("slow_compute", 1, signal="SCHED_IDLE", measured="none", steps=1500, hangs=True)
    b.add("checkpoint", 0, ("checkpoint",), "slow_checkpoint")
    b.add("slow_compute", 1, ("forward", "backward", "loss"), "slow_compute")
    b.add("not_finite", 1, kind="not_finite", measured="at_once")
    return b.cases


def cases():
    return [case for program in PROGRAMS for case in cases_of(program)]
