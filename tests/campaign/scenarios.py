# SPDX-License-Identifier: Apache-2.0
"""Scenarios in addition to the random kills: each in its own folder, with the same oracles."""
import os
import time
import traceback
from dataclasses import dataclass, field

import processes
from place import Place


class Skip(Exception):
    """Raised if this machine lacks what a scenario needs; says why."""


@dataclass
class Result:
    word: str = "ok"
    text: str = ""
    problems: list = field(default_factory=list)
    seconds: float = 0


@dataclass
class Scenario:
    name: str
    act: object  # (Stage) -> what was done, as text
    short: bool  # part of the short form


_ALL = {}


def scenario(name, short=False):
    def add(act):
        _ALL[name] = Scenario(name, act, short)
        return act
    return add


def names(short=False):
    return [s.name for s in _ALL.values() if s.short or not short]


class Stage:
    """What a scenario works with: its places, and the list of what is wrong."""

    def __init__(self, options, root, speech, name):
        self.options, self.speech, self.name = options, speech, name
        self.root = os.path.join(root, name)
        self.mark = f"{os.path.basename(root)}-{name}"
        os.makedirs(self.root, mode=0o700)
        self.problems, self.places, self.records = [], [], 0

    def place(self, runs=None):
        root = os.path.join(self.root, f"place{len(self.places)}")
        self.places.append(Place(self.options.bin, self.speech, root, self.mark, runs))
        return self.places[-1]

    def library(self, name):
        """Returns the path of one of the build's libraries, next to the programs or in lib/."""
        for folder in ("", "../lib"):
            path = os.path.join(self.options.bin, folder, name)
            if os.path.exists(path):
                return path
        raise Skip(f"{name} is not built")

    def expect(self, true, text):
        if not true:
            self.problems.append(f"{self.name}: {text}")
        return bool(true)


def run(name, options, root, speech):
    stage = Stage(options, root, speech, name)
    result, began = Result(), time.monotonic()
    try:
        result.text = _ALL[name].act(stage)
    except Skip as e:
        result.word, result.text = "skipped", str(e)
    except Exception:  # for example, a file that a program should have left is missing
        stage.expect(False, traceback.format_exc())
    left = processes.gone(stage.mark)
    stage.expect(not left, f"orphans: {left}")
    processes.end_all(stage.mark)
    for place in stage.places:
        place.archive.close()
    result.problems, result.seconds = stage.problems, time.monotonic() - began
    if stage.problems:
        result.word = "FAILED"
    else:
        for place in stage.places:
            place.remove()
    return result


# these modules register their scenarios
import scenes_oracles  # noqa: E402,F401
import scenes_signals  # noqa: E402,F401
import scenes_disk  # noqa: E402,F401
import scenes_load  # noqa: E402,F401
import scenes_machine  # noqa: E402,F401
import scenes_names  # noqa: E402,F401
import scenes_whole  # noqa: E402,F401
