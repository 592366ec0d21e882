# SPDX-License-Identifier: Apache-2.0
"""Notes once that parts of the program cannot be observed."""
import sys

from .. import guard, rank
from ..guard import hook
from .access import OnAccess

STEPS = (1, 20)
"""Steps after which the use of torch.compile is checked. Compilation begins in the first step."""

_said = set()


def _say(text):
    if text not in _said:
        _said.add(text)
        guard.note(1, text)


@hook
def install(module):
    """Installs the hook in torch.cuda.graphs."""
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
