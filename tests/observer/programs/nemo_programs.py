# SPDX-License-Identifier: Apache-2.0
"""What the NeMo programs share: sounds and manifests that each rank makes for itself, the recipe, and the Trainer."""
import json
import logging
import os
import sys
import wave
from pathlib import Path

import lightning.pytorch as pl
import numpy
import torch
import weights
from nemo.utils import logging as nemo_logging
from omegaconf import OmegaConf

OPTIONS = dict(argument.split("=") for argument in sys.argv[1:])
RECIPE = Path(__file__).resolve().parents[3] / "configs/quickstart.yaml"
RATE = 16000
WORDS = "a tone that rises", "noise", "one more tone"


def write_sound(path, seed, seconds):
    """Writes a tone in noise."""
    random = numpy.random.default_rng(seed)
    times = numpy.arange(int(seconds * RATE)) / RATE
    sound = 0.3 * numpy.sin(2 * numpy.pi * (200 + 40 * seed) * times) + 0.05 * random.standard_normal(len(times))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((32000 * numpy.clip(sound, -1, 1)).astype("<i2").tobytes())


def write_manifest(name, count, first_seed):
    """Writes sounds of 1 to 2 s, and returns the path of their manifest. Each rank has a folder of its own."""
    folder = Path(f"sounds-{os.environ.get('LOCAL_RANK', 0)}").absolute()
    folder.mkdir(exist_ok=True)
    entries = []
    for number in range(count):
        path, seconds = folder / f"{name}-{number}.wav", 1 + number / count
        write_sound(path, first_seed + number, seconds)
        entries.append({"audio_filepath": str(path), "duration": seconds, "text": WORDS[number % len(WORDS)]})
    manifest = folder / f"{name}.json"
    manifest.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return str(manifest)


def read_recipe():
    """Returns the section `model` of the quick start's recipe, made smaller."""
    model = OmegaConf.load(RECIPE).model
    model.encoder.n_layers = 2
    model.optim.sched.warmup_steps = 2
    return model


def loader_settings(**more):
    workers = int(OPTIONS.get("workers", 0))
    return {"sample_rate": RATE, "batch_size": 2, "num_workers": workers, "pin_memory": False, **more}


def fit(make_model):
    """Trains what make_model(trainer) returns, with a validation after each epoch."""
    torch.set_num_threads(1)
    nemo_logging.setLevel(logging.ERROR)
    if OPTIONS.get("context"):
        torch.multiprocessing.set_start_method(OPTIONS["context"])
    pl.seed_everything(7, workers=True)
    trainer = pl.Trainer(
        accelerator="cpu",
        devices=2,
        strategy="ddp",
        max_epochs=int(OPTIONS.get("epochs", 2)),
        num_sanity_val_steps=0,
        logger=False,
        enable_checkpointing=False,
    )
    model = make_model(trainer)
    trainer.fit(model)
    weights.report(trainer.global_rank, model.parameters())
