# SPDX-License-Identifier: Apache-2.0
"""Python 3.12 and later warn of fork() in a process with several threads. The library's threads are no reason to."""
import os
import sys
import warnings

from .guard import hook


def count_threads():
    """Returns the number of threads; 0: it cannot be known."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


class _OnlyOurThreads:
    """In a filter of warnings, the message of a process that has no other threads than the library's."""

    def __init__(self, ours):
        self._ours = ours

    def match(self, text):
        return "is multi-threaded, use of fork()" in text and has_only(self._ours)


@hook
def has_only(ours):
    return 0 < count_threads() <= ours + 1


@hook
def watch(ours):
    """`ours`: threads that the library has started."""
    if sys.version_info >= (3, 12):
        warnings.filterwarnings("ignore", __name__, DeprecationWarning)
        action, _, *rest = warnings.filters[0]
        warnings.filters[0] = (action, _OnlyOurThreads(ours), *rest)
