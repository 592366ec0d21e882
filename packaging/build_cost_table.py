#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of build_cost.sh from what it measured: build_cost_table.py FOLDER STAGE..."""
import collections
import pathlib
import re
import sys


class Step:
    def __init__(self, line):
        self.kind, user, system, kilobytes, self.output = line.split(" ", 4)
        self.seconds = float(user) + float(system)
        self.megabytes = int(kilobytes) / 1024
        # core/config/CMakeFiles/rankscope_config.dir/node.cpp.o was made in core/config
        self.folder = self.output.split("/CMakeFiles/")[0] if "/CMakeFiles/" in self.output else "."


def steps_of(path):
    # GNU time writes a line of its own before that of a step that failed
    return [Step(line) for line in path.read_text().splitlines() if line.startswith(("compile ", "link "))]


def shelf(folder):
    """core/trainer/nn stays, tests/widgets/main stays, anything deeper is counted there."""
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
    print(f"| {'in all':<36} | {len(compiled):>5} | {total_cpu:>7.1f} | {max(step.megabytes for step in compiled):>10.0f} |")
    largest = max(compiled, key=lambda step: step.megabytes)
    print(f"{len(programs)} programs and plug-ins, {len(archives)} libraries, {wall:.0f} s; "
          f"largest compiler process: {largest.megabytes:.0f} MB ({largest.output})")


def print_costliest(steps):
    print("\ncostliest units")
    for step in sorted(steps, key=lambda step: -step.seconds)[:12]:
        print(f"  {step.seconds:6.1f} s {step.megabytes:5.0f} MB  {step.output}")


def print_touched(work, steps):
    cost = {step.output: step.seconds for step in steps}
    for path in sorted(work.glob("touched.[0-9]*")):
        name, _, plan = path.read_text().partition("\n")
        outputs = {match for match in re.findall(r'--format="?(?:compile|link) %U %S %M ([^" ]+)', plan)}
        units = [output for output in outputs if output.endswith((".o", ".gch"))]
        print(f"{name} changed: {sum(cost.get(output, 0) for output in outputs):.0f} CPU s, {len(units)} units, "
              f"{len(outputs) - len(units)} links")


def main():
    work, stages = pathlib.Path(sys.argv[1]), sys.argv[2:]
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
    print()
    print_touched(work, all_steps)


main()
