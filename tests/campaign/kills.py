# SPDX-License-Identifier: Apache-2.0
"""Random kills: in each round a run is killed, resumed and killed again. All choices follow from the round's seed."""
import os
import random
import signal
import struct

import oracles
import processes
from life import NOT_RESUMABLE, Life
from place import Place, read_info, text_of
from tally import Tally

WEIGHTS = {"launch": 2, "training": 3, "checkpoint": 3, "drain": 2, "stop": 3}
LIVES = 6
REFERENCE_STEPS = 400


def losses_of(run, world):
    """Returns {(rank, step): bits}."""
    db = oracles.open_store(run)
    rows = db.execute("SELECT rank, step, loss FROM step WHERE complete=1 AND rank<?", (world,)).fetchall()
    db.close()
    return {(rank, step): struct.pack("<d", loss) for rank, step, loss in rows}


def reference(programs, speech, root, ranks):
    """Returns the losses of an undisturbed run."""
    place = Place(programs, speech, root, f"reference{ranks}")
    child = place.start(place.launch_args(f"trainer.max_steps={REFERENCE_STEPS}", ranks=ranks))
    code = child.wait(300)
    with open(child.said, errors="replace") as f:
        said = f.read()
    runs = place.run_folders()
    if code != 0 or len(runs) != 1:
        raise SystemExit(f"the campaign's recipe does not train undisturbed (exit code {code}):\n{said}")
    losses = losses_of(runs[0], ranks)
    place.remove()
    return losses


class Round:
    def __init__(self, programs, speech, root, seed, number, references):
        self.rng = random.Random(f"{seed}/{number}")
        self.tally, self.number, self.references = Tally(), number, references
        self.mark = f"{os.path.basename(root)}-{seed}-{number}"
        self.place = Place(programs, speech, os.path.join(root, f"round{number}"), self.mark)
        self.ranks = self.rng.choices([2, 1], [3, 1])[0]

    def go(self):
        try:
            self._lives()
        finally:
            left = processes.end_all(self.mark)
            if left:
                self.tally.find("launch", "orphan", f"round {self.number}: {left} cannot be ended", len(left))
            self.place.archive.close()
        if self.tally.problems:
            self.tally.problems = [f"round {self.number}: {p}" for p in self.tally.problems]
        else:
            self.place.remove()
        return self.tally

    def _lives(self):
        resume, step = None, 0
        for _ in range(LIVES):
            scene = self.rng.choices(list(WEIGHTS), WEIGHTS.values())[0]
            life = Life(self.place, self.tally, self.rng, scene, self.ranks)
            self._live(life, resume, step)
            if life.run is None:
                resume, step = (resume, step) if life.done.supervisor_killed else (None, 0)
                continue
            resume, step = self._next(life, step)
            self.place.archive.done(os.path.basename(life.run))

    def _live(self, life, resume, step):
        life.start(resume, step + self.rng.randint(3, 12) if life.scene == "drain" else 100000)
        with_window = self.rng.random() < 0.5
        if with_window and self.rng.random() < 0.5:
            life.open_window()
        life.until()
        if with_window and not life.windows:
            life.open_window()
            life.nap(0.6)
        if with_window and self.rng.random() < 0.5:
            life.kill_windows()
            life.open_window()
            life.nap(0.4)
        asleep = life.halt() if self.rng.random() < 0.2 else None
        struck = life.strike()
        if asleep:
            processes.send(asleep, signal.SIGCONT)
        if not struck and life.scene != "drain":
            self._end_unharmed(life)
        ended = life.wait_end()
        life.kill_windows()
        if not ended:
            processes.end_all(self.mark)
            return
        life.find_run()
        left = processes.gone(self.mark)
        if left:
            self.tally.find(life.scene, "orphan", f"{life.run}: {left}", len(left))
            processes.end_all(self.mark)
        if life.run:
            self._examine(life)
            self._rests_beside(life)
        elif not life.done.supervisor_killed and life.starter != "window":
            self.tally.find(life.scene, "resume" if resume else "other", f"launch {'of ' + resume if resume else ''} "
                            f"ended with {life.child.returncode}, no run: {text_of(life.child).strip()}")

    def _end_unharmed(self, life):
        """There was no process to kill yet, or none was left: if the run is still going, it is stopped."""
        processes.wait_until(lambda: life.over() or life.find_run(), 60)
        if not life.over():
            self.place.ctl("stop", life.run, "--now")
            life.done.stop_asked = True

    def _rests_beside(self, life):
        """Checks that the launch has removed the folders of launches that were killed before they became runs."""
        left = [n for n in os.listdir(self.place.runs) if n in life.rests]
        if left:
            self.tally.find(life.scene, "rest", f"{life.run}: beside it is still {', '.join(left)}", len(left))

    def _examine(self, life):
        scene, run, tally = life.scene, life.run, self.tally
        tally.count(scene, "runs")
        if not life.recover():
            return
        info = read_info(run)
        if not info:
            tally.find(scene, "end", f"{run}: run.json cannot be read")
            return
        journals = oracles.journals_of(self.place, run, info["world_size"])
        oracles.files(tally, scene, run)
        oracles.records(tally, scene, run, journals)
        oracles.end(tally, scene, run, info, life.done, journals)
        oracles.checkpoints(tally, scene, self.place, run, thorough=self.rng.random() < 0.15)
        code = life.child.returncode
        if life.starter == "foreground" and not life.done.supervisor_killed and code != info["exit_code"]:
            tally.find(scene, "end", f"{run}: launch ended with {code}, run.json says {info['exit_code']}")
        self._losses(life)

    def _losses(self, life):
        """Checks that each step has the loss of the undisturbed run, whatever was killed before."""
        right = self.references[self.ranks]
        seen = losses_of(life.run, self.ranks)
        other = sorted(step for (rank, step), bits in seen.items() if right.get((rank, step), bits) != bits)
        self.tally.count(life.scene, "losses compared", sum(key in right for key in seen))
        if other:
            self.tally.find(life.scene, "loss", f"{life.run}: other losses from step {other[0]} on", len(other))

    def _next(self, life, before):
        """Returns (what to resume, its step); (None, 0) if the run has no checkpoint or is near its last step."""
        folder = os.path.join(life.run, "checkpoints")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        if any(n.endswith(".safetensors") and not n.startswith(".") for n in names):
            self.tally.count(life.scene, "resumed")
            # a run that was killed before its first step has the previous run's checkpoints
            step = max([before, *(step + 1 for _, step in losses_of(life.run, self.ranks))])
            return (None, 0) if step > REFERENCE_STEPS - 60 else (life.run, step)
        code, _, said = self.place.ctl("launch", "--resume", life.run, "--runs", self.place.runs)
        if code != 2 or NOT_RESUMABLE not in said:
            self.tally.find(life.scene, "resume", f"{life.run}: no checkpoint, and launch --resume ends with {code}: "
                            f"{said.strip()}")
        self.tally.count(life.scene, "refused")
        return None, 0
