# SPDX-License-Identifier: Apache-2.0
"""Machines without a home folder, display, sound, GPU or new enough driver, and machines whose clocks jump."""
import os
import shutil
import subprocess
import time

import processes
from scenarios import Skip, scenario
from whole import Run


@scenario("no home", short=True)
def no_home(stage):
    """Neither HOME nor XDG folders; a home that cannot be written to."""
    place = stage.place()
    bare = place.environment(HOME=None)
    run = Run(stage, place, environment=bare)
    run.ends_with(0)
    run.examine()
    code, _, said = place.ctl("list", environment=bare)
    stage.expect(code == 2 and "--runs" in said, f"list without any folder: {code}: {said}")
    nowhere = place.environment(HOME="/proc/nonexistent/home")
    picture = os.path.join(place.root, "picture.png")
    for name, environment in (("no HOME", bare), ("HOME that is not there", nowhere)):
        window = place.start([place.program("rankscope"), "--runs", place.runs, "--run", "last", "--screenshot",
                              picture], environment=environment)
        stage.expect(window.wait(60) == 0, f"{name}: the window ends with {window.returncode}")
        code, _, said = place.ctl("show", run.folder, environment=environment)
        stage.expect(code == 0, f"{name}: show: {code}: {said}")
    return "launch, show and the window without HOME; list asks for --runs"


@scenario("no display", short=True)
def no_display(stage):
    """Without a display, the window says so and what to use instead; everything else works."""
    place = stage.place()
    window = place.start([place.program("rankscope")], environment=place.environment(QT_QPA_PLATFORM=None))
    code = window.wait(30)
    with open(window.said) as f:
        said = f.read()
    stage.expect(code == 2 and "no display" in said and "rankscopectl" in said, f"{code}: {said}")
    picture = os.path.join(place.root, "picture.png")
    window = place.start([place.program("rankscope"), "--screenshot", picture],
                         environment=place.environment(QT_QPA_PLATFORM=None))
    stage.expect(window.wait(60) == 0 and os.path.getsize(picture) > 1000, "no picture without a display")
    return said.strip()


@scenario("no sound")
def no_sound(stage):
    """A window on a stalled run, without a sound device or a desktop for notifications (no session bus)."""
    place = stage.place()
    deaf = place.environment(DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent", PULSE_SERVER="unix:/nonexistent")
    run = Run(stage, place, "--fault", "data_loading:rank=1,step=5,seconds=3", "rankscope.stall.min_seconds=0.5",
              environment=deaf)
    run.begun()
    window = place.window("--run", "last", environment=deaf)
    run.ends_with(0)
    stage.expect(window.poll() is None, "the window ended")
    window.kill()
    window.wait()
    run.examine()
    devices = "there is none here" if not os.path.exists("/dev/snd") else "there is one here, not offered"
    return f"sound: {devices}; an incident with nobody to tell it to"


def _tell(stage, place, environment, *more):
    code, _, said = place.ctl("launch", place.recipe, f"model.train_ds.manifest_filepath={stage.speech}/tones.json",
                              *more, "--runs", place.runs, environment=environment)
    stage.expect(code == 2 and "GPU" in said, f"a recipe for GPUs ends with {code}: {said}")
    return said.strip().replace(stage.root, "…")


@scenario("no GPU or an old driver")
def no_gpu(stage):
    """A recipe for GPUs is refused with the reason, also with drivers that do not start or lack required functions."""
    place = stage.place()
    words = _tell(stage, place, None, "trainer.accelerator=gpu")
    fake = os.path.join(stage.root, "driver")
    os.makedirs(fake)
    for library, name in (("libnvml_answers.so", "libnvidia-ml.so.1"), ("libold_driver.so", "libcuda.so.1")):
        shutil.copy(stage.library(library), os.path.join(fake, name))
    for answer in ("no_start", "no_device", "absurd", "flood"):
        old = place.environment(LD_LIBRARY_PATH=fake, RANKSCOPE_NVML=answer)
        _tell(stage, place, old, "trainer.accelerator=gpu")
        run = Run(stage, place, environment=old, steps=12)
        run.ends_with(0)
        run.examine()
    # an old driver's management library lacks today's functions
    shutil.copy(os.path.join(fake, "libcuda.so.1"), os.path.join(fake, "libnvidia-ml.so.1"))
    old = place.environment(LD_LIBRARY_PATH=fake)
    run = Run(stage, place, environment=old, steps=12)
    run.ends_with(0)
    run.examine()
    return words


def _faketime():
    for path in ("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1", "/usr/lib/aarch64-linux-gnu/faketime/"
                 "libfaketime.so.1", "/usr/lib/faketime/libfaketime.so.1"):
        if os.path.exists(path):
            return path
    raise Skip("libfaketime is not installed")


@scenario("clock steps")
def clocks(stage):
    """The wall clock jumps a day ahead and two hours back during the run (libfaketime; monotonic time stays real)."""
    place = stage.place()
    offset = os.path.join(stage.root, "offset")

    def step(words):
        with open(offset + ".new", "w") as f:
            f.write(words + "\n")
        os.rename(offset + ".new", offset)

    step("+0")
    # threads of a library that starts before libfaketime is ready would hang in its locks: no cache, no shared memory
    jumping = place.environment(LD_PRELOAD=_faketime(), FAKETIME_TIMESTAMP_FILE=offset, FAKETIME_NO_CACHE="1",
                                FAKETIME_DONT_FAKE_MONOTONIC="1", DONT_FAKE_MONOTONIC="1", FAKETIME_DISABLE_SHM="1")
    run = Run(stage, place, steps=150, environment=jumping)
    if stage.expect(run.reaches(10), "does not train: " + run.said()[-300:]):
        step("+1d")
        time.sleep(1.5)
        step("-2h")
        time.sleep(1.5)
    run.ends_with(0)
    run.examine()
    lost = Run(stage, place, steps=100000, environment=jumping)
    lost.reaches(5)
    step("-1d")
    time.sleep(0.5)
    lost.done.supervisor_killed = True
    lost.child.kill()
    lost.child.wait()
    processes.gone(stage.mark)
    lost.examine()
    code, out, said = place.ctl("list", "--runs", place.runs)
    stage.expect(code == 0, f"list: {code}: {said}")
    words = f"+1 day, -2 hours, -1 day by libfaketime, while training and before a kill; {stage.records} records"
    return words + _moved_boot(stage, place)


def _moved_boot(stage, place):
    """The monotonic clock of a machine that has been up for ten years, in a time namespace."""
    try:
        can = subprocess.run(["unshare", "--time", "--monotonic", "315360000", "--fork", "true"], capture_output=True)
    except FileNotFoundError:
        return "; no unshare to move the monotonic clock with"
    if can.returncode != 0:
        return "; no time namespace to move the monotonic clock in"
    run = Run(stage, place, prefix=["unshare", "--time", "--monotonic", "315360000", "--fork"])
    run.ends_with(0)
    run.examine()
    return "; monotonic clock after ten years"
