# SPDX-License-Identifier: Apache-2.0
"""The steps of a rank: their beginning and end, their batch and their loss, which may be known only later."""
import ctypes
import math
from collections import deque

from .library import NAN, STEP, StepFacts
from .step_batch import StepBatch
from .values import arrived, give_up

LOSS_NOT_FINITE, SKIPPED = 1, 4


class _Numbers:
    """The numbers of a step if some are late, not known, scaled or reported by a trainer."""

    def __init__(self):
        self.losses, self.scales = [], []  # of backward
        self.reported, self.skips = [], []

    def have_arrived(self):
        return all([arrived(numbers) for numbers in (self.losses, self.scales, self.reported, self.skips)])

    def give_up(self):
        for numbers in (self.losses, self.scales, self.reported, self.skips):
            give_up(numbers)

    def loss(self):
        """Returns what a trainer reports, averaged over the micro-batches, or else the sum of what backward minimizes."""
        if self.reported:
            return None if None in self.reported else sum(self.reported) / len(self.reported)
        if not self.losses or None in self.losses or None in self.scales:
            return None
        return sum([loss / scale for loss, scale in zip(self.losses, self.scales)])

    def was_skipped(self):
        return any([found for found in self.skips if found is not None])


class Steps:
    """Numbers and reports the steps. All times are the library's."""

    WAITING = 8
    """Steps that may wait for their loss; the oldest of more is reported without it."""

    def __init__(self, lib):
        self._lib = lib
        self.number, self.epoch = -1, 0  # of the step that runs or ran last
        self.is_running = self._is_used = False
        self.batch = StepBatch()
        self.begin_ns = 0
        self._ended = deque()  # (number, epoch, _Numbers, rate, times): steps whose record waits for their numbers
        self._facts = StepFacts()
        self._pointer = ctypes.byref(self._facts)
        self._clear()

    def _clear(self):
        self._loss = None  # the only one of backward, while there is nothing else
        self._numbers = None
        self._exposed_ns, self._rate = 0, NAN

    def continue_from(self, number):
        """Sets the number of the next step."""
        self.number = number - 1

    def begin(self, epoch, phase, ends=False):
        """Begins the next step and a phase. `ends`: the current step ends at the same time. Returns the time."""
        is_filled = ends and self._end(0)
        self.is_running, self._is_used = True, False
        self.number += 1
        self.epoch = epoch
        self.batch.clear()
        ended = self._pointer if is_filled else None
        self.begin_ns = self._lib.rs_next_step(ended, self.number, epoch, phase)
        return self.begin_ns

    def end(self, end_ns):
        """Ends the current step."""
        if self._end(end_ns):
            self._lib.rs_step_end(self._pointer)

    def _end(self, end_ns):
        """Returns whether the facts are those of the step, which can be reported; otherwise its record waits."""
        self.is_running = False
        times = self.begin_ns, end_ns, self._exposed_ns
        numbers, loss, rate = self._numbers, self._loss, self._rate
        self._clear()
        if numbers is None and not self._ended:
            self._fill(self.number, self.epoch, loss, False, rate, times)
            return True
        if numbers is None:
            numbers = _Numbers()
            numbers.losses, numbers.scales = [loss], [1.0]
        times = times[0], end_ns or self._lib.rs_now(), times[2]
        self._ended.append((self.number, self.epoch, numbers, rate, times))
        self.report()
        return False

    def withdraw(self):
        """Ends a step in which nothing was used, so that the next begin() begins it again. Returns whether it did."""
        if not self.is_running or self._is_used:
            return False
        self.is_running = False
        self.number -= 1
        return True

    def use_batch(self, size, lengths, wait_ns, ready, phase):
        """Adds a micro-batch and begins a phase, if it is not -1."""
        self._is_used = True
        self.batch.add(size, lengths, wait_ns, ready)
        self._lib.rs_use_batch(self.batch.pointer, phase)

    def add_backward(self, loss, scale=1.0):
        """Takes the number with which backward was called, and a GradScaler's factor in it."""
        self._is_used = True
        if self._numbers is None and self._loss is None and type(loss) is float and scale == 1.0:
            self._loss = loss
            return
        numbers = self._all_numbers()
        numbers.losses.append(loss)
        numbers.scales.append(scale)

    def add_reported(self, loss):
        """Takes the loss of a micro-batch from a trainer."""
        self._all_numbers().reported.append(loss)

    def add_exposed(self, ns):
        self._exposed_ns += ns

    def set_rate(self, rate):
        if self._rate is NAN:
            self._rate = rate

    def skip(self, found=1.0):
        """Records that the optimizer was skipped if the number is above 0."""
        self._all_numbers().skips.append(found)

    def _all_numbers(self):
        if self._numbers is None:
            self._numbers = _Numbers()
            if self._loss is not None:
                self._numbers.losses, self._numbers.scales = [self._loss], [1.0]
        return self._numbers

    def report(self, is_last=False):
        """Appends the records of the steps whose loss has arrived, in order; with `is_last`, of all."""
        while self._ended:
            number, epoch, numbers, rate, times = self._ended[0]
            if not numbers.have_arrived():
                if not is_last and len(self._ended) <= self.WAITING:
                    return
                numbers.give_up()
            self._ended.popleft()
            self._fill(number, epoch, numbers.loss(), numbers.was_skipped(), rate, times)
            self._lib.rs_step_end(self._pointer)

    def _fill(self, number, epoch, loss, was_skipped, rate, times):
        flags = SKIPPED if was_skipped else 0
        if loss is None:
            loss = NAN
        elif not math.isfinite(loss):
            flags |= LOSS_NOT_FINITE
        STEP.pack_into(self._facts, 0, number, epoch, flags, loss, rate, NAN, *times)
