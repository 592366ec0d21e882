# SPDX-License-Identifier: Apache-2.0
"""The batch of a step: the sum of its micro-batches."""
import ctypes

from .library import UNKNOWN, BatchFacts


class StepBatch:
    """Adds up micro-batches. `frames_of(samples)`, if it is set, says how many frames of features some audio has."""

    def __init__(self):
        self.facts = BatchFacts()
        self.pointer = ctypes.byref(self.facts)
        self.frames_of = None
        self._count = 0

    def clear(self):
        self._count = 0

    def add(self, size, lengths, wait_ns, ready):
        """`lengths`: Lengths, or None if they are not known."""
        facts, first = self.facts, self._count == 0
        self._count += 1
        facts.size = _sum(facts.size, size, first)
        facts.wait_ns = _sum(facts.wait_ns, wait_ns, first)
        facts.ready, facts.load_ns = ready, UNKNOWN
        samples, frames, longest = self._in_units(lengths)
        self._add_lengths("samples", samples, first)
        self._add_lengths("frames", frames, first)
        facts.padded_frames = _sum(facts.padded_frames, len(frames) * longest if frames else UNKNOWN, first)

    def _in_units(self, lengths):
        """Returns (samples, frames, frames to which the items are padded); None for what is not known."""
        if lengths is None:
            return None, None, UNKNOWN
        if not lengths.are_samples:
            return None, lengths.values, lengths.padded
        if self.frames_of is None:
            return lengths.values, None, UNKNOWN
        return lengths.values, [self.frames_of(n) for n in lengths.values], self.frames_of(lengths.padded)

    def _add_lengths(self, unit, values, first):
        names = f"{unit}_min", f"{unit}_max", f"{unit}_sum"
        before = [getattr(self.facts, name) for name in names]
        if values is None or (not first and before[2] < 0):
            found = (UNKNOWN,) * 3
        else:
            found = min(values), max(values), sum(values)
            if not first:
                found = min(before[0], found[0]), max(before[1], found[1]), before[2] + found[2]
        for name, value in zip(names, found):
            setattr(self.facts, name, value)


def _sum(before, value, first):
    if first:
        return value
    return before + value if before >= 0 and value >= 0 else UNKNOWN
