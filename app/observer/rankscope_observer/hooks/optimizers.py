# SPDX-License-Identifier: Apache-2.0
"""Optimizer steps, and those that a GradScaler skips."""
import sys

from ..guard import hook
from ..rank import training_hook
from . import compiled
from .access import OnAccess


@hook
def install(module):
    module.register_optimizer_step_pre_hook(_before)
    module.register_optimizer_step_post_hook(_after)


@hook
def install_scaler(module):
    _watch_scaler(module.GradScaler)


@hook
def install_sharded_scaler(module):
    _watch_scaler(module.ShardedGradScaler)


def _watch_scaler(scaler):
    for name, action in (("scale", scaling), ("update", updating)):
        if name in scaler.__dict__:
            setattr(scaler, name, OnAccess(scaler.__dict__[name], action))


def _before(optimizer, args, kwargs):
    if not sys.modules["torch"].compiler.is_compiling():
        begun(optimizer)


def _after(optimizer, args, kwargs):
    if not sys.modules["torch"].compiler.is_compiling():
        ended(optimizer)


@training_hook
def begun(training, optimizer):
    training.begin_optimizer(optimizer)


@training_hook
def ended(training, optimizer):
    training.end_optimizer(optimizer)
    if training.steps.number in compiled.STEPS:
        compiled.look()


@training_hook
def scaling(training, scaler):
    training.scale(scaler)


@training_hook
def updating(training, scaler):
    if not scaler.is_enabled():
        return
    states = scaler._per_optimizer_states.values()
    if any(state["stage"].name == "STEPPED" for state in states):
        training.skip_optimizer()
