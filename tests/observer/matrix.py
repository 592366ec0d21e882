#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs real programs without and with the observer, and checks that it has changed nothing and seen all.

usage: matrix.py [--only REGEX]... [--list] [--keep FOLDER] [--timeout SECONDS] [PYTHON]...

PYTHON: interpreters with different versions of torch and other packages; by default that which runs this and, if it
is set, RANKSCOPE_NEMO_PYTHON.
--only: lines of the table that match; --keep: where outputs and records of lines that fail are kept.
RANKSCOPE_OBSERVER_DIR: the observer's folder, by default that of the build.

A line is a program, started in one way (matrix_lines.py), with the packages of a Python. It passes if both runs have
the same weights bit for bit, the same exit code and output (comparable_output.py), if all members of each process
group recorded the same collectives, and if no record is malformed or dropped and no hook is off. The table says so;
the exit code is 1 if a line fails, and 2 if none matches.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import matched_collectives
import observed
from comparable_output import comparable
from matrix_lines import LINES

PACKAGES = sorted({name for line in LINES for name in line.needs})
VERSIONS = f"""
import importlib.metadata, json
found = {{}}
for name in {PACKAGES!r}:
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""
WEIGHTS = re.compile(r"rank \d+: weights [0-9a-f]{64}")
RANKSCOPECTL = observed.OBSERVER.parents[2] / "bin/rankscopectl"
FORMAT = "{:24} {:8} {:10} {:>7} {:6} {}"
FINISHED = 0
PHASES = {"data_wait", "forward", "backward", "optimizer"}
"""What each program does in its steps."""


def versions_of(python):
    """Returns the versions of the packages that a Python has."""
    ran = subprocess.run([python, "-c", VERSIONS], capture_output=True, text=True, check=True)
    return {name: version.split("+")[0] for name, version in json.loads(ran.stdout).items()}


def run(command, folder, run_folder, timeout):
    """Runs a command in a new folder `work`. Returns exit code, output and errors."""
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    outputs = folder / "out", folder / "err"  # files: what a program leaves behind may keep a pipe open
    with outputs[0].open("wb") as out, outputs[1].open("wb") as err:
        process = subprocess.Popen(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            cwd=work,
            env=observed.environment(folder, run_folder),
            start_new_session=True,
        )
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            err.write(f"\nended after {timeout} s".encode())
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            observed.end_marked(folder)
    texts = [output.read_text(errors="replace") for output in outputs]
    return observed.Ran(process.wait(), *texts, run_folder)


def first_difference(name, plain, watched):
    before, after = comparable(plain), comparable(watched)
    if before == after:
        return []
    missing = [line for line in before if line not in after]
    added = [line for line in after if line not in before]
    return [f"{name} differs: {missing[:1]} became {added[:1]}"]


def changes(plain, watched):
    """Returns what the observer has changed, as text."""
    found = []
    if plain.code != watched.code:
        found.append(f"exit code {watched.code} instead of {plain.code}")
    if sorted(WEIGHTS.findall(plain.out)) != sorted(WEIGHTS.findall(watched.out)):
        found.append("other weights")
    found += first_difference("output", plain.out, watched.out)
    return found + first_difference("error output", plain.err, watched.err)


def collected_faults(folder):
    """Returns what rankscopectl counts in a run's folder besides records, such as malformed ones, if it has been built."""
    if not RANKSCOPECTL.exists():
        return []
    collect = [RANKSCOPECTL, "collect", folder / "run", "--runs", folder / "collected"]
    show = [RANKSCOPECTL, "show", "last", "--runs", folder / "collected", "--json"]
    subprocess.run(collect, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shown = subprocess.run(show, capture_output=True, text=True)
    if shown.returncode:
        return [f"rankscopectl cannot collect it: {shown.stderr.strip()}"]
    counters = json.loads(shown.stdout)["counters"]
    return [f"rankscopectl counts {found['name']} {found['value']}" for found in counters if found["name"] != "records"]


def faults(watched):
    """Returns what is wrong with the records of a watched run that has ended well."""
    found = [] if sorted(watched.ranks) == [0, 1] else [f"ranks {sorted(watched.ranks)}"]
    for number, rank in watched.ranks.items():
        found += [f"rank {number}: {text}" for text in rank.malformed[:1]]
        found += [f"rank {number}: {note}" for note in rank.notes() if " is off" in note]
        ends = rank.all("end")
        if [(end.cause, end.exit_code, end.dropped) for end in ends] != [(FINISHED, 0, 0)]:
            found.append(f"rank {number}: ends {[vars(end) for end in ends]}")
        steps = [step.step for step in rank.all("step")]
        phases = {phase for step in steps for phase in rank.phases(step)}
        if not PHASES <= phases:
            found.append(f"rank {number}: {len(steps)} steps with {sorted(phases)}")
    if not matched_collectives.count(watched.ranks):
        found.append("no collectives")
    return found + matched_collectives.problems(watched.ranks)


def summary(watched):
    steps = sum(len(rank.all("step")) for rank in watched.ranks.values())
    return f"{matched_collectives.count(watched.ranks)} collectives, {steps} steps"


def check(line, python, keep, timeout):
    """Runs a line both ways. Returns (whether it passed, what is to be said)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = line.words(python, observed.PROGRAMS)
        plain = run(words, folder, None, timeout)
        if plain.code or not WEIGHTS.search(plain.out):
            found, watched = [f"fails without the observer: exit code {plain.code}"], plain
        else:
            watched = run(words, folder, folder / "run", timeout)
            found = changes(plain, watched) + ([] if watched.code else faults(watched) + collected_faults(folder))
        if found and keep:
            keep.mkdir(parents=True, exist_ok=True)
            kept = Path(tempfile.mkdtemp(prefix=f"{line.file}-", dir=keep))
            for name, text in (("plain", plain), ("watched", watched)):
                (kept / f"{name}.out").write_text(text.out)
                (kept / f"{name}.err").write_text(text.err)
            shutil.copytree(folder, kept / "folder")
        return not found, "; ".join(found) or f"passed: {summary(watched)}"


def chosen(pythons, only):
    """Yields (line, Python, row of the table, why it is not run), where the Python is None if it is not."""
    seen = set()
    for line in LINES:
        for python, versions in pythons.items():
            row, reason = line.row(versions), line.why_not(versions)
            key = (line, reason, *(() if line.is_once else (versions.get(name) for name in line.needs)))
            if key in seen or only and not any(re.search(part, FORMAT.format(*row, "")) for part in only):
                continue
            seen.add(key)
            yield line, None if reason else python, row, reason


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--timeout", type=float, default=900)
    pythons = [sys.executable, os.environ.get("RANKSCOPE_NEMO_PYTHON")]
    parser.add_argument("pythons", nargs="*", default=[python for python in pythons if python])
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    pythons = {python: versions_of(python) for python in options.pythons}
    table = list(chosen(pythons, options.only))
    if not table:
        parser.error("no line matches --only; see --list")
    print(FORMAT.format("program", "torch", "launcher", "workers", "start", "verdict"), flush=True)
    failed = 0
    for line, python, row, text in table:
        passed = True
        if python and not options.list:
            passed, text = check(line, python, options.keep, options.timeout)
        print(FORMAT.format(*row, text), flush=True)
        failed += not passed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
