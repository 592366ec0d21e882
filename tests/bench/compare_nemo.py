#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares bench_step with NeMo's own training step, in alternation, on this machine.

usage: compare_nemo.py [--rounds 5] [--ddp-rounds 3] [--bench build/release/bin/bench_step] NEMO_SPEED [NEMO_DDP_SPEED]

NEMO_SPEED and NEMO_DDP_SPEED are Python scripts that time NeMo's step and its scaling over two DDP processes, and print
one JSON line. RANKSCOPE_NEMO_PYTHON names the Python that has NeMo. Prints Markdown: per phase the medians over the rounds,
and the smallest, median and largest ratio of a round. Both get one thread (per rank) and the same sizes; other load on
the machine changes the times of a round, but less its ratios.
"""
import argparse
import json
import os
import pathlib
import platform
import socket
import statistics
import subprocess
import sys

PHASES = ("mel", "quantizer", "mask", "encoder", "decoder_loss", "backward", "optimizer", "step")


def run(command, env=None):
    """Runs one program, whose last line is JSON. Returns the JSON and the peak RSS in MiB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "OMP_NUM_THREADS": "1", **(env or {})})
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{err[-2000:]}")
    lines = [line for line in out.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"{' '.join(map(str, command))} printed no JSON line:\n{out[-2000:]}{err[-2000:]}")
    return json.loads(lines[-1]), usage.ru_maxrss / 1024


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run_ranks(command, ranks):
    """Runs one process per rank. Returns the JSON that rank 0 prints."""
    base = {**os.environ, "OMP_NUM_THREADS": "1", "WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks),
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**base, "RANK": str(r), "LOCAL_RANK": str(r)}) for r in range(ranks)]
    outputs = [p.communicate() for p in processes]
    for rank, (process, (_, err)) in enumerate(zip(processes, outputs)):
        if process.returncode != 0:
            sys.exit(f"rank {rank} ended with {process.returncode}:\n{err[-2000:]}")
    return json.loads(outputs[0][0].strip().splitlines()[-1])


def spread(values, digits=1):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def steps(args, nemo_python):
    sizes = ["--batch", str(args.batch), "--seconds", str(args.seconds), "--steps", str(args.steps), "--threads", "1"]
    theirs, ours = [], []
    for number in range(args.rounds):
        theirs.append(run([nemo_python, args.nemo_speed, *sizes]))
        ours.append(run([args.bench, "--json", *sizes]))
        print(f"round {number + 1} of {args.rounds}: NeMo {theirs[-1][0]['step']:.0f} ms, Rankscope "
              f"{ours[-1][0]['step']:.0f} ms", file=sys.stderr)
    if theirs[0][0]["params"] != ours[0][0]["params"]:
        sys.exit(f"not the same model: {theirs[0][0]['params']} and {ours[0][0]['params']} parameters")
    print(f"\nOne step, {ours[0][0]['params'] / 1e6:.1f} M parameters, batch {args.batch} x {args.seconds:g} s, one "
          f"thread, fp32, {args.rounds} rounds of {args.steps} steps:\n")
    print("| phase | NeMo, ms | Rankscope, ms | NeMo / Rankscope |\n|---|---:|---:|---:|")
    for phase in PHASES:
        a, b = [r[phase] for r, _ in theirs], [r[phase] for r, _ in ours]
        ratio = spread([x / y for x, y in zip(a, b)], 2) if min(b) > 0 else "-"
        print(f"| {'**whole step**' if phase == 'step' else phase} | {spread(a)} | {spread(b)} | {ratio} |")
    a, b = [m for _, m in theirs], [m for _, m in ours]
    print(f"| peak RSS, MiB | {spread(a, 0)} | {spread(b, 0)} | {spread([x / y for x, y in zip(a, b)], 2)} |")


def scaling(args, nemo_python):
    sizes = ["--steps", str(args.steps), "--threads", "1"]
    theirs, ours = [], []
    for number in range(args.ddp_rounds):
        theirs.append(run([nemo_python, args.nemo_ddp_speed])[0])
        command = [args.bench, "--json", *sizes]
        alone = [run([args.bench, "--json", *sizes])[0]["step"]]
        both = run_ranks(command, 2)["step"]
        alone.append(run([args.bench, "--json", *sizes])[0]["step"])
        one = statistics.mean(alone)
        ours.append({"ms_world1": one, "ms_world2": both, "speedup": 2 * one / both})
        print(f"scaling {number + 1} of {args.ddp_rounds}: NeMo {theirs[-1]['speedup']:.2f}, Rankscope "
              f"{ours[-1]['speedup']:.2f}", file=sys.stderr)
    print("\nTwo ranks of one thread each (DDP over Gloo), batch 8 x 5 s per rank:\n")
    print("| | NeMo | Rankscope |\n|---|---:|---:|")
    for key, name, digits in (("ms_world1", "one rank, ms", 0), ("ms_world2", "two ranks, ms", 0),
                              ("speedup", "two ranks over one", 2)):
        print(f"| {name} | {spread([r[key] for r in theirs], digits)} | {spread([r[key] for r in ours], digits)} |")


def machine():
    name = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                platform.processor())
    return f"{name}, {len(os.sched_getaffinity(0))} core(s), Linux {platform.release()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nemo_speed", metavar="NEMO_SPEED")
    parser.add_argument("nemo_ddp_speed", metavar="NEMO_DDP_SPEED", nargs="?")
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--bench", default=str(root / "build/release/bin/bench_step"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ddp-rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5.0)
    args = parser.parse_args()
    nemo_python = os.environ.get("RANKSCOPE_NEMO_PYTHON")
    if not nemo_python:
        sys.exit("RANKSCOPE_NEMO_PYTHON must name the Python that has NeMo")
    if not pathlib.Path(args.bench).exists():
        sys.exit(f"{args.bench} is not there: build the target bench_step, or name it with --bench")
    print(f"Machine: {machine()}")
    if args.rounds > 0:
        steps(args, nemo_python)
    if args.nemo_ddp_speed and args.ddp_rounds > 0:
        scaling(args, nemo_python)


if __name__ == "__main__":
    main()
