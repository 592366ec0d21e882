# SPDX-License-Identifier: Apache-2.0
"""A Lightning program, which starts its second rank itself.

usage: lightning_ddp.py folder=DIR [steps=N] [epochs=N] [workers=N] [fault=KIND …]
"""
import os
import time
import warnings

import lightning.pytorch as pl
import torch
import torch.distributed as dist
from noise import Sounds, pad
from planted import OPTIONS, begins, has, option, pause
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

BATCH = 4
warnings.filterwarnings("ignore")


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.front = torch.nn.Conv1d(1, 48, 400, stride=80)
        self.middle = torch.nn.Conv1d(48, 48, 9, padding=4)
        self.back = torch.nn.Linear(48, 8)

    def forward(self, audio):
        features = torch.relu(self.front(audio[:, None]))
        return self.back(torch.relu(self.middle(features)).mean(2))

    def training_step(self, batch, step):
        audio, lengths = batch
        if begins("exception", step):
            raise ValueError("no speech in this batch")  # fault: exception
        if begins("extra_collective", step):
            dist.all_reduce(torch.ones(1))  # fault: extra_collective
        longest = torch.zeros(8 if begins("other_size", step) else 4)
        dist.all_reduce(longest, op=dist.ReduceOp.MAX)  # fault: other_size
        for _ in range(2 if begins("called_twice", step) else 1):
            dist.all_reduce(lengths)  # fault: called_twice
        if begins("slow_compute", step):
            time.sleep(option("seconds"))
        pause()
        loss = self(audio).square().mean()
        if begins("not_finite", step):
            loss = loss * float("nan")
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, step):
        self.log("val_loss", self(batch[0]).square().mean(), sync_dist=True)

    def on_save_checkpoint(self, checkpoint):
        if begins("slow_checkpoint", option("step")):
            time.sleep(option("seconds"))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=0.001)

    def train_dataloader(self):
        return make_loader(option("steps", 40), has("few_batches"))

    def val_dataloader(self):
        return make_loader(2)


def make_loader(steps, has_few=False):
    data = Sounds(steps * BATCH * dist.get_world_size())
    sampler = DistributedSampler(data, shuffle=False)
    if has_few:
        sampler = list(sampler)[: option("step") * BATCH]
    return DataLoader(data, BATCH, sampler=sampler, collate_fn=pad, num_workers=option("workers"))


def main():
    torch.set_num_threads(1)
    pl.seed_everything(1)
    folder = OPTIONS["folder"]
    trainer = pl.Trainer(
        accelerator="cpu",
        devices=2,
        strategy="ddp",
        max_epochs=option("epochs", 1),
        use_distributed_sampler=False,
        num_sanity_val_steps=0,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[pl.callbacks.ModelCheckpoint(os.path.join(folder, "checkpoints"), every_n_train_steps=13)],
        default_root_dir=folder,
    )
    trainer.fit(Model())


if __name__ == "__main__":
    main()
