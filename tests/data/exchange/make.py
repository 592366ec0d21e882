# SPDX-License-Identifier: Apache-2.0
"""Writes the event files beside this script with the programs that users have: PyTorch's SummaryWriter, Lightning's
TensorBoardLogger and NeMo's exp_manager. Run with a Python that has NeMo 2.7 and tensorboard:

    python make.py FOLDER

and copy what is wanted from FOLDER. Values are functions of the step, so that tests can expect them."""
import math
import pathlib
import sys
import time

import lightning.pytorch as pl
import torch
from omegaconf import OmegaConf
from torch.utils.tensorboard import SummaryWriter

out = pathlib.Path(sys.argv[1])


def pytorch(folder):
    writer = SummaryWriter(str(folder))
    begin = 1_700_000_000.0
    for step in range(20):
        at = begin + step * 0.5
        writer.add_scalar("train_loss", 10.0 / (step + 1), step, walltime=at)
        writer.add_scalar("lr", 1e-3 * step, step, walltime=at, new_style=True)
        writer.add_scalar("accuracy", step / 20, step, walltime=at, double_precision=True, new_style=True)
        writer.add_scalar("grad_norm", [1.5, math.nan, math.inf, -math.inf][step % 4], step, walltime=at)
    writer.add_scalar("val_loss", 0.75, 19, walltime=begin + 12)
    writer.add_text("note", "a text is no scalar", 0, walltime=begin)
    writer.add_histogram("weights", torch.arange(4.0), 0, walltime=begin)
    writer.close()


class Tiny(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, index):
        loss = self.layer(batch).square().mean()
        self.log("train_loss", 100.0 - self.global_step)
        return loss

    def validation_step(self, batch, index):
        self.log("val_loss", 50.0 - self.global_step)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.25)
        return {"optimizer": optimizer,
                "lr_scheduler": {"scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 4), "interval": "step"}}


def trainer(**more):
    return pl.Trainer(max_steps=12, log_every_n_steps=1, accelerator="cpu", devices=1, enable_checkpointing=False,
                      enable_progress_bar=False, enable_model_summary=False, val_check_interval=6, num_nodes=1, **more)


def data():
    return torch.utils.data.DataLoader(torch.ones(12, 2), batch_size=1)


def lightning(folder):
    logger = pl.loggers.TensorBoardLogger(str(folder), name="lightning_logs", version=0)
    fit = trainer(logger=logger, callbacks=[pl.callbacks.LearningRateMonitor()])
    logger.log_hyperparams({"lr": 0.25, "layers": 1})
    fit.fit(Tiny(), data(), data())


def nemo(folder):
    from nemo.core import ModelPT
    from nemo.utils.exp_manager import exp_manager

    class TinyModel(Tiny, ModelPT):
        def __init__(self, cfg, trainer=None):
            ModelPT.__init__(self, cfg=cfg, trainer=trainer)
            self.layer = torch.nn.Linear(2, 1)

        def setup_training_data(self, cfg):
            pass

        def setup_validation_data(self, cfg):
            pass

        @classmethod
        def list_available_models(cls):
            return []

    cfg = OmegaConf.load(pathlib.Path(__file__).parent / "../../../configs/quickstart.yaml")
    fit = trainer(logger=False)
    exp_manager(fit, {"exp_dir": str(folder), "name": "tiny", "use_datetime_version": False, "version": "v0",
                      "create_checkpoint_callback": False})
    model_cfg = cfg.model
    for part in ("train_ds", "validation_ds"):
        model_cfg.pop(part, None)
    model = TinyModel(model_cfg, trainer=fit)
    fit.fit(model, data(), data())


pytorch(out / "pytorch")
lightning(out / "lightning")
nemo(out / "nemo")
time.sleep(0.1)
