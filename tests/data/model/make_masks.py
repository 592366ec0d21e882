# SPDX-License-Identifier: Apache-2.0
"""Writes what tst_block_masking compares with: the masks that the installed NeMo's RandomBlockMasking draws on the CPU
in 600 cases, which are the same for every version of NeMo. Cases in which NeMo raises are only counted.

usage: make_masks.py > masks_VERSION.json      (needs nemo_toolkit[asr] of that version)
"""
import json
import os
import random

os.environ["CUDA_VISIBLE_DEVICES"] = ""

import nemo
import torch
from nemo.collections.asr.modules import RandomBlockMasking

CASES = 600
PROBABILITIES = [0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 0.9, 1.0]
BLOCKS = [1, 2, 3, 5, 8, 10, 12, 20, 24, 40, 48, 100]
SHORT = [1, 2, 5, 8, 9, 13, 16, 17]
LONG = [48, 64, 101, 104, 128, 160, 208, 320, 400, 512]


def random_length(rng, frames):
    kind = rng.random()
    if kind < 0.2:
        return rng.randint(1, min(12, frames))
    return frames if kind < 0.5 else rng.randint(1, frames)


def random_case(rng):
    frames = rng.choice(SHORT if rng.random() < 0.15 else LONG)
    lengths = [random_length(rng, frames) for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.9:
        lengths[rng.randrange(len(lengths))] = frames
    overlap = rng.random() < 0.5
    block = rng.choice(BLOCKS) if rng.random() < 0.8 else rng.randint(1, 60)
    prob = rng.choice(PROBABILITIES) if rng.random() < 0.6 else round(rng.random(), 4)
    if overlap and rng.random() < 0.5:
        prob = round(prob / 10, 5)  # nearer to what recipes say
    ratio = rng.choice([0.8, 0.8, 0.8, 0.5, 1.0, 0.3])
    large = rng.choice([rng.randint(0, 10**6), rng.randint(0, 2**31 - 1), rng.randint(2**32, 2**53 - 1)])
    return {"seed": large if rng.random() < 0.3 else rng.randint(0, 10**6), "frames": frames, "lengths": lengths,
            "overlap": overlap, "block": block, "prob": prob, "ratio": ratio}


def runs_of(row):
    """[begin, frames] of every run of masked frames."""
    runs = []
    for t, masked in enumerate(row):
        if masked and runs and sum(runs[-1]) == t:
            runs[-1][1] += 1
        elif masked:
            runs.append([t, 1])
    return runs


def drawn(case):
    """The case with its blocks, and the number that is drawn next; None where NeMo raises."""
    masking = RandomBlockMasking(feat_in=3, mask_prob=case["prob"], block_size=case["block"], freeze=True,
                                 allow_overlap=case["overlap"], max_mask_ratio=case["ratio"])
    features = torch.zeros(len(case["lengths"]), 3, case["frames"])
    torch.manual_seed(case["seed"])
    try:
        _, masks = masking(input_feats=features, input_lengths=torch.tensor(case["lengths"]))
    except (IndexError, RuntimeError, ZeroDivisionError):
        return None
    after = torch.randint(0, 2**31 - 1, (1,)).item()
    return {**case, "blocks": [runs_of(row) for row in (masks[:, 0] > 0).tolist()], "after": after}


def main():
    torch.set_num_threads(1)
    rng = random.Random(731_300)
    cases = [drawn(random_case(rng)) for _ in range(CASES)]
    kept = [json.dumps(c, separators=(",", ":")) for c in cases if c is not None]
    print('{"nemo": "%s", "raised": %d, "cases": [' % (nemo.__version__, CASES - len(kept)))
    print(",\n".join(kept))
    print("]}")


if __name__ == "__main__":
    main()
