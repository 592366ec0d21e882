# SPDX-License-Identifier: Apache-2.0
"""Which processes are ranks. Those that a rank starts or forks, such as its loader workers, are not."""
import os
import sys

MARK = "RANKSCOPE_OBSERVED"
"""In the environment of what a rank starts: the process ID of the rank."""

WORLD_SIZES = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE")
LOCAL_RANKS = ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID")


def is_off():
    return not os.environ.get("RANKSCOPE_RUN_DIR") or os.environ.get("RANKSCOPE_OBSERVER") == "off"


def is_started_by_rank():
    own = str(os.getpid())
    return os.environ.get(MARK, own) != own


def mark_as_rank():
    os.environ[MARK] = str(os.getpid())


def number(name, otherwise=-1):
    """Returns an environment variable as a number."""
    try:
        return int(os.environ.get(name, otherwise))
    except ValueError:
        return otherwise


def elastic_rank():
    """Returns (rank, world size) as torchrun gives them to its workers; None in any other process."""
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        return None
    rank, world_size = number("RANK"), number("WORLD_SIZE")
    return (rank, world_size) if 0 <= rank < world_size else None


def local_rank(rank):
    return next((number(name) for name in LOCAL_RANKS if number(name) >= 0), rank)


def is_multiprocessing_child():
    """Whether Python's multiprocessing started this process, by fork, spawn or its server."""
    multiprocessing = sys.modules.get("multiprocessing.process")
    return multiprocessing is not None and multiprocessing.parent_process() is not None


def may_train_alone():
    """Whether a process without a process group can be the only rank."""
    return not is_multiprocessing_child() and all(number(name, 1) <= 1 for name in WORLD_SIZES)
