# SPDX-License-Identifier: Apache-2.0
"""Regions that torch names for its profiler: asking a DataLoader for a batch, and the forward of DDP and FSDP."""
import functools
import sys

from .. import rank
from ..guard import hook

FORWARDS = ("DistributedDataParallel.forward", "FullyShardedDataParallel.forward")
ROOT_FORWARD = "FSDP::root_pre_forward"
LOADERS = tuple(
    f"enumerate(DataLoader)#_{kind}DataLoaderIter.__next__"
    for kind in ("SingleProcess", "MultiProcessing", "StatefulSingleProcess", "StatefulMultiProcessing")
)
NAMES = frozenset((*FORWARDS, ROOT_FORWARD, *LOADERS))


@hook
def install(module):
    region = module.record_function
    plain_enter, plain_exit = region.__enter__, region.__exit__

    # With `__wrapped__`, TorchScript compiles the source of the plain functions.
    @functools.wraps(plain_enter)
    def __enter__(self):
        if self.name in NAMES:
            entered(self)
        return plain_enter(self)

    @functools.wraps(plain_exit)
    def __exit__(self, kind, value, traceback):
        if self.name in NAMES:
            left(self, kind)
        return plain_exit(self, kind, value, traceback)

    region.__enter__, region.__exit__ = __enter__, __exit__


@hook
def entered(region):
    training, name = rank.here(), region.name
    if training is None:
        return
    if name in FORWARDS:
        training.begin_forward(None if training.knows_network() else _program_frame().f_locals.get("self"))
    elif name == ROOT_FORWARD:
        training.begin_root_forward()
    else:
        training.load(_program_frame().f_locals["self"])


@hook
def left(region, exception):
    training, name = rank.here(), region.name
    if training is None or name == ROOT_FORWARD:
        return
    if name in FORWARDS:
        training.end_forward()
    elif exception is None:
        training.loaded(_program_frame().f_locals.get("data"))
    elif issubclass(exception, StopIteration):
        training.exhausted()
    else:
        training.not_loaded()


def _program_frame():
    """Returns the frame of the function with the region: outside of this one, the hook, its guard and the region's."""
    return sys._getframe(4)
