# SPDX-License-Identifier: Apache-2.0
"""What a trial does to a run as a whole: freezes it, copies it, stops it several times, views it through a read-only
mount, fills its disk. A mixin of conditions.Trial, whose attributes it uses."""
import errno
import json
import os
import shutil
import signal
import subprocess
import threading
import time

import namespace
import oracles
import processes

DEEDS = {"freeze the run": 4, "copy the run": 4, "stop several times": 3, "look through a read-only mount": 3,
         "fill the disk": 4}
READING = (["show", "--json"], ["diagnose"], ["waits"])


class RunDeeds:
    frozen = ()          # (begin, end) in ns of the monotonic clock, of freezes of the whole run
    plain_stops = 0      # stops without --now
    disk = mounted = None

    # --- a separate disk ---------------------------------------------------------------------------------------------
    def own_disk(self):
        """Returns a folder of runs on a small file system for this trial only; leave_disk() unmounts it."""
        namespace.enter_once()
        self.disk = os.path.join(self.root, "disk")
        os.makedirs(self.disk)
        namespace.mount("none", self.disk, "tmpfs", options="size=96m,mode=0700")
        return os.path.join(self.disk, "runs")

    def leave_disk(self):
        if self.disk and self.tally.problems:  # keep the evidence of what was found
            subprocess.run(["cp", "-a", self.disk, self.disk + "-kept"], stderr=subprocess.DEVNULL)
        for path in filter(None, (self.mounted, self.disk)):
            namespace.unmount(path)
        self.disk = self.mounted = None

    def _fill_the_disk(self):
        """Fills the disk immediately and frees it after up to 4 s; meanwhile the run must be readable."""
        if not self.disk:
            return
        path = os.path.join(self.disk, "fill")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            while True:
                os.write(descriptor, bytes(1 << 16))
        except OSError as e:
            if e.errno != errno.ENOSPC:
                raise
        finally:
            os.close(descriptor)
        self.unchecked |= {"end", "code"}  # if there is no room for a checkpoint, the run ends
        seconds = self.rng.choice([0.5, 2, 4])

        def free():
            time.sleep(seconds)
            os.remove(path)

        self.threads.append(threading.Thread(target=free))
        self.threads[-1].start()
        self._can_be_read(self.run, "on a full disk")

    def _look_through_a_read_only_mount(self):
        if "disk" not in self.had:
            return
        if not self.mounted:
            namespace.enter_once()
            self.mounted = os.path.join(self.root, "read-only")
            os.makedirs(self.mounted)
            namespace.mount(self.place.runs, self.mounted, None, namespace.MS_BIND)
            namespace.mount("none", self.mounted, None, namespace.MS_BIND | namespace.MS_REMOUNT | namespace.MS_RDONLY)
        self._can_be_read(os.path.join(self.mounted, os.path.basename(self.run)), "through a read-only mount")

    def _can_be_read(self, run, where):
        """Checks that the reading commands succeed, in any state of the run."""
        if self.unchecked & {"files", "records"}:
            return  # its files were replaced
        for words in READING:
            code, _, said, _ = self._command({}, [words[0], run, *words[1:]], 60)
            if code != 0:
                self.find("other", f"{words[0]} {where} ends with {code}: {said.strip()[-300:]}")

    # --- frozen as a whole -------------------------------------------------------------------------------------------
    def _freeze_the_run(self):
        """Freezes all processes by signals in any order, or by a control group, as batch systems and containers do."""
        family = [p for p in processes.marked(self.mark) if p.name.startswith(("rankscop", "target_r"))]
        supervisor = self._supervisor()
        if not supervisor or len(family) < 2:
            return
        seconds = self.rng.choice([0.3, 3, 6])
        began = time.monotonic_ns()
        thaw = self._freezer(family) if self.rng.random() < 0.4 else None
        if not thaw:
            self.rng.shuffle(family)
            for p in family:
                processes.send(p, signal.SIGSTOP)
        self.story[-1] += f" for {seconds} s by {'the freezer' if thaw else 'signals'}"
        time.sleep(seconds)
        if thaw:
            thaw()
        else:
            self.rng.shuffle(family)
            for p in family:
                processes.send(p, signal.SIGCONT)
        self.frozen = (*self.frozen, (began, time.monotonic_ns()))

    def _freezer(self, family):
        """Freezes the processes in a separate control group. Returns a function that thaws them; None: no freezer."""
        parent = next((p for p in ("/sys/fs/cgroup/freezer", "/sys/fs/cgroup")
                       if os.access(p, os.W_OK) and (p.endswith("freezer") or os.path.exists(p + "/cgroup.controllers"))),
                      None)
        if not parent:
            return None
        group = os.path.join(parent, f"rankscope-campaign-{os.getpid()}-{self.number}")
        one = parent.endswith("freezer")
        state, frozen, thawed = ("freezer.state", "FROZEN", "THAWED") if one else ("cgroup.freeze", "1", "0")

        def put(name, text):
            with open(os.path.join(group, name), "w") as f:
                f.write(text)

        def back():
            put(state, thawed)
            for pid in open(os.path.join(group, "cgroup.procs")).read().split():
                try:
                    with open(os.path.join(parent, "cgroup.procs"), "w") as f:
                        f.write(pid)
                except OSError:
                    pass  # it has ended
            try:
                os.rmdir(group)
            except OSError:
                pass  # a child that was started meanwhile is still in it

        try:
            os.makedirs(group, exist_ok=True)
            for p in family:
                if processes.lives(p):
                    put("cgroup.procs", str(p.pid))
            put(state, frozen)
        except OSError:
            return None
        return back

    def nobody_blamed(self, run):
        """Checks that no rank is blamed for time in which the whole run was frozen."""
        alone = all(not any(word in story for word in ("pause", "kill", "signal", "replace", "hold", "fill"))
                    for story in self.story)
        if not self.frozen or not alone or "uptime" in self.conditions or "limits" in self.conditions:
            return
        code, out, _, _ = self._command({}, ["diagnose", run, "--json"], 60)
        if code != 0:
            return
        start = self._start_ns(run)
        for incident in json.loads(out)["incidents"] if start else []:
            opened = start + incident["opened_s"] * 1e9
            closed = start + (incident["closed_s"] or incident["opened_s"]) * 1e9
            for began, ended in self.frozen:
                shared = min(closed, ended) - max(opened, began)
                if incident["holders"] and ended - began > 2e9 and shared > 0.7 * (ended - began):
                    self.find("other", f"blamed for a freeze of the whole run: {incident['sentence']}")

    @staticmethod
    def _start_ns(run):
        db = oracles.open_store(run)
        try:
            return db.execute("SELECT value FROM meta WHERE key='start_ns'").fetchone()[0]
        finally:
            db.close()

    # --- copies ------------------------------------------------------------------------------------------------------
    def _copy_the_run(self):
        """Checks that a copy is never live, and that nothing done to it affects the original."""
        supervisor = self._supervisor()
        if not supervisor:
            return
        parent = self.rng.choice([self.place.runs, os.path.join(self.root, "copies")])
        os.makedirs(parent, exist_ok=True)
        copy = os.path.join(parent, f"copy{len(self.story)}-" + os.path.basename(self.run)[-12:])
        how = self.rng.choice([["cp", "-r"], ["cp", "-a"]])
        subprocess.run([*how, self.run, copy], stderr=subprocess.DEVNULL)  # journals come and go meanwhile
        if not os.path.exists(os.path.join(copy, "run.json")):
            return shutil.rmtree(copy, ignore_errors=True)
        words = ["stop", copy, *self.rng.choice([[], ["--now"], ["--no-wait"]])]
        self.story[-1] += ", then stop " + " ".join(words[2:])
        code, out, said, _ = self._command({}, ["show", copy, "--json"], 60)
        try:
            state = json.loads(out).get("state")
        except ValueError:
            state = None
        if code == 0 and state in ("starting", "running", "stopping"):
            self.find("other", f"a copy is {state}")
        code, _, said, _ = self._command({}, words, 60)
        if code is None:
            self.find("other", f"{words} does not end")
        shutil.rmtree(copy, ignore_errors=True)

    # --- several stops -----------------------------------------------------------------------------------------------
    def _stop_several_times(self):
        """Checks that two or three stops, at once or one after another, are one stop."""
        supervisor = self._supervisor()
        if not supervisor or processes.state_of(supervisor) == "T":
            return
        stops = [[self.place.program("rankscopectl"), "stop", self.run, *self.rng.choice([[], ["--no-wait"]])]
                 for _ in range(self.rng.choice([2, 3]))]
        clients = []
        for words in stops:
            clients.append(self.place.start(words))
            time.sleep(self.rng.choice([0, 0.05, 0.5]))
        self.done.stop_asked = True
        self.plain_stops += len(stops)
        for client in clients:
            try:
                client.wait(60)
            except subprocess.TimeoutExpired:
                client.kill()
                self.find("other", "a stop does not end within 60 s")

    def nobody_killed(self, info):
        """Checks that only --now, or a second signal, kills ranks."""
        gently = all(not any(word in story for word in ("signal", "kill", "pause", "replace", "freeze", "fill"))
                     for story in self.story[1:])
        if self.plain_stops and gently and "limits" not in self.conditions and "killed" in info.get("cause", ""):
            self.find("end", f"{self.plain_stops} plain stops: {info['cause']}")
