# SPDX-License-Identifier: Apache-2.0
"""Makes the outputs of two runs of a program comparable: only what differs between any two runs is replaced.

- Several ranks write to the same pipe, so lines are compared without their order.
- Of a progress bar only its last state is kept, without times and speeds: how often it is drawn depends on the clock.
- Times of day, durations, speeds, process IDs and ports.
"""
import re

_BAR = re.compile(r"(\d+)%\|.*?\|\s*\d+/(\d+|\?)|\|\s*\d+/\d+ \[")
_REPLACED = (
    # a date with a time, as NeMo and Python's logging write it
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?"), "TIME"),
    # the prefix of PyTorch's and glog's lines: severity, day, time of day, process ID
    (re.compile(r"\b([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ "), r"\1 TIME PID "),
    # durations and speeds in the summary of Hugging Face's Trainer
    (re.compile(r"('\w+_(?:runtime|per_second)': )'?[\d.e+-]+'?"), r"\1NUMBER"),
    # tqdm: elapsed and remaining time, and speed
    (re.compile(r"\[[\d:]+<[\d:?]+, +[\d.?]+(?:it/s|s/it)"), "[…"),
    # Lightning's bar with rich: the same in other words
    (re.compile(r"\d+:\d\d:\d\d • [-:\d]+ +[\d.]+(?:it/s|s/it)"), "…"),
)


def _without_times(line):
    for pattern, replacement in _REPLACED:
        line = pattern.sub(replacement, line)
    return line


def comparable(output):
    """Returns the lines of an output that can be compared, sorted."""
    bars, lines = set(), []
    for part in re.split(r"[\r\n]", output.replace("\x1b[A", "")):
        if _BAR.search(part):
            bars.add(_without_times(part).strip())
        elif part.strip():
            lines.append(_without_times(part).rstrip())
    return sorted(bar for bar in bars if "100%" in bar) + sorted(lines)
