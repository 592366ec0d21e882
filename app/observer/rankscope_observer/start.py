# SPDX-License-Identifier: Apache-2.0
"""Waits for the modules of torch in which the observer has hooks. Imports nothing else before."""
import importlib
import sys

from . import guard, process
from .imports import ImportWatcher

ACTIONS = {
    "torch.distributed.distributed_c10d": "distributed.install",
    "torch.autograd.profiler": "regions.install",
    "torch.autograd.variable": "backward.install",
    "torch.optim.optimizer": "optimizers.install",
    "torch.amp.grad_scaler": "optimizers.install_scaler",
    "torch.distributed.fsdp.sharded_grad_scaler": "optimizers.install_sharded_scaler",
    "torch.utils.data.dataloader": "loaders.install",
    "torch.serialization": "checkpoints.install",
    "torch.distributed.checkpoint.state_dict_saver": "checkpoints.install_sharded",
    "torch.cuda.graphs": "compiled.install",
}


def _action(place):
    module_name, function_name = place.split(".")

    def act(module):
        try:
            function = getattr(importlib.import_module(f"{__package__}.hooks.{module_name}"), function_name)
        except Exception as error:
            guard.say(f"{module_name} is not observed: {error!r}")
            return
        function(module)

    return act


def begin():
    """Called at Python's start if RANKSCOPE_RUN_DIR is set: by sitecustomize, or by the wheel's .pth file, or by both."""
    has_begun = any(isinstance(finder, ImportWatcher) for finder in sys.meta_path)
    if not (has_begun or process.is_off() or process.is_started_by_rank()):
        sys.meta_path.insert(0, ImportWatcher({name: _action(place) for name, place in ACTIONS.items()}))
