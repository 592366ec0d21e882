#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A live run with the window open for hours: do memory, descriptors and processor time stay flat?

    tests/soak/soak.py --bin build/release/bin --minutes 120 [--config FILE] [--ranks 2] [--csv FILE] [KEY=VALUE ...]

It launches a real run, opens the real window on it under Xvfb, and reads /proc every ten seconds. The run is a small
quickstart: after as many quick steps as the plots have columns, its data_loading fault slows it down to some steps per
second, so that hours of it leave the machine free.
It exits with 1 if a goal is missed: --growth (% of resident memory, from the end of the warm-up to the end), --cpu (%
of one core, for the window) or the number of descriptors. It ends everything that it started; the run's folder stays.
"""
import argparse
import csv
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")


def sample(pid):
    """Returns resident and anonymous KiB, descriptors and processor seconds of a process; None: it is gone."""
    try:
        status = dict(
            line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
    except (FileNotFoundError, ProcessLookupError):
        return None
    if "VmRSS" not in status:  # it has ended but was not waited for yet
        return None
    return {"rss": int(status["VmRSS"].split()[0]), "anon": int(status["RssAnon"].split()[0]), "fds": descriptors,
            "cpu": (int(fields[11]) + int(fields[12])) / TICKS}


def start_display():
    """Starts a separate X server on a free display."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
                              pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        sys.exit("soak: Xvfb did not start")
    return server, f":{number}"


def launch(args, runs):
    subprocess.run([str(ROOT / "resources/sample/make.sh")], check=True, stdout=subprocess.DEVNULL)
    command = [str(args.bin / "rankscopectl"), "launch", str(args.config), "--runs", str(runs), "--ranks", str(args.ranks),
               "--detach", "--json"]
    for rank in range(args.ranks):
        command += ["--fault", f"data_loading:rank={rank},step={args.fast_steps},steps=100000000,seconds={args.pause}"]
    command += args.overrides or ["trainer.max_steps=100000000", "trainer.max_epochs=-1", "model.encoder.n_layers=1",
                                  "model.encoder.d_model=32", "model.train_ds.max_duration=4", "~rankscope.faults"]
    reply = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if reply.returncode != 0:
        sys.exit(f"soak: the run was not launched: {reply.stderr.strip() or reply.stdout.strip()}")
    return pathlib.Path(json.loads(reply.stdout)["path"])


def watch(args, run, window):
    """Returns rows of figures, one every ten seconds; ends early if a process is gone."""
    supervisor = json.loads((run / "run.json").read_text())["supervisor_pid"]
    begin = time.monotonic()
    rows, next_at = [], begin
    while time.monotonic() - begin < args.minutes * 60:
        next_at += args.every
        time.sleep(max(0.0, next_at - time.monotonic()))
        row = {"seconds": round(time.monotonic() - begin, 1)}
        for name, pid in (("window", window.pid), ("supervisor", supervisor)):
            figures = sample(pid)
            if figures is None:
                sys.exit(f"soak: the {name} has ended after {row['seconds']} s")
            row |= {f"{name}_{key}": value for key, value in figures.items()}
        rows.append(row)
        if args.csv:
            write_csv(args.csv, rows)
    return rows


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, fieldnames=rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def judge(args, rows):
    """Compares medians over a short time after the warm-up and over the same time at the end."""
    warm_up = min(600.0, args.minutes * 60 / 3)
    after = [row for row in rows if row["seconds"] >= warm_up]
    share = max(1, min(30, len(after) // 4))  # at most five minutes
    first, last = after[:share], after[-share:]
    good = True

    def middle(part, key):
        return statistics.median(row[key] for row in part)

    print(f"{'':26}{'after warm-up':>15}{'at the end':>13}{'change':>10}{'goal':>10}")
    for name in ("window", "supervisor"):
        for key, unit, scale, goal in (("rss", "MiB resident", 1024, args.growth), ("fds", "descriptors", 1, 0)):
            a, b = middle(first, f"{name}_{key}"), middle(last, f"{name}_{key}")
            change = 100 * (b - a) / a
            met = change <= goal
            good &= met
            print(f"{name + ', ' + unit:26}{a / scale:15.1f}{b / scale:13.1f}{change:+9.2f}%{goal:9g}%"
                  f"{'' if met else '  MISSED'}")
        seconds = after[-1]["seconds"] - after[0]["seconds"]
        used = 100 * (after[-1][f"{name}_cpu"] - after[0][f"{name}_cpu"]) / max(seconds, 1e-9)
        met = name != "window" or used <= args.cpu
        good &= met
        print(f"{name + ', % of a core':26}{'':15}{used:13.2f}{'':10}{f'{args.cpu:9g}%' if name == 'window' else ''}"
              f"{'' if met else '  MISSED'}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", help="where the programs are")
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--config", type=pathlib.Path, default=ROOT / "configs/quickstart.yaml")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--pause", type=float, default=0.4, help="seconds that each loader sleeps in each step")
    parser.add_argument("--fast-steps", type=int, default=3000,
                        help="steps before the loaders begin to sleep: so many fill every column of the plots")
    parser.add_argument("--every", type=float, default=10, help="seconds between two looks")
    parser.add_argument("--growth", type=float, default=2, help="%% of resident memory that is allowed")
    parser.add_argument("--cpu", type=float, default=5, help="%% of one core that the window may take")
    parser.add_argument("--runs", type=pathlib.Path, help="the runs folder (default: a new one)")
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("overrides", nargs="*", help="instead of those that make the quickstart small")
    args = parser.parse_args()

    runs = args.runs or pathlib.Path(tempfile.mkdtemp(prefix="rankscope-soak-"))
    home = tempfile.mkdtemp(prefix="rankscope-soak-home-")
    server, display = start_display()
    window = run = None
    try:
        run = launch(args, runs)
        print(f"run {run}", flush=True)
        window = subprocess.Popen(
            [str(args.bin / "rankscope"), "--runs", str(runs), "--run", str(run), "--page", "review"],
            env=os.environ | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "XDG_CONFIG_HOME": home,
                              "XDG_STATE_HOME": home, "XDG_CACHE_HOME": home}, stderr=subprocess.DEVNULL)
        rows = watch(args, run, window)
        return 0 if judge(args, rows) else 1
    finally:
        if window:
            window.send_signal(signal.SIGTERM)
            window.wait(30)
        if run:
            subprocess.run([str(args.bin / "rankscopectl"), "stop", str(run)], check=False, stdout=subprocess.DEVNULL)
        server.terminate()
        server.wait(10)


if __name__ == "__main__":
    sys.exit(main())
