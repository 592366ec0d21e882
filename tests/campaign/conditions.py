# SPDX-License-Identifier: Apache-2.0
"""Runs under random conditions: where they are launched, what happens to them and their files meanwhile, and from where
they are viewed. All choices of a trial follow from its seed, so that combinations are generated, not listed."""
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import namespace
import oracles
import processes
import run_deeds
import strange_files
import telemetry
from expected import Done
from place import HERE, Place, read_info, text_of
from tally import Tally

STARTER = os.path.join(HERE, "start_under.py")
REFUSED = 77
ASKING = ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU"]
STOPPING = ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM"]  # the supervisor
DEEDS = {"nothing": 2, "hold the store": 3, "check-point the store": 2, "look into the store": 2, "replace a file": 6,
         "pause the supervisor": 2, "signal a rank": 4, "signal the supervisor": 2, "kill a rank": 2,
         "kill the supervisor": 3, **run_deeds.DEEDS}
LONGEST_LOOK = 1.0  # seconds, in addition to the time of an empty command at that moment
LONGEST_END = 45    # seconds


def possible(programs):
    """Returns the conditions that this kernel allows this user."""
    tries = {"host": {"host": "elsewhere"}, "boot": {"boot": "0" * 8 + "-0000-4000-8000-" + "0" * 12}, "pid": {"pid": True},
             "pid and proc": {"pid": True, "proc": True}, "user": {"user": 1000}, "uptime": {"uptime": 10**8}}
    command = [os.path.join(programs, "rankscopectl"), "--version"]
    had = [name for name, c in tries.items()
           if subprocess.run([sys.executable, STARTER, json.dumps(c), *command], capture_output=True).returncode == 0]
    # a separate disk for a trial: only as root, because a user namespace would rule out the other conditions
    if os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0:
        had.append("disk")
    return had


def draw(rng, had, launching):
    """Returns conditions for start_under.py; usually one or two."""
    makers = {"host": lambda: {"host": rng.choice(["elsewhere", "x" * 64, "训练", "a.b.c"])},
              "boot": lambda: {"boot": "%08x-0000-4000-8000-%012x" % (rng.getrandbits(32), rng.getrandbits(48))},
              "pid": lambda: {"pid": True}, "pid and proc": lambda: {"pid": True, "proc": True},
              "user": lambda: {"user": rng.choice([1000, 65534])}, "uptime": lambda: {"uptime": rng.choice([1, 10**8])}}
    makers = {name: make for name, make in makers.items() if name in had}
    numbers = [int(getattr(signal, n)) for n in [*STOPPING, "SIGCHLD", "SIGPIPE", "SIGXFSZ"]]
    makers["ignore"] = lambda: {"ignore": rng.sample(numbers, rng.randint(1, len(numbers)))}
    makers["block"] = lambda: {"block": rng.sample(numbers, rng.randint(1, len(numbers)))}
    makers["umask"] = lambda: {"umask": rng.choice([0, 0o077, 0o277, 0o777])}
    if launching:
        limits = {"FSIZE": [1 << 10, 1 << 16, 1 << 20, 1 << 23], "NOFILE": [8, 24, 48, 256],
                  "AS": [1 << 27, 1 << 30, 1 << 33], "NPROC": [1, 8, 64]}
        makers["limits"] = lambda: {"limits": {k: rng.choice(limits[k]) for k in rng.sample(sorted(limits), 1)}}
    conditions = {}
    for name in rng.sample(sorted(makers), rng.choices([0, 1, 2, 3], [2, 3, 3, 1])[0]):
        conditions.update(makers[name]())
    return conditions


