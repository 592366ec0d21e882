# SPDX-License-Identifier: Apache-2.0
"""Synthetic utterances: noise that comes and goes. Tests of speed, waits and checkpoints need no speech."""
import array
import json
import random
import wave

RATE = 16000


def utterance(rng, seconds):
    samples = array.array("h", rng.randbytes(2 * int(seconds * RATE)))
    stretch = RATE // 4
    for begin in range(0, len(samples), stretch):
        shift = rng.randrange(4, 9)
        samples[begin:begin + stretch] = array.array("h", [v >> shift for v in samples[begin:begin + stretch]])
    return samples


def write_set(folder, count=32, shortest=5.0, longest=9.0, seed=1):
    """Writes `count` files and a manifest, and returns its path; the same seed gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    lines = []
    for number in range(count):
        seconds = shortest + (longest - shortest) * number / max(1, count - 1)
        file = folder / f"{number:03}.wav"
        with wave.open(str(file), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(RATE)
            out.writeframes(utterance(rng, seconds).tobytes())
        lines.append(json.dumps({"audio_filepath": str(file), "duration": round(seconds, 4)}))
    manifest = folder / "train.json"
    manifest.write_text("\n".join(lines) + "\n")
    return manifest
