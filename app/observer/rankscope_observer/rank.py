# SPDX-License-Identifier: Apache-2.0
"""The rank that this process is: none at first; opened once it is clear which one."""
import ctypes
import functools
import os
from threading import get_ident

from . import ending, forks, guard, library, process, software, stacks
from .library import Identity
from .training import Training

training = None
"""The Training of the open rank; None in a process that is no rank, or no longer."""

_identity = Identity(rank=-1)
_refused = False


def here():
    """Returns the Training if the caller is its thread, otherwise None."""
    found = training
    return found if found is not None and found.thread == get_ident() else None


def training_hook(function):
    """Decorator: makes a hook whose function gets the Training first. It is called only by the training thread."""
    entry = guard.entry_of(function)

    @functools.wraps(function)
    def guarded(*args):
        found = training
        if found is not None and found.thread == get_ident() and entry.is_on:
            try:
                return entry.function(found, *args)
            except Exception as error:
                entry.fail(error)
        return None

    return guarded


def run_folder():
    return os.environ["RANKSCOPE_RUN_DIR"]


def folder():
    return os.path.join(run_folder(), "ranks", str(_identity.rank))


def number():
    return _identity.rank


def world_size():
    return _identity.world_size


def open_rank(rank, world_size):
    """Opens the rank, or corrects what is known about the one that is open. Slow. Returns whether a rank is open."""
    global training
    if _refused or not 0 <= rank < world_size or (training is None and process.is_started_by_rank()):
        return training is not None
    if training is not None and (rank, world_size) == (_identity.rank, _identity.world_size):
        return True
    first, threads = training is None, forks.count_threads()
    if not _identify(rank=rank, world_size=world_size, local_rank=process.local_rank(rank)):
        return training is not None
    if first:
        process.mark_as_rank()
        lib = library.load()
        training = Training(lib, describe)
        os.register_at_fork(after_in_child=_forget)
        forks.watch(forks.count_threads() - threads)
        guard.write_notes_with(lib.rs_note)
        ending.watch(lib)
        stacks.offer(lib, folder())
        stacks.permit_native(run_folder())
        software.report(lib)
    return True


def open_only_rank():
    """Opens rank 0 of 1, for a program that trains without a process group."""
    if training is None and process.may_train_alone():
        if open_rank(0, 1):
            training.lib.rs_stage(library.RUNNING)
    return training is not None


def describe(device="", total_steps=0, steps_per_epoch=0):
    """Adds what is known only later. What is empty or 0 changes nothing."""
    if training is None:
        return
    changes = {"total_steps": total_steps, "steps_per_epoch": steps_per_epoch}
    changes = {name: value for name, value in changes.items() if value > 0}
    if device:
        changes["device"] = device.encode()
    _identify(**changes)


def _identify(**changes):
    global _refused
    before = {name: getattr(_identity, name) for name in changes}
    for name, value in changes.items():
        setattr(_identity, name, value)
    error = ctypes.create_string_buffer(400)
    try:
        lib = library.load()
        if lib.rs_open(os.fsencode(run_folder()), ctypes.byref(_identity), error, len(error)) == 0:
            return True
        reason = error.value.decode("utf-8", "replace")
    except (OSError, AttributeError) as unusable:
        reason = str(unusable)
    for name, value in before.items():
        setattr(_identity, name, value)
    if training is None:
        _refused = True
        process.mark_as_rank()  # what it starts would only say the same
        guard.say(f"this process is not observed: {reason}")
    else:
        guard.note(library.WARNING, reason)
    return False


def _forget():
    global training
    training = None
