# SPDX-License-Identifier: Apache-2.0
"""What it costs to see a collective: CPU time of the calling thread, unwatched, with C++ and with Python kernels.

usage: collective_cost.py OBSERVER [ROUNDS]

OBSERVER is the folder with rankscope_observer and the native libraries. Each figure is of a process of one rank on Gloo
and the best of many short loops; the processes of the three kinds alternate. `frames`: all_reduce from Python, whose
purpose is found by its frames; `tag`: the same with a tag set; `bucket`: a DDP step with 64 buckets, per bucket.
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time

LOOPS, CALLS, BUCKETS = 80, 128, 64
KINDS = ("plain", "native", "python")


def per_call(call, calls):
    """Returns the least CPU time of a call, in microseconds."""
    best = float("inf")
    for _ in range(LOOPS):
        begin = time.thread_time_ns()
        for _ in range(calls):
            call()
        best = min(best, time.thread_time_ns() - begin)
    return best / calls / 1000


def watch(observer, run, libraries):
    """Opens the rank and registers the kernels. Returns the rank's library."""
    import torch
    import torch.distributed as dist
    sys.path.insert(0, observer)
    from rankscope_observer import collectives, library
    lib = library.load()
    error = ctypes.create_string_buffer(256)
    identity = library.Identity(rank=0, world_size=1, local_rank=0, device=b"cpu")
    if lib.rs_open(run.encode(), ctypes.byref(identity), error, len(error)) != 0:
        raise RuntimeError(error.value.decode())
    print(collectives.install(dist, torch, libraries), file=sys.stderr)
    return lib


def measure(kind, observer, run):
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0", RANK="0", WORLD_SIZE="1")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    lib = watch(observer, run, observer if kind == "native" else run) if kind != "plain" else None
    value = torch.ones(1)

    def all_reduce():
        dist.all_reduce(value)

    figures = {"frames": per_call(all_reduce, CALLS)}
    if lib:
        lib.rs_tag(b"metrics")
    figures["tag"] = per_call(all_reduce, CALLS)
    if lib:
        lib.rs_untag()
    layers = torch.nn.Sequential(*[torch.nn.Linear(1, 1, bias=False) for _ in range(BUCKETS)])
    model = torch.nn.parallel.DistributedDataParallel(layers, bucket_cap_mb=1e-6)
    batch = torch.ones(1, 1)

    def backward():
        model(batch).sum().backward()

    backward()
    figures["bucket"] = per_call(backward, CALLS // BUCKETS) / BUCKETS
    print(json.dumps(figures))
    dist.destroy_process_group()


def main(observer, rounds="5"):
    measured = {kind: [] for kind in KINDS}
    for _ in range(int(rounds)):
        for kind in KINDS:
            with tempfile.TemporaryDirectory() as run:
                done = subprocess.run(
                    [sys.executable, __file__, "--measure", kind, observer, run], stdout=subprocess.PIPE, check=True)
            measured[kind].append(json.loads(done.stdout.splitlines()[-1]))
    for path in ("frames", "tag", "bucket"):
        plain = min(figures[path] for figures in measured["plain"])
        line = "  ".join(f"{kind} {min(figures[path] for figures in measured[kind]):6.2f}" for kind in KINDS)
        more = "  ".join(f"{kind} +{min(f[path] for f in measured[kind]) - plain:.2f}" for kind in KINDS[1:])
        print(f"{path:8} us: {line}   {more}")


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        measure(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
