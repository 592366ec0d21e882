# SPDX-License-Identifier: Apache-2.0
"""One process of observer_cost: repeats a piece of work each time it is asked to.

usage: observer_cost_program.py WORK REQUESTS ANSWERS [SETTING=VALUE...]

REQUESTS and ANSWERS are descriptors of pipes. Each line of REQUESTS asks for one more block of work, for the memory, or
for the time that the last block has spent in hooks of the observer. Each answer is a number: the CPU time of this thread
for one unit of the work in us, kB, or us. The first answer comes when the process is ready.
"""
import ctypes
import os
import re
import sys
import tempfile
import time
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
SETTINGS = dict(argument.split("=", 1) for argument in sys.argv[4:])


def setting(name, otherwise):
    return int(SETTINGS.get(name, otherwise))


class HookClock:
    """Adds up the time that this thread spends in hooks of the observer. Hooks that another hook calls count once."""

    def __init__(self):
        self._ns, self._depth, self._timed = 0, 0, set()

    def take(self):
        """Returns the ns since the last call, and includes the hooks that have been added since."""
        ns, self._ns = self._ns, 0
        for name, entry in sys.modules["rankscope_observer.guard"].HOOKS.items():
            if name not in self._timed:
                self._timed.add(name)
                entry.function = self._around(entry.function)
        return ns

    def _around(self, function):
        def timed(*args):
            self._depth += 1
            began_ns = time.perf_counter_ns()
            try:
                return function(*args)
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._ns += time.perf_counter_ns() - began_ns

        return timed


class Requests:
    """Answers requests until there are no more."""

    def __init__(self, requests, answers):
        self._requests, self._answers = os.fdopen(requests), os.fdopen(answers, "w", buffering=1)
        self._began_ns, self._hooks = None, HookClock()

    def next(self, units):
        """Ends a block of so many units, and waits for the next request. Returns whether there was one."""
        used_us = 0 if self._began_ns is None else (time.thread_time_ns() - self._began_ns) / 1000
        self._answer(used_us / units)
        while (line := self._requests.readline()) in ("memory\n", "hooks\n"):
            self._answer(private_kb() if line == "memory\n" else self._hooks.take() / 1000 / units)
        self._began_ns = time.thread_time_ns()
        return line != ""

    def _answer(self, number):
        print(number, file=self._answers)


def private_kb():
    """Returns the memory that no other process shares and that the kernel could not drop."""
    return int(re.search(r"Private_Dirty: *(\d+) kB", Path("/proc/self/smaps_rollup").read_text())[1])


