# SPDX-License-Identifier: Apache-2.0
# Writes lightning.ckpt beside it as Lightning and NeMo write a checkpoint: weights, optimizer, callbacks, and
# hyper_parameters of OmegaConf's classes. Needs torch, lightning 2.4 and omegaconf 2.3: usage: make_lightning.py FOLDER
import collections
import dataclasses
import datetime
import enum
import pathlib
import sys
import tempfile

import lightning.pytorch as pl
import numpy as np
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from omegaconf import OmegaConf

CFG = """
sample_rate: 16000
mask_position: pre_conv
squeeze_single: false
train_ds:
  manifest_filepath: [[a.json, b.json], [c.json]]
  sample_rate: ${cfg.sample_rate}
  batch_size: 4
  shuffle: true
  max_duration: null
  noise_manifest: ???
encoder:
  _target_: nemo.collections.asr.modules.ConformerEncoder
  att_context_size: [-1, -1]
  dropout: 0.1
optim: {name: adamw, lr: 0.01, betas: [0.9, 0.98], sched: {name: NoamAnnealing, min_lr: 1e-6}}
target: nemo.collections.asr.models.ssl_models.EncDecDenoiseMaskedTokenPredModel
"""

Point = collections.namedtuple("Point", "x y")


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    HIGH = 7


@dataclasses.dataclass
class Settings:
    depth: int = 3
    where: pathlib.Path = pathlib.PurePosixPath("/data/speech")


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self._set_hparams(OmegaConf.create({"cfg": OmegaConf.create(CFG)}))  # as NeMo's ModelPT does
        self.encoder = torch.nn.Linear(4, 3)
        self.norm = torch.nn.BatchNorm1d(3)
        self.decoder = torch.nn.Conv1d(3, 5, 1)
        self.tied = self.decoder.weight

    def training_step(self, batch, _):
        loss = self.decoder(self.norm(self.encoder(batch[0]))[..., None]).square().mean()
        self.log("train_loss", loss, on_epoch=True)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]

    def on_save_checkpoint(self, checkpoint):
        loops = collections.defaultdict(list)
        loops["a"].append(1)
        checkpoint["others"] = {
            "defaultdict": loops, "counter": collections.Counter("aab"), "enum": Colour.RED, "level": Level.HIGH,
            "point": Point(1, 2.5), "settings": Settings(), "path": pathlib.PurePosixPath("/models/a.nemo"),
            "time": datetime.datetime(2025, 3, 4, 5, 6, 7, tzinfo=datetime.timezone.utc),
            "took": datetime.timedelta(seconds=90), "scalar": np.float64(2.5), "array": np.arange(6).reshape(2, 3),
            "random": np.random.RandomState(1).get_state(), "dtype": torch.bfloat16, "device": torch.device("cpu"),
            "size": torch.Size([2, 3]), "layout": torch.strided, "complex": torch.zeros(2, dtype=torch.complex64),
            "sparse": torch.eye(2).to_sparse(), "generator": torch.random.get_rng_state()[:8].clone(),
            "set": {1, "b"}, "frozen": frozenset([3]), "bytes": b"\x00\xff" * 3, "array of bytes": bytearray(b"ab"),
            "large": 2**70, "negative": -(2**65), "ellipsis": ..., "none": type(None), "slice": slice(1, None, 2),
            "range": range(3), "module": torch.nn.ReLU(), "function": torch.nn.functional.relu, "class": torch.nn.GELU,
            3: "a key that is a number", (1, 2): "one that is a tuple", "again": checkpoint["state_dict"]["tied"]}


def main(folder):
    torch.manual_seed(3)
    model = Model()
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(8, 4)), batch_size=4)
    with tempfile.TemporaryDirectory() as scratch:
        trainer = pl.Trainer(
            accelerator="cpu", max_epochs=1, logger=False, enable_progress_bar=False, enable_model_summary=False,
            default_root_dir=scratch, log_every_n_steps=1,
            callbacks=[ModelCheckpoint(dirpath=scratch, monitor="train_loss_epoch"),
                       EarlyStopping(monitor="train_loss_epoch")])
        trainer.fit(model, data)
        with torch.no_grad():  # what the test expects
            for number, parameter in enumerate(model.parameters()):
                parameter.copy_(torch.arange(parameter.numel()).reshape(parameter.shape) / 8 + number)
        trainer.save_checkpoint(folder + "/lightning.ckpt")


main(sys.argv[1])
