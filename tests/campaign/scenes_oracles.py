# SPDX-License-Identifier: Apache-2.0
"""The oracles themselves: a run is damaged in every way that they check for, and each damage must be found."""
import os
import shutil
import signal
import sqlite3
import subprocess
import sys

import oracles
import processes
from expected import Done
from place import read_info
from scenarios import scenario
from tally import Tally
from whole import Run


def _sql(statement):
    def damage(run):
        db = sqlite3.connect(os.path.join(run, "run.sqlite"))
        changed = db.execute(statement).rowcount
        db.commit()
        db.close()
        assert changed > 0, statement
    return damage


def _cut_checkpoint(run):
    folder = os.path.join(run, "checkpoints")
    name = next(n for n in os.listdir(folder) if n.endswith(".safetensors"))
    with open(os.path.join(folder, name), "r+b") as f:
        f.truncate(os.path.getsize(f.name) - 8)


def _flip_checkpoint(run):
    folder = os.path.join(run, "checkpoints")
    name = next(n for n in os.listdir(folder) if n.endswith(".safetensors"))
    with open(os.path.join(folder, name), "r+b") as f:
        f.seek(-100, os.SEEK_END)
        byte = f.read(1)
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte[0] ^ 1]))


def _touch(name, mode=0o600):
    def damage(run):
        path = os.path.join(run, name)
        open(path, "w").close()
        os.chmod(path, mode)
    return damage


def _state(run):
    path = os.path.join(run, "run.json")
    with open(path) as f:
        text = f.read()
    assert '"finished"' in text
    with open(path, "w") as f:
        f.write(text.replace('"finished"', '"stopped"'))


DAMAGES = [
    ("a step is gone", "lost", _sql("DELETE FROM step WHERE rank=0 AND step=3")),
    ("a loss is another", "lost", _sql("UPDATE step SET loss=loss+1e-12 WHERE rank=1 AND step=4")),
    ("a phase is gone", "lost", _sql("DELETE FROM phase WHERE rank=0 AND step=5 AND phase=7")),
    ("a collective is gone", "lost", _sql("DELETE FROM collective WHERE rank=1 AND step=2")),
    ("a step was counted twice", "twice", _sql("UPDATE step SET forward_ns=forward_ns*2 WHERE rank=0 AND step=6")),
    ("records were counted twice", "twice", _sql("UPDATE counter SET value=value+7 WHERE name='records' AND rank=0")),
    ("a step was made up", "twice", _sql("INSERT INTO step(rank,step,flags,complete,not_finite,begin_ns,end_ns,loss) "
                                         "VALUES(0,999,0,1,0,0,1,1.0)")),
    ("an end is told twice", "end", _sql("INSERT INTO note(rank,time_ns,step,severity,text) "
                                         "VALUES(-1,1,-1,1,'The run ended: well.')")),
    ("the state is another", "end", _state),
    ("a checkpoint is cut off", "checkpoint", _cut_checkpoint),
    ("a checkpoint has another bit", "checkpoint", _flip_checkpoint),
    ("half a file is left", "rest", _touch("checkpoints/.last.safetensors.AbCdEf.part")),
    ("a journal is left", "rest", _touch("ranks/0/journal.000009")),
    ("others can read a file", "mode", _touch("extra", 0o644)),
]


@scenario("oracles find damage", short=True)
def oracles_find(stage):
    place = stage.place()
    run = Run(stage, place, steps=12)
    if not run.ends_with(0) or not run.examine(thorough=True):
        return ""
    whole = run.folder + ".whole"
    shutil.copytree(run.folder, whole, symlinks=True)
    journals = oracles.journals_of(place, run.folder, 2)
    for what, kind, damage in DAMAGES:
        shutil.rmtree(run.folder)
        shutil.copytree(whole, run.folder, symlinks=True)
        tally = Tally()
        try:
            damage(run.folder)
        except (AssertionError, sqlite3.Error, StopIteration) as e:
            stage.expect(False, f"{what}: cannot be done: {e!r}")
            continue
        oracles.files(tally, "x", run.folder)
        oracles.records(tally, "x", run.folder, journals)
        oracles.end(tally, "x", run.folder, read_info(run.folder), Done(), journals)
        oracles.checkpoints(tally, "x", place, run.folder, thorough=kind == "checkpoint")
        stage.expect(tally.findings["x", kind], f"{what}: not found; found is {tally.problems}")
    shutil.rmtree(whole)
    stray = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], env=place.environment())
    seen = processes.wait_until(lambda: any(p.pid == stray.pid for p in processes.marked(stage.mark)), 5)
    stage.expect(seen, "a process that was left over is not found")
    processes.send(processes.identity(stray.pid), signal.SIGKILL)
    stray.wait()
    return f"{len(DAMAGES)} damages and a stray process, each found"
