# SPDX-License-Identifier: Apache-2.0
"""What happens to a run as a whole: it is copied while it trains, frozen, and stopped by several users."""
import json
import os
import signal
import subprocess
import time

import processes
from place import read_info, text_of
from scenarios import scenario
from whole import Run


def _state(place, run):
    code, out, _ = place.ctl("show", run, "--json")
    return json.loads(out)["state"] if code == 0 else None


@scenario("copy of a live run", short=True)
def copied(stage):
    """cp -r of a live run: the copy is not live, and stopping the copy does not affect the original."""
    place = stage.place()
    run = Run(stage, place, steps=100000)
    if not stage.expect(run.reaches(8), "does not train: " + run.said()[-300:]):
        return ""
    words = []
    for number, how in enumerate((["stop"], ["stop", "--no-wait"], ["stop", "--now"])):
        copy = os.path.join(place.root, f"copy{number}")
        subprocess.run(["cp", "-r", run.folder, copy], stderr=subprocess.DEVNULL)
        state = _state(place, copy)
        stage.expect(state not in ("starting", "running", "stopping"), f"the copy is {state}")
        code, _, said = place.ctl(*how[:1], copy, *how[1:])
        words.append(f"{' '.join(how)}: {code}")
        time.sleep(0.5)
        stage.expect(run.child.poll() is None, f"{how} of the copy ended the original: {said}")
    stage.expect(_state(place, run.folder) == "running", "the original is not running any more")
    code, _, said = place.ctl("stop", run.folder)
    run.done.stop_asked = True
    stage.expect(code == 0, f"stop of the original ends with {code}: {said}")
    run.ends_with(4, 30)
    run.examine()
    return f"three copies; {', '.join(words)}; the original trained on until it was stopped"


@scenario("frozen as a whole", short=True)
def frozen(stage):
    """Supervisor and ranks are stopped and continued together: no rank is blamed, and the pause is reported."""
    place = stage.place()
    run = Run(stage, place, steps=100000)
    if not stage.expect(run.reaches(20), "does not train: " + run.said()[-300:]):
        return ""
    family = [processes.identity(run.child.pid), run.rank(0), run.rank(1)]
    for order in (family, family[::-1]):
        for process in order:
            processes.send(process, signal.SIGSTOP)
        time.sleep(4)
        for process in order:
            processes.send(process, signal.SIGCONT)
        step = run.step()
        processes.wait_until(lambda: run.step() >= step + 20, 30)
    code, out, said = place.ctl("diagnose", run.folder, "--json")
    stage.expect(code == 0, f"diagnose ends with {code}: {said}")
    incidents = json.loads(out)["incidents"] if code == 0 else []
    for incident in incidents:
        length = (incident["closed_s"] or incident["opened_s"]) - incident["opened_s"]
        stage.expect(not incident["holders"] or length < 2.5, f"blamed: {incident['sentence']}")
    told = [i["sentence"] for i in incidents if not i["holders"]]
    stage.expect(len(told) == 2, f"two standstills are told as {told}")
    place.ctl("stop", run.folder)
    run.done.stop_asked = True
    run.ends_with(4, 30)
    run.examine()
    return "; ".join(told)


@scenario("several stops", short=True)
def stops(stage):
    """A plain stop joins the one in progress: no rank is killed, and the last checkpoint is written."""
    place = stage.place()
    fault = "++rankscope.faults=[{kind: data_loading, rank: 1, step: 30, seconds: 4}]"
    words = []
    for many in (2, 3):
        run = Run(stage, place, fault, steps=100000)
        if not stage.expect(run.reaches(29), "does not train: " + run.said()[-300:]):
            continue
        time.sleep(1)  # rank 1 is reading: the current step takes another 3 s
        clients = [place.start([place.program("rankscopectl"), "stop", run.folder, *["--no-wait"] * (n == 0)])
                   for n in range(many)]
        for client in clients:
            stage.expect(client.wait(60) == 0, f"stop ends with {client.returncode}: {text_of(client)}")
        run.done.stop_asked = True
        run.ends_with(4, 30)
        run.examine(thorough=True)
        cause = (read_info(run.folder) or {}).get("cause", "")
        stage.expect("killed" not in cause, f"{many} stops: {cause}")
        words.append(f"{many} stops: {cause}")
    return "; ".join(words)
