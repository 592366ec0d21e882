# SPDX-License-Identifier: Apache-2.0
"""Steps, validations, checkpoints and exceptions of a Lightning Trainer's fit()."""
import ctypes
import math

from .. import ending, guard, rank
from ..guard import hook
from ..library import CHECKPOINT, NAN, NONE, RUNNING, ValidationFacts
from ..rank import training_hook
from ..values import arrived, give_up
from . import nemo, phases

_classes = {}


def callback_of(package):
    """Returns a callback for a package, whose modules may belong to either of Lightning's packages."""
    if package.__name__ not in _classes:
        _classes[package.__name__] = _class_for(package)
    return _classes[package.__name__]()


def _restore(package_name):
    import importlib

    return callback_of(importlib.import_module(package_name))


def _class_for(package):
    class RankscopeObserver(package.Callback):
        """Reports what the Trainer does. It has no state: pickled and copied, it is a new one."""

        def __reduce__(self):
            return _restore, (package.__name__,)

        def setup(self, trainer, pl_module, stage):
            set_up(trainer, stage)

        def on_train_start(self, trainer, pl_module):
            train_started(trainer, pl_module)

        def on_train_epoch_start(self, trainer, pl_module):
            epoch_started(trainer)

        def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
            batch_started()

        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
            batch_ended(trainer, outputs)

        def on_validation_start(self, trainer, pl_module):
            validation_started(trainer)

        def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
            validation_batch_ended(outputs)

        def on_validation_end(self, trainer, pl_module):
            validation_ended(trainer)

        def on_save_checkpoint(self, trainer, pl_module, checkpoint):
            checkpoint_begun()

        def on_train_end(self, trainer, pl_module):
            train_ended()

        def teardown(self, trainer, pl_module, stage):
            torn_down()

        def on_exception(self, trainer, pl_module, exception):
            failed(exception)

    RankscopeObserver.__module__, RankscopeObserver.__qualname__ = __name__, "RankscopeObserver"
    return RankscopeObserver


class _Validation:
    """The validation that runs."""

    def __init__(self, begin_ns):
        self.begin_ns, self.losses, self.batches = begin_ns, [], 0


class _Reported:
    """A validation whose losses may still be on their way from a device."""

    def __init__(self, facts, loss, losses):
        self.facts, self.numbers = facts, [loss, *losses]


_validation = None
_waiting = []  # _Reported


@hook
def set_up(trainer, stage):
    """fit() begins, after the process group was made, if there is one."""
    if stage != "fit":
        return
    if rank.training is None and not rank.open_rank(trainer.global_rank, trainer.world_size):
        return
    phases.watch(type(trainer.profiler))


@training_hook
def train_started(training, trainer, module):
    training.is_steered = True
    training.steps.continue_from(trainer.fit_loop.epoch_loop._batches_that_stepped)
    nemo.describe(training, trainer, module)
    per_epoch = trainer.num_training_batches / trainer.accumulate_grad_batches
    per_epoch = math.ceil(per_epoch) if math.isfinite(per_epoch) else 0
    rank.describe(str(trainer.strategy.root_device), _total_steps(trainer, per_epoch), per_epoch)
    training.lib.rs_stage(RUNNING)


def _total_steps(trainer, per_epoch):
    by_epochs = trainer.max_epochs * per_epoch if trainer.max_epochs and trainer.max_epochs > 0 else 0
    known = [steps for steps in (trainer.max_steps, by_epochs) if steps > 0]
    return min(known) if known else 0


@training_hook
def epoch_started(training, trainer):
    training.epoch = trainer.current_epoch


@training_hook
def batch_started(training):
    training.begin_step()
    training.take_batch()


@training_hook
def batch_ended(training, trainer, outputs):
    loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
    if loss is not None:
        training.steps.add_reported(training.values_reader().read(loss))
    training.end_step()
    _report_validations(training)
    if training.steps.number + 1 >= training.lib.rs_stop_at_step() and not trainer.should_stop:
        trainer.should_stop = True
        ending.training_stopped()


@training_hook
def validation_started(training, trainer):
    global _validation
    _validation = _Validation(training.begin_validation())


@training_hook
def validation_batch_ended(training, outputs):
    if _validation is None:
        return
    _validation.batches += 1
    loss = outputs.get("val_loss", outputs.get("loss")) if isinstance(outputs, dict) else outputs
    _validation.losses.append(training.values_reader().read(loss))


@training_hook
def validation_ended(training, trainer):
    global _validation
    if _validation is None:
        return
    ended, _validation = _validation, None
    end_ns = training.end_validation()
    if trainer.sanity_checking:
        return
    facts = ValidationFacts(training.steps.number, trainer.current_epoch, NAN, NAN, ended.batches, ended.begin_ns, end_ns)
    _waiting.append(_Reported(facts, training.values_reader().read(_monitored(trainer.callback_metrics)), ended.losses))
    _report_validations(training)


def _monitored(metrics):
    """Returns val_loss; if there is none, the first loss whose name says that it is a validation's."""
    if "val_loss" in metrics:
        return metrics["val_loss"]
    return next((value for name, value in metrics.items() if "val" in name and "loss" in name), None)


def _report_validations(training, is_last=False):
    while _waiting and (is_last or arrived(_waiting[0].numbers)):
        reported = _waiting.pop(0)
        give_up(reported.numbers)
        loss, *losses = reported.numbers
        read = [number for number in losses if number is not None]
        reported.facts.loss = NAN if loss is None else loss
        reported.facts.local_loss = sum(read) / len(read) if read else NAN
        training.lib.rs_validation(ctypes.byref(reported.facts))


@training_hook
def checkpoint_begun(training):
    training.enter(CHECKPOINT)


@training_hook
def train_ended(training):
    training.end_step()
    _report_validations(training, is_last=True)
    training.enter(NONE)
    training.is_steered = False


@training_hook
def torn_down(training):
    training.is_validating = False
    training.enter(NONE)


@hook
def failed(exception):
    if rank.training is None:
        return
    if type(exception).__name__ == "SIGTERMException":
        ending.training_stopped()
    else:
        ending.training_failed(exception)
