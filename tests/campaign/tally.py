# SPDX-License-Identifier: Apache-2.0
"""Adds up what was done and what was found to be wrong, and prints it as tables."""
from collections import Counter
from dataclasses import dataclass, field

FINDINGS = {"lost": "records lost", "twice": "records twice", "orphan": "orphans", "end": "wrong ends",
            "checkpoint": "damaged checkpoints", "rest": "files left", "mode": "open modes", "resume": "not resumable",
            "loss": "other losses", "other": "anything else"}


@dataclass
class Tally:
    counts: Counter = field(default_factory=Counter)    # (scene, what)
    findings: Counter = field(default_factory=Counter)  # (scene, kind)
    problems: list = field(default_factory=list)

    def count(self, scene, what, n=1):
        self.counts[scene, what] += n

    def find(self, scene, kind, text, n=1):
        assert kind in FINDINGS
        self.findings[scene, kind] += n
        self.problems.append(f"{scene}: {FINDINGS[kind]}: {text}")

    def add(self, other):
        self.counts.update(other.counts)
        self.findings.update(other.findings)
        self.problems.extend(other.problems)

    def sum(self, what):
        return sum(n for (_, w), n in self.counts.items() if w == what)


def table(head, rows):
    """Returns a Markdown table with aligned columns."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths)) + " |" for row in [head, *rows]]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


VICTIMS = {"supervisor": "supervisor", "rank": "rank", "all ranks": "all ranks", "window": "window",
           "command": "commands"}


def kill_tables(tally, scenes):
    """Returns tables of what was killed when, and of what the oracles found."""
    def row(scene):
        names = [scene] if scene != "in all" else scenes
        take = lambda source, what: sum(source[s, what] for s in names)
        kills = [take(tally.counts, "killed " + v) for v in VICTIMS]
        return names, kills, take

    first, second = [], []
    for scene in [*scenes, "in all"]:
        _, kills, take = row(scene)
        first.append([scene, sum(kills), *kills])
        found = [take(tally.findings, kind) for kind in FINDINGS]
        second.append([scene, take(tally.counts, "runs"), take(tally.counts, "records"), *found])
    return "\n\n".join([
        table(["kill -9 during", "kills", *VICTIMS.values()], first),
        table(["found in runs killed during", "runs", "records", *FINDINGS.values()], second)])


def condition_table(tally, deeds):
    """Returns tables of what was done to runs under random conditions, and of what the oracles found."""
    count = lambda what: tally.counts["conditions", what]
    first = table(["trials", "runs", "refused launches", "records", "looks", "strangers' folders"],
                  [[count(w) for w in ("trials", "runs", "refused", "records", "looks", "strangers")]])
    second = table(list(deeds), [[count(deed) for deed in deeds]])
    third = table(list(FINDINGS.values()), [[tally.findings["conditions", kind] for kind in FINDINGS]])
    return "\n\n".join([first, second, third])
