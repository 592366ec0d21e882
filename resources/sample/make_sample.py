# SPDX-License-Identifier: Apache-2.0
"""Makes the synthetic sample set; called by make.sh, which says what it is for. Python's standard library only."""

import array
import hashlib
import json
import math
import multiprocessing
import operator
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import wave

RATE = 16000
HERE = os.path.dirname(os.path.abspath(__file__))
STAMP = ".made"
MANIFESTS = ("train.json", "val.json", "noise.json")


class Failure(Exception):
    """What went wrong, as the user should read it."""


# ---- speech ----------------------------------------------------------------------------------------------------------


def read_sentences():
    """(set, voice, words a minute, pitch, text) of each line of sentences.txt."""
    rows = []
    with open(os.path.join(HERE, "sentences.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                part, voice, speed, pitch, text = line.rstrip("\n").split("|")
                rows.append((part, voice, speed, pitch, text))
    return rows


def resampling_taps(rate, half=16, beta=6.0):
    """Kaiser-windowed sinc, one row a phase: from `rate` to RATE with 60 dB of what RATE cannot hold removed."""
    common = math.gcd(rate, RATE)
    up, down = RATE // common, rate // common
    cutoff = 0.92 * min(1.0, RATE / rate)

    def bessel(x):  # modified, first kind, order 0
        total = term = 1.0
        for k in range(1, 30):
            term *= (x / (2 * k)) ** 2
            total += term
        return total

    def tap(distance):
        if abs(distance) >= half:
            return 0.0
        x = math.pi * cutoff * distance
        sinc = 1.0 if x == 0 else math.sin(x) / x
        return cutoff * sinc * bessel(beta * math.sqrt(1 - (distance / half) ** 2)) / bessel(beta)

    rows = []
    for phase in range(up):
        row = [tap(k - half + 1 - phase / up) for k in range(2 * half)]
        total = sum(row)
        rows.append([t / total for t in row])
    return rows, up, down, half


def resample(samples, rate):
    if rate == RATE:
        return [float(s) for s in samples]
    rows, up, down, half = resampling_taps(rate)
    padded = [0.0] * (half - 1) + [float(s) for s in samples] + [0.0] * (half + 1)
    width = 2 * half
    dot = getattr(math, "sumprod", lambda a, b: sum(map(operator.mul, a, b)))
    out = []
    for n in range(len(samples) * up // down):
        base, phase = divmod(n * down, up)
        out.append(dot(padded[base : base + width], rows[phase]))
    return out


def speak(job):
    """Writes one utterance; gives its seconds."""
    path, voice, speed, pitch, text = job
    raw = path + ".raw"
    done = subprocess.run(
        ["espeak-ng", "-v", voice, "-s", speed, "-p", pitch, "-a", "90", "-w", raw],
        input=text.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0 or not os.path.exists(raw):
        why = done.stderr.decode(errors="replace").strip()
        raise Failure(f"espeak-ng cannot speak with voice {voice}: {why or 'no reason given'}")
    with wave.open(raw) as sound:
        rate = sound.getframerate()
        samples = array.array("h", sound.readframes(sound.getnframes()))
    os.remove(raw)
    if sys.byteorder == "big":
        samples.byteswap()
    return write_wav(path, resample(samples, rate))


# ---- noise -----------------------------------------------------------------------------------------------------------


def white(rng, count):
    return [rng.random() - 0.5 for _ in range(count)]


def pink(rng, count, octaves=12):
    """One random value an octave, each held twice as long as the one before."""
    held = [rng.random() - 0.5 for _ in range(octaves)]
    total, out = sum(held), []
    for n in range(1, count + 1):
        which = (n & -n).bit_length() - 1
        if which < octaves:
            value = rng.random() - 0.5
            total += value - held[which]
            held[which] = value
        out.append(total)
    return out


def brown(rng, count, leak=0.998):
    level, out = 0.0, []
    for _ in range(count):
        level = leak * level + rng.random() - 0.5
        out.append(level)
    return out


def hum(rng, count):
    """Mains hum: 50 Hz and harmonics, a little hiss."""
    waves = [(2 * math.pi * 50 * k / RATE, 1 / k, rng.random() * 6.28) for k in (1, 2, 3, 5, 7)]
    return [sum(a * math.sin(w * n + p) for w, a, p in waves) + 0.05 * (rng.random() - 0.5) for n in range(count)]


def wind(rng, count):
    """Brown noise in gusts."""
    return [x * (0.2 + math.sin(math.pi * n / (RATE * 1.7)) ** 2) for n, x in enumerate(brown(rng, count))]


def babble(rng, count, folder, names):
    """Eight of the set's own utterances at once, each begun again at its end."""
    out = [0.0] * count
    for name in rng.sample(sorted(names), 8):
        with wave.open(os.path.join(folder, name)) as sound:
            voice = array.array("h", sound.readframes(sound.getnframes()))
        if sys.byteorder == "big":
            voice.byteswap()
        start = rng.randrange(len(voice))
        for n in range(count):
            out[n] += voice[(start + n) % len(voice)]
    return out


def make_noise(job):
    kind, path, seconds, folder, names = job
    rng = random.Random(f"rankscope {kind}")
    count = int(seconds * RATE)
    makers = {"white": white, "pink": pink, "brown": brown, "hum": hum, "wind": wind}
    samples = babble(rng, count, folder, names) if kind == "babble" else makers[kind](rng, count)
    mean = sum(samples) / count
    samples = [s - mean for s in samples]
    loudness = math.sqrt(sum(s * s for s in samples) / count)
    return write_wav(path, [s * 32768 * 0.03 / loudness for s in samples])  # -30 dB of full scale


# ---- the set ---------------------------------------------------------------------------------------------------------


def write_wav(path, samples):
    data = array.array("h", (max(-32768, min(32767, round(s))) for s in samples))
    if sys.byteorder == "big":
        data.byteswap()
    with wave.open(path, "wb") as sound:
        sound.setparams((1, 2, RATE, 0, "NONE", ""))
        sound.writeframes(data.tobytes())
    return len(data) / RATE


def write_manifest(path, rows):
    with open(path, "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def recipe_hash():
    """Changes when this script, the sentences or espeak-ng do."""
    digest = hashlib.sha256(subprocess.run(["espeak-ng", "--version"], stdout=subprocess.PIPE, check=True).stdout)
    for name in ("make_sample.py", "sentences.txt"):
        with open(os.path.join(HERE, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def up_to_date(folder, wanted):
    """Whether `folder` holds the set of this recipe, whole."""
    try:
        with open(os.path.join(folder, STAMP), encoding="utf-8") as stamp:
            if stamp.read() != wanted:
                return False
        for manifest in MANIFESTS:
            with open(os.path.join(folder, manifest), encoding="utf-8") as lines:
                for line in lines:
                    os.stat(os.path.join(folder, json.loads(line)["audio_filepath"]))
    except OSError:
        return False
    return True


def leave_signals_to_parent():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def build(folder, workers):
    os.mkdir(os.path.join(folder, "speech"))
    os.mkdir(os.path.join(folder, "noise"))
    jobs, rows = [], []
    for number, (part, voice, speed, pitch, text) in enumerate(read_sentences()):
        name = f"speech/{number:02d}-{voice.replace('+', '-')}.wav"
        jobs.append((os.path.join(folder, name), voice, speed, pitch, text))
        rows.append((part, {"audio_filepath": name, "duration": 0, "text": text}))
    kinds = (("white", 8), ("pink", 10), ("brown", 10), ("hum", 8), ("wind", 10), ("babble", 12))
    with multiprocessing.Pool(workers, initializer=leave_signals_to_parent) as pool:
        for (_, row), seconds in zip(rows, pool.map(speak, jobs, chunksize=1)):
            row["duration"] = round(seconds, 4)
        names = [row["audio_filepath"] for part, row in rows if part == "train"]
        noise = [{"audio_filepath": f"noise/{kind}.wav", "duration": 0, "text": ""} for kind, _ in kinds]
        made = pool.map(make_noise, [(kind, os.path.join(folder, row["audio_filepath"]), seconds, folder, names)
                                     for (kind, seconds), row in zip(kinds, noise)], chunksize=1)
    for row, seconds in zip(noise, made):
        row["duration"] = round(seconds, 4)
    for part in ("train", "val"):
        write_manifest(os.path.join(folder, part + ".json"), [row for which, row in rows if which == part])
    write_manifest(os.path.join(folder, "noise.json"), noise)
    with open(os.path.join(HERE, "LABEL.md"), "rb") as label, open(os.path.join(folder, "README.md"), "wb") as out:
        out.write(label.read())
    return sum(row["duration"] for _, row in rows), len(rows), len(noise)


def put_in_place(built, out):
    """Renames the finished set to `out`; what was there goes only then."""
    old = None
    if os.path.isdir(out) and os.listdir(out):
        old = tempfile.mkdtemp(prefix=".rankscope-sample-old-", dir=os.path.dirname(out))
        os.rename(out, os.path.join(old, "set"))
    os.rename(built, out)
    if old:
        shutil.rmtree(old, ignore_errors=True)


def main(argument):
    out = os.path.realpath(argument)
    wanted = recipe_hash()
    if up_to_date(out, wanted):
        print(f"make.sh: {out} is up to date")
        return
    if os.path.exists(out) and not os.path.isdir(out):
        raise Failure(f"{out} is not a folder")
    if os.path.isdir(out) and os.listdir(out) and not os.path.exists(os.path.join(out, STAMP)):
        raise Failure(f"{out} holds other files than the sample set: name another folder")
    parent = os.path.dirname(out)
    os.makedirs(parent, exist_ok=True)
    built = tempfile.mkdtemp(prefix=".rankscope-sample-", dir=parent)
    try:
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(built, 0o777 & ~umask)
        seconds, utterances, clips = build(built, max(1, min(4, len(os.sched_getaffinity(0)))))
        with open(os.path.join(built, STAMP), "w", encoding="utf-8") as stamp:
            stamp.write(wanted)
        put_in_place(built, out)
    finally:
        shutil.rmtree(built, ignore_errors=True)
    print(f"make.sh: {utterances} synthetic utterances ({seconds:.0f} s) and {clips} noise clips in {out}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as an exception, so that what is half-made goes away
    try:
        main(sys.argv[1])
    except Failure as failure:
        sys.exit(f"make.sh: {failure}")
    except OSError as error:
        sys.exit(f"make.sh: {error.filename or sys.argv[1]}: {error.strerror or error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"make.sh: {error.cmd[0]} failed with status {error.returncode}")
    except KeyboardInterrupt:
        sys.exit(130)
