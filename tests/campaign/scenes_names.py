# SPDX-License-Identifier: Apache-2.0
"""Languages of the machine, and folder names that often break programs."""
import json
import os
import re
import shutil
import subprocess

from place import Place
from scenarios import Skip, scenario
from whole import Run

LOCALES = {"de_DE": "UTF-8", "tr_TR": "UTF-8", "zh_CN": "UTF-8"}


def _locales(folder):
    """Compiles locales into a separate folder (LOCPATH), so that the machine's own stay unchanged."""
    if not shutil.which("localedef"):
        raise Skip("no localedef to make locales with")
    os.makedirs(folder, exist_ok=True)
    made = []
    for name, charset in LOCALES.items():
        done = subprocess.run(["localedef", "-i", name, "-f", charset, os.path.join(folder, f"{name}.{charset}")],
                              capture_output=True, text=True)
        if done.returncode in (0, 1):  # 1: warnings
            made.append(f"{name}.{charset}")
    if len(made) != len(LOCALES):
        raise Skip(f"localedef makes only {made}: {done.stderr.strip()[:200]}")
    return made


def _everything(stage, place, environment, where):
    """Runs launch, list, show, resume, every export and a screenshot; returns what was exported as CSV."""
    run = Run(stage, place, environment=environment)
    if not run.ends_with(0):
        return None
    run.examine()
    for words in (["list", "--runs", place.runs, "--json"], ["show", run.folder, "--json"],
                  ["diagnose", run.folder, "--json"], ["waits", run.folder, "--json"]):
        code, out, said = place.ctl(*words, environment=environment)
        if stage.expect(code == 0, f"{where}: {words[0]} ends with {code}: {said}"):
            try:
                json.loads(out)
            except ValueError as e:
                stage.expect(False, f"{where}: {words[0]} --json is no JSON: {e}")
    again = Run(stage, place, environment=environment, resume=run.folder, steps=36)
    again.ends_with(0)
    again.examine()
    for form in ("csv", "tensorboard", "chrome-trace", "html"):
        out = os.path.join(place.root, "exported " + form)
        code, _, said = place.ctl("export", run.folder, "--format", form, "--output", out, environment=environment)
        stage.expect(code == 0, f"{where}: export {form} ends with {code}: {said}")
    picture = os.path.join(place.root, "picture.png")
    window = place.start([place.program("rankscope"), "--runs", place.runs, "--run", run.folder, "--screenshot",
                          picture], environment=environment)
    stage.expect(window.wait(60) == 0 and os.path.getsize(picture) > 10000, f"{where}: no picture")
    steps = os.path.join(place.root, "exported csv", "steps.csv")
    if not stage.expect(os.path.exists(steps), f"{where}: no {os.listdir(os.path.dirname(steps))}"):
        return None
    with open(steps) as f:
        return f.read()


@scenario("locales")
def locales(stage):
    """Numbers are written with a decimal point in any locale, and Turkish case rules change no key."""
    made = _locales(os.path.join(stage.root, "locales"))
    first = None
    for name in [*made, "C", "POSIX"]:
        place = stage.place()
        environment = place.environment(LANG=name, LC_ALL=name, LOCPATH=os.path.join(stage.root, "locales"))
        text = _everything(stage, place, environment, name)
        if text is None:
            continue
        shape = [len(line.split(",")) for line in text.splitlines()]
        stage.expect(len(set(shape)) == 1, f"{name}: rows of different lengths in steps.csv")
        stage.expect(re.search(r"\d\.\d", text), f"{name}: no decimal point in steps.csv")
        losses = [line.split(",")[:4] for line in text.splitlines()[:1]]
        first = first or losses
        stage.expect(losses == first, f"{name}: other columns {losses}")
    return f"{', '.join(made)}, C, POSIX: launch, resume, reports, exports and a picture each; {stage.records} records"


NAMES = {"spaces": "a folder  with spaces ", "Unicode": "Läufe 训练 čekání \U0001f40c", "quotes": "it's \"$HOME\" `x` %d",
         "250 characters": "n" * 250, "line break": "two\nlines", "dash": "-rf"}


@scenario("names of folders")
def names(stage):
    """Runs, recipe and speech in folders with names that break careless quoting."""
    for what, name in NAMES.items():
        root = os.path.join(stage.root, name)
        os.makedirs(root, mode=0o700)
        speech = os.path.join(root, "speech")
        shutil.copytree(stage.speech, speech)
        with open(os.path.join(speech, "tones.json"), "w") as f:
            for i in range(24):
                f.write(json.dumps({"audio_filepath": f"tone{i}.wav", "duration": 1.0}, ensure_ascii=False) + "\n")
        place = Place(stage.options.bin, speech, os.path.join(root, "place"), stage.mark)
        stage.places.append(place)
        _everything(stage, place, place.environment(), what)
    return f"{', '.join(NAMES)}: launch, resume, reports, exports and a picture each; {stage.records} records"
