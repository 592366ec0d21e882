# SPDX-License-Identifier: Apache-2.0
"""Python stacks on request: the supervisor sends a signal, and faulthandler writes the stacks of all threads.

No other process has to look into this one, and it works while C code holds the GIL.
"""
import ctypes
import faulthandler
import fcntl
import json
import os
import signal

from .guard import hook

FILE = "pystacks.txt"
PR_SET_PTRACER = 0x59616D61
SIG_IGN = 1

_descriptor = None  # open as long as the process runs


@hook
def offer(lib, folder):
    """Registers the signal and says so by a software record with its number."""
    global _descriptor
    number = signal.SIGRTMIN + 7
    if signal.getsignal(number) is not signal.SIG_DFL:
        return  # the program uses it
    guarded = os.O_NOFOLLOW | os.O_CLOEXEC
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY | guarded)
    try:
        opened = os.open(FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND | guarded, 0o600, dir_fd=place)
    finally:
        os.close(place)
    _descriptor = _above_standard(opened)
    # what faulthandler restores when Python shuts down: the signal must not end the process, which may still run then
    ctypes.CDLL(None).signal(ctypes.c_int(number), ctypes.c_void_p(SIG_IGN))
    faulthandler.register(number, file=_descriptor, all_threads=True, chain=False)
    lib.rs_software(b"faulthandler", str(int(number)).encode())


def _above_standard(descriptor):
    """A program may run without standard output or error: what it writes there must not end up in our file."""
    if descriptor > 2:
        return descriptor
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(descriptor)
    return moved


@hook
def permit_native(run_folder):
    """Lets the supervisor read native stacks where Yama restricts ptrace to ancestors."""
    try:
        with open(os.path.join(run_folder, "run.json"), "rb") as file:
            supervisor = json.load(file).get("supervisor_pid", 0)
    except (OSError, ValueError):
        return
    if isinstance(supervisor, int) and supervisor > 1:
        ctypes.CDLL(None).prctl(PR_SET_PTRACER, ctypes.c_ulong(supervisor), 0, 0, 0)
