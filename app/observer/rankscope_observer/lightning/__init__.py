# SPDX-License-Identifier: Apache-2.0
"""Lightning's Trainer, of the packages `lightning` and `pytorch_lightning`: entry points that add a callback to each."""
import sys

from .. import guard, process


class _Unannounced(list):
    """A list that is not empty, but false: a Trainer prints which callbacks a true one adds."""

    def __bool__(self):
        return False


def callbacks():
    """Returns the callbacks for the package `lightning`."""
    return _callbacks("lightning.pytorch")


def standalone_callbacks():
    """Returns the callbacks for the package `pytorch_lightning`."""
    return _callbacks("pytorch_lightning")


@guard.hook
def make_callback(package):
    from .callback import callback_of

    return callback_of(sys.modules[package])


def _callbacks(package):
    made = None if process.is_off() or process.is_started_by_rank() else make_callback(package)
    return _Unannounced() if made is None else _Unannounced([made])
