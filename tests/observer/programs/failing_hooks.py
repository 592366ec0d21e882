# SPDX-License-Identifier: Apache-2.0
"""Trains again and again in one process, each time with another hook of the observer that raises.

usage: failing_hooks.py plain|lightning. Prints {hook: [times it raised, whether the result was the same]} as JSON.
"""
import importlib
import json
import os
import pkgutil
import sys
import warnings

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as sharded_checkpoint
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

import rankscope_observer
from rankscope_observer.guard import HOOKS

warnings.filterwarnings("ignore")


def import_hooks():
    for module in pkgutil.walk_packages(rankscope_observer.__path__, "rankscope_observer."):
        if ".collectives" not in module.name:
            importlib.import_module(module.name)
    rankscope_observer.hooks.compiled.STEPS = range(10**9)  # those of one process are numbered on


def state_of(network):
    return [weights.detach().clone() for weights in network.parameters()]


def loader():
    torch.manual_seed(0)
    return DataLoader(TensorDataset(torch.randn(12, 5), torch.arange(1, 13)), 4)


def train_plain():
    store = os.path.abspath("store")
    dist.init_process_group("gloo", f"file://{store}", rank=0, world_size=1)
    torch.manual_seed(1)
    network = DistributedDataParallel(torch.nn.Linear(5, 3))
    optimizer, scaler = torch.optim.Adam(network.parameters()), torch.amp.GradScaler("cpu", init_scale=16.0)
    with torch.profiler.record_function("FSDP::root_pre_forward"):  # as fully_shard() does
        pass
    for inputs, lengths in loader():
        scaler.scale(network(inputs).square().mean()).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    with torch.no_grad():
        for inputs, lengths in loader():
            network(inputs)
    torch.save(network.state_dict(), "checkpoint.pt")
    sharded_checkpoint.save(network.state_dict(), checkpoint_id="sharded", no_dist=True)
    try:
        try:
            [][1]
        except IndexError:
            sys.exit(3)
    except SystemExit as left:
        assert left.code == 3
    dist.destroy_process_group()
    os.unlink(store)
    return state_of(network)


def train_lightning():
    import lightning.pytorch as pl

    class Model(pl.LightningModule):
        def __init__(self):
            super().__init__()
            torch.manual_seed(1)
            self.layer = torch.nn.Linear(5, 3)

        def training_step(self, batch, number):
            if number == 2 and fails:
                raise ValueError("no more")
            return self.layer(batch[0]).square().mean()

        def validation_step(self, batch, number):
            self.log("val_loss", self.layer(batch[0]).square().mean())

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters())

    model = Model()
    for fails in (False, True):
        trainer = pl.Trainer(
            accelerator="cpu",
            max_steps=5,
            logger=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            default_root_dir="lightning",
        )
        try:
            trainer.fit(model, loader(), loader())
        except ValueError:
            assert fails
    return state_of(model)


def fail_each(train):
    expected, results = train(), {}
    for name, hook in HOOKS.items():
        raised = []

        def fail(*arguments):
            raised.append(arguments)
            raise ValueError("a hook fails")

        plain, hook.function = hook.function, fail
        state = train()
        same = len(state) == len(expected) and all(map(torch.equal, state, expected))
        results[name] = [len(raised), same]
        hook.function, hook.is_on = plain, True
    return results


if __name__ == "__main__":
    torch.set_num_threads(1)
    import_hooks()
    json.dump(fail_each({"plain": train_plain, "lightning": train_lightning}[sys.argv[1]]), sys.stdout)