class Trial(run_deeds.RunDeeds):
    def __init__(self, programs, speech, root, seed, number, had):
        self.rng = random.Random(f"conditions/{seed}/{number}")
        self.tally, self.number, self.had = Tally(), number, had
        self.mark = f"{os.path.basename(root)}-conditions-{seed}-{number}"
        self.root = os.path.join(root, f"trial{number}")
        os.makedirs(self.root, mode=0o700)
        self.outside = strange_files.Outside(os.path.join(self.root, "outside"))
        self.place = Place(programs, speech, os.path.join(self.root, "place"), self.mark, self._runs())
        self.done, self.story, self.run, self.refusable = Done(), [], None, False
        self.unchecked = set()  # oracles that do not apply after what was done
        self.threads = []
        self.sent = set()  # signals to the supervisor

    def _runs(self):
        where = self.rng.choices(["place", "disk", "named"], [6, 2, 2])[0]
        if where == "disk" and "disk" in self.had:
            return self.own_disk()
        if where != "named":
            return None
        path = os.path.join(self.root, "named")
        for _ in range(self.rng.choice([1, 1, 3, 14])):
            path = os.path.join(path, strange_files.name_of(self.rng))
        if len(path.encode()) > 3000:
            path = os.fsdecode(path.encode()[:3000].decode(errors="ignore").encode())
        return os.path.join(path, "runs")

    def find(self, kind, text):
        self.tally.find("conditions", kind, f"trial {self.number}: {'; '.join(self.story)}: {text}")

    def go(self):
        self.tally.count("conditions", "trials")
        try:
            self._live()
        finally:
            for thread in self.threads:
                thread.join()
            left = processes.gone(self.mark)
            if left:
                self.find("orphan", str(left))
                processes.end_all(self.mark)
            self.place.archive.close()
            self.leave_disk()
        changed = self.outside.changes()
        if changed:
            self.find("other", f"changed outside of all runs: {', '.join(changed)}")
        if not self.tally.problems:
            shutil.rmtree(self.root, ignore_errors=True)
        return self.tally

    # --- launch --------------------------------------------------------------------------------------------------
    def _live(self):
        self._launch()
        self.run = self.place.new_run([], self.child, 60)
        if not self.run:
            return self._no_run()
        for _ in range(self.rng.choices([1, 2, 3], [4, 2, 1])[0]):
            time.sleep(self.rng.uniform(0, 0.8))
            if self.child.poll() is not None:
                break
            self._do(self.rng.choices(list(DEEDS), DEEDS.values())[0])
            self._look(live=True)
        self._end()
        self._stranger()
        self._look(live=False)
        self._examine()

    def _launch(self):
        rng, place = self.rng, self.place
        self.ranks = rng.choice([1, 2, 2, 3])
        self.conditions = draw(rng, self.had, launching=True)
        target = os.path.join(place.programs, "target_rank")
        small = rng.random() < 0.7 and os.path.exists(target)
        steps = rng.randint(100, 400) if small else rng.randint(20, 200)
        more = [f"trainer.max_steps={steps}"]
        if rng.random() < 0.2:
            letter = rng.choice(["n", "ä", "训", "\U0001f40c"])
            more.append("exp_manager.name=" + letter * rng.choice([1, 20, 60, 63, 64, 80, 255]))
            self.refusable = True
        environment = place.environment(**({"RANKSCOPE_TRAINER": target, "RANKSCOPE_TARGET": f"steps={steps} ms=5"}
                                           if small else {}))
        self.done.other_boot = "boot" in self.conditions
        if "limits" in self.conditions:
            self.refusable = True
            self.unchecked |= {"records", "end", "files", "code"}
        self.refusable |= bool(self.place.runs != os.path.join(place.root, "runs"))
        self.story.append(f"{self.ranks} ranks of {'target_rank' if small else 'the trainer'} under {self.conditions}")
        self.child = place.start([*self._under(self.conditions), *place.launch_args(*more, ranks=self.ranks)],
                                 environment=environment)

    @staticmethod
    def _under(conditions):
        return [sys.executable, STARTER, json.dumps(conditions)] if conditions else []

    def _no_run(self):
        code = self.child.wait()
        if code == REFUSED:
            return
        # 127: the dynamic linker, which hits the limits first
        if code not in ((2, 127) if "limits" in self.conditions else (2,)) or not self.refusable:
            self.find("end", f"launch ended with {code}, no run: {text_of(self.child)[-300:]}")
        left = os.listdir(self.place.runs) if os.path.isdir(self.place.runs) else []
        if left:
            self.find("rest", f"a launch that was refused leaves {left}")
        self.tally.count("conditions", "refused")

    # --- deeds ---------------------------------------------------------------------------------------------------
    def _supervisor(self):
        for p in processes.marked(self.mark):
            words = processes.command(p)
            if p.name == "rankscopectl" and "launch" in words[1:2]:
                return p
        return None

    def _rank(self, number):
        for p in processes.marked(self.mark):
            try:
                with open(f"/proc/{p.pid}/environ", "rb") as f:
                    if f"RANK={number}".encode() in f.read().split(b"\0") and p.name.startswith(("rankscope-tr", "target_r")):
                        return p
            except OSError:
                continue
        return None

    def _do(self, deed):
        self.tally.count("conditions", deed)
        self.story.append(deed)
        getattr(self, "_" + deed.replace(" ", "_").replace("-", "_"))()

    def _nothing(self):
        pass

    def _hold_the_store(self):
        seconds, begin = self.rng.choice([0.3, 1, 3]), self.rng.choice(["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN"])

        def hold():
            try:
                db = sqlite3.connect(os.path.join(self.run, "run.sqlite"), timeout=1, isolation_level=None)
                db.execute(begin)
                db.execute("SELECT count(*) FROM step").fetchone()
                time.sleep(seconds)
                db.execute("ROLLBACK")
                db.close()
            except sqlite3.Error:
                pass

        self.threads.append(threading.Thread(target=hold))
        self.threads[-1].start()

    def _check_point_the_store(self):
        self._sql(f"PRAGMA wal_checkpoint({self.rng.choice(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])})")

    def _look_into_the_store(self):
        self._sql("SELECT count(*) FROM step")

    def _sql(self, statement):
        try:
            db = sqlite3.connect(os.path.join(self.run, "run.sqlite"), timeout=0.5)
            db.execute(statement).fetchall()
            db.close()
        except sqlite3.Error:
            pass

    def _replace_a_file(self):
        names = [os.path.relpath(os.path.join(top, n), self.run) for top, folders, files in os.walk(self.run)
                 for n in [*folders, *files]]
        name, kind = self.rng.choice(sorted({*names, *strange_files.NAMES})), self.rng.choice(strange_files.KINDS)
        path = os.path.join(self.run, name)
        folder = os.path.dirname(path)
        if not os.path.isdir(folder) or os.path.realpath(folder) != os.path.realpath(self.run) + folder[len(self.run):]:
            return
        if os.path.lexists(path) or kind != "removed":
            try:
                strange_files.put(path, kind, self.outside.path, self.rng)
            except OSError:
                return  # its owner was faster
        self.story[-1] += f": {name} by {kind}"
        self.unchecked |= {"files", "code"}
        if name.startswith(("run.sqlite", "ranks")):
            self.unchecked |= {"records", "end"}
        if name.startswith(("run.json", "checkpoints", "control", "effective", "lock")):
            self.unchecked.add("end")

    def _pause_the_supervisor(self):
        supervisor = self._supervisor()
        if not supervisor or not processes.send(supervisor, signal.SIGSTOP):
            return

        def wake():
            time.sleep(seconds)
            processes.send(supervisor, signal.SIGCONT)

        seconds = self.rng.choice([0.2, 1, 3])
        self.threads.append(threading.Thread(target=wake))
        self.threads[-1].start()

    def _signal_a_rank(self):
        number, name = self.rng.randrange(self.ranks), self.rng.choice(ASKING)
        rank = self._rank(number)
        trains = rank and os.path.exists(os.path.join(self.run, "ranks", str(number), "board")) and self._trains(number)
        if not trains:
            return
        if processes.send(rank, getattr(signal, name)):
            self.story[-1] += f" {number} with {name}"
            self.done.asked.append((number, name))

    def _trains(self, number):
        board = telemetry.read_board(os.path.join(self.run, "ranks", str(number), "board"))
        return board is not None and board.stage == telemetry.STAGE_RUNNING

    def _signal_the_supervisor(self):
        name = self.rng.choice(STOPPING)
        supervisor = self._supervisor()
        if not supervisor or not processes.send(supervisor, getattr(signal, name)):
            return
        self.story[-1] += f" with {name}"
        self.sent.add(int(getattr(signal, name)))
        if int(getattr(signal, name)) not in self.conditions.get("ignore", []):
            self.done.stop_asked = True

    def _kill_a_rank(self):
        number = self.rng.randrange(self.ranks)
        rank = self._rank(number)
        if rank and processes.send(rank, signal.SIGKILL):
            self.done.ranks_killed.append(number)

    def _kill_the_supervisor(self):
        supervisor = self._supervisor()
        if supervisor and processes.send(supervisor, signal.SIGKILL):
            self.done.supervisor_killed = True

    # --- looks ---------------------------------------------------------------------------------------------------
    def _command(self, conditions, words, seconds=30):
        """Returns (exit code, stdout, stderr, seconds)."""
        began = time.monotonic()
        child = subprocess.Popen([*self._under(conditions), self.place.program("rankscopectl"), *words],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 cwd=self.place.speech, env=self.place.environment())
        try:
            out, said = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            return None, "", "", time.monotonic() - began
        return child.returncode, out.decode(errors="replace"), said.decode(errors="replace"), time.monotonic() - began

    def _look(self, live):
        """Views the run under separate conditions; a run whose supervisor lives must not be reported as lost."""
        conditions = draw(self.rng, self.had, launching=False)
        out = os.path.join(self.root, f"exported{len(os.listdir(self.root))}")
        looks = [["list", "--runs", self.place.runs], ["show", self.run, "--json"], ["diagnose", self.run],
                 ["export", self.run, "--format", "csv", "--output", out]]
        for words in self.rng.sample(looks, self.rng.randint(1, 2)):
            self._one_look(conditions, words, recovers=not live or not self._supervisor())
        if live and not self.unchecked and not self.done.supervisor_killed:
            self._is_live(conditions)

    def _one_look(self, conditions, words, recovers):
        self.tally.count("conditions", "looks")
        self.done.looked_from_other_boot |= "boot" in conditions
        for attempt in range(3):
            code, out, said, took = self._command(conditions, words)
            if code is None or code < 0 or code > 4 and code != REFUSED:
                return self.find("other", f"{words} under {conditions} ended with {code} after {took:.1f} s: {said[-200:]}")
            if "\x1b" in out or "\x07" in out:
                return self.find("other", f"{words} prints control characters")
            *_, nothing = self._command(conditions, ["--version"])
            if recovers or took - nothing <= LONGEST_LOOK:
                return None
        return self.find("other", f"{words} under {conditions} takes {took:.1f} s, three times")

    def _is_live(self, conditions):
        before = self._supervisor()
        code, out, _, _ = self._command(conditions, ["show", self.run, "--json"])
        if code != 0 or not before or self._supervisor() != before or processes.state_of(before) == "T":
            return
        try:
            state = json.loads(out).get("state")
        except ValueError:
            return self.find("other", f"show --json prints no JSON: {out[:200]}")
        if state in ("lost", "failed"):
            self.find("end", f"a live run is {state}, seen under {conditions}")
        return None

    def _stranger(self):
        """Puts a stranger's folder next to the run: commands accept or refuse it, without hanging or doing harm."""
        if self.rng.random() < 0.4:
            return
        path = os.path.join(self.place.runs, "20200101-000000-" + self.rng.choice(["x", "训", "\x1b[31m", "\n"]) + "-ab12")
        pattern = self.run if not self.unchecked and os.path.isdir(self.run) else None
        try:
            what = strange_files.strangers_folder(path, pattern, self.outside.path, self.rng)
        except OSError:
            return  # a path that is too long
        self.story.append(f"beside it a stranger's folder with {what}")
        self.tally.count("conditions", "strangers")
        conditions = draw(self.rng, self.had, launching=False)
        for words in (["list", "--runs", self.place.runs], ["show", path], ["diagnose", path],
                      ["stop", path, "--no-wait"]):
            self._one_look(conditions, words, recovers=False)
        strange_files.take_away(path)

    # --- end -----------------------------------------------------------------------------------------------------
    def _end(self):
        if processes.wait_until(lambda: self.child.poll() is not None and not self._supervisor(), LONGEST_END, 0.02):
            return
        for thread in self.threads:
            thread.join()
        self.find("other", f"does not end within {LONGEST_END} s: {text_of(self.child)[-300:]}")
        self.unchecked |= {"records", "end", "code", "files"}
        processes.end_all(self.mark)

    def _info(self):
        """Returns None if run.json is not a readable run.json, or is a huge sparse file that was put there."""
        path = os.path.join(self.run, "run.json")
        return read_info(self.run) if os.path.isfile(path) and os.path.getsize(path) < 1 << 20 else None

    def _examine(self):
        for thread in self.threads:
            thread.join()
        code = self.child.wait(LONGEST_END)
        died = -code if code < 0 else 0
        info = self._info()
        if died in self.sent and info and info.get("state") == "finished":
            self.unchecked.add("code")  # the run had ended, and its command was still printing the outcome
        elif died and not (died == signal.SIGKILL and self.done.supervisor_killed):
            self.find("other", f"launch was ended by signal {died}: {text_of(self.child)[-300:]}")
        shown, _, said, _ = self._command({}, ["show", self.run, "--json"], 120)
        if shown != 0 and "end" not in self.unchecked:
            return self.find("end", f"show ends with {shown}: {said.strip()[-300:]}")
        info = self._info()
        self.tally.count("conditions", "runs")
        if not info:
            if "end" not in self.unchecked:
                self.find("end", "run.json cannot be read")
            return None
        if info.get("state") in ("starting", "running", "stopping") and "end" not in self.unchecked:
            self.find("end", f"it is {info['state']} after its end")
        self._oracles(info)
        self.nobody_blamed(self.run)
        self.nobody_killed(info)
        return None

    def _oracles(self, info):
        tally = Tally()
        if "files" not in self.unchecked:
            oracles.files(tally, "conditions", self.run)
        if not self.unchecked & {"records", "end"}:
            journals = oracles.journals_of(self.place, self.run, info["world_size"])
            oracles.records(tally, "conditions", self.run, journals)
            oracles.end(tally, "conditions", self.run, info, self.done, journals)
        if "code" not in self.unchecked and not self.done.supervisor_killed and self.child.returncode != info["exit_code"]:
            tally.find("conditions", "end", f"launch ended with {self.child.returncode}, run.json says {info['exit_code']}")
        self.tally.counts.update({("conditions", "records"): tally.sum("records")})
        for (scene, kind), n in tally.findings.items():
            self.tally.findings[scene, kind] += n
        self.tally.problems += [f"trial {self.number}: {'; '.join(self.story)}: {p}" for p in tally.problems]
