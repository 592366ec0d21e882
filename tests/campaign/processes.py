# SPDX-License-Identifier: Apache-2.0
"""Processes by pid and start time, and by the mark that every process of a round inherits in its environment."""
import os
import signal
import time
from dataclasses import dataclass

MARK = "RANKSCOPE_CAMPAIGN"


@dataclass(frozen=True)
class Process:
    pid: int
    ticks: int  # start time; together with the pid it identifies the process
    name: str = ""


def _stat(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as f:
            text = f.read().decode(errors="replace")
    except OSError:
        return None
    name = text[text.index("(") + 1:text.rindex(")")]
    fields = text[text.rindex(")") + 2:].split()
    return name, fields[0], int(fields[19])


def identity(pid):
    """Returns the identity of a living process; a zombie does not count."""
    stat = _stat(pid)
    return Process(pid, stat[2], stat[0]) if stat and stat[1] not in "ZX" else None


def lives(process):
    now = identity(process.pid)
    return now is not None and now.ticks == process.ticks


def state_of(process):
    """Returns the kernel's letter for its state (T: stopped); None if it is gone."""
    stat = _stat(process.pid)
    return stat[1] if stat and stat[2] == process.ticks else None


def marked(mark):
    """Returns all living processes that inherited `mark`."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as f:
                if wanted not in f.read().split(b"\0"):
                    continue
        except OSError:
            continue
        if process := identity(int(name)):
            found.append(process)
    return found


def command(process):
    try:
        with open(f"/proc/{process.pid}/cmdline", "rb") as f:
            return [word.decode(errors="surrogateescape") for word in f.read().split(b"\0")[:-1]]
    except OSError:
        return []


def send(process, number):
    """Returns True if the process lived until the signal was sent."""
    if not lives(process):
        return False
    try:
        os.kill(process.pid, number)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition, seconds, every=0.01):
    """Waits until the condition is true or the time is up, and returns its last value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(every)


def gone(mark, seconds=8):
    """Waits until no marked process is left; returns those that still are."""
    left = []

    def none():
        nonlocal left
        left = marked(mark)
        return not left

    wait_until(none, seconds, 0.05)
    return left


def end_all(mark):
    """Cleans up after a finding: kills what a round left running, by pid and start time."""
    for process in marked(mark):
        send(process, signal.SIGKILL)
        send(process, signal.SIGCONT)
    return gone(mark)


def gone_but(mark, pid, seconds=8):
    """Waits until only `pid` is left."""
    wait_until(lambda: all(p.pid == pid for p in marked(mark)), seconds, 0.05)
