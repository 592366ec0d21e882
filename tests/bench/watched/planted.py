# SPDX-License-Identifier: Apache-2.0
"""The fault that a program of this folder is told to have, by its arguments: key=value.

  fault   its kind; watched_cases.py lists them
  rank    the rank that has it
  step    from which batch on
  sample  the item of the dataset that has it
  notes   the file into which the time is written at which it begins
  pause   how many ms each step sleeps, so that the machine has time for other work
"""
import os
import sys
import time

OPTIONS = dict(argument.split("=", 1) for argument in sys.argv[1:])
RANK = int(os.environ.get("RANK") or os.environ.get("LOCAL_RANK") or 0)


def option(name, otherwise=0):
    return int(OPTIONS.get(name, otherwise))


def has(fault):
    """Returns whether this rank has the fault."""
    return OPTIONS.get("fault") == fault and RANK == option("rank", -1)


def begins(fault, step):
    """Returns whether this rank has the fault in this step. Notes when it begins; it does so once."""
    return has(fault) and step == option("step", -1) and note()


def pause():
    time.sleep(option("pause") / 1000)


def is_slow(index):
    """Returns whether it takes long to read this item of the dataset."""
    return has("slow_sample") and index == option("sample", -1) and note()


def note():
    """Writes the time. Returns false if that was done before."""
    if os.path.exists(OPTIONS["notes"]):
        return False
    with open(OPTIONS["notes"], "w", encoding="ascii") as file:
        file.write(str(time.monotonic_ns()))
    return True
