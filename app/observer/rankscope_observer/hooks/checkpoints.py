# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: what torch.save and torch.distributed.checkpoint write."""
import weakref

from ..guard import hook
from ..rank import training_hook
from .access import OnAccess

_open = set()  # weak references to what ends with a checkpoint


@hook
def install(module):
    """Installs the hook in torch.serialization."""
    for name in ("_open_zipfile_writer_file", "_open_zipfile_writer_buffer"):
        writer = getattr(module, name)
        writer.__enter__ = OnAccess(writer.__enter__, opened)


@hook
def install_sharded(module):
    """Installs the hooks in torch.distributed.checkpoint."""
    plain = module._profile

    def _profile():
        manager = plain()
        opened(manager)
        return manager

    module._profile = _profile


@training_hook
def opened(training, context):
    """A checkpoint begins, and ends when the context manager ceases to exist."""
    before = training.begin_checkpoint()

    def ceased(reference):
        _open.discard(reference)
        closed(before)

    _open.add(weakref.ref(context, ceased))


@training_hook
def closed(training, before):
    training.end_checkpoint(before)
