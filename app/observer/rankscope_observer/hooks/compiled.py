# SPDX-License-Identifier: Apache-2.0
"""Says once that parts of the program cannot be seen."""
import sys

from .. import guard, rank
from ..guard import hook
from .access import OnAccess

STEPS = (1, 20)
"""After these, torch.compile is looked for: not sooner, since compilation begins in the first step."""

_said = set()


def _say(text):
    if text not in _said:
        _said.add(text)
        guard.note(1, text)


@hook
def install(module):
    """Of torch.cuda.graphs."""
    module.graph.__enter__ = OnAccess(module.graph.__enter__, captured)


@hook
def captured(graph):
    if rank.training is not None:
        _say("the program uses CUDA graphs: what they replay is not seen")


@hook
def look():
    dynamo = sys.modules.get("torch._dynamo.utils")
    if dynamo is not None and dynamo.counters["frames"]["total"] > 0:
        _say("the program uses torch.compile: phases and optimizer steps inside compiled code are not seen")
