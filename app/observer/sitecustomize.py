# SPDX-License-Identifier: Apache-2.0
"""Starts the observer in a Python that Rankscope watches, and the sitecustomize that this one hides.

Python imports a module of this name at start. It acts only if RANKSCOPE_RUN_DIR names a run's folder.
"""
import os
import sys


def _start_observer():
    try:
        from rankscope_observer import start

        start.begin()
    except Exception as error:
        _say(f"rankscope: this program is not observed: {error!r}\n")


def _say(text):
    """Python's own buffer would keep what cannot be written, and change the exit code."""
    try:
        os.write(sys.stderr.fileno(), text.encode("utf-8", "backslashreplace"))
    except Exception:
        pass


def _run_hidden():
    """Runs the sitecustomize that Python would have found without this folder, as if it were the only one."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    here = os.path.dirname(os.path.abspath(__file__))
    folders = [os.path.abspath(folder) for folder in sys.path]
    # only those behind this one: one before it, such as that of another observer, has found this module itself
    behind = folders[folders.index(here) + 1 :] if here in folders else folders
    elsewhere = [folder for folder in behind if folder != here]
    spec = PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if os.environ.get("RANKSCOPE_RUN_DIR"):
    _start_observer()
_run_hidden()
