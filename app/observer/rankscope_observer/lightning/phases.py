# SPDX-License-Identifier: Apache-2.0
"""Phases from the actions that a Lightning Trainer names for its profiler, whichever profiler it has."""
import functools

from ..guard import hook
from ..library import CHECKPOINT, DATA_WAIT, FORWARD, TO_DEVICE
from ..rank import training_hook

PHASES = {
    "train_dataloader_next": DATA_WAIT,
    "batch_to_device": TO_DEVICE,
    "training_step": FORWARD,
    "save_checkpoint": CHECKPOINT,
}

_phases = {}  # of the actions so far
_watched = set()


@hook
def watch(profiler):
    """Watches a class of profilers: an instance with a function of ours could not be pickled."""
    if profiler in _watched:
        return
    _watched.add(profiler)
    plain = profiler.start

    @functools.wraps(plain)
    def start(self, action_name, *arguments, **options):
        began(action_name)
        return plain(self, action_name, *arguments, **options)

    profiler.start = start


@training_hook
def began(training, action):
    phase = _phases.get(action, -1)
    if phase == -1:
        phase = PHASES.get(action.rsplit(".", 1)[-1])
        if len(_phases) < 4096:
            _phases[action] = phase
    if phase is not None and training.is_steered and not training.is_validating:
        if phase != CHECKPOINT:  # one is part of the step before it
            training.begin_step()
        training.enter(phase)
