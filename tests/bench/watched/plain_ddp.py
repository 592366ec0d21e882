# SPDX-License-Identifier: Apache-2.0
"""A training loop with DistributedDataParallel, for torchrun.

usage: plain_ddp.py folder=DIR [steps=N] [epochs=N] [workers=N] [fault=KIND …]
"""
import io
import os
import time

import torch
import torch.distributed as dist
from noise import Sounds, pad
from planted import OPTIONS, begins, has, option, pause
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

BATCH = 4


class SlowFile(io.BytesIO):
    """A file on a disk that takes long."""

    def write(self, data):
        if begins("slow_checkpoint", option("step")):
            time.sleep(option("seconds"))
        return super().write(data)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.front = torch.nn.Conv1d(1, 48, 400, stride=80)
        self.middle = torch.nn.Conv1d(48, 48, 9, padding=4)
        self.back = torch.nn.Linear(48, 8)

    def forward(self, audio):
        if self.training and begins("slow_compute", Network.step):
            time.sleep(option("seconds"))
        features = torch.relu(self.front(audio[:, None]))
        return self.back(torch.relu(self.middle(features)).mean(2))


def make_loader(steps):
    data = Sounds(steps * BATCH * dist.get_world_size())
    sampler = DistributedSampler(data, shuffle=False)
    if has("few_batches"):
        sampler = list(sampler)[: option("step") * BATCH]
    return DataLoader(data, BATCH, sampler=sampler, collate_fn=pad, num_workers=option("workers"))


def train(network, optimizer, loader):
    for step, (audio, lengths) in enumerate(loader):
        Network.step = step
        if begins("exception", step):
            raise ValueError("no speech in this batch")  # fault: exception
        if begins("extra_collective", step):
            dist.all_reduce(torch.ones(1))  # fault: extra_collective
        longest = torch.zeros(8 if begins("other_size", step) else 4)
        dist.all_reduce(longest, op=dist.ReduceOp.MAX)  # fault: other_size
        for _ in range(2 if begins("called_twice", step) else 1):
            dist.all_reduce(lengths)  # fault: called_twice
        pause()
        loss = network(audio).square().mean()
        if begins("not_finite", step):
            loss = loss * float("nan")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 12 and dist.get_rank() == 0:
            torch.save(network.state_dict(), SlowFile())


def main():
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    network = DistributedDataParallel(Network())
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.001)
    steps = option("steps", 40)
    for _ in range(option("epochs", 1)):
        train(network, optimizer, make_loader(steps))
        network.eval()
        with torch.no_grad():
            for audio, lengths in make_loader(2):
                network(audio)
        network.train()
        dist.barrier()
        torch.save(network.state_dict(), os.path.join(OPTIONS["folder"], f"rank{dist.get_rank()}.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
