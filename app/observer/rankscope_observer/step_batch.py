# SPDX-License-Identifier: Apache-2.0
"""The batch of a step: the sum of its micro-batches."""
import ctypes

from .library import BATCH, UNKNOWN, BatchFacts

NOT_KNOWN = (UNKNOWN, UNKNOWN, UNKNOWN)
"""In place of the shortest, the longest and the sum of lengths."""


class StepBatch:
    """Adds up micro-batches. `frames_of(samples)`, if it is set, returns the number of frames of that much audio."""

    def __init__(self):
        self.facts = BatchFacts()
        self.pointer = ctypes.byref(self.facts)
        self.frames_of = None
        self.clear()

    def clear(self):
        self._is_empty = True

    def add(self, size, lengths, wait_ns, ready):
        """`lengths`: Lengths, or None if they are not known."""
        samples, frames, padded = (NOT_KNOWN, NOT_KNOWN, UNKNOWN) if lengths is None else self._in_units(lengths)
        if self._is_empty:
            self._is_empty = False
            self._size, self._wait_ns, self._padded = size, wait_ns, padded
            self._samples, self._frames = samples, frames
        else:
            self._size, self._wait_ns = _sum(self._size, size), _sum(self._wait_ns, wait_ns)
            self._samples, self._frames = _joined(self._samples, samples), _joined(self._frames, frames)
            self._padded = _sum(self._padded, padded)
        sums = (*self._samples, *self._frames, self._padded)
        BATCH.pack_into(self.facts, 0, self._size, ready, *sums, UNKNOWN, self._wait_ns, 0)

    def _in_units(self, lengths):
        """Returns (samples, frames, frames with padding): the shortest, the longest and the sum of the first two."""
        found = _extent(lengths.values)
        if not lengths.are_samples:
            return NOT_KNOWN, found, len(lengths.values) * lengths.padded
        if self.frames_of is None:
            return found, NOT_KNOWN, UNKNOWN
        frames = [self.frames_of(samples) for samples in lengths.values]
        return found, _extent(frames), len(frames) * self.frames_of(lengths.padded)


def _extent(values):
    return min(values), max(values), sum(values)


def _sum(before, value):
    return before + value if before >= 0 and value >= 0 else UNKNOWN


def _joined(before, found):
    if before is NOT_KNOWN or found is NOT_KNOWN:
        return NOT_KNOWN
    return min(before[0], found[0]), max(before[1], found[1]), before[2] + found[2]
