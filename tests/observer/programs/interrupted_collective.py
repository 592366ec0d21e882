# SPDX-License-Identifier: Apache-2.0
"""A rank whose handler of a signal raises an exception while the observer looks for the purpose of a collective."""
import os
import signal

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
    try:
        dist.all_reduce(VALUE)
        for _ in range(100000):
            pass
        print("not stopped")
    except Stop as error:
        print("stopped", error)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    dist.destroy_process_group()


main()
