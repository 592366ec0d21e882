# SPDX-License-Identifier: Apache-2.0
"""Calls functions once the program has imported certain modules, without importing them."""
import sys


class ImportWatcher:
    """Finder for sys.meta_path that leaves finding to the others, and notices when a module is complete."""

    def __init__(self, actions):
        """`actions`: module name → function that gets the module, and raises nothing."""
        self._actions = dict(actions)
        for name in list(self._actions):
            if name in sys.modules:
                self._imported(name, sys.modules[name])

    def find_spec(self, name, path=None, target=None):
        if name not in self._actions:
            return None
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = None if finder is self or find is None else find(name, path, target)
            if spec is not None:
                self._watch(name, spec.loader)
                return spec
        return None

    def _watch(self, name, loader):
        execute = getattr(loader, "exec_module", None)
        if execute is None or not hasattr(loader, "__dict__") or isinstance(loader, type):
            return  # this module is not observed

        def exec_module(module):
            loader.__dict__.pop("exec_module", None)
            execute(module)
            if module.__name__ == name:
                self._imported(name, module)

        loader.__dict__["exec_module"] = exec_module

    def _imported(self, name, module):
        action = self._actions.pop(name, None)
        if action is not None:
            action(module)
