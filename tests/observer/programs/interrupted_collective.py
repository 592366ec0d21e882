# SPDX-License-Identifier: Apache-2.0
"""A rank whose handler of a signal raises an exception while the observer looks for the purpose of a collective."""
import gc
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from rankscope_observer.collectives import tags


VALUE = torch.ones(1)  # that the group's thread frees it could block destroy_process_group() in some versions of PyTorch


class Stop(Exception):
    """What the program raises to leave its loop."""


def stop(number, frame):
    raise Stop("as the program asked")


def place_of(frame, plain=tags.place_of):
    os.kill(os.getpid(), signal.SIGUSR1)
    return plain(frame)


def main():
    dist.init_process_group("gloo")
    signal.signal(signal.SIGUSR1, stop)
    tags.place_of = place_of
    references = sys.getrefcount(VALUE)
    try:
        dist.all_reduce(VALUE)
        for _ in range(100000):
            pass
        print("not stopped")
    except Stop as error:
        print("stopped", error)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    # nothing waited for the collective: in PyTorch 2.11, the group's thread ends the process if it releases the tensor
    # after the interpreter has begun to end
    while sys.getrefcount(VALUE) > references:
        gc.collect()  # the exception's frames
        time.sleep(0.001)
    dist.destroy_process_group()


main()
