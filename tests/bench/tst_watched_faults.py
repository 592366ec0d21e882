#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of watched_faults: its cases, and how it judges."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "watched_faults"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("watched_faults", str(TOOL))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("watched_faults", loader))
loader.exec_module(tool)
LINE = tool.PROGRAMS[0].line_of("extra_collective")


class Judged(tool.WatchedRun):
    """A run with these incidents."""

    def __init__(self, case, incidents, folder):
        super().__init__(case, "rankscopectl", "python", pathlib.Path(folder))
        self.said = incidents

    def incidents(self):
        return self.said

    def begin(self):
        return 10.0


def incident(case, **changes):
    """Returns an incident that is right in everything but the changes."""
    right = {"holders": list(case.holders), "phase": "forward", "cause": case.cause, "opened_s": 10.0,
             "detected_after_s": 1.0, "sentence": f"at {LINE}.", "evidence": {}}
    return {**right, **changes}


class WatchedFaults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.case = next(c for c in tool.cases() if c.kind == "extra_collective" and c.rank == 0)

    def row(self, *incidents):
        return Judged(self.case, list(incidents), self.folder).judge()

    def test_right(self):
        row = self.row(incident(self.case))
        self.assertTrue(all(row[key] for key, _ in tool.GOALS), row)
        self.assertEqual(row["late"], 1.0)

    def test_wrong(self):
        for key, change in (("rank", {"holders": [1]}), ("cause", {"cause": "dead"}), ("phase", {"phase": "startup"}),
                            ("place", {"sentence": f"at {LINE}0."}),
                            ("in_time", {"detected_after_s": 2.5})):
            row = self.row(incident(self.case, **change))
            self.assertEqual([k for k, _ in tool.GOALS if not row[k]], [key], row)
        self.assertFalse(self.row(incident(self.case), incident(self.case))["alone"])
        self.assertFalse(self.row()["place"])

    def test_place_in_the_evidence(self):
        row = self.row(incident(self.case, sentence="", evidence={"mismatch": f"rank 0 {LINE} of 1"}))
        self.assertTrue(row["place"])

    def test_sample(self):
        self.case = next(c for c in tool.cases() if c.kind == "slow_sample" and c.rank == 1)
        for text, right in (("Sounds[201]", True), ("Sounds[199, 201, 203]", True), ("Sounds[2010]", False),
                            ("Sounds[199]", False)):
            row = self.row({**incident(self.case, phase="data_wait", sentence=""), "evidence": {"reading": text}})
            self.assertEqual(row["place"], right, text)

    def test_list(self):
        done = subprocess.run([TOOL, "--list", "--only", "^N"], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(len(done.stdout.splitlines()), len(tool.cases()) // len(tool.PROGRAMS))


if __name__ == "__main__":
    unittest.main()
