# SPDX-License-Identifier: Apache-2.0
"""Runs programs with and without the observer.

RANKSCOPE_OBSERVER_DIR: the observer's folder, by default that of the build. Tests that need torch or other modules are
skipped where the Python that runs them has none. Where CUDA libraries are missing that torch links, LD_LIBRARY_PATH is
the folder of cuda_stand_ins.py.
"""
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import rank_records

SOURCE = Path(__file__).resolve().parents[2]
OBSERVER = Path(os.environ.get("RANKSCOPE_OBSERVER_DIR") or SOURCE / "build/release/lib/rankscope/observer")
PROGRAMS = Path(__file__).resolve().parent / "programs"


def needs(*names):
    """Decorator: skips a test where one of the modules is not installed."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    way = "packaging/setup.sh installs it into .venv; -DRANKSCOPE_TORCH_PYTHON names another Python"
    return unittest.skipIf(missing, f"{sys.executable} has no {' and '.join(missing)}: {way}")


MARK = "RANKSCOPE_TEST"


def marked(mark):
    """Returns the processes that a program has started, and itself."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            pass
    return found


def end_marked(mark):
    """Ends what a program has left, which torchrun puts into sessions of their own."""
    for pid in marked(mark):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def environment(mark, run, **more):
    """Returns the environment for a program: with the observer if `run` names a folder, otherwise without.

    `mark`: what end_marked() gets; `more`: further variables, by their names in upper case.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RANKSCOPE_", "PYTHON"))}
    kept[MARK] = str(mark)
    kept.update(OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo", CUDA_VISIBLE_DEVICES="", **more)
    if run:
        run.mkdir(mode=0o700, exist_ok=True)
        kept.update(RANKSCOPE_RUN_DIR=str(run), PYTHONPATH=str(more.get("PYTHONPATH", OBSERVER)))
    return kept


class Ran:
    """What a program left: exit code, output and, if it was observed, records."""

    def __init__(self, code, out, err, run):
        self.code, self.out, self.err = code, out, err
        self.ranks = rank_records.ranks_of(run) if run else {}


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own for runs and programs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, command, run, **more):
        """Starts a command, which is ended with the test."""
        process = subprocess.Popen(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=environment(self.folder, run, **more),
        )
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        """Ends a command and what it has left."""
        end_marked(self.folder)
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def run_program(self, command, observed=True, timeout=900, **more):
        """Runs a command. Names of environment variables are in upper case."""
        run = self.folder / f"run{len(list(self.folder.glob('run*')))}" if observed else None
        process = self.start(command, run, **more)
        out, err = process.communicate(timeout=timeout)
        end_marked(self.folder)
        return Ran(process.returncode, out, err, run)

    def wait_for(self, condition, timeout=900):
        """Waits until a function returns something true, and returns that."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            time.sleep(0.02)
        return self.fail("nothing came")

    def torchrun(self, program, arguments=(), count=2):
        """Returns the command that runs one of PROGRAMS under torchrun."""
        launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", count]
        return [*launcher, PROGRAMS / program, *arguments]

    def run_ranks(self, program, count=2, observed=True, arguments=(), **more):
        """Runs one of PROGRAMS under torchrun."""
        return self.run_program(self.torchrun(program, arguments, count), observed, **more)

    def script(self, text, name="train.py"):
        path = self.folder / name
        path.write_text(text)
        return path
