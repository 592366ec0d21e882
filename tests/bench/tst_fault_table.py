#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of fault_table.py: what it counts, and what it does with a page."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "fault_table.py"


def row(planted, named, right=True, late=None):
    """Returns a row of the matrix; `named` is the list of causes of the run's incidents."""
    found = {"holders": [1], "cause": named} if named else None
    return {"expected": {"cause": planted, "holders": [1]}, "found": found, "rank": right, "late": late}


class FaultTable(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, content):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def run_tool(self, *args):
        return subprocess.run([sys.executable, str(TOOL), *args], capture_output=True, text=True, timeout=60)

    def test_counts(self):
        rows = self.file("rows", [row("stopped", ["stopped"], late=0.2), row("stopped", ["stopped"], late=1.4),
                                  row("stopped", ["stopped"], right=False, late=0.1), row("stopped", ["slow_compute"]),
                                  row("dead", ["dead", "stopped"]), row("none", ["checkpoint"]), row("none", [])])
        done = self.run_tool("--trainer", rows)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("trainer\n", done.stdout)
        self.assertNotIn("program", done.stdout)
        self.assertIn("| `stopped` | 4 | 2 | 1 | 0.2 s | 1.4 s |", done.stdout)
        self.assertIn("| `slow_compute` | 0 | – | 1 | – | – |", done.stdout)
        self.assertIn("| `dead` | 1 | 0 | 0 | – | – |", done.stdout)
        self.assertIn("| `checkpoint` | 0 | – | 1 | – | – |", done.stdout)
        self.assertIn("| all | 5 | 2 | 3 | 0.2 s | 1.4 s |", done.stdout)
        self.assertNotIn("False alarms", done.stdout)

    def test_false_alarms(self):
        healthy = self.file("healthy", [{"hours": 1.5, "incidents": []}, {"hours": 0.5, "incidents": ["unknown"]}])
        done = self.run_tool("--healthy-program", healthy)
        self.assertIn("False alarms: 12.0 per 24 hours (1 in 2.0 hours of healthy runs: unknown).", done.stdout)
        self.assertNotIn("| cause |", done.stdout)

    def test_nothing_measured(self):
        done = self.run_tool()
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_page(self):
        rows = self.file("rows", [row("stopped", ["stopped"], late=0.2)])
        text = ("before\n<!-- fault table: trainer -->\nold\n<!-- end of fault table -->\nbetween\n"
                "<!-- fault table: program -->\nas it was\n<!-- end of fault table -->\nafter\n")
        page = self.file("page.md", text)
        done = self.run_tool("--trainer", rows, "--update", page)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        new = pathlib.Path(page).read_text()
        self.assertNotIn("old", new)
        self.assertIn("| `stopped` | 1 | 1 | 0 | 0.2 s | 0.2 s |", new)
        self.assertIn("between\n<!-- fault table: program -->\nas it was\n", new)
        self.assertEqual(self.run_tool("--trainer", rows, "--update", page).returncode, 0)
        self.assertEqual(pathlib.Path(page).read_text(), new)
        self.assertEqual(self.run_tool("--trainer", rows, "--update", self.file("other.md", "no place\n")).returncode, 1)

    def test_damaged_files(self):
        for content in ("", "{}", "[1]", '[{"expected": {}}]'):
            done = self.run_tool("--trainer", self.file("rows", content))
            self.assertEqual(done.returncode, 2, content)
            self.assertIn("fault_table: ", done.stderr)
        self.assertEqual(self.run_tool("--program", "/nowhere").returncode, 2)


if __name__ == "__main__":
    unittest.main()
