# SPDX-License-Identifier: Apache-2.0
"""A separate folder with recipe, speech and runs, and the real programs, whose processes are all marked."""
import json
import math
import os
import random
import shutil
import struct
import subprocess
import time

import processes
from archive import Archive

HERE = os.path.dirname(os.path.abspath(__file__))


def write_tones(folder, count=24, seconds=1.0):
    """Writes `count` WAV files with tones over noise, and their manifest."""
    noise = random.Random(7)
    rate, lines = 16000, []
    for i in range(count):
        path = os.path.join(folder, f"tone{i}.wav")
        pitch = 120 + 15 * (i % 8)
        samples = [int(6000 * math.sin(2 * math.pi * pitch * t / rate) + noise.gauss(0, 600))
                   for t in range(int(rate * seconds))]
        body = struct.pack(f"<{len(samples)}h", *samples)
        with open(path, "wb") as f:
            f.write(b"RIFF" + struct.pack("<I", 36 + len(body)) + b"WAVEfmt ")
            f.write(struct.pack("<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16) + b"data" + struct.pack("<I", len(body)))
            f.write(body)
        lines.append(json.dumps({"audio_filepath": path, "duration": seconds, "text": ""}) + "\n")
    with open(os.path.join(folder, "tones.json"), "w") as f:
        f.writelines(lines)


class Place:
    """Creates `root`; many places share `speech`."""

    def __init__(self, programs, speech, root, mark, runs=None):
        self.programs, self.speech, self.root, self.mark = programs, speech, root, mark
        os.makedirs(root, mode=0o700)
        self.runs = runs or os.path.join(root, "runs")
        self.home = os.path.join(root, "home")
        os.makedirs(self.home, mode=0o700)
        self.outputs = []
        self.archive = Archive(self.runs, os.path.join(os.path.dirname(self.runs), "kept"))

    @property
    def recipe(self):
        return os.path.join(HERE, "recipe.yaml")

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(("XDG_", "RANKSCOPE_", "LC_", "LANG", "QT_", "DISPLAY", "WAYLAND"))}
        env.update(HOME=self.home, QT_QPA_PLATFORM="offscreen", LANG="C.UTF-8")
        env[processes.MARK] = self.mark
        env["RANKSCOPE_TRAINER"] = self.program("rankscope-trainer")
        for key, value in more.items():
            if value is None:
                env.pop(key, None)
            else:
                env[key] = value
        return env

    def program(self, name):
        return os.path.join(self.programs, name)

    def start(self, args, environment=None, **options):
        """Starts a program in the background; its output goes to a file. umask 0 reveals files without a mode."""
        out = os.path.join(self.root, f"out{len(self.outputs)}.txt")
        self.outputs.append(out)
        with open(out, "wb") as f:
            child = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=f, stderr=f, cwd=self.speech, umask=0,
                                     env=environment or self.environment(), **options)
        child.said = out
        return child

    def ctl(self, *args, seconds=120, environment=None):
        """Returns (exit code, stdout, stderr); exit code None: it did not end in time."""
        child = subprocess.Popen([self.program("rankscopectl"), *args], stdin=subprocess.DEVNULL, cwd=self.speech,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, umask=0,
                                 env=environment or self.environment())
        try:
            out, err = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            return None, "", "did not end in time"
        return child.returncode, out.decode(errors="replace"), err.decode(errors="replace")

    def launch_args(self, *more, ranks=2, resume=None):
        what = ["--resume", resume] if resume else [self.recipe, "--ranks", str(ranks)]
        return [self.program("rankscopectl"), "launch", *what,
                *([] if resume else [f"model.train_ds.manifest_filepath={self.speech}/tones.json"]), *more,
                "--runs", self.runs]

    def window(self, *args, environment=None):
        return self.start([self.program("rankscope"), "--runs", self.runs, *args], environment=environment)

    def run_folders(self):
        try:
            names = sorted(n for n in os.listdir(self.runs) if not n.startswith("."))
        except OSError:
            return []
        return [os.path.join(self.runs, n) for n in names if os.path.isdir(os.path.join(self.runs, n))]

    def new_run(self, before, child=None, seconds=60):
        """Waits for a folder that is not in `before` and returns it; None: there is none and `child` has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ended = child is not None and child.poll() is not None
            new = [r for r in self.run_folders() if r not in before]
            if new:
                return new[-1]
            if ended:
                return None
            time.sleep(0.002)
        return None

    def remove(self):
        self.archive.close()
        shutil.rmtree(self.root, ignore_errors=True)


def read_info(run):
    """Returns the contents of run.json; None if it cannot be read."""
    try:
        with open(os.path.join(run, "run.json")) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def text_of(child):
    with open(child.said, errors="replace") as f:
        return f.read()
