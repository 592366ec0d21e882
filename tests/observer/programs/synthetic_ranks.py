# SPDX-License-Identifier: Apache-2.0
"""Ranks that train nothing, without torch: a launcher that starts each in a session of its own, as torchrun does, and
waits for them. Each has two loader workers, forked processes that ignore SIGTERM, and meets the others once per step.

usage: synthetic_ranks.py FOLDER RANKS STEPS [MILLISECONDS]
FOLDER/counts: for each rank, the number of steps that it began to record, that it has recorded, and that it reached.
"""
import ctypes
import mmap
import os
import signal
import struct
import subprocess
import sys
import time

CELL = struct.Struct("@qqq")
"""Begun, recorded, reached."""


class Counts:
    """A file that all ranks map; what is in it outlives them."""

    def __init__(self, folder, ranks):
        path = os.path.join(folder, "counts")
        self.ranks = ranks
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), CELL.size * ranks)

    def put(self, rank, field, value):
        struct.pack_into("@q", self.map, CELL.size * rank + 8 * field, value)

    def reached(self):
        return min(struct.unpack_from("@q", self.map, CELL.size * rank + 16)[0] for rank in range(self.ranks))


def start_workers():
    for _ in range(2):
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                time.sleep(1000)


def meet(counts, number, step):
    """The step's all-reduce: nobody passes before all are there."""
    counts.put(number, 2, step + 1)
    while counts.reached() <= step:
        time.sleep(0.002)


def train(number, ranks, folder, steps, seconds):
    from rankscope_observer import library, rank

    counts = Counts(folder, ranks)
    rank.open_rank(number, ranks)
    lib = library.load()
    lib.rs_stage(library.RUNNING)
    world = lib.rs_group(b"0", b"none", (ctypes.c_int32 * ranks)(*range(ranks)), ranks)
    start_workers()
    for step in range(steps):
        if step >= lib.rs_stop_at_step():
            rank.ending.training_stopped()
            return
        begin = lib.rs_now()
        lib.rs_step_begin(step, 0)
        lib.rs_phase(library.FORWARD)
        time.sleep(seconds)
        lib.rs_phase(library.BACKWARD)
        handle = lib.rs_enter(world, 0, 6, 1000, b"gradient:0", 1)
        lib.rs_handed(handle)
        meet(counts, number, step)
        lib.rs_done(handle, 0)
        counts.put(number, 0, step + 1)
        facts = library.StepFacts(step, 0, 0, 1.0, 0.1, library.NAN, begin, lib.rs_now(), 0)
        lib.rs_step_end(ctypes.byref(facts))
        counts.put(number, 1, step + 1)


def launch(arguments, folder, ranks):
    with open(os.path.join(folder, "counts"), "wb") as file:
        file.write(bytes(CELL.size * ranks))
    children = [
        subprocess.Popen([sys.executable, "-B", __file__, *arguments],
                         env=dict(os.environ, RANK=str(rank), WORLD_SIZE=str(ranks)), start_new_session=True)
        for rank in range(ranks)
    ]
    print("started", flush=True)
    codes = [child.wait() for child in children]
    sys.exit(max(abs(code) for code in codes))


def main():
    folder, ranks, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    seconds = float(sys.argv[4]) / 1000 if len(sys.argv) > 4 else 0.002
    if "RANK" in os.environ:
        train(int(os.environ["RANK"]), ranks, folder, steps, seconds)
    else:
        launch(sys.argv[1:], folder, ranks)


if __name__ == "__main__":
    main()
