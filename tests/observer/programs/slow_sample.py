# SPDX-License-Identifier: Apache-2.0
"""A small training program, one sample of which takes long to read. It does not know that it is watched.

usage: torchrun --standalone --nproc-per-node 2 slow_sample.py [steps=N] [slow=SAMPLE] [seconds=S] [workers=N]
"""
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

BATCH, MELS, CLASSES = 8, 80, 32
OPTIONS = {"steps": 100, "slow": 965, "seconds": 5, "workers": 0}
OPTIONS.update(argument.split("=") for argument in sys.argv[1:])


class SpeechDataset(Dataset):
    """Noise in place of mel features, of 100 to 300 frames. The loudest band is the label."""

    def __len__(self):
        return 2 * BATCH * int(OPTIONS["steps"])

    def __getitem__(self, index):
        if index == int(OPTIONS["slow"]):
            time.sleep(float(OPTIONS["seconds"]))
        generator = torch.Generator().manual_seed(index)
        frames = int(torch.randint(100, 301, (), generator=generator))
        label = index * 7 % CLASSES
        mels = torch.randn(frames, MELS, generator=generator)
        mels[:, label] += 0.5
        return mels, label


def collate(items):
    lengths = torch.tensor([len(mels) for mels, _ in items])
    padded = torch.nn.utils.rnn.pad_sequence([mels for mels, _ in items], batch_first=True)
    return padded, lengths, torch.tensor([label for _, label in items])


class Classifier(torch.nn.Module):
    """Classifies the mean over time of a recurrent layer's outputs."""

    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.GRU(MELS, 128, batch_first=True)
        self.head = torch.nn.Linear(128, CLASSES)

    def forward(self, mels, lengths):
        encoded, _ = self.encoder(mels)
        return self.head(encoded.sum(1) / lengths[:, None])


def main():
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    data = SpeechDataset()
    sampler = DistributedSampler(data, shuffle=False)
    loader = DataLoader(data, BATCH, sampler=sampler, collate_fn=collate, num_workers=int(OPTIONS["workers"]))
    model = DistributedDataParallel(Classifier())
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003)
    for step, (mels, lengths, labels) in enumerate(loader):
        loss = torch.nn.functional.cross_entropy(model(mels, lengths), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0 and dist.get_rank() == 0:
            print(f"step {step}: loss {loss.item():.3f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
