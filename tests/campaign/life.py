# SPDX-License-Identifier: Apache-2.0
"""One run from its launch to its end: how it is started, what is killed and when, and what brings it up to date."""
import os
import re
import signal
import time

import processes
import telemetry
from expected import Done
from place import read_info, text_of

SCENES = ["launch", "training", "checkpoint", "drain", "stop", "recovery"]
NOT_RESUMABLE = "has no checkpoint to resume from"


class Life:
    def __init__(self, place, tally, rng, scene, ranks):
        self.place, self.tally, self.rng, self.scene, self.ranks = place, tally, rng, scene, ranks
        self.done = Done()
        self.child = self.run = None
        self.starter = "foreground"
        self.windows = []
        self.first_step = None

    # --- start -------------------------------------------------------------------------------------------------
    def start(self, resume, steps):
        place = self.place
        self.before = place.run_folders()
        self.rests = self._age_rests()
        more = [f"trainer.max_steps={steps}", f"++exp_manager.checkpoint_callback_params.async_save="
                f"{self.rng.choice(['true', 'false'])}"]
        args = place.launch_args(*more, ranks=self.ranks, resume=resume)
        self.starter = self.rng.choices(["foreground", "detached", "window"], [6, 2, 1])[0]
        if self.starter == "window" and (resume or self.scene == "drain" or self.ranks != 2):
            self.starter = "foreground"
        if self.starter == "window":  # which starts rankscopectl launch --detach
            self.child = place.window("--launch", place.recipe)
            self.windows.append(self.child)
            return
        if self.starter == "detached":
            args.append("--detach")
        self.child = place.start(args)

    def _age_rests(self):
        """Makes hidden folders look old enough for a launch to remove them, and returns their names."""
        names = [n for n in os.listdir(self.place.runs) if n.startswith(".")] if self.before else []
        for name in names:
            os.utime(os.path.join(self.place.runs, name), (time.time() - 3600,) * 2)
        return names

    def supervisor(self):
        """Returns the process that owns the run; found by its command, because run.json may not exist yet."""
        info = read_info(self.run) if self.run else None
        if info:
            process = processes.identity(info["supervisor_pid"])
            return process if process and process.ticks == info["supervisor_start_ticks"] else None
        launches = [p for p in processes.marked(self.place.mark) if "launch" in processes.command(p)[1:2]]
        others = [p for p in launches if p.pid != self.child.pid]  # detached: the supervisor is the last of three
        return others[-1] if others else launches[0] if launches else None

    def rank_processes(self):
        info = (read_info(self.run) if self.run else None) or {}
        pids = info.get("rank_pids", [])
        if pids:
            found = [(r, processes.identity(pid)) for r, pid in enumerate(pids)]
            return [(r, p) for r, p in found if p and p.ticks == info["rank_start_ticks"][r]]
        found = []
        for p in processes.marked(self.place.mark):
            if p.name.startswith("rankscope-train"):
                try:
                    with open(f"/proc/{p.pid}/environ", "rb") as f:
                        rank = re.search(rb"(?:^|\0)RANK=(\d+)\0", f.read())
                except OSError:
                    continue
                if rank:
                    found.append((int(rank[1]), p))
        return sorted(found)

    def board(self, rank=0):
        return telemetry.read_board(os.path.join(self.run, "ranks", str(rank), "board")) if self.run else None

    def find_run(self):
        if not self.run:
            new = [r for r in self.place.run_folders() if r not in self.before]
            self.run = new[-1] if new else None
        return self.run

    def over(self):
        """Returns whether there is nothing left to wait for."""
        self.find_run()
        if self.starter == "window":
            return (self.run is not None or self.child.poll() is not None) and not self.supervisor()
        if self.child.poll() is None:
            return False
        return self.starter == "foreground" or not self.supervisor()

    def wait_for(self, condition, seconds=60):
        """Waits for the condition and returns its value; nothing if the run was over before."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := condition():
                return value
            if self.over():
                return None
            time.sleep(0.001)
        self.tally.find(self.scene, "other", f"{self.run}: what was waited for did not come in {seconds} s")
        return None

    # --- windows -----------------------------------------------------------------------------------------------
    def open_window(self):
        page = self.rng.choice(["review", "timeline", "incidents", "logs", "runs"])
        what = ["--run", "last"] if self.place.run_folders() else []
        self.windows.append(self.place.window("--page", page, *what))

    def kill_windows(self):
        for window in self.windows:
            if window.poll() is not None:
                self.tally.find(self.scene, "other", f"a window ended by itself with {window.returncode}: "
                                f"{text_of(window)[-300:]}")
                continue
            window.kill()
            window.wait()
            self.tally.count(self.scene, "killed window")
        self.windows = []

    # --- strike ------------------------------------------------------------------------------------------------
    def strike(self):
        """Kills a random victim now: the run's supervisor, a rank, or all ranks at once."""
        weights = [8, 2, 0] if self.scene == "drain" else [5, 4, 1]
        victim = self.rng.choices(["supervisor", "rank", "all ranks"], weights)[0]
        self.find_run()
        if victim == "supervisor":
            return self._strike_supervisor()
        ranks = self.rank_processes()
        if not ranks:
            return False
        chosen = [self.rng.choice(ranks)] if victim == "rank" else ranks
        hit = False
        for rank, process in chosen:
            if processes.send(process, signal.SIGKILL):
                hit = True
                self.done.ranks_killed.append(rank)
        if hit:
            self.tally.count(self.scene, "killed " + victim)
        return hit

    def halt(self):
        """Stops one process with SIGSTOP for up to 0.3 s; a rank may stay stopped until its run ends. Returns the
        process to wake later."""
        supervisor = self.supervisor()
        candidates = [p for p in [supervisor, *(p for _, p in self.rank_processes())] if p]
        if not candidates:
            return None
        process = self.rng.choice(candidates)
        if processes.send(process, signal.SIGSTOP):
            self.tally.count(self.scene, "halted")
            self.nap(0.3)
        if process != supervisor and self.rng.random() < 0.5:
            return None
        if self.rng.random() < 0.5:
            processes.send(process, signal.SIGCONT)
            return None
        return process

    def _strike_supervisor(self):
        process = self.supervisor()
        if not process or not processes.send(process, signal.SIGKILL):
            return False
        time.sleep(0.02)
        other = self.supervisor()
        if self.starter != "foreground" and other and other.pid != process.pid:
            self.tally.count(self.scene, "killed command")  # it only waited for another process: the run continues
            return False
        self.tally.count(self.scene, "killed supervisor")
        self.done.supervisor_killed = True
        return True

    def nap(self, most):
        time.sleep(self.rng.uniform(0, most))

    def until(self):
        """Waits for the scene's moment; returns False if it did not come."""
        wait = getattr(self, "_until_" + self.scene)
        return wait()

    def _until_launch(self):
        self.nap(1.5)
        return True

    def _until_training(self):
        self.wait_for(lambda: (b := self.board()) and b.stage == telemetry.STAGE_RUNNING and b.step >= 0)
        self.nap(1.0)
        return True

    def _until_checkpoint(self):
        self.wait_for(lambda: (b := self.board()) and b.stage == telemetry.STAGE_RUNNING and b.step >= 0)
        self.nap(0.3)
        folder = os.path.join(self.run or "", "checkpoints")
        end = time.monotonic() + 3

        def writes():
            board = self.board()
            return (board and board.phase == telemetry.CHECKPOINT_PHASE) or _part(folder)

        while time.monotonic() < end and not self.over():
            for _ in range(50):
                if writes():
                    self.nap(0.004)
                    return True
        return not self.over()

    def _until_drain(self):
        """Waits until the ranks have reported that they are done and the supervisor is storing the rest."""
        self.wait_for(lambda: (b := self.board()) and b.stage >= telemetry.STAGE_FINISHED)
        self.nap(0.12)
        return True

    def _until_stop(self):
        self.wait_for(lambda: (b := self.board()) and b.stage == telemetry.STAGE_RUNNING and b.step >= 1)
        self.nap(0.4)
        if not self.run or self.over():
            return False
        self.ask_to_stop()
        self.nap(0.2)
        return True

    def ask_to_stop(self):
        """Requests a stop by signal, or by a command that may be killed too."""
        if self.rng.random() < 0.5:
            supervisor = self.supervisor()
            self.done.stop_asked = bool(supervisor) and processes.send(supervisor, signal.SIGTERM)
            return
        client = self.place.start([self.place.program("rankscopectl"), "stop", self.run])
        self.done.stop_asked = True
        if self.rng.random() < 0.5:
            self.nap(0.1)
            if client.poll() is None:
                client.kill()
                self.tally.count(self.scene, "killed command")
                client.wait()
                # it may have been killed before it sent the request
                supervisor = self.supervisor()
                if supervisor:
                    processes.send(supervisor, signal.SIGTERM)

    # --- end ---------------------------------------------------------------------------------------------------
    def wait_end(self, seconds=60):
        """Returns False if the run hangs."""
        if processes.wait_until(self.over, seconds, 0.02):
            return True
        self.tally.find(self.scene, "other", f"{self.run}: does not end within {seconds} s")
        return False

    def recover(self):
        """Brings the run up to date as a user would; the commands may be killed meanwhile, or run at the same time."""
        words = [["show", self.run, "--json"], ["diagnose", self.run], ["stop", self.run], ["watch", self.run]]
        if self.done.supervisor_killed:
            for _ in range(self.rng.choice([0, 1, 2, 3])):
                clients = [self.place.start([self.place.program("rankscopectl"), *self.rng.choice(words)])
                           for _ in range(self.rng.choice([1, 1, 2]))]
                self.nap(0.12)
                for client in clients:
                    if client.poll() is None:
                        client.kill()
                        self.tally.count("recovery", "killed command")
                    client.wait()
        code, out, said = self.place.ctl("show", self.run, "--json")
        if code != 0:
            self.tally.find(self.scene, "end", f"{self.run}: show ends with {code}: {said.strip()}")
        return code == 0


def _part(folder):
    try:
        return any(n.endswith(".part") for n in os.listdir(folder))
    except OSError:
        return False
