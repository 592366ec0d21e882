# SPDX-License-Identifier: Apache-2.0
"""What the training thread does, as the hooks report it: phases, batches and steps.

A program without a trainer that says so has a step between one optimizer step and the next; its batches come from a
DataLoader. What runs without gradients is an evaluation.
"""
import sys
import weakref
from threading import get_ident

from . import library
from .batches import BatchReader
from .library import BACKWARD, CHECKPOINT, DATA_WAIT, FORWARD, LOSS, NONE, OPTIMIZER, TO_DEVICE, VALIDATE
from .sources import source_of
from .steps import Steps
from .values import ValueReader


class Training:
    """The state of the training thread. Only that thread, `thread`, calls its methods."""

    SLOW_ITEM_NS = 50_000
    """If reading an item takes longer, each item is shown while it is read, otherwise the batch."""

    def __init__(self, lib, describe_device):
        """`describe_device("cuda:0")` is called at the first backward."""
        self.lib = lib
        self._describe_device = describe_device
        self.phase = NONE
        self.steps = Steps(lib)
        self.is_steered = False  # a trainer says when steps, validations and epochs begin and end
        self.is_validating = False
        self.epoch = 0  # of the next step
        self.values = self.batches = None  # once torch is complete
        self.thread = get_ident()
        self._has_gone_backward = False
        self._sources = []  # whose batches are used by later steps
        self._last_source = self._loading = None
        self._load_began_ns = 0
        self._is_reading = False
        self._forwards = 0  # nested
        self._sees_forward = False
        self._network = _nothing  # weak reference to the module in the first DDP or FSDP
        self._has_taken = False  # the batch of the next backward
        self._in_backward = False
        self._optimizer = None  # identity of the one that steps
        self._scaler = None
        self._may_end_ns = 0  # when an optimizer stepped last in the step that runs; 0: none has
        self._has_loaded = False  # in the step that runs

    def enter(self, phase):
        """Begins a phase, unless the thread is in it. Returns the time."""
        if phase == self.phase:
            return self.lib.rs_now()
        self.phase = phase
        return self.lib.rs_phase(phase)

    def close(self):
        """Reports what is left when the program ends."""
        self.end_step(at_optimizer=True)
        self.steps.report(is_last=True)
        self.enter(NONE)

    # Batches

    def load(self, iterator):
        """Called when the thread asks a DataLoader's iterator for a batch."""
        source = source_of(iterator)
        self._loading, self._load_began_ns = source, 0
        if self.is_validating:
            return
        is_new = source is not self._last_source or source.has_ended or not source.trains
        if is_new and not self._accept(source):
            return
        self._optimizer = None
        if self.steps.is_running and (self.is_steered or not self._may_end_ns):
            self._load_began_ns = self.enter(DATA_WAIT)
        else:
            self._turn(DATA_WAIT)
            self._load_began_ns = self.steps.begin_ns
        if source.capacity:
            self._show_queue(source)

    def _accept(self, source):
        """Returns whether the source is read for training, rather than for an evaluation, which begins here."""
        if not source.is_listed:
            source.is_listed = True
            self._sources = [known for known in self._sources if known.iterator() is not None]
            self._sources.append(source)
        self._last_source = source
        if source.has_ended:
            source.has_ended = source.trains = False
        if source.evaluates or not (source.trains or self._is_training()):
            self._evaluate()
            return False
        return True

    def _show_queue(self, source):
        source.ready_when_asked = source.ready()
        self.lib.rs_queue(source.ready_when_asked, source.capacity)
        awaited = source.awaited()
        if awaited:
            self.read(awaited)

    def read(self, what):
        """Shows what is being read."""
        self._is_reading = True
        self.lib.rs_reading(what.encode("utf-8", "replace"))

    def _stop_reading(self):
        if self._is_reading:
            self._is_reading = False
            self.lib.rs_reading(None)

    def loaded(self, batch):
        """Called when it got the batch."""
        source, began_ns = self._loading, self._load_began_ns
        self._loading = None
        if source is None or began_ns == 0:
            return
        waited = self.enter(TO_DEVICE if self._sees_forward or self.is_steered else FORWARD) - began_ns
        self._stop_reading()
        self._has_loaded = True
        size, lengths = self.batches.read(batch) if self.batches else self._batch_reader().read(batch)
        source.pending.append((size, lengths, waited, source.ready_when_asked))
        source.loaded += 1
        source.reads_slowly = waited > self.SLOW_ITEM_NS * max(size, 1)

    def exhausted(self):
        """Called when there is none left. Batches that were loaded ahead are still used if others of it were."""
        source, self._loading = self._loading, None
        if source is None or self.is_validating:
            return
        self.enter(NONE)
        self._stop_reading()
        if self._load_began_ns == 0:
            return  # an evaluation
        source.has_ended = True
        if not source.trains:
            source.pending.clear()
        withdrawn = not source.pending and self.steps.withdraw()
        if withdrawn:
            self._has_loaded = False
        if source.trains and not self.is_steered:
            self.epoch += 1  # shown now, because ranks with more batches may never get there
            self.lib.rs_step_begin(self.steps.number + withdrawn, self.epoch)

    def not_loaded(self):
        """Called when it got an exception."""
        self._loading = None
        self._stop_reading()

    def take_batch(self, phase=-1):
        """Called when the program begins to use a batch, the oldest of each source. Begins a phase."""
        self._has_taken = True
        last = self._last_source
        for source in self._sources:
            # a source that has not trained yet may have been read for an evaluation
            if source.pending and (source.trains or source.loaded == last.loaded) and source.iterator() is not None:
                source.is_used = True
                self.steps.use_batch(*source.pending.popleft(), self._changed(phase))
        for source in self._sources:
            source.loaded = 0
        if phase >= 0:
            self.enter(phase)

    def _changed(self, phase):
        """Returns the phase if it is another one, which the caller begins; otherwise -1."""
        if phase == self.phase:
            return -1
        if phase >= 0:
            self.phase = phase
        return phase

    # Evaluation

    def begin_validation(self):
        """Called when a trainer validates."""
        self.is_validating = True
        return self.enter(VALIDATE)

    def end_validation(self):
        self.is_validating = False
        return self.enter(NONE)

    def _evaluate(self):
        """Called when the program runs without gradients."""
        if not self.is_steered:
            self.end_step()
        self.enter(VALIDATE)

    # Forward and backward

    def begin_forward(self, network=None):
        """Called when a module that communicates begins its forward. `network`: DDP or FSDP, unless `knows_network()`."""
        self._forwards += 1
        if self._forwards > 1 or self.is_validating or self._in_backward:
            return
        if network is not None:
            self._network = weakref.ref(getattr(network, "module", network))
        source = self._last_source
        if not (source and source.trains) and not self._is_grad_enabled():
            if source:
                source.evaluates = True
                source.pending.clear()
            self._evaluate()
            return
        self._sees_forward = True
        if not self.steps.is_running:
            self._turn(FORWARD)
        if self._has_taken or self.is_steered:
            self.enter(FORWARD)
        else:
            self.take_batch(FORWARD)

    def knows_network(self):
        return self._network() is not None

    def begin_root_forward(self):
        """Called when the forward of a module begins whose end is not observed."""
        self.begin_forward()
        self._forwards = 0

    def end_forward(self):
        self._forwards = max(0, self._forwards - 1)
        if self._forwards == 0 and self.phase == FORWARD:
            self.enter(NONE if self.is_steered else LOSS)

    def begin_backward(self, outputs):
        """Called when backward from `outputs` begins. Returns whether end_backward() will have to be called."""
        if self._in_backward:
            return False
        if not self._has_gone_backward:
            self._has_gone_backward = True
            self._describe_device(str(getattr(outputs[0], "device", "")))
        if not self.steps.is_running:
            self._turn(BACKWARD)
        if not (self._has_taken or self.is_steered):
            self.take_batch()
        self._has_taken = False
        self._mark_sources()
        self._add_loss(outputs)
        self.phase = BACKWARD
        self._in_backward = True
        self.lib.rs_enter_backward(BACKWARD)
        return True

    def _mark_sources(self):
        """Marks the sources whose batches were used as sources of training."""
        for source in self._sources:
            if source.is_used or (source.evaluates and source is self._last_source):
                source.trains, source.is_used, source.evaluates = True, False, False

    def end_backward(self):
        self._in_backward = False
        self.phase = NONE if self._optimizer is None else OPTIMIZER
        self.steps.add_exposed(self.lib.rs_leave_backward(self.phase))

    def move_here(self):
        """Makes the caller the training thread if no thread has run backward yet. Returns whether it is."""
        if not self._has_gone_backward:
            self.thread = get_ident()
        return self.thread == get_ident()

    def scale(self, scaler):
        """Called when the next backward is that of a loss that a GradScaler has multiplied."""
        self._scaler = scaler if scaler.is_enabled() else None

    def _add_loss(self, outputs):
        scaler, self._scaler = self._scaler, None
        reader = self.values or self.values_reader()
        if len(outputs) != 1 or "deepspeed" in sys.modules:
            return  # several losses, or one that was multiplied by an unknown factor
        factor = None if scaler is None else scaler._scale
        self.steps.add_backward(reader.read(outputs[0]), 1.0 if factor is None else reader.read(factor))

    # Steps

    def begin_optimizer(self, optimizer):
        """Called when an optimizer's step begins, which may contain those of others and a backward."""
        if self._optimizer is not None and self._optimizer != id(optimizer):
            return
        self._optimizer = id(optimizer)
        if not self.steps.is_running:
            self._turn(OPTIMIZER)
        self.enter(OPTIMIZER)

    def end_optimizer(self, optimizer):
        if self._optimizer != id(optimizer):
            return
        self._optimizer = None
        self._may_end_ns = self.enter(NONE)
        self.steps.set_rate(_rate_of(optimizer))
        found = getattr(optimizer, "found_inf", None)  # a fused optimizer decides on the device
        if found is not None:
            self.steps.skip(self.values_reader().read(found))
        self._end_without_loader()

    def _end_without_loader(self):
        if not (self.is_steered or self._has_loaded):
            self.end_step(at_optimizer=True)

    def skip_optimizer(self):
        """Called when a GradScaler has skipped the step of an optimizer."""
        if not self._may_end_ns and self.steps.is_running:
            self._may_end_ns = self.lib.rs_now()
            self.steps.skip()
            self._end_without_loader()

    def end_step(self, at_optimizer=False):
        """Ends the current step if an optimizer has stepped: now, or when it did. Returns whether there was one."""
        if not self._may_end_ns:
            return False
        self.steps.end(self._may_end_ns if at_optimizer else self.lib.rs_now())
        self._may_end_ns, self._has_loaded = 0, False
        return True

    def begin_step(self):
        """Begins the next step, unless there is a current one."""
        if not self.steps.is_running:
            self._turn(self.phase)

    def _turn(self, phase):
        """Begins the next step and a phase, and ends the current step, if there is one and it can end."""
        ends = self._may_end_ns != 0 and self.steps.is_running
        self._may_end_ns, self._has_loaded = 0, False
        self.steps.begin(self.epoch, self._changed(phase), ends)

    # Checkpoints

    def begin_checkpoint(self):
        """Returns the phase that end_checkpoint() has to be called with."""
        before = self.phase
        if not self.is_steered:
            self.end_step()
        self.enter(CHECKPOINT)
        return before

    def end_checkpoint(self, before):
        if self.phase == CHECKPOINT:
            self.enter(before)

    # Torch

    def values_reader(self):
        if self.values is None:
            self.values = ValueReader()
        return self.values

    def _batch_reader(self):
        if self.batches is None:
            self.batches = BatchReader(self.values_reader())
        return self.batches

    def _is_training(self):
        """Whether the program seems to train, as far as torch and the network say."""
        network = self._network()
        return self._is_grad_enabled() and (network is None or network.__dict__.get("training", True))

    @staticmethod
    def _is_grad_enabled():
        return sys.modules["torch"]._C.is_grad_enabled()


def _nothing():
    return None


def _rate_of(optimizer):
    rate = optimizer.param_groups[0].get("lr")
    return float(rate) if isinstance(rate, (int, float)) else library.NAN
