# SPDX-License-Identifier: Apache-2.0
"""What a Python does at start, and when it imports what is observed."""
import shutil
import sys

import observed
from observed import ProgramTest

LOADED = "import sys; print('rankscope_observer' in sys.modules, 'torch' in sys.modules)"


class StartTest(ProgramTest):
    def python(self, code, **environment):
        return self.run_program([sys.executable, "-c", code], **environment)

    def plain_finders(self):
        code = "import sys; print(len(sys.meta_path))"
        return self.run_program([sys.executable, "-c", code], observed=False).out

    def test_nothing_is_loaded_without_a_run(self):
        ran = self.run_program([sys.executable, "-c", LOADED], observed=False, PYTHONPATH=str(observed.OBSERVER))
        self.assertEqual((ran.out, ran.err), ("False False\n", ""))

    def test_off(self):
        ran = self.python(LOADED, RANKSCOPE_OBSERVER="off")
        self.assertEqual((ran.out, ran.err), ("True False\n", ""))
        ran = self.python("import sys; print(len(sys.meta_path))", RANKSCOPE_OBSERVER="off")
        self.assertEqual(ran.out, self.plain_finders())

    def test_only_the_start_is_loaded(self):
        ran = self.python(LOADED)
        self.assertEqual((ran.out, ran.err, ran.ranks), ("True False\n", "", {}))

    def test_what_a_rank_starts_is_not_observed(self):
        ran = self.python(LOADED, RANKSCOPE_OBSERVED="1")
        self.assertEqual(ran.out, "True False\n")
        ran = self.python("import sys; print(len(sys.meta_path))", RANKSCOPE_OBSERVED="1")
        self.assertEqual(ran.out, self.plain_finders())

    def test_the_hidden_sitecustomize_runs(self):
        hidden = self.folder / "hidden"
        hidden.mkdir()
        (hidden / "sitecustomize.py").write_text("import sys\nsys.hidden = __file__\n")
        path = f"{observed.OBSERVER}:{hidden}"
        code = "import sys, sitecustomize; print(sys.hidden == sitecustomize.__file__, 'rankscope_observer' in sys.modules)"
        self.assertEqual(self.python(code, PYTHONPATH=path).out, "True True\n")

    def test_the_hidden_sitecustomize_runs_once_behind_two_observers(self):
        hidden, other = self.folder / "hidden", self.folder / "other"
        hidden.mkdir()
        (hidden / "sitecustomize.py").write_text("print('hidden')\n")
        shutil.copytree(observed.OBSERVER, other, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        first = observed.OBSERVER
        ran = self.python(LOADED, PYTHONPATH=f"{first}:{other}:{first}:{hidden}")
        self.assertEqual((ran.out, ran.err), ("hidden\nTrue False\n", ""))

    def test_the_hidden_sitecustomize_fails_as_it_would(self):
        hidden = self.folder / "hidden"
        hidden.mkdir()
        (hidden / "sitecustomize.py").write_text("raise ValueError('its own')\n")
        ran = self.python("print(1)", PYTHONPATH=f"{observed.OBSERVER}:{hidden}")
        plain = self.run_program([sys.executable, "-c", "print(1)"], observed=False, PYTHONPATH=str(hidden))
        self.assertEqual((ran.code, ran.out, ran.err), (plain.code, plain.out, plain.err))

    def test_without_the_library_one_line_says_so(self):
        copy = self.folder / "observer"
        shutil.copytree(observed.OBSERVER, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        code = "from rankscope_observer import rank; rank.open_rank(0, 1); rank.open_rank(0, 1); print(rank.training)"
        ran = self.python(code, PYTHONPATH=str(copy))
        self.assertEqual((ran.code, ran.out), (0, "None\n"))
        self.assertRegex(ran.err, r"^rankscope: this process is not observed: .*librankscope_rank.so.*\n$")

    def test_in_a_folder_that_cannot_be_written_one_line_says_so(self):
        (self.folder / "file").write_text("")
        code = "from rankscope_observer import rank; print(rank.open_rank(0, 1))"
        ran = self.python(code.replace("import rank;", f"import rank; import os; os.environ['RANKSCOPE_RUN_DIR'] = '{self.folder}/file';"))
        self.assertEqual((ran.code, ran.out), (0, "False\n"))
        self.assertRegex(ran.err, r"^rankscope: this process is not observed: .*\n$")


WATCH = """
import sys
from rankscope_observer.imports import ImportWatcher
seen = []
sys.meta_path.insert(0, ImportWatcher({name: seen.append for name in ("package.module", "early", "broken")}))
sys.path.insert(0, ".")
"""


class ImportsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "package").mkdir()
        (self.folder / "package/__init__.py").write_text("")
        (self.folder / "package/module.py").write_text("import package.other\nvalue = 1\n")
        (self.folder / "package/other.py").write_text("")
        (self.folder / "broken.py").write_text("raise ValueError('as before')\n")

    def python(self, code):
        return self.run_program([sys.executable, "-c", WATCH + code])

    def test_a_module_is_seen_once_and_complete(self):
        ran = self.python(
            "import package.module, importlib\n"
            "print([module.value for module in seen], package.module.__spec__.loader is package.module.__loader__,\n"
            "      type(package.module.__loader__).__name__, 'exec_module' in vars(package.module.__loader__))\n"
            "importlib.reload(package.module)\n"
            "print(len(seen))\n"
        )
        self.assertEqual(ran.out, "[1] True SourceFileLoader False\n1\n", ran.err)

    def test_looking_for_a_module_does_not_import_it(self):
        ran = self.python(
            "import importlib.util\n"
            "print(importlib.util.find_spec('package.module').name, seen)\n"
            "import package.module\n"
            "print(len(seen))\n"
        )
        self.assertEqual(ran.out, "package.module []\n1\n", ran.err)

    def test_a_module_that_fails(self):
        ran = self.python(
            "try:\n    import broken\nexcept ValueError as error:\n    print(error, seen, 'broken' in sys.modules)\n"
        )
        self.assertEqual(ran.out, "as before [] False\n", ran.err)
