# SPDX-License-Identifier: Apache-2.0
"""A training loop with FullyShardedDataParallel or fully_shard on two CPU ranks.

usage: fsdp.py [version=1|2] [workers=N] [context=fork|spawn] [spawn=1]
"""
import os
import sys

import torch
import torch.distributed as dist
import weights
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

OPTIONS = dict(argument.split("=") for argument in sys.argv[1:])


def make_loader():
    generator = torch.Generator().manual_seed(7)
    data = TensorDataset(torch.randn(32, 8, generator=generator), torch.randn(32, 1, generator=generator))
    workers = int(OPTIONS.get("workers", 0))
    context = OPTIONS.get("context") if workers else None
    sampler = DistributedSampler(data)
    return DataLoader(data, 4, sampler=sampler, num_workers=workers, multiprocessing_context=context)


def shard(network):
    if OPTIONS.get("version", "1") == "1":
        from torch.distributed.fsdp import FullyShardedDataParallel

        return FullyShardedDataParallel(network, device_id=torch.device("cpu"))
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cpu", (2,))
    for layer in [*network, network]:
        fully_shard(layer, mesh=mesh)
    return network


def train(network, loader):
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    for epoch in range(2):
        loader.sampler.set_epoch(epoch)
        for inputs, targets in loader:
            torch.nn.functional.mse_loss(network(inputs), targets).backward()
            optimizer.step()
            optimizer.zero_grad()
        with torch.no_grad():
            for inputs, targets in loader:
                network(inputs)


def main(rank=None):
    if rank is None:
        dist.init_process_group("gloo")
    else:
        dist.init_process_group("gloo", f"file://{os.getcwd()}/store", rank=rank, world_size=2)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers = torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
    network = shard(torch.nn.Sequential(*layers))
    train(network, make_loader())
    weights.report(dist.get_rank(), network.parameters())
    dist.destroy_process_group()


if __name__ == "__main__":
    if OPTIONS.get("spawn"):
        torch.multiprocessing.spawn(main, nprocs=2)
    else:
        main()
