# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, read-only, slow or gone."""
import errno
import os
import shutil
import signal
import subprocess
import time

import namespace
import processes
import strange_files
from scenarios import Skip, scenario
from whole import Run


def _disk(stage, size):
    """Makes a small file system with a folder of runs, and a place next to it for second names of journals."""
    disk = os.path.join(stage.root, "disk")
    os.makedirs(disk)
    namespace.mount("none", disk, "tmpfs", options=f"size={size},mode=0700")
    return disk, stage.place(os.path.join(disk, "runs"))


def _fill(disk):
    path = os.path.join(disk, "fill")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)  # takes no space yet
    try:
        while True:
            os.write(descriptor, bytes(1 << 16))
    except OSError as e:
        if e.errno != errno.ENOSPC:
            raise
    finally:
        os.close(descriptor)
    return path


@scenario("full disk", short=True)
@namespace.own
def full(stage):
    """The disk is full for 3 s during training and checkpoints, and later when a rank, and a supervisor, are killed."""
    disk, place = _disk(stage, "64m")
    run = Run(stage, place, steps=400)
    if stage.expect(run.reaches(8), "does not train: " + run.said()[-300:]):
        fill = _fill(disk)
        time.sleep(3)
        os.remove(fill)
    code = run.wait()
    stage.expect(code in (0, 3), f"launch ended with {code}")
    if code == 3:  # only because there was no room for a last checkpoint
        stage.expect("checkpoint" in run.said() or ".nemo" in run.said(), run.said()[-300:])
        run.done.ranks_killed = []
    if code == 0:
        run.examine(thorough=True)
    for victim in ("rank", "supervisor"):
        run = Run(stage, place, steps=100000)
        if not stage.expect(run.reaches(8), "does not train: " + run.said()[-300:]):
            continue
        rank, fill = run.rank(1), _fill(disk)
        time.sleep(0.7)
        if victim == "rank":
            run.done.ranks_killed = [1]
            processes.send(rank, signal.SIGKILL)
            time.sleep(1.5)
            os.remove(fill)
            run.ends_with(3)
        else:
            run.done.supervisor_killed = True
            run.child.kill()
            run.child.wait()
            processes.gone(stage.mark)
            code, shown, said = place.ctl("show", run.folder)
            stage.expect(code == 0 and ("room" in shown or "full" in shown), f"show on a full disk: {code}: {shown}{said}")
            os.remove(fill)
        run.examine(thorough=True)
    return f"full while training, full when a rank and when the supervisor was killed; {stage.records} records"


@scenario("no room to launch", short=True)
@namespace.own
def no_room(stage):
    """A launch on a full disk reports that and leaves nothing behind."""
    disk, place = _disk(stage, "8m")
    os.makedirs(place.runs, mode=0o700)
    fill = _fill(disk)
    run = Run(stage, place)
    run.ends_with(2, 60)
    stage.expect("space" in run.said() or "full" in run.said(), "does not say that the disk is full: " + run.said())
    stage.expect(not os.listdir(place.runs), f"left behind: {os.listdir(place.runs)}")
    os.remove(fill)
    return run.said().strip().splitlines()[-1].replace(stage.root, "…")


