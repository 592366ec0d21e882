# SPDX-License-Identifier: Apache-2.0
"""Optimizer steps, and those that a GradScaler skips."""
import sys

from .. import rank
from ..guard import hook
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


@hook
def begun(optimizer):
    training = rank.here()
    if training is not None:
        training.begin_optimizer(optimizer)


@hook
def ended(optimizer):
    training = rank.here()
    if training is not None:
        training.end_optimizer(optimizer)
        compiled.look(training.steps.number)


@hook
def scaling(scaler):
    training = rank.here()
    if training is not None:
        training.scale(scaler)


@hook
def updating(scaler):
    training = rank.here()
    if training is None or not scaler.is_enabled():
        return
    states = scaler._per_optimizer_states.values()
    if any(state["stage"].name == "STEPPED" for state in states):
        training.skip_optimizer()
