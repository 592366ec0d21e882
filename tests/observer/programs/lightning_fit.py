# SPDX-License-Identifier: Apache-2.0
"""A Lightning program that starts its own ranks.

usage: lightning_fit.py [package=lightning.pytorch] [strategy=ddp] [accumulate=N] [workers=N] [context=fork|spawn]
                        [optimizers=2] [fail=RANK] [devices=2] [bar=1]
"""
import importlib
import os
import sys
import warnings

import torch
import weights
from torch.utils.data import DataLoader, Dataset

OPTIONS = dict(argument.split("=") for argument in sys.argv[1:])
pl = importlib.import_module(OPTIONS.get("package", "lightning.pytorch"))
warnings.filterwarnings("ignore")


class Sounds(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        return torch.randn(100 + index, generator=torch.Generator().manual_seed(index))


def pad(items):
    lengths = torch.tensor([len(item) for item in items])
    return torch.nn.utils.rnn.pad_sequence(items, batch_first=True), lengths


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 1)
        self.automatic_optimization = "optimizers" not in OPTIONS

    def loss(self, batch):
        return self.layer(batch[0][:, :64]).square().mean()

    def training_step(self, batch, number):
        if number == 2 and OPTIONS.get("fail") == str(self.global_rank):
            raise ValueError("a bad batch")
        loss = self.loss(batch)
        self.log("train_loss", loss)
        if not self.automatic_optimization:
            for optimizer in self.optimizers():
                optimizer.zero_grad()
                self.manual_backward(self.loss(batch))
                optimizer.step()
            return None
        return loss

    def validation_step(self, batch, number):
        self.log("val_loss", self.loss(batch), sync_dist=True)

    def configure_optimizers(self):
        return [torch.optim.SGD(self.parameters(), 0.01) for _ in range(int(OPTIONS.get("optimizers", 1)))]


def make_loader():
    workers = int(OPTIONS.get("workers", 0))
    context = OPTIONS.get("context") if workers else None
    return DataLoader(Sounds(), 4, collate_fn=pad, num_workers=workers, multiprocessing_context=context)


if __name__ == "__main__":
    torch.set_num_threads(1)
    pl.seed_everything(1)
    trainer = pl.Trainer(
        accelerator="cpu",
        devices=int(OPTIONS.get("devices", 2)),
        strategy=OPTIONS.get("strategy", "ddp"),
        max_epochs=2,
        accumulate_grad_batches=int(OPTIONS.get("accumulate", 1)),
        logger=False,
        enable_progress_bar="bar" in OPTIONS,
        default_root_dir=os.getcwd(),
    )
    model = Model()
    trainer.fit(model, make_loader(), make_loader())
    weights.report(trainer.global_rank, model.parameters())