@scenario("read-only folder", short=True)
@namespace.own
def read_only(stage):
    """A launch into a read-only file system, and a run whose file system becomes read-only and then writable again."""
    disk, place = _disk(stage, "64m")
    os.makedirs(place.runs, mode=0o700)
    namespace.remount(disk, True)
    refused = Run(stage, place)
    refused.ends_with(2, 60)
    stage.expect("ead-only" in refused.said(), "does not say read-only: " + refused.said())
    namespace.remount(disk, False)
    done = Run(stage, place)
    done.ends_with(0)
    namespace.remount(disk, True)
    for words in (["show", done.folder], ["list", "--runs", place.runs], ["diagnose", done.folder],
                  ["waits", done.folder]):
        code, _, said = place.ctl(*words)
        stage.expect(code == 0, f"{words[0]} on a read-only file system ends with {code}: {said}")
    code, _, said = place.ctl("launch", "--resume", done.folder, "trainer.max_steps=40", "--runs", place.runs)
    stage.expect(code == 2 and "ead-only" in said, f"launch --resume: {code}: {said}")
    namespace.remount(disk, False)
    lost = Run(stage, place, steps=100000)
    lost.reaches(5)
    lost.done.supervisor_killed = True
    lost.child.kill()
    lost.child.wait()
    processes.gone(stage.mark)
    namespace.remount(disk, True)
    for words in (["show", lost.folder], ["diagnose", lost.folder], ["waits", lost.folder]):
        code, shown, said = place.ctl(*words)
        stage.expect(code == 0 and "ead-only" in shown + said, f"{words[0]} of a lost run there: {code}: {said}")
    namespace.remount(disk, False)
    lost.examine()
    done.examine()
    return ("launch and recovery refused with the reason, lost and finished runs can be looked at; nothing lost when "
            "writable again")


@scenario("folder vanishes")
def vanishing(stage):
    """A live run's folder is removed, and one is renamed: the ranks end, and the supervisor says why."""
    place = stage.place()
    words = []
    for how in ("removed", "renamed", "folder of runs removed"):
        run = Run(stage, place, steps=100000)
        if not stage.expect(run.reaches(5), "does not train: " + run.said()[-300:]):
            continue
        if how == "removed":
            while os.path.exists(run.folder):
                shutil.rmtree(run.folder, ignore_errors=True)
        elif how == "renamed":
            os.rename(run.folder, run.folder + "-elsewhere")
        else:
            os.rename(place.runs, place.runs + "-elsewhere")
        time.sleep(4)
        run.child.terminate()
        code = run.wait(60)
        left = processes.gone(stage.mark)
        stage.expect(not left, f"{how}: left running: {left}")
        said = run.said()
        stage.expect(code == 3 and "removed or renamed" in said,
                     f"{how}: ends with {code} and does not say why: {said[-400:]}")
        words.append(f"{how}: exit code {code}")
        place.ctl("list", "--runs", place.runs)
    return "; ".join(words)


def _preload(stage, place, words):
    return place.environment(LD_PRELOAD=stage.library("libbad_disk.so"), RANKSCOPE_BAD_DISK=words)


@scenario("slow disk")
def slow(stage):
    """Every sync takes 400 ms and every write of a file 2 ms: run, kill of the supervisor, recovery, resume."""
    place = stage.place()
    slow_disk = _preload(stage, place, "sync_ms=400 write_ms=2")
    began = time.monotonic()
    run = Run(stage, place, steps=40, environment=slow_disk)
    run.ends_with(0)
    run.examine(thorough=True)
    took = time.monotonic() - began
    lost = Run(stage, place, steps=100000, environment=slow_disk)
    lost.reaches(8)
    lost.done.supervisor_killed = True
    lost.child.kill()
    lost.child.wait()
    code, _, said = place.ctl("show", lost.folder, environment=slow_disk)
    stage.expect(code == 0, f"show: {code}: {said}")
    lost.examine(thorough=True)
    return f"40 steps with ten checkpoints in {took:.0f} s; a killed run recovered; {stage.records} records"


@scenario("quota")
def quota(stage):
    """Writes fail with EDQUOT for 3 s."""
    place = stage.place()
    over = os.path.join(stage.root, "over")
    run = Run(stage, place, steps=300, environment=_preload(stage, place, f"quota={over}"))
    if stage.expect(run.reaches(8), "does not train: " + run.said()[-300:]):
        open(over, "w").close()
        time.sleep(3)
        os.remove(over)
    run.ends_with(0)
    run.examine(thorough=True)
    open(over, "w").close()
    refused = Run(stage, place, environment=_preload(stage, place, f"quota={over}"))
    refused.ends_with(2, 60)
    stage.expect("quota" in refused.said(), "does not say quota: " + refused.said())
    return f"EDQUOT (from an LD_PRELOAD: no file system with quota is needed) for 3 s; {stage.records} records"


