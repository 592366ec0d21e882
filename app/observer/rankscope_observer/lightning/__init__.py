# SPDX-License-Identifier: Apache-2.0
"""Lightning's Trainer, of the packages `lightning` and `pytorch_lightning`: entry points that add a callback to each."""
import os
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
    observed = os.environ.get("RANKSCOPE_RUN_DIR") and os.environ.get("RANKSCOPE_OBSERVER") != "off"
    made = make_callback(package) if observed and not process.is_started_by_rank() else None
    return _Unannounced() if made is None else _Unannounced([made])
