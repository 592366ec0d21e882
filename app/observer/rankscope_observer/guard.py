# SPDX-License-Identifier: Apache-2.0
"""Hooks: the functions of the observer that the program calls, mostly without knowing it."""
import functools
import os
import signal
import sys

HOOKS = {}
"""All hooks by name, "module.function"."""

_notes = []  # before the rank is open
_write_note = None


class Hook:
    """A function that is disabled permanently after its first exception. `function` may be replaced by a test."""

    __slots__ = ("name", "function", "is_on")

    def __init__(self, name, function):
        self.name, self.function, self.is_on = name, function, True

    def fail(self, error):
        """Switches it off. Raises an exception of the program's own handler for a signal, which is not ours."""
        if _is_from_signal_handler(error.__traceback__):
            raise error
        self.is_on = False
        note(2, f"{self.name} is off: {type(error).__name__}: {error}{_last_line(error)}")


def entry_of(function):
    """Returns a new Hook for a function, which is in HOOKS."""
    module = function.__module__
    entry = Hook(f"{module.split('.', 1)[-1]}.{function.__name__}", function)
    HOOKS[entry.name] = entry
    return entry


def hook(function):
    """Decorator: makes a hook of a function. If the function fails, the caller sees None and no exception."""
    entry = entry_of(function)

    @functools.wraps(function)
    def guarded(*args):
        if entry.is_on:
            try:
                return entry.function(*args)
            except Exception as error:
                entry.fail(error)
        return None

    return guarded


def say(text):
    """Writes a line to standard error, if that is possible.

    It does not go through Python's buffer: what cannot be written would remain there and change the exit code.
    """
    try:
        os.write(sys.stderr.fileno(), f"rankscope: {text}\n".encode("utf-8", "backslashreplace"))
    except Exception:
        pass  # closed, on a full disk, or the program has put something else in its place


def note(severity, text):
    """Adds a note to the rank's journal, if need be once the rank is open. Severities as in docs/dev/telemetry.md."""
    if _write_note is not None:
        _write_note(severity, text.encode("utf-8", "replace"))
    elif len(_notes) < 32:
        _notes.append((severity, text))


def write_notes_with(write):
    """`write(severity, bytes)` writes the notes from now on, and those that are waiting."""
    global _write_note
    _write_note = write
    for severity, text in _notes:
        note(severity, text)
    _notes.clear()


def _is_from_signal_handler(traceback):
    """Whether the program's own signal handler, which may run between any two of our lines, raised the exception."""
    codes = set()
    for number in signal.valid_signals():
        code = getattr(signal.getsignal(number), "__code__", None)
        if code is not None:
            codes.add(code)
    while traceback is not None:
        if traceback.tb_frame.f_code in codes:
            return True
        traceback = traceback.tb_next
    return False


def _last_line(error):
    traceback = error.__traceback__
    if traceback is None:
        return ""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    file = traceback.tb_frame.f_code.co_filename.rsplit("/", 1)[-1]
    return f" ({file}:{traceback.tb_lineno})"