def _tool(*words):
    """Runs one of the machine's programs; skips the scenario if it is missing or the kernel lacks what it needs."""
    try:
        done = subprocess.run(words, capture_output=True, text=True)
    except FileNotFoundError:
        raise Skip(f"{words[0]} is not installed")
    if done.returncode != 0:
        raise Skip(f"{words[0]}: {(done.stderr or done.stdout).strip()}")


@scenario("quota of a file system")
@namespace.own
def real_quota(stage):
    """ext4 with a user quota on a loop device: the quota is used up for 3 s, then there is space again."""
    if os.geteuid() != 0:
        raise Skip("needs root, to make a file system with quota")
    image, disk = os.path.join(stage.root, "image"), os.path.join(stage.root, "quota")
    os.makedirs(disk)
    with open(image, "wb") as f:
        f.truncate(128 << 20)
    _tool("mkfs.ext4", "-q", "-O", "quota", "-E", "quotatype=usrquota", image)
    _tool("mount", "-o", "loop,usrquota", image, disk)
    limit = lambda kilobytes: _tool("setquota", "-u", "0", "0", str(kilobytes), "0", "0", disk)
    limit(0)
    namespace.obey_quota()
    os.chmod(disk, 0o700)
    place = stage.place(os.path.join(disk, "runs"))
    run = Run(stage, place, steps=400)
    if stage.expect(run.reaches(8), "does not train: " + run.said()[-300:]):
        limit(1)
        time.sleep(3)
        limit(0)
    run.ends_with(0)
    run.examine(thorough=True)
    limit(1)
    refused = Run(stage, place)
    refused.ends_with(2, 60)
    stage.expect("quota" in refused.said(), "does not say quota: " + refused.said())
    limit(0)
    return f"EDQUOT for 3 s while training, at a launch: {refused.said().strip().splitlines()[-1][-60:]}"


SWAP = """#!/bin/sh
# The trainer's command line: train RECIPE --run RUN. The rank that is named puts a link in place of a folder, then trains.
if [ "$RANK" = "$SWAP_RANK" ]; then
    mv "$4/$SWAP_FOLDER" "$4/before" && ln -s "$SWAP_TARGET" "$4/$SWAP_FOLDER"
fi
exec "$SWAP_TRAINER" "$@"
"""


@scenario("links in place of folders", short=True)
def links(stage):
    """A folder of the run becomes a link just before a rank writes there: nothing is written where the link leads."""
    place, said = stage.place(), []
    outside = strange_files.Outside(os.path.join(stage.root, "outside"))
    swap = os.path.join(stage.root, "swap")
    with open(swap, "w") as f:
        f.write(SWAP)
    os.chmod(swap, 0o700)
    for rank, folder in ((1, "ranks/1"), (1, "ranks"), (0, "checkpoints")):
        run = Run(stage, place, environment=place.environment(
            RANKSCOPE_TRAINER=swap, SWAP_TRAINER=place.program("rankscope-trainer"), SWAP_RANK=str(rank),
            SWAP_FOLDER=folder, SWAP_TARGET=outside.path))
        code = run.wait()
        stage.expect(code not in (0, None), f"{folder}: launch ended with {code}: {run.said()[-300:]}")
        changed = outside.changes()
        stage.expect(not changed, f"{folder}: changed where the link leads: {', '.join(changed)}")
        logs = ""
        for top, _, names in os.walk(run.begun(1) or stage.root):
            for name in names:
                if name == "log.txt":
                    with open(os.path.join(top, name)) as f:
                        logs += f.read()
        stage.expect("is a link" in logs, f"{folder}: no rank tells the reason: {logs[-500:]}")
        said.append(folder)
    return f"{', '.join(said)}: refused with the reason, and nothing written where they lead"
