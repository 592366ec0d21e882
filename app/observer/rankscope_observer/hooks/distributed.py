# SPDX-License-Identifier: Apache-2.0
"""The default process group: which rank this process is."""
import functools
import os
import sys
from urllib.parse import parse_qs, urlparse

from .. import guard, library, process, rank
from ..guard import hook


@hook
def install(module):
    """Installs the hooks in torch.distributed.distributed_c10d; torch itself may still be incomplete."""
    plain_rendezvous, plain_update = module.rendezvous, module._update_default_pg

    @functools.wraps(plain_rendezvous)
    def rendezvous(url, rank=-1, world_size=-1, **options):
        joining(url, rank, world_size)
        return plain_rendezvous(url, rank, world_size, **options)

    @functools.wraps(plain_update)
    def _update_default_pg(group):
        plain_update(group)
        joined(module, group)

    module.rendezvous, module._update_default_pg = rendezvous, _update_default_pg
    launched()


@hook
def launched():
    """torchrun's workers are ranks from the start."""
    identity = process.elastic_rank()
    if identity is not None and rank.open_rank(*identity):
        rank.training.enter(library.STARTUP)


@hook
def joining(url, number, world_size):
    """Called when init_process_group() is about to look for the other ranks."""
    if rank.open_rank(*_identity(url, number, world_size)):
        rank.training.lib.rs_stage(library.JOINING)
        rank.training.enter(library.RENDEZVOUS)


def _identity(url, number, world_size):
    parsed = urlparse(url)
    query = parse_qs(parsed.query)
    of_environment = parsed.scheme == "env"

    def known(given, name):
        if given >= 0:
            return given
        if name in query:
            return int(query[name][0])
        return process.number(name.upper()) if of_environment else -1

    return known(number, "rank"), known(world_size, "world_size")


@hook
def joined(module, group):
    """Called when the default process group was made or destroyed."""
    if group is None or module._world.pg_map[group][0] == "fake":
        return
    if not rank.open_rank(group.rank(), group.size()):
        return
    training = rank.training
    training.lib.rs_stage(library.RUNNING)
    training.enter(library.STARTUP)
    install_collectives()


@hook
def install_collectives():
    from .. import collectives

    torch = sys.modules["torch"]
    kernels = collectives.install(torch.distributed, torch, os.path.dirname(rank.training.lib.path))
    guard.note(library.INFO, f"collectives are seen by {kernels}")
