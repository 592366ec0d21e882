# SPDX-License-Identifier: Apache-2.0
"""Backward: its beginning, its end, and the loss from which it starts.

torch.autograd looks up its engine for each backward. It gets an object that ends when the engine's call has ended, in
whatever way.
"""
import sys

from .. import rank
from ..guard import hook

CALLER = "_engine_run_backward"


class _EngineOfVariable:
    """Replaces the attribute `_execution_engine` of torch.autograd.Variable."""

    def __init__(self, engine):
        class Engine(type(engine)):
            __slots__ = ()

            def __del__(self):
                ended()

        self._plain, self._watched = engine, Engine

    def __get__(self, instance, owner=None):
        return self._watched() if begun() else self._plain


@hook
def install(module):
    variable = module.Variable
    variable._execution_engine = _EngineOfVariable(variable.__dict__["_execution_engine"])


@hook
def begun():
    """Called when the engine is looked up. Returns whether the end of this backward must be reported."""
    frame = sys._getframe(3)  # outside of this one, the guard and __get__
    if frame.f_code.co_name != CALLER or frame.f_back.f_code.co_name != "backward":
        return False
    if rank.training is None and not rank.open_only_rank():
        return False
    training = rank.training
    return training.move_here() and training.begin_backward(frame.f_locals["t_outputs"])


@rank.training_hook
def ended(training):
    training.end_backward()
