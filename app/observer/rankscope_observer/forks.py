# SPDX-License-Identifier: Apache-2.0
"""What fork() needs in a process with several threads.

A thread of PyTorch may take Python's locks for a moment when a collective has ended, to release its tensors. A child that
is forked in that moment, such as a loader worker, waits forever for a lock that nobody holds: a defect of Python 3.11,
with and without the observer. Since the observer's record is part of how a collective ends, a fork waits until that is
over.

Python 3.12 and later warn about fork() in a process with several threads. The library's threads do not justify that.
"""
import os
import sys
import warnings
from time import sleep

from .guard import hook


def count_threads():
    """Returns the number of threads; 0: it cannot be known."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


class _OnlyOurThreads:
    """Matches, in a filter of warnings, the message of a process that has no other threads than the library's."""

    def __init__(self, ours):
        self._ours = ours

    def match(self, text):
        return "is multi-threaded, use of fork()" in text and has_only(self._ours)


@hook
def has_only(ours):
    return 0 < count_threads() <= ours + 1


SETTLE_SECONDS = 0.002
"""Far longer than a collective takes to release its tensors, and short compared with a fork of a process with torch."""


@hook
def before_fork():
    """Lets the other threads finish what they do with Python's locks."""
    sleep(SETTLE_SECONDS)


@hook
def watch(ours):
    """`ours`: threads that the library has started."""
    os.register_at_fork(before=before_fork)
    if sys.version_info >= (3, 12):
        warnings.filterwarnings("ignore", __name__, DeprecationWarning)
        action, _, *rest = warnings.filters[0]
        warnings.filters[0] = (action, _OnlyOurThreads(ours), *rest)
