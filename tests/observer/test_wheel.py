# SPDX-License-Identifier: Apache-2.0
"""The wheel has what the folder has, and acts only in a run."""
import base64
import hashlib
import sys
import zipfile

import observed
from observed import ProgramTest

SCRIPT = observed.SOURCE / "packaging/observer_wheel.py"
SHOW = """\
import importlib.metadata, site, sys
site.addsitedir(sys.argv[1])
print([finder for finder in sys.meta_path if type(finder).__name__ == "ImportWatcher"] != [])
print(importlib.metadata.version("rankscope-observer") != "")
found = importlib.metadata.entry_points()
groups = ["lightning.pytorch.callbacks_factory", "pytorch_lightning.callbacks_factory"]
entries = [e for g in groups for e in (found.select(group=g) if hasattr(found, "select") else found.get(g, []))]
from rankscope_observer import library
print([entry.load()() for entry in entries], library.load().path.startswith(sys.argv[1]))
"""


class WheelTest(ProgramTest):
    def setUp(self):
        super().setUp()
        made = self.run_program([sys.executable, SCRIPT, observed.OBSERVER, self.folder], observed=False)
        self.assertEqual((made.code, made.err), (0, ""))
        self.wheel = made.out.strip()

    def test_its_records(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            lines = [line.split(",") for line in archive.read(record).decode().splitlines()]
            self.assertEqual(sorted(name for name, _, _ in lines), sorted(names))
            for name, digest, size in lines:
                if name != record:
                    content = archive.read(name)
                    expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, int(size)), (f"sha256={expected}", len(content)))
        self.assertIn("rankscope_observer/librankscope_rank.so", names)
        self.assertNotIn("sitecustomize.py", names)

    def test_it_acts_only_in_a_run(self):
        place = self.folder / "site"
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(place)
        command = [sys.executable, self.script(SHOW), place]
        plain = self.run_program(command, observed=False)
        ran = self.run_program(command, PYTHONPATH="")
        self.assertEqual((plain.out, plain.err), ("False\nTrue\n[[], []] True\n", ""))
        self.assertEqual((ran.out.splitlines()[:2], ran.err), (["True", "True"], ""))
