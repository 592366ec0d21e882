# SPDX-License-Identifier: Apache-2.0
"""Load: many log lines, many runs."""
import json
import os
import shutil
import time

import processes
from place import read_info
from scenarios import scenario
from whole import Run

CHATTER = '''#!/usr/bin/env python3
import ctypes, os, signal, sys, time
if os.fork() == 0:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    rank, line, began = os.environ["RANK"], 0, time.monotonic()
    end = began + float(os.environ["CHATTER_SECONDS"])
    while (now := time.monotonic()) < end:
        due = int((now - began) * 10000)
        if due > line:
            os.write(1, b"".join(b"rank %s line %d of very many that nobody reads\\n" % (rank.encode(), i)
                                 for i in range(line, due)))
            line = due
        time.sleep(0.01)
    os._exit(0)
os.execv(os.environ["CHATTER_TRAINER"], [os.environ["CHATTER_TRAINER"], *sys.argv[1:]])
'''


@scenario("many log lines")
def chatter(stage):
    """Each rank writes 10,000 lines per second; the window follows them, and the run continues to train."""
    place = stage.place()
    program = os.path.join(place.root, "chatter")
    with open(program, "w") as f:
        f.write(CHATTER)
    os.chmod(program, 0o700)
    seconds = 5
    talking = place.environment(RANKSCOPE_TRAINER=program, CHATTER_TRAINER=place.program("rankscope-trainer"),
                                CHATTER_SECONDS=str(seconds))
    run = Run(stage, place, environment=talking, steps=100000)
    run.reaches(3)
    window = place.window("--run", "last", "--page", "logs")
    time.sleep(seconds + 1)
    run.done.stop_asked = True
    code, _, said = place.ctl("stop", run.folder)
    stage.expect(code == 0, f"stop: {code}: {said}")
    run.ends_with(4, 60)
    stage.expect(window.poll() is None, "the window ended")
    rss = _resident(window.pid)
    window.kill()
    window.wait()
    run.examine()
    lines = 0
    for rank in (0, 1):
        with open(os.path.join(run.folder, "ranks", str(rank), "log.txt")) as f:
            numbers = [int(line.split()[3]) for line in f if line.startswith(f"rank {rank} line ")]
        stage.expect(numbers == list(range(len(numbers))), f"rank {rank}: lines are missing or torn")
        lines += len(numbers)
    stage.expect(lines >= 2 * 9000 * seconds, f"only {lines} lines")
    return f"{lines} lines of 2 ranks in {seconds} s, all there in order; the window's memory {rss} MiB"


def _resident(pid):
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20


@scenario("many runs")
def many(stage):
    """Thousands of copies of a finished run: list, the window's Runs page, a launch and a recovery among them."""
    place = stage.place()
    run = Run(stage, place, steps=8)
    if not run.ends_with(0):
        return ""
    run.examine()
    shutil.rmtree(os.path.join(run.folder, "checkpoints"))
    info = read_info(run.folder)
    for i in range(1999):
        folder = os.path.join(place.runs, f"20260101-{i // 3600:02}{i // 60 % 60:02}{i % 60:02}-copy-{i:04x}")
        shutil.copytree(run.folder, folder, copy_function=os.link)
        os.remove(os.path.join(folder, "run.json"))
        info.update(id=os.path.basename(folder), start_realtime_ns=info["start_realtime_ns"] - 10**9)
        with open(os.path.join(folder, "run.json"), "w") as f:
            json.dump(info, f)
        os.chmod(os.path.join(folder, "run.json"), 0o600)
        place.archive.done(os.path.basename(folder))
    began = time.monotonic()
    code, out, said = place.ctl("list", "--runs", place.runs, "--json")
    listed = time.monotonic() - began
    stage.expect(code == 0 and len(json.loads(out)["runs"]) == 2000, f"list: {code}: {said}")
    began = time.monotonic()
    picture = os.path.join(place.root, "picture.png")
    window = place.start([place.program("rankscope"), "--runs", place.runs, "--page", "runs", "--screenshot", picture])
    stage.expect(window.wait(120) == 0, f"the window ends with {window.returncode}")
    shown = time.monotonic() - began
    window = place.window("--page", "runs")
    lost = Run(stage, place, steps=100000)
    lost.reaches(3)
    lost.done.supervisor_killed = True
    lost.child.kill()
    lost.child.wait()
    processes.gone_but(stage.mark, window.pid)
    lost.examine()
    stage.expect(window.poll() is None, "the window ended")
    window.kill()
    window.wait()
    return (f"2,000 runs: list in {listed * 1000:.0f} ms, the page of runs complete after {shown:.1f} s; a kill and "
            "recovery among them")