def join():
    """Returns torch and torch.distributed, with a process group of one rank."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0", RANK="0", WORLD_SIZE="1", LOCAL_RANK="0")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    if "observer" in SETTINGS:
        watch_collectives(torch, dist, SETTINGS["observer"])
    return torch, dist


def watch_collectives(torch, dist, observer):
    """Opens the rank and registers the kernels of this observer, without any other of its hooks."""
    sys.path.insert(0, observer)
    from rankscope_observer import collectives, library

    lib = library.load()
    error = ctypes.create_string_buffer(256)
    identity = library.Identity(rank=0, world_size=1, local_rank=0, device=b"cpu")
    if lib.rs_open(SETTINGS["run"].encode(), ctypes.byref(identity), error, len(error)) != 0:
        raise RuntimeError(error.value.decode())
    print(collectives.install(dist, torch, observer), file=sys.stderr)


def network_of(torch, layers, size):
    """Returns a network in which each layer is a bucket of its own."""
    torch.distributed._DEFAULT_FIRST_BUCKET_BYTES = 1
    torch.manual_seed(1)
    parts = torch.nn.Sequential(*[torch.nn.Linear(size, size, bias=False) for _ in range(layers)])
    return torch.nn.parallel.DistributedDataParallel(parts, bucket_cap_mb=1e-6)


def repeat(requests, call, units, calls):
    """Serves requests for `calls` calls, each of which has `units` units of work."""
    for _ in range(3):
        call()
    while requests.next(units * calls):
        for _ in range(calls):
            call()


def call(requests):
    """An all-reduce of one element, called from Python."""
    torch, dist = join()
    value = torch.ones(1)
    repeat(requests, lambda: dist.all_reduce(value), 1, 512)


def bucket(requests):
    """A bucket of gradients, in backward of a network with many."""
    torch, _ = join()
    layers = 64
    network, batch = network_of(torch, layers, 1), torch.ones(1, 1)
    repeat(requests, lambda: network(batch).sum().backward(), layers, 8)


def ddp(requests):
    """A step of DDP with loader, loss and optimizer, and 30 buckets: about 5 ms."""
    torch, _ = join()
    size = 128
    network = network_of(torch, 30, size)
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    data = torch.utils.data.TensorDataset(torch.randn(1, size).expand(1 << 20, size), torch.ones(1 << 20))
    batches = iter(torch.utils.data.DataLoader(data, setting("batch", 16)))

    def step():
        inputs, _ = next(batches)
        loss = network(inputs).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    repeat(requests, step, 1, setting("steps", 10))


def callback_of(pl, requests, steps):
    """Returns a callback of Lightning that serves requests between steps."""

    class Requested(pl.Callback):
        def on_train_batch_start(self, trainer, module, batch, number):
            if number >= 4 and number % steps == 0 and not requests.next(steps):
                trainer.should_stop = True

    return Requested()


def lightning(requests):
    """A step of Lightning with DDP and a network of one layer."""
    import lightning.pytorch as pl
    import torch

    class Model(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(16, 16)

        def training_step(self, batch, number):
            loss = self.layer(batch[0]).square().mean()
            self.log("train_loss", loss)
            return loss

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.01)

    torch.set_num_threads(1)
    data = torch.utils.data.TensorDataset(torch.ones(1, 16).expand(1 << 20, 16), torch.ones(1 << 20))
    trainer = pl.Trainer(
        accelerator="cpu", devices=1, strategy="ddp", max_epochs=1, logger=False, enable_progress_bar=False,
        enable_checkpointing=False, enable_model_summary=False, callbacks=[callback_of(pl, requests, 20)])
    trainer.fit(Model(), torch.utils.data.DataLoader(data, 4))


def nemo(requests):
    """A step of NeMo's NEST pre-training."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nemo"))
    import collectives as recipes
    import lightning.pytorch as pl
    import torch
    from nemo.collections.asr.models.ssl_models import EncDecDenoiseMaskedTokenPredModel
    from nemo.utils import logging
    from omegaconf import OmegaConf

    logging.setLevel(logging.ERROR)
    torch.set_num_threads(1)
    recipes.SECONDS, recipes.UTTERANCES = setting("seconds", 2), 8
    with tempfile.TemporaryDirectory() as folder:
        path, manifest = Path(folder) / "recipe.yaml", recipes.write_data(Path(folder))
        manifest.write_text(manifest.read_text() * 1000)
        recipes.write_recipe(path, SETTINGS.get("variant", "layer_norm"), manifest, -1, "")
        recipe = OmegaConf.load(path)
        recipe.model.train_ds.batch_size = setting("batch", 1)
        settings = OmegaConf.to_container(recipe.trainer, resolve=True)
        del settings["val_check_interval"]
        settings.update(devices=1, limit_val_batches=0, logger=False, enable_checkpointing=False)
        trainer = pl.Trainer(**settings, callbacks=[callback_of(pl, requests, setting("steps", 4))])
        trainer.fit(EncDecDenoiseMaskedTokenPredModel(cfg=recipe.model, trainer=trainer))


if __name__ == "__main__":
    os.environ.update(OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="", GLOO_SOCKET_IFNAME="lo", HF_HUB_OFFLINE="1")
    works = {work.__name__: work for work in (call, bucket, ddp, lightning, nemo)}
    works[sys.argv[1]](Requests(int(sys.argv[2]), int(sys.argv[3])))
