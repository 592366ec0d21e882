# SPDX-License-Identifier: Apache-2.0
"""Runs programs with and without the observer.

RANKSCOPE_OBSERVER_DIR: the observer's folder, by default that of the build. RANKSCOPE_TORCH_PYTHON: a Python with torch,
by default the one that runs the tests.
"""
import functools
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import journal

SOURCE = Path(__file__).resolve().parents[2]
OBSERVER = Path(os.environ.get("RANKSCOPE_OBSERVER_DIR") or SOURCE / "build/release/lib/rankscope/observer")
TORCH_PYTHON = os.environ.get("RANKSCOPE_TORCH_PYTHON") or sys.executable
PROGRAMS = Path(__file__).resolve().parent / "programs"


@functools.lru_cache(maxsize=None)
def has_modules(*names):
    command = [TORCH_PYTHON, "-c", "import " + ", ".join(names)]
    return subprocess.run(command, capture_output=True).returncode == 0


def needs(*names):
    """Decorator: skips a test where the Python of RANKSCOPE_TORCH_PYTHON cannot import the modules."""

    def decorate(test):
        @functools.wraps(test)
        def run(self, *arguments):
            if not has_modules(*names):
                self.skipTest(f"{TORCH_PYTHON} has no {' and '.join(names)}; set RANKSCOPE_TORCH_PYTHON")
            return test(self, *arguments)

        return run

    return decorate


class Ran:
    """What a program left: exit code, output and, if it was observed, records."""

    def __init__(self, result, run):
        self.code, self.out, self.err = result.returncode, result.stdout, result.stderr
        self.ranks = journal.ranks_of(run) if run else {}


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own for runs and programs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def environment(self, run, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RANKSCOPE_", "PYTHON"))}
        kept.update(OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo", CUDA_VISIBLE_DEVICES="", **more)
        if run:
            run.mkdir(mode=0o700, exist_ok=True)
            kept.update(RANKSCOPE_RUN_DIR=str(run), PYTHONPATH=str(more.get("PYTHONPATH", OBSERVER)))
        return kept

    def run_program(self, command, observed=True, timeout=300, **environment):
        """Runs a command. Names of environment variables are in upper case."""
        run = self.folder / f"run{len(list(self.folder.glob('run*')))}" if observed else None
        result = subprocess.run(
            list(map(str, command)),
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=self.folder,
            env=self.environment(run, **environment),
        )
        return Ran(result, run)

    def script(self, text, name="train.py"):
        path = self.folder / name
        path.write_text(text)
        return path
