# SPDX-License-Identifier: Apache-2.0
"""A training loop of three ranks on Gloo that hangs or fails in the way SCENARIO names.

usage: hung_training.py SCENARIO   (under torchrun, or started by make_hangs.py)

Each batch has two collectives, as NeMo's recipe has: an all-reduce of one element, which is the longest length of all
ranks, and an all-reduce of the gradients. The batch in which the ranks part is BATCH_OF_TROUBLE, counted from 0.
"""
import os
import signal
import sys
import threading
import time
from datetime import timedelta

import torch
import torch.distributed as dist

BATCHES = 8
BATCH_OF_TROUBLE = 3
GRADIENTS = 4096
TIMEOUT_S = 3
PATIENCE_S = 3 * TIMEOUT_S  # of a rank that does nothing while the others wait
LIVE_S = 1.5  # after the ranks parted: they wait, and nobody has given up


def sync_length(length):
    longest = torch.tensor([length])
    dist.all_reduce(longest, op=dist.ReduceOp.MAX)
    return int(longest)


def backward(elements=GRADIENTS):
    gradients = torch.ones(elements)
    dist.all_reduce(gradients)
    return gradients


def sync_buffers():
    dist.broadcast(torch.ones(513), src=0)


def load_batch(scenario, rank, batch):
    if batch != BATCH_OF_TROUBLE:
        return
    if scenario == "rank_sleeps" and rank == 1:
        time.sleep(PATIENCE_S)
        leave()
    if scenario == "rank_killed" and rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)


def log_metric(rank):
    """The mistake: only one rank sees the metric, and asks all others for theirs."""
    if rank == 2:
        dist.broadcast(torch.ones(1), src=2)


def save_checkpoint(rank):
    """The mistake: the barrier is inside the condition."""
    if rank == 0:
        dist.barrier()
    else:
        time.sleep(PATIENCE_S)
        leave()


def training_step(scenario, rank, batch, other_group):
    trouble = batch == BATCH_OF_TROUBLE
    if scenario == "different_orders":
        if trouble and rank == 2:
            sync_buffers()
            sync_length(900 + batch)
        else:
            sync_length(900 + batch)
            sync_buffers()
    elif scenario == "groups_crossed":
        first, second = (other_group, None) if trouble and rank == 2 else (None, other_group)
        dist.all_reduce(torch.ones(257), group=first)
        dist.all_reduce(torch.ones(257), group=second)
    else:
        sync_length(900 + batch)
    grown = scenario == "different_sizes" and trouble and rank == 1
    backward(GRADIENTS + 512 if grown else GRADIENTS)
    if scenario == "extra_collective" and trouble:
        log_metric(rank)


def fit(scenario, rank):
    other_group = dist.new_group(timeout=timedelta(seconds=TIMEOUT_S)) if scenario == "groups_crossed" else None
    batches = BATCHES
    if scenario == "rank_exits_early" and rank == 2:
        batches = BATCH_OF_TROUBLE
    if scenario == "one_rank_only":
        batches = BATCH_OF_TROUBLE
    for batch in range(batches):
        if batch == BATCH_OF_TROUBLE:
            write_dumps_later()
        load_batch(scenario, rank, batch)
        training_step(scenario, rank, batch, other_group)
        done = batch + 1
        bar = "█" * done + " " * (BATCHES - done)
        print(f"Epoch 0: {100 * done // BATCHES:3d}%|{bar}| {done}/{BATCHES} [00:00<00:00, 19.5it/s]", flush=True)
    if scenario == "one_rank_only":
        write_dumps_later()
        save_checkpoint(rank)
    print("Training is done.", flush=True)


def write_dumps_later():
    timer = threading.Timer(LIVE_S, write_dumps, ["live"])
    timer.daemon = True
    timer.start()


def write_dumps(when="end"):
    if "DUMP_FOLDER" not in os.environ:
        return
    folder = os.path.join(os.environ["DUMP_FOLDER"], when)
    os.makedirs(folder, exist_ok=True)
    name = os.path.join(folder, f"nccl_trace_rank_{dist.get_rank()}")
    recorder = torch._C._distributed_c10d
    with open(name, "wb") as file:
        # Looking up the lines of code takes seconds, more than are left of the run while the ranks wait.
        file.write(recorder._dump_fr_trace(includeCollectives=True, includeStackTraces=when == "end", onlyActive=False))
    with open(name + ".json", "wb") as file:
        file.write(recorder._dump_fr_trace_json())


def leave():
    write_dumps()
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGTERM)  # as a scheduler ends what is left of a job


def main(scenario):
    dist.init_process_group("gloo", timeout=timedelta(seconds=TIMEOUT_S))
    try:
        fit(scenario, dist.get_rank())
    finally:
        write_dumps()


if __name__ == "__main__":
    main(sys.argv[1])
