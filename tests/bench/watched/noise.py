# SPDX-License-Identifier: Apache-2.0
"""The data of the programs that need no speech."""
import time

import torch
from planted import is_slow, option
from torch.utils.data import Dataset


class Sounds(Dataset):
    """Noise: item i has 6000 to 6900 samples."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if is_slow(index):
            time.sleep(option("seconds"))
        generator = torch.Generator().manual_seed(index)
        return torch.randn(6000 + 100 * (index % 10), generator=generator)


def pad(items):
    lengths = torch.tensor([len(item) for item in items])
    return torch.nn.utils.rnn.pad_sequence(items, batch_first=True), lengths
