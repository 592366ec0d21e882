# SPDX-License-Identifier: Apache-2.0
"""Regions that torch names for its profiler: asking a DataLoader for a batch, and the forward of DDP and FSDP."""
import functools
import sys

from ..guard import hook
from ..rank import training_hook

FORWARDS = ("DistributedDataParallel.forward", "FullyShardedDataParallel.forward")
ROOT_FORWARD = "FSDP::root_pre_forward"
LOADERS = tuple(
    f"enumerate(DataLoader)#_{kind}DataLoaderIter.__next__"
    for kind in ("SingleProcess", "MultiProcessing", "StatefulSingleProcess", "StatefulMultiProcessing")
)
PROGRAM = 3
"""The frame of the function with the region, seen from a hook: outside of the hook, its guard and the region's."""


@hook
def install(module):
    region = module.record_function
    plain_enter, plain_exit = region.__enter__, region.__exit__
    begins = {**dict.fromkeys(FORWARDS, forward_begun), **dict.fromkeys(LOADERS, load_begun)}
    begins[ROOT_FORWARD] = root_forward_begun
    ends = {**dict.fromkeys(FORWARDS, forward_ended), **dict.fromkeys(LOADERS, load_ended)}

    # With `__wrapped__`, TorchScript compiles the source of the plain functions.
    @functools.wraps(plain_enter)
    def __enter__(self):
        if self.name in begins:
            begins[self.name]()
        return plain_enter(self)

    @functools.wraps(plain_exit)
    def __exit__(self, kind, value, traceback):
        if self.name in ends:
            ends[self.name](kind)
        return plain_exit(self, kind, value, traceback)

    region.__enter__, region.__exit__ = __enter__, __exit__


@training_hook
def forward_begun(training):
    network = None if training.knows_network() else sys._getframe(PROGRAM).f_locals.get("self")
    training.begin_forward(network)


@training_hook
def forward_ended(training, exception):
    training.end_forward()


@training_hook
def root_forward_begun(training):
    training.begin_root_forward()


@training_hook
def load_begun(training):
    training.load(sys._getframe(PROGRAM).f_locals["self"])


@training_hook
def load_ended(training, exception):
    if exception is None:
        training.loaded(sys._getframe(PROGRAM).f_locals.get("data"))
    elif issubclass(exception, StopIteration):
        training.exhausted()
    else:
        training.not_loaded()
