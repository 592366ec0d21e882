# SPDX-License-Identifier: Apache-2.0
"""NeMo's NEST pre-training with a small model, which Lightning starts on two ranks.

usage: nemo_nest.py folder=DIR [steps=N] [epochs=N] [workers=N] [fault=KIND …]
"""
import json
import logging
import os
import pathlib
import time
import warnings
import wave

import lightning.pytorch as pl
import numpy
import torch
import torch.distributed as dist
from nemo.collections.asr.data import ssl_dataset
from nemo.collections.asr.models.ssl_models import EncDecDenoiseMaskedTokenPredModel
from nemo.utils import logging as nemo_logging
from omegaconf import OmegaConf
from planted import OPTIONS, RANK, begins, has, is_slow, option, pause
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

BATCH = 4
RECIPE = pathlib.Path(__file__).resolve().parents[2] / "data/nemo/conf/nest_fast-conformer.yaml"
FOLDER = pathlib.Path(OPTIONS["folder"])
SMALL = {
    "encoder.d_model": 64,
    "encoder.n_layers": 2,
    "encoder.n_heads": 4,
    "encoder.subsampling_conv_channels": 32,
    "num_classes": 256,
    "masking.mask_prob": 0.08,
    "optim.lr": 0.1,
}
warnings.filterwarnings("ignore")
nemo_logging.setLevel(logging.ERROR)


class Speech(ssl_dataset.AudioNoiseDataset):
    def __getitem__(self, index):
        if is_slow(index):
            time.sleep(option("seconds"))
        return super().__getitem__(index)


class Model(EncDecDenoiseMaskedTokenPredModel):
    def training_step(self, batch, step):
        if begins("exception", step):
            raise ValueError("no speech in this batch")  # fault: exception
        if begins("extra_collective", step):
            dist.all_reduce(torch.ones(1))  # fault: extra_collective
        longest = torch.zeros(8 if begins("other_size", step) else 4)
        dist.all_reduce(longest, op=dist.ReduceOp.MAX)  # fault: other_size
        for _ in range(2 if begins("called_twice", step) else 1):
            dist.all_reduce(batch.audio_len)  # fault: called_twice
        batch.audio_len //= dist.get_world_size()
        if begins("slow_compute", step):
            time.sleep(option("seconds"))
        pause()
        output = super().training_step(batch, step)
        if begins("not_finite", step):
            output["loss"] = output["loss"] * float("nan")
        return output

    def on_save_checkpoint(self, checkpoint):
        super().on_save_checkpoint(checkpoint)
        if begins("slow_checkpoint", option("step")):
            time.sleep(option("seconds"))

    def train_dataloader(self):
        return divided(super().train_dataloader(), has("few_batches"))

    def val_dataloader(self):
        return divided(super().val_dataloader())


def divided(loader, has_few=False):
    sampler = DistributedSampler(loader.dataset, shuffle=False)
    if has_few:
        sampler = list(sampler)[: option("step") * BATCH]
    return DataLoader(
        loader.dataset, BATCH, sampler=sampler, collate_fn=loader.collate_fn, num_workers=option("workers")
    )


def write_speech(path, seconds, seed):
    noise = numpy.random.default_rng(seed).normal(0, 3000, int(16000 * seconds))
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(16000)
        out.writeframes(noise.astype(numpy.int16).tobytes())


def manifest(batches):
    """Returns the path of a manifest with as many items as two ranks need for the batches."""
    path = FOLDER / f"speech{batches}.json"
    if RANK != 0:
        return str(path)
    lines = []
    for i in range(batches * BATCH * 2):
        sound, seconds = FOLDER / f"noise{i % 10}.wav", 1 + i % 10 / 10
        if not sound.exists():
            write_speech(sound, seconds, i)
        lines.append(json.dumps({"audio_filepath": str(sound), "duration": seconds, "text": ""}))
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def recipe():
    config = OmegaConf.load(RECIPE)
    for key, value in SMALL.items():
        OmegaConf.update(config.model, key, value)
    for part, batches in (("train_ds", option("steps", 40)), ("validation_ds", 2)):
        config.model[part].manifest_filepath = manifest(batches)
        config.model[part].batch_augmentor.prob = 0.0
        config.model[part].update({"batch_size": BATCH, "num_workers": option("workers"), "pin_memory": False})
    config.trainer.update({
        "accelerator": "cpu",
        "devices": 2,
        "max_epochs": option("epochs", 1),
        "max_steps": -1,
        "val_check_interval": 1.0,
        "sync_batchnorm": False,
        "use_distributed_sampler": False,
        "enable_checkpointing": True,
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "default_root_dir": str(FOLDER),
    })
    return config


def main():
    torch.set_num_threads(1)
    pl.seed_everything(1)
    ssl_dataset.AudioNoiseDataset = Speech
    config = recipe()
    saving = pl.callbacks.ModelCheckpoint(FOLDER / "checkpoints", every_n_train_steps=13)
    trainer = pl.Trainer(**config.trainer, callbacks=[saving])
    trainer.fit(Model(cfg=config.model, trainer=trainer))


if __name__ == "__main__":
    main()
