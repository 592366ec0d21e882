# SPDX-License-Identifier: Apache-2.0
"""How a rank ends: its exit code, and an exception that ended it with the last line of the user's code.

An exception that nothing catches is in sys.last_value when Python begins to shut down, and the library reports the
exit code itself when the process exits. In a process of multiprocessing, which catches all exceptions, they are seen
when it prints them or leaves with sys.exit().
"""
import atexit
import ctypes
import functools
import os
import re
import sys
import sysconfig
import threading
import traceback

from . import guard, process
from .guard import hook
from .library import ERROR, FAILED, FINISHED, STOPPED

TEXT = 159
BOOTSTRAP = "_bootstrap"
"""Function of multiprocessing that runs a process, and has its exit code in a variable."""
EXCEPTION = "exception: "
"""Beginning of the note on an exception that ends the training, at the time when it does (note_markers.h)."""

_ORIGINAL = "Original Traceback (most recent call last)"
_PLACE = re.compile(r'^ *File "(.+)", line (\d+)', re.MULTILINE)
_LIBRARIES = tuple(
    {folder for folder in map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")) if folder}
) + (os.path.dirname(os.path.abspath(__file__)),)

_lib = None
_exception = ""  # that ended the training, though the program may have caught it
_stopped = False


@hook
def watch(lib):
    """Called once, when the rank is open."""
    global _lib
    _lib = lib
    lib.rs_at_exit(FINISHED, b"")
    getattr(threading, "_register_atexit", atexit.register)(program_ends)
    _call_before(sys, "exit", leaving)
    if process.is_multiprocessing_child():
        _call_before(traceback, "print_exc", printing)


def _call_before(module, name, action):
    plain = getattr(module, name)

    @functools.wraps(plain)
    def function(*arguments, **options):
        action()
        return plain(*arguments, **options)

    setattr(module, name, function)


@hook
def leaving():
    """Called by sys.exit(). If an exception is being handled, it is the reason."""
    error = sys.exc_info()[1]
    if error is not None and not isinstance(error, SystemExit):
        training_failed(error, is_noted=False)


@hook
def printing():
    """Called when a traceback is printed. If multiprocessing prints it, the exception ends the process."""
    if sys._getframe(3).f_code.co_name == BOOTSTRAP:  # outside of this one, its guard and the function
        training_failed(sys.exc_info()[1], is_noted=False)


@hook
def program_ends():
    """Called when Python begins to shut down, or when a process of multiprocessing has run its function."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    _close_training()
    _say_what_is_missing()
    code = _exit_code_of_multiprocessing()
    if code is not None:
        _lib.rs_close(FAILED if code else _good_end(), code, _cut(_exception if code else ""))
    elif error is None:
        _lib.rs_at_exit(_good_end(), _cut(_exception))
    elif isinstance(error, KeyboardInterrupt):
        _lib.rs_close(STOPPED, 130, _cut(describe(error)))
    else:
        _lib.rs_close(FAILED, 1, _cut(describe(error)))


def _say_what_is_missing():
    reason = ctypes.create_string_buffer(400)
    if _lib.rs_check(reason, len(reason)) != 0:
        guard.say(f"not everything that this process did was recorded: {reason.value.decode('utf-8', 'replace')}")


def _good_end():
    return STOPPED if _stopped else FINISHED


def _exit_code_of_multiprocessing():
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_name != BOOTSTRAP:
        frame = frame.f_back
    return None if frame is None else frame.f_locals.get("exitcode")


def training_failed(error, is_noted=True):
    """Remembers the exception for the end record, and notes it now: the process may still wait for other ranks."""
    global _exception
    _exception = describe(error)
    if is_noted:
        guard.note(ERROR, EXCEPTION + _exception)


def training_stopped():
    """Called when the program leaves because it was asked to."""
    global _stopped
    _stopped = True


def describe(error):
    """Returns "ValueError: message (train.py:88)", with the last line that is not in a library."""
    message = str(error)
    kind = type(error).__name__
    if _ORIGINAL in message:  # of a process that passes its exceptions on as text, as loader workers do
        last = message.rstrip().rsplit("\n", 1)[-1]
        place = _last_place(message)
        return _with_place(last, place or _last_line(error))
    first = message.strip().split("\n", 1)[0]
    return _with_place(f"{kind}: {first}" if first else kind, _last_line(error))


def _with_place(text, place):
    place = f" ({place})" if place else ""
    return text.encode("utf-8", "replace")[: TEXT - len(place.encode())].decode("utf-8", "ignore") + place


def _last_line(error):
    place, entry = "", error.__traceback__
    while entry is not None:
        file = entry.tb_frame.f_code.co_filename
        if _is_users(file):
            place = f"{os.path.basename(file)}:{entry.tb_lineno}"
        entry = entry.tb_next
    return place


def _last_place(text):
    places = [f"{os.path.basename(file)}:{line}" for file, line in _PLACE.findall(text) if _is_users(file)]
    return places[-1] if places else ""


def _is_users(file):
    in_packages = "/site-packages/" in file or "/dist-packages/" in file
    return not (in_packages or file.startswith("<") or file.startswith(_LIBRARIES))


def _cut(text):
    return text.encode("utf-8", "replace")[:TEXT]


def _close_training():
    from . import rank

    training = rank.here()
    if training is not None:
        training.close()
