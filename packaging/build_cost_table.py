#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of build_cost.sh from its measurements: build_cost_table.py FOLDER "STAGE..." SOURCE [TOUCHED_FILE...]"""
import collections
import os
import pathlib
import subprocess
import sys


class Step:
    def __init__(self, line):
        self.kind, user, system, kilobytes, self.output = line.split(" ", 4)
        self.seconds = float(user) + float(system)
        self.megabytes = int(kilobytes) / 1024
        # core/config/CMakeFiles/rankscope_config.dir/node.cpp.o was made in core/config
        self.folder = self.output.split("/CMakeFiles/")[0] if "/CMakeFiles/" in self.output else "."


def steps_of(path):
    # for a step that failed, GNU time writes an extra line before the step's own
    return [Step(line) for line in path.read_text().splitlines() if line.startswith(("compile ", "link "))]


def shelf(folder):
    """The first three levels of the path, such as core/trainer/nn: deeper folders are counted there."""
    return "/".join(folder.split("/")[:3])


def print_stage(name, steps, total_cpu, wall):
    compiled = [step for step in steps if step.kind == "compile"]
    linked = [step for step in steps if step.kind == "link"]
    folders = collections.defaultdict(list)
    for step in compiled:
        folders[shelf(step.folder)].append(step)
    print(f"\n{name}")
    print(f"| {'folder':<36} | {'units':>5} | {'CPU s':>7} | {'largest MB':>10} |")
    print(f"|{'-' * 38}|{'-' * 6}:|{'-' * 8}:|{'-' * 11}:|")
    for folder, members in sorted(folders.items(), key=lambda item: -sum(step.seconds for step in item[1])):
        seconds = sum(step.seconds for step in members)
        print(f"| {folder:<36} | {len(members):>5} | {seconds:>7.1f} | {max(step.megabytes for step in members):>10.0f} |")
    archives = [step for step in linked if step.output.endswith(".a")]
    programs = [step for step in linked if not step.output.endswith(".a")]
    link_seconds = sum(step.seconds for step in linked)
    compile_seconds = sum(step.seconds for step in compiled)
    print(f"| {'linking':<36} | {'':>5} | {link_seconds:>7.1f} | {max((step.megabytes for step in linked), default=0):>10.0f} |")
    print(f"| {'moc, resources, ninja':<36} | {'':>5} | {total_cpu - link_seconds - compile_seconds:>7.1f} | {'':>10} |")
    print(f"| {'total':<36} | {len(compiled):>5} | {total_cpu:>7.1f} | {max(step.megabytes for step in compiled):>10.0f} |")
    largest = max(compiled, key=lambda step: step.megabytes)
    print(f"{len(programs)} programs and plug-ins, {len(archives)} libraries, {wall:.0f} s; "
          f"largest compiler process: {largest.megabytes:.0f} MB ({largest.output})")


def print_costliest(steps):
    print("\ncostliest units")
    for step in sorted(steps, key=lambda step: -step.seconds)[:12]:
        print(f"  {step.seconds:6.1f} s {step.megabytes:5.0f} MB  {step.output}")


class Graph:
    """Which outputs are made from which files, as ninja knows it."""

    def __init__(self, build):
        self.build = build
        self.users = collections.defaultdict(set)  # file -> outputs made from it
        for line in (build / "build.ninja").read_text().replace("$\n", "").splitlines():
            if line.startswith("build "):
                outputs, _, inputs = line[len("build "):].partition(": ")
                made_of = inputs.split(" || ")[0].split()[1:]  # the first word is the rule; order-only inputs follow ||
                self._add([word for word in outputs.split() if word != "|"], made_of)
        output = None
        for line in subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout.splitlines():
            if line.startswith("    "):
                self._add([output], [line.strip()])
            elif ": #deps" in line:
                output = line.split(": #deps")[0]

    def _add(self, outputs, inputs):
        for name in inputs:
            if name != "|":
                self.users[self._path(name)].update(self._path(output) for output in outputs)

    def _path(self, name):
        return os.path.normpath(os.path.join(self.build, name.replace("$ ", " ").replace("$:", ":")))

    def made_of(self, file):
        """All outputs that are rebuilt after a file has changed, relative to the build folder."""
        found, waiting = set(), [os.path.normpath(file)]
        while waiting:
            for output in self.users[waiting.pop()] - found:
                found.add(output)
                waiting.append(output)
        return {os.path.relpath(output, self.build) for output in found}


def print_touched(work, source, files, steps):
    graph = Graph(work / "build")
    print()
    for name in files:
        again = graph.made_of(os.path.join(source, name))
        taken = [step for step in steps if step.output in again]
        compiled = [step for step in taken if step.kind == "compile"]
        print(f"{name} changed: {sum(step.seconds for step in taken):.0f} CPU s for {len(compiled)} units and "
              f"{len(taken) - len(compiled)} links")


def main():
    work, stages, source, touched = pathlib.Path(sys.argv[1]), sys.argv[2].split(), sys.argv[3], sys.argv[4:]
    all_steps, all_cpu, all_wall = [], 0.0, 0.0
    for stage in stages:
        steps = steps_of(work / f"{stage}.steps")
        user, system, wall = (float(word) for word in (work / f"{stage}.total").read_text().split()[-3:])
        all_steps += steps
        all_cpu += user + system
        all_wall += wall
        if stage == "product":
            print_stage("product", steps, user + system, wall)
    if len(stages) > 1:
        print_stage("product and tests", all_steps, all_cpu, all_wall)
    print_costliest([step for step in all_steps if step.kind == "compile"])
    print_touched(work, source, touched, all_steps)


main()
