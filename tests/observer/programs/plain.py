# SPDX-License-Identifier: Apache-2.0
"""A training loop with DistributedDataParallel and without a framework, as a user writes it.

usage: plain.py [workers=N] [context=fork|spawn] [accumulate=N] [fail=RANK] [scaler=1] [spawn=1] [bad_item=N]
                [slow_item=N] [overflow=N] [persistent=1] [epochs=N]
"""
import os
import sys
import time

import torch
import torch.distributed as dist
import weights
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

ITEMS, BATCH = 48, 4
OPTIONS = dict(argument.split("=") for argument in sys.argv[1:])


def option(name, otherwise=0):
    return int(OPTIONS.get(name, otherwise))


class Sounds(Dataset):
    """Random audio: item i has 100 + i samples."""

    def __len__(self):
        return ITEMS

    def __getitem__(self, index):
        if index == option("bad_item", -1):
            raise ValueError(f"item {index} is bad")
        if index == option("slow_item", -1):
            time.sleep(1000)
        generator = torch.Generator().manual_seed(index)
        return torch.randn(100 + index, generator=generator)


def pad(items):
    lengths = torch.tensor([len(item) for item in items])
    return torch.nn.utils.rnn.pad_sequence(items, batch_first=True), lengths


def make_loader():
    data, workers = Sounds(), option("workers")
    sampler = DistributedSampler(data, shuffle=False)
    context = OPTIONS.get("context") if workers else None
    return DataLoader(
        data,
        BATCH,
        sampler=sampler,
        collate_fn=pad,
        num_workers=workers,
        multiprocessing_context=context,
        persistent_workers=bool(option("persistent")),
    )


def train(network, loader):
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10, enabled=bool(option("scaler")))
    accumulate = option("accumulate", 1)
    for epoch in range(option("epochs", 2)):
        for number, (audio, lengths) in enumerate(loader):
            loss = network(audio[:, :64]).square().mean() / accumulate
            if option("overflow", -1) == number:
                loss = loss * float("inf")
            scaler.scale(loss).backward()
            if (number + 1) % accumulate == 0:
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
        evaluate(network, loader)
        torch.save(network.state_dict(), f"checkpoint-{dist.get_rank()}.pt")
        if option("fail", -1) == dist.get_rank():
            raise ValueError("no more data")


def evaluate(network, loader):
    network.eval()
    with torch.no_grad():
        for audio, lengths in loader:
            network(audio[:, :64])
    network.train()


def main(rank=None):
    if rank is None:
        dist.init_process_group("gloo")
    else:
        dist.init_process_group("gloo", f"file://{os.getcwd()}/store", rank=rank, world_size=2)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    network = DistributedDataParallel(layers)
    train(network, make_loader())
    weights.report(dist.get_rank(), network.parameters())
    dist.destroy_process_group()


if __name__ == "__main__":
    if option("spawn"):
        torch.multiprocessing.spawn(main, nprocs=2)
    else:
        main()
