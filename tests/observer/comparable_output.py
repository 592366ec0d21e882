# SPDX-License-Identifier: Apache-2.0
"""Makes the outputs of two runs of a program comparable: only what differs between any two runs is replaced.

- Several ranks write to the same pipe, so lines are compared without their order.
- Of a progress bar only its last state is kept, without times and speeds: how often it is drawn depends on the clock,
  and it may share a line with what another rank writes.
- Times of day, durations, speeds, process IDs and ports.
- Gloo's lines on its connections are left out: its threads write them at any time, also into another line.
"""
import re

# description, percent, done/total, what is in brackets
_BAR = re.compile(r"([^\r\n|]*?)(?:(\d+)%)?\|[^\r\n|]*\| *(\d+/(?:\d+|\?)) \[([^\]\r\n]*)\]")
_REPLACED = (
    # a date with a time, as NeMo and Python's logging write it
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?"), "TIME"),
    # the prefix of PyTorch's and glog's lines: severity, day, time of day and, but for PyTorch's C++, the process ID
    (re.compile(r"\b([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+\s+(?:\d+ )?"), r"\1 TIME "),
    # durations and speeds in the summary of Hugging Face's Trainer
    (re.compile(r"('\w+_(?:runtime|per_second)': )'?[\d.e+-]+'?"), r"\1NUMBER"),
    # tqdm: elapsed and remaining time, and speed
    (re.compile(r"^[\d:]+<[\d:?]+, +[\d.?]+(?:it/s|s/it)"), "…"),
    # Lightning's bar with rich: the same in other words
    (re.compile(r"\d+:\d\d:\d\d • [-:\d]+ +[\d.]+(?:it/s|s/it)"), "…"),
)
# With the line end, so that what they cut in two is joined again. The second number is usually the first one, whatever
# digits follow it.
_CONNECTIONS = re.compile(
    r"\[Gloo\] Rank \d+ is connected to (\d+) peer ranks\. Expected number of connected peer ranks is : (?:\1|\d+)\n?"
)
_OTHERS_OF_GLOO = re.compile(r"\[Gloo\] [^\r\n]*\n?")


def _without_gloo(output):
    found = True
    while found:  # one may be inside another one
        output, found = _CONNECTIONS.subn("", output)
    return _OTHERS_OF_GLOO.sub("", output)


def _without_times(line):
    for pattern, replacement in _REPLACED:
        line = pattern.sub(replacement, line)
    return line


def _bars(output):
    """Returns the last state of each progress bar that was completed, sorted."""
    found = {}
    for description, percent, count, rest in _BAR.findall(output):
        if percent == "100":
            found[description.strip(), count] = _without_times(rest)
    return sorted(f"{description} {count} {rest}" for (description, count), rest in found.items())


def comparable(output):
    """Returns the bars and lines of an output that can be compared, sorted."""
    output = _without_gloo(output.replace("\x1b[A", ""))
    lines = re.split(r"[\r\n]", _BAR.sub("\n", output))
    return _bars(output) + sorted(_without_times(line).rstrip() for line in lines if line.strip())
