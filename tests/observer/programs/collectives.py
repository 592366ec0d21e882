# SPDX-License-Identifier: Apache-2.0
"""One of two ranks on Gloo that calls each collective of PyTorch in several ways, and trains a small model with DDP.

usage: collectives.py   (under torchrun)

Rank 0 prints what was computed as JSON: a hash of the weights, and the result or error of each call.
"""
import hashlib
import json

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional

STEPS = 4


class GroupNorm(torch.autograd.Function):
    """As SyncBatchNorm: gathers in forward and reduces in backward, in a group of its own."""

    @staticmethod
    def forward(context, values, group):
        context.group = group
        means = [torch.empty(1), torch.empty(1)]
        dist.all_gather(means, values.detach().mean().reshape(1), group=group)
        return values - sum(means) / 2

    @staticmethod
    def backward(context, gradient):
        mean = gradient.mean().reshape(1)
        dist.all_reduce(mean, group=context.group)
        return gradient - mean / 2, None


class Model(torch.nn.Module):
    def __init__(self, group):
        super().__init__()
        self.first = torch.nn.Linear(16, 64)
        self.norm = torch.nn.BatchNorm1d(64)
        self.second = torch.nn.Linear(64, 32)
        self.unused = torch.nn.Linear(8, 8)
        self.last = torch.nn.Linear(32, 1)
        self.group = group

    def forward(self, batch):
        hidden = torch.relu(self.norm(self.first(batch)))
        return self.last(GroupNorm.apply(self.second(hidden), self.group)).square().mean()


def train(group):
    """Returns a hash of the weights after a few steps."""
    torch.manual_seed(7)
    model = torch.nn.parallel.DistributedDataParallel(
        Model(group), bucket_cap_mb=0.005, find_unused_parameters=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(100 + dist.get_rank())
    for _ in range(STEPS):
        model(torch.randn(8, 16)).backward()
        optimizer.step()
        optimizer.zero_grad()
    total = hashlib.sha256()
    for value in model.state_dict().values():
        total.update(value.numpy().tobytes())
    return total.hexdigest()


def averages_in_hook():
    """A loss whose gradients are averaged by a hook of the program's own."""
    weight = torch.nn.Parameter(torch.ones(3))
    weight.register_hook(lambda gradient: (dist.all_reduce(gradient), gradient)[1])
    weight.sum().backward()
    return weight.grad


def messages():
    rank = dist.get_rank()
    value = torch.full((5,), float(rank))
    if rank == 0:
        dist.send(value, 1)
        dist.isend(value, 1, tag=3).wait()
    else:
        dist.recv(value, 0)
        dist.irecv(value, 0, tag=3).wait()
    return value


def calls(group):
    """Returns the calls by name. Each returns a tensor, or fails with the same error watched and unwatched."""
    rank = dist.get_rank()

    def ones(*shape):
        return torch.ones(*shape) * (rank + 1)

    def into(call, output, *arguments, **options):
        call(output, *arguments, **options)
        return output if isinstance(output, torch.Tensor) else torch.cat([value.flatten() for value in output])

    def objects():
        gathered = [None, None]
        dist.all_gather_object(gathered, {"rank": rank})
        return torch.tensor([element["rank"] for element in gathered])

    return {
        "all_reduce": lambda: into(dist.all_reduce, ones(7)),
        "all_reduce_bfloat16": lambda: into(dist.all_reduce, ones(7).bfloat16()).float(),
        "all_reduce_async": lambda: reduced_later(dist.all_reduce, ones(8)),
        "all_reduce_group": lambda: into(dist.all_reduce, ones(9), group=group),
        "all_reduce_sparse": lambda: into(dist.all_reduce, torch.eye(3).to_sparse()).to_dense(),
        "all_reduce_coalesced": lambda: into(dist.all_reduce_coalesced, [ones(2), ones(3)]),
        "functional": lambda: functional.all_reduce(ones(6), "sum", group).clone(),
        "broadcast": lambda: into(dist.broadcast, ones(2, 3), src=0),
        "reduce": lambda: reduced(ones(4)),
        "all_gather": lambda: into(dist.all_gather, [torch.empty(3), torch.empty(3)], ones(3)),
        "all_gather_into_tensor": lambda: into(dist.all_gather_into_tensor, torch.empty(6), ones(3)),
        "reduce_scatter": lambda: into(dist.reduce_scatter, torch.empty(3), [ones(3), ones(3)]),
        "reduce_scatter_tensor": lambda: into(dist.reduce_scatter_tensor, torch.empty(3), ones(6)),
        "gather": lambda: dist.gather(ones(3), [torch.empty(3), torch.empty(3)] if rank == 0 else None, dst=0),
        "scatter": lambda: into(dist.scatter, torch.empty(2), [ones(2), ones(2)] if rank == 0 else None, src=0),
        "all_to_all_single": lambda: into(dist.all_to_all_single, torch.empty(4), ones(4)),
        "barrier": lambda: dist.barrier(),
        "monitored_barrier": lambda: dist.monitored_barrier(),
        "wrong_size": lambda: into(dist.all_gather, [torch.empty(3), torch.empty(2)], ones(3)),
        "objects": objects,
        "messages": messages,
        "hook": averages_in_hook,
        "inference": lambda: in_inference_mode(lambda: into(dist.all_reduce, ones(5))),
    }


def reduced(value):
    dist.reduce(value, dst=1)
    return value if dist.get_rank() == 1 else None


def reduced_later(call, value):
    work = call(value, async_op=True)
    work.wait()
    return value


def in_inference_mode(call):
    with torch.inference_mode():
        return call().clone()


def result_of(call):
    try:
        value = call()
        return value.tolist() if isinstance(value, torch.Tensor) else None
    except (RuntimeError, ValueError, NotImplementedError) as error:
        return "%s: %s" % (type(error).__name__, str(error).splitlines()[0])


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    group = dist.new_group([0, 1])
    alone = [dist.new_group([0]), dist.new_group([1])][dist.get_rank()]
    results = {"weights": train(group), "alone": result_of(lambda: dist.all_reduce(torch.ones(3), group=alone))}
    for name, call in calls(group).items():
        results[name] = result_of(call)
    gathered = [None, None]
    dist.all_gather_object(gathered, results)
    if dist.get_rank() == 0:
        print(json.dumps(gathered))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
