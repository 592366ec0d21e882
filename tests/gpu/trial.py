# SPDX-License-Identifier: Apache-2.0
"""Steps that may fail: each has a time limit, and so have all together; the failure of one does not stop the others."""
import os
import signal
import subprocess
import time
import traceback

LEAST_SECONDS = 5  # with less time left, a step is not started


class StepFailed(Exception):
    """Says what went wrong."""


class StepSkipped(Exception):
    """Says what the step lacks."""


class Trial:
    def __init__(self, folder, seconds, say=print):
        self.logs = folder / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.began = time.monotonic()
        self.end = self.began + seconds
        self.step_end = self.end
        self.say = say
        self.steps = []
        self.running = set()

    def seconds(self):
        return time.monotonic() - self.began

    def left(self):
        """The seconds left for the current step."""
        return max(0.0, self.step_end - time.monotonic())

    def step(self, name, seconds, work):
        """Runs work(), which returns figures or raises. Returns the figures, or None if the step did not pass."""
        began = time.monotonic()
        record = {"step": name, "status": "passed", "reason": "", "figures": {}}
        self.step_end = min(self.end, began + seconds)
        if self.left() < LEAST_SECONDS:
            record.update(status="skipped", reason="no time is left")
        else:
            self._attempt(record, work)
        record["seconds"] = round(time.monotonic() - began, 1)
        self.steps.append(record)
        self.say(f"{record['status']:<8} {name}, {record['seconds']:.0f} s" +
                  (f": {record['reason']}" if record["reason"] else ""))
        return record["figures"] if record["status"] == "passed" else None

    def _attempt(self, record, work):
        try:
            record["figures"] = work()
        except StepSkipped as why:
            record.update(status="skipped", reason=str(why))
        except StepFailed as why:
            record.update(status="failed", reason=str(why), figures=getattr(why, "figures", {}))
        except Exception as why:  # even a bug in this program fails only this step
            record.update(status="failed", reason=f"{type(why).__name__}: {why}",
                          figures={"traceback": traceback.format_exc().splitlines()[-6:]})

    def passed(self):
        return all(step["status"] != "failed" for step in self.steps)

    def start(self, log, words, env, cwd=None):
        """Starts a process in a new process group; its output goes to logs/LOG.out and logs/LOG.err."""
        with open(self.logs / f"{log}.out", "wb") as out, open(self.logs / f"{log}.err", "wb") as err:
            process = subprocess.Popen([str(w) for w in words], stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=env,
                                       cwd=cwd, start_new_session=True)
        self.running.add(process)
        return process

    def finish(self, process, log, seconds=None):
        """Waits for the process; returns its exit code and output. A process that exceeds the step's time is ended."""
        late = False
        try:
            process.wait(timeout=self.left() if seconds is None else min(seconds, self.left()))
        except subprocess.TimeoutExpired:
            late = True
            end_group(process)
        self.running.discard(process)
        out, err = self.written(log, "out"), self.written(log, "err")
        if late:
            raise StepFailed(f"{log} took longer than it may; {last_lines(err or out)}")
        return process.returncode, out, err

    def run(self, log, words, env, cwd=None, codes=(0,), seconds=None):
        """Returns the output of a command that must end with one of `codes`."""
        code, out, err = self.finish(self.start(log, words, env, cwd), log, seconds)
        if code not in codes:
            raise StepFailed(f"{log} ended with {code}: {last_lines(err or out)}")
        return out

    def close(self):
        """Ends all running processes; no further step starts."""
        self.end = self.step_end = time.monotonic()
        for process in list(self.running):
            end_group(process)

    def written(self, log, stream):
        return (self.logs / f"{log}.{stream}").read_text(errors="replace")


def end_group(process):
    """Sends SIGTERM, then SIGKILL if that has no effect."""
    for sign, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            pass
        try:
            process.wait(timeout=patience)
            return
        except subprocess.TimeoutExpired:
            continue


def last_lines(text, count=4):
    lines = [line for line in text.splitlines() if line.strip()]
    return " | ".join(lines[-count:])[-800:] or "it said nothing"
