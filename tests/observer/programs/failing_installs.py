# SPDX-License-Identifier: Apache-2.0
"""Trains with no place in torch where the observer could install its hooks."""
import sys

from rankscope_observer.hooks import backward, checkpoints, compiled, distributed, loaders, optimizers, regions  # noqa: F401
from rankscope_observer.guard import HOOKS


def fail(module):
    failed.append(module.__name__)
    raise ValueError("cannot be installed")


failed = []
for name, hook in HOOKS.items():
    if ".install" in name and "collectives" not in name:
        hook.function = fail

import torch  # noqa: E402
import torch.distributed.checkpoint  # noqa: E402, F401
import torch.distributed.fsdp.sharded_grad_scaler  # noqa: E402, F401

network = torch.nn.Linear(3, 1)
network(torch.ones(2, 3)).sum().backward()
torch.optim.SGD(network.parameters(), 1.0).step()
sys.stdout.write(" ".join(sorted(failed)))
