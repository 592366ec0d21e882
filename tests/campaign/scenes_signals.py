# SPDX-License-Identifier: Apache-2.0
"""SIGSTOP and SIGCONT, and two of everything in one folder of runs."""
import signal
import time

import processes
from place import read_info, text_of
from scenarios import scenario
from whole import Run


@scenario("stopped and continued")
def stopped(stage):
    """A rank is stopped for 3 s, the supervisor for 2 s, and the window; the run ends as if nothing had happened."""
    place = stage.place()
    run = Run(stage, place, "rankscope.stall.min_seconds=0.5", steps=400)
    window = None
    if stage.expect(run.reaches(5), "does not train: " + run.said()[-300:]):
        window = place.window("--run", "last", "--page", "review")
        time.sleep(1)
        rank, supervisor = run.rank(1), processes.identity(run.child.pid)
        for process, seconds in ((rank, 3), (processes.identity(window.pid), 1), (supervisor, 2)):
            stage.expect(processes.send(process, signal.SIGSTOP), f"{process} is gone")
            time.sleep(seconds)
            stage.expect(processes.state_of(process) == "T", f"{process} is not stopped")
            processes.send(process, signal.SIGCONT)
            time.sleep(0.5)
        stage.expect(window.poll() is None, "the window ended")
    run.ends_with(0)
    if window:
        window.kill()
        window.wait()
    run.examine(thorough=True)
    _, told, _ = place.ctl("diagnose", run.folder)
    stage.expect("stopped" in told, "no incident tells of the stopped rank: " + told[-300:])
    return f"a rank for 3 s, the window for 1 s, the supervisor for 2 s; {stage.records} records, none lost"


@scenario("stopped and killed", short=True)
def stopped_and_killed(stage):
    """A stopped rank does not keep a run from ending: stop --now, and kill -9 of the supervisor."""
    place = stage.place()
    for how in ("stop", "kill"):
        run = Run(stage, place, steps=100000)
        if not stage.expect(run.reaches(3), "does not train: " + run.said()[-300:]):
            continue
        rank = run.rank(0)
        processes.send(rank, signal.SIGSTOP)
        time.sleep(0.3)
        if how == "stop":
            run.done.stop_asked = True
            code, _, said = place.ctl("stop", run.folder, "--now")
            stage.expect(code == 0, f"stop --now ends with {code}: {said}")
            run.ends_with(4, 30)
        else:
            run.done.supervisor_killed = True
            run.child.kill()
            run.child.wait()
        stage.expect(not processes.gone(stage.mark), "a stopped rank outlived its run")
        run.examine()
    return "a stopped rank ended by stop --now, and with its supervisor"


@scenario("two of everything", short=True)
def two(stage):
    """Two supervisors launch into one folder at the same moment, two windows look, two stop, two show."""
    place = stage.place()
    before = place.run_folders()
    windows = [place.window("--page", "runs"), place.window("--page", "review")]
    children = [place.start(place.launch_args("trainer.max_steps=100000")) for _ in range(2)]
    processes.wait_until(lambda: len(place.run_folders()) == 2, 30)
    new = [r for r in place.run_folders() if r not in before]
    if not stage.expect(len(new) == 2, f"{len(new)} runs: {[text_of(c)[-200:] for c in children]}"):
        return ""
    processes.wait_until(lambda: all((i := read_info(r)) and i["state"] == "running" for r in new), 60)
    time.sleep(2)
    clients = [place.start([place.program("rankscopectl"), "stop", r]) for r in new for _ in range(2)]
    for client in clients:
        client.wait(60)
        stage.expect(client.returncode == 0, f"stop ends with {client.returncode}: {text_of(client)}")
    for child in children:
        stage.expect(child.wait(60) == 4, f"launch ended with {child.returncode}: {text_of(child)[-300:]}")
    lost = Run(stage, place, steps=100000)
    lost.reaches(3)
    lost.done.supervisor_killed = True
    lost.child.kill()
    lost.child.wait()
    shows = [place.start([place.program("rankscopectl"), "show", lost.folder]) for _ in range(4)]
    for show in shows:
        stage.expect(show.wait(60) == 0, f"show ends with {show.returncode}: {text_of(show)[-300:]}")
    lost.examine()
    for window in windows:
        stage.expect(window.poll() is None, f"a window ended: {text_of(window)[-300:]}")
        window.kill()
        window.wait()
    for folder in new:
        again = Run.__new__(Run)
        again.stage, again.place, again.folder, again.child = stage, place, folder, children[0]
        again.done = lost.done.__class__(stop_asked=True)
        again.examine()
    return f"2 windows, 2 launches at once, 2 stops of each, 4 recoveries at once; {stage.records} records"
