# SPDX-License-Identifier: Apache-2.0
"""The steps of a rank: their begin and end, their batch and their loss, which may be known only later."""
import ctypes
import math
from collections import deque

from .library import NAN, STEP, StepFacts
from .step_batch import StepBatch

LOSS_NOT_FINITE, SKIPPED = 1, 4


class _Losses:
    """The loss of a step: what a trainer reports, averaged over its micro-batches; otherwise what backward follows."""

    __slots__ = ("backward", "reported")

    def __init__(self):
        self.backward = []  # (Value, Value of a GradScaler's factor or None): their sum is what the step minimizes
        self.reported = []

    def values(self):
        for loss, scale in self.backward:
            yield loss
            if scale is not None:
                yield scale
        yield from self.reported

    def result(self):
        if self.reported:
            return sum([loss.number for loss in self.reported]) / len(self.reported)
        if not self.backward:
            return NAN
        return sum([loss.number if scale is None else loss.number / scale.number for loss, scale in self.backward])

    def is_read(self):
        """Whether every part is a number that was read, be it infinite: a NaN may be one or mean "not known"."""
        parts = self.reported or [part for pair in self.backward for part in pair if part is not None]
        return bool(parts) and all(part.was_read for part in parts)


class _Ended:
    """A step that has ended, whose record waits for its loss."""

    __slots__ = ("number", "epoch", "losses", "skips", "rate", "begin_ns", "end_ns", "exposed_ns", "was_skipped")

    def values(self):
        return [*self.losses.values(), *self.skips]


class Steps:
    """Numbers and reports the steps. All times are the library's."""

    WAITING = 8
    """Steps that may wait for their loss; the oldest of more is reported without it."""

    def __init__(self, lib):
        self._lib = lib
        self.number, self.epoch = -1, 0  # of the step that runs or ran last
        self.is_running = self._is_used = False
        self.batch = StepBatch()
        self._begin_ns = 0
        self._ended = deque()
        self._facts = StepFacts()
        self._pointer = ctypes.byref(self._facts)
        self._clear()

    def _clear(self):
        self._losses, self._skips = _Losses(), []
        self._exposed_ns, self._rate, self._was_skipped = 0, NAN, False

    def continue_from(self, number):
        """The next step has this number."""
        self.number = number - 1

    def begin(self, epoch):
        """Begins the next step, unless one runs."""
        if self.is_running:
            return
        self.is_running, self._is_used = True, False
        self.number += 1
        self.epoch = epoch
        self.batch.clear()
        self._lib.rs_step_begin(self.number, epoch)
        self._begin_ns = self._lib.rs_now()

    def withdraw(self):
        """Ends a step in which nothing was used, so that the next begin() begins it again. Returns whether it was so."""
        if not self.is_running or self._is_used:
            return False
        self.is_running = False
        self.number -= 1
        return True

    def add_batch(self, size, lengths, wait_ns, ready):
        self._is_used = True
        self.batch.add(size, lengths, wait_ns, ready)
        self._lib.rs_batch(self.batch.pointer)

    def add_backward(self, loss, scale=None):
        """Takes the Value with which backward was called, and that of the GradScaler's factor in it."""
        self._is_used = True
        self._losses.backward.append((loss, scale))

    def add_reported(self, loss):
        """Takes the Value of a micro-batch's loss from a trainer."""
        self._losses.reported.append(loss)

    def add_exposed(self, ns):
        self._exposed_ns += ns

    def set_rate(self, rate):
        if math.isnan(self._rate):
            self._rate = rate

    def skip(self, found=None):
        """The optimizer was skipped; `found`: the Value that says whether it was, above 0."""
        if found is None:
            self._was_skipped = True
        else:
            self._skips.append(found)

    def end(self, end_ns):
        """Ends the step that runs."""
        self.is_running = False
        ended = _Ended()
        ended.number, ended.epoch, ended.losses, ended.skips = self.number, self.epoch, self._losses, self._skips
        ended.rate, ended.begin_ns, ended.end_ns = self._rate, self._begin_ns, end_ns
        ended.exposed_ns, ended.was_skipped = self._exposed_ns, self._was_skipped
        self._ended.append(ended)
        self._clear()
        self.report()

    def report(self, is_last=False):
        """Appends the records of the steps whose loss has arrived, in order; with `is_last`, of all."""
        while self._ended:
            ended = self._ended[0]
            unknown = [value for value in ended.values() if not value.is_known()]
            if unknown and not is_last and len(self._ended) <= self.WAITING:
                return
            for value in unknown:
                value.give_up()
            self._ended.popleft()
            self._write(ended)

    def _write(self, ended):
        loss = ended.losses.result()
        was_skipped = ended.was_skipped or any(value.number > 0 for value in ended.skips)
        flags = SKIPPED if was_skipped else 0
        if not math.isfinite(loss) and ended.losses.is_read():
            flags |= LOSS_NOT_FINITE
        times = ended.begin_ns, ended.end_ns, ended.exposed_ns
        STEP.pack_into(self._facts, 0, ended.number, ended.epoch, flags, loss, ended.rate, NAN, *times)
        self._lib.rs_step_end(self._pointer)
