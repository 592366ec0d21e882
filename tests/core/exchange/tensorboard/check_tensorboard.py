# SPDX-License-Identifier: Apache-2.0
"""Reads event files with TensorBoard's own package and compares every point with what was stored.

    check_tensorboard.py FOLDER EXPECTED.json

EXPECTED: {"rank_0": {"train/loss": [[step, wall_time, value], ...], ...}, ...}; a value may be "nan". Exit code 77 if
TensorBoard is not installed, 1 if something differs."""
import json
import math
import struct
import sys

try:
    from tensorboard.backend.event_processing import event_accumulator, event_multiplexer
except ImportError as why:
    print(f"no tensorboard here: {why}")
    sys.exit(77)


def as_float(value):
    return math.nan if value == "nan" else struct.unpack("f", struct.pack("f", value))[0]


def differs(tag, wanted, points):
    if len(wanted) != len(points):
        return f"{tag}: {len(points)} points, {len(wanted)} were stored"
    for (step, wall, value), point in zip(wanted, points):
        value = as_float(value)
        same = value == point.value or (math.isnan(value) and math.isnan(point.value))
        if point.step != step or abs(point.wall_time - wall) > 1e-6 or not same:
            return f"{tag}: {point} where step {step}, time {wall}, value {value} was stored"
    return None


everything = {event_accumulator.SCALARS: 0, event_accumulator.TENSORS: 0}
multiplexer = event_multiplexer.EventMultiplexer(size_guidance=everything)
multiplexer.AddRunsFromDirectory(sys.argv[1])
multiplexer.Reload()
expected = json.load(open(sys.argv[2]))
runs = multiplexer.Runs()
problems = [] if set(runs) == set(expected) else [f"runs {sorted(runs)}, {sorted(expected)} were exported"]
points = 0
for run, series in expected.items():
    if run not in runs:
        continue
    has = set(runs[run]["scalars"])
    if has != set(series):
        problems.append(f"{run}: tags {sorted(has ^ set(series))} are in only one of both")
    for tag in has & set(series):
        found = multiplexer.Scalars(run, tag)
        points += len(found)
        problem = differs(f"{run} {tag}", series[tag], found)
        if problem:
            problems.append(problem)
print("\n".join(problems) if problems else f"{points} points are the same")
sys.exit(1 if problems else 0)
