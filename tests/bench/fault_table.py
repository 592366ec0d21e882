#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how often planted faults were diagnosed rightly, as the table of docs/diagnosis.md.

usage: fault_table.py [--trainer FILE]... [--program FILE]... [--healthy-trainer FILE]... [--healthy-program FILE]...
                      [--update PAGE]

--trainer and --program name files of rows: for runs of our trainer, as `tests/bench/diagnosis --json FILE` writes them,
and for watched programs, as `tests/bench/watched_faults` does. A row needs `expected` (`cause`, `holders`), `found` (null, or `holders` and the list `cause`),
`rank` and `late` (seconds from when the fault could be known to its detection, or null). The others name files of healthy
runs: a list of objects with `hours` and `incidents` (the list of their causes). Without --update the tables are printed;
with it they replace those on the page, between the lines `<!-- fault table: trainer -->` or `<!-- fault table: program -->`
and `<!-- end of fault table -->`. What no file has is left out: a table never has a number that was not measured.
"""
import argparse
import json
import math
import pathlib
import re
import sys

KINDS = ("trainer", "program")
HEADER = ("| cause | planted | found | wrongly named | detected after (median) | detected after (95 %) |\n"
          "|---|---|---|---|---|---|\n")


def quantile(values, share):
    """Returns the smallest of the values that at least this share of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


class CauseCount:
    """The runs in which one cause was planted or named."""

    def __init__(self):
        self.planted = self.found = self.wrong = 0
        self.late = []

    def cells(self):
        """Returns the columns of the table; a dash stands for what was not measured."""
        late = [f"{quantile(self.late, share):.1f} s" for share in (0.5, 0.95)] if self.late else ["–", "–"]
        return [str(self.planted), str(self.found) if self.planted else "–", str(self.wrong), *late]


def counts_of(rows):
    """Returns the counts by cause. A cause is found if it is named on the right ranks, and alone."""
    counts = {}
    for row in rows:
        planted = row["expected"]["cause"]
        named = set(row["found"]["cause"]) if row["found"] else set()
        if planted != "none":
            count = counts.setdefault(planted, CauseCount())
            count.planted += 1
            if row["rank"] and named == {planted}:
                count.found += 1
                if row.get("late") is not None and math.isfinite(row["late"]):
                    count.late.append(max(0.0, row["late"]))
        for cause in named - {planted}:
            counts.setdefault(cause, CauseCount()).wrong += 1
    return counts


def alarms_of(healthy):
    """Returns the sentence about healthy runs; empty if there are none."""
    hours = sum(run["hours"] for run in healthy)
    if hours <= 0:
        return ""
    alarms = sum(len(run["incidents"]) for run in healthy)
    named = ", ".join(sorted({cause for run in healthy for cause in run["incidents"]}))
    return (f"\nFalse alarms: {24 * alarms / hours:.1f} per 24 hours ({alarms} in {hours:.1f} hours of healthy runs"
            f"{': ' + named if named else ''}).\n")


def table_of(rows, healthy):
    """Returns the table of one kind of run with the sentence on false alarms; empty if nothing was measured."""
    text = ""
    if rows:
        counts = counts_of(rows)
        text = HEADER
        for cause in sorted(counts):
            text += f"| `{cause}` | " + " | ".join(counts[cause].cells()) + " |\n"
        whole = CauseCount()
        for count in counts.values():
            whole.planted += count.planted
            whole.found += count.found
            whole.wrong += count.wrong
            whole.late += count.late
        text += "| all | " + " | ".join(whole.cells()) + " |\n"
    return text + alarms_of(healthy)


def read(files):
    """Returns the objects of all files, each of which is a list."""
    objects = []
    for file in files:
        content = json.loads(pathlib.Path(file).read_text())
        if not isinstance(content, list):
            raise ValueError(f"{file}: is not a list")
        objects += content
    return objects


def update(page, tables):
    """Replaces the tables on the page. Returns what is wrong with the page; empty: nothing."""
    text = page.read_text()
    for kind, table in tables.items():
        if not table:
            continue
        between = re.compile(rf"(<!-- fault table: {kind} -->\n).*?(<!-- end of fault table -->)", re.DOTALL)
        if not between.search(text):
            return f"{page}: has no place for the table: {kind}"
        inside = "\n" + table.strip() + "\n\n"
        text = between.sub(lambda found, new=inside: found.group(1) + new + found.group(2), text, count=1)
    page.write_text(text)
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for kind in KINDS:
        parser.add_argument(f"--{kind}", action="append", default=[], metavar="FILE",
                            help=f"rows of the fault matrix, {kind}")
        parser.add_argument(f"--healthy-{kind}", action="append", default=[], metavar="FILE",
                            help=f"healthy runs, {kind}")
    parser.add_argument("--update", default="", metavar="PAGE",
                        help="put the tables on this page instead of printing them")
    args = parser.parse_args()
    try:
        tables = {kind: table_of(read(getattr(args, kind)), read(getattr(args, f"healthy_{kind}"))) for kind in KINDS}
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"fault_table: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    if args.update:
        problem = update(pathlib.Path(args.update), tables)
        if problem:
            print(f"fault_table: {problem}", file=sys.stderr)
        return 1 if problem else 0
    for kind, table in tables.items():
        if table:
            print(f"{kind}\n\n{table}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
