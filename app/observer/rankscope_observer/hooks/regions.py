# SPDX-License-Identifier: Apache-2.0
"""Regions that torch names for its profiler: asking a DataLoader for a batch, and the forward of DDP and FSDP."""
import functools
import sys

from .. import rank
from ..guard import hook

OTHER, LOADER, FORWARD, ROOT_FORWARD = range(4)
NAMES = {
    "DistributedDataParallel.forward": FORWARD,
    "FullyShardedDataParallel.forward": FORWARD,
    "FSDP::root_pre_forward": ROOT_FORWARD,
}
LOADERS = "enumerate(DataLoader)#"

_kinds = dict(NAMES)  # of the names so far


@hook
def install(module):
    region = module.record_function
    plain_enter, plain_exit = region.__enter__, region.__exit__

    # With `__wrapped__`, TorchScript compiles the source of the plain functions.
    @functools.wraps(plain_enter)
    def __enter__(self):
        entered(self)
        return plain_enter(self)

    @functools.wraps(plain_exit)
    def __exit__(self, kind, value, traceback):
        left(self, kind)
        return plain_exit(self, kind, value, traceback)

    region.__enter__, region.__exit__ = __enter__, __exit__


def _kind(name):
    kind = _kinds.get(name)
    if kind is None:
        kind = LOADER if name.startswith(LOADERS) else OTHER
        if len(_kinds) < 4096:
            _kinds[name] = kind
    return kind


@hook
def entered(region):
    kind = _kind(region.name)
    training = rank.here() if kind else None
    if training is None:
        return
    if kind == LOADER:
        training.load(_program_frame().f_locals["self"])
    elif kind == FORWARD:
        training.begin_forward(_program_frame().f_locals.get("self"))
    else:
        training.begin_root_forward()


@hook
def left(region, exception):
    kind = _kind(region.name)
    training = rank.here() if kind else None
    if training is None:
        return
    if kind == FORWARD:
        training.end_forward()
    elif kind == LOADER:
        if exception is None:
            training.loaded(_program_frame().f_locals.get("data"))
        elif issubclass(exception, StopIteration):
            training.exhausted()
        else:
            training.not_loaded()


def _program_frame():
    """Returns the frame of the function with the region: outside of this one, the hook, its guard and the region's."""
    return sys._getframe(4)
