# SPDX-License-Identifier: Apache-2.0
"""Writes what test_block_masking compares with: block masks by the rules of NeMo 3.0.0's RandomBlockMasking, drawn from
PyTorch's CPU generator, computed here without either. With references that NeMo itself wrote it says whether all of
their masks are equal.

usage: make_masks.py > masks_3.0.0.json
       make_masks.py REFERENCE.safetensors...    (each with its .yaml beside it)
"""
import json
import math
import random
import re
import struct
import sys

CASES = 600
PROBABILITIES = [0.0, 0.005, 0.01, 0.02, 0.1, 0.3, 0.5, 0.9, 1.0]


class Generator:
    """MT19937 seeded with one number; numbers of [0, 1) with 24 bits, as torch.rand takes them."""

    def __init__(self, seed):
        self.state = [seed & 0xFFFFFFFF]
        for i in range(1, 624):
            last = self.state[-1]
            self.state.append((1812433253 * (last ^ (last >> 30)) + i) & 0xFFFFFFFF)
        self.at = 624

    def refill(self):
        s = self.state
        for k in range(624):
            y = (s[k] & 0x80000000) | (s[(k + 1) % 624] & 0x7FFFFFFF)
            s[k] = s[(k + 397) % 624] ^ (y >> 1) ^ (0x9908B0DF if y & 1 else 0)
        self.at = 0

    def rand(self):
        if self.at == 624:
            self.refill()
        y = self.state[self.at]
        self.at += 1
        y ^= y >> 11
        y ^= (y << 7) & 0x9D2C5680
        y ^= (y << 15) & 0xEFC60000
        y ^= y >> 18
        return (y & 0xFFFFFF) / (1 << 24)


def float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def overlapping(generator, lengths, frames, prob, block):
    rows = []
    for length in lengths:
        begins = [t for t in range(frames) if generator.rand() < float32(prob) and t + block <= length]
        rows.append({t + i for t in begins for i in range(block)})
    return rows


def separate(generator, lengths, frames, prob, block):
    scores = [[generator.rand() for _ in range(frames)] for _ in lengths]
    rows = []
    for length, score in zip(lengths, scores):
        wanted = math.ceil(float32(float32(length * float32(prob)) / block))
        size = max(1, length // (wanted + 1) if (wanted + 1) * block > length else block)
        places = max(0, length // size - 1)
        taken = sorted(range(places), key=lambda place: -score[place])
        taken = taken[:min(wanted, math.ceil(frames * prob / block))]
        offset = int(float32(generator.rand() * size))
        rows.append({place * size + offset + i for place in taken for i in range(size)})
    return rows


def masks(c):
    draw = overlapping if c["overlap"] else separate
    return draw(Generator(c["seed"]), c["lengths"], c["frames"], c["prob"], c["block"])


def runs(row):
    """[begin, frames] of every run of masked frames."""
    out = []
    for t in sorted(row):
        if out and sum(out[-1]) == t:
            out[-1][1] += 1
        else:
            out.append([t, 1])
    return out


def case(rng):
    batch, frames = rng.randint(1, 4), rng.choice([16, 48, 104, 160, 320, 400])
    lengths = [rng.randint(1, frames) for _ in range(batch)]
    lengths[rng.randrange(batch)] = frames - rng.randint(0, 8)
    return dict(seed=rng.randint(0, 10**6), frames=frames, lengths=lengths, overlap=rng.random() < 0.5,
                block=rng.choice([1, 2, 5, 8, 20, 40, 48]),
                prob=rng.choice(PROBABILITIES) if rng.random() < 0.7 else round(rng.random(), 3))


def tensors_of(path):
    with open(path, "rb") as file:
        content = file.read()
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:begin])

    def tensor(name):
        kind = {"U8": "B", "I64": "q"}[header[name]["dtype"]]
        first, last = header[name]["data_offsets"]
        count = (last - first) // struct.calcsize(kind)
        return header[name]["shape"], struct.unpack(f"<{count}{kind}", content[begin + first:begin + last])

    return header["__metadata__"], tensor


def different(path):
    """How many of a reference's masks are others than ours, and of how many."""
    metadata, tensor = tensors_of(path)
    with open(path.replace(".safetensors", ".yaml")) as file:
        recipe = file.read()
    block = int(re.search(r"block_size: (\d+)", recipe)[1])
    lengths = tensor("out.noisy_mel_len")[1]
    if "mask_position: post_conv" in recipe:
        block //= int(re.search(r"subsampling_factor: (\d+)", recipe)[1])
        lengths = tensor("out.encoded_len")[1]
    apart, seeds = 0, json.loads(metadata["seeds"])
    for step, seed in enumerate(seeds):
        (batch, frames), values = tensor(f"step{step}.mask" if step else "out.mask")
        ours = masks(dict(seed=seed, frames=frames, lengths=lengths, overlap="allow_overlap: true" in recipe,
                          block=block, prob=float(re.search(r"mask_prob: ([\d.]+)", recipe)[1])))
        apart += ours != [{t for t in range(frames) if values[b * frames + t]} for b in range(batch)]
    return apart, len(seeds)


def main():
    failed = 0
    for path in sys.argv[1:]:
        apart, total = different(path)
        failed += apart
        print(f"{path}: {total - apart} of {total} masks equal")
    if len(sys.argv) > 1:
        sys.exit(failed > 0)
    rng = random.Random(20260)
    cases = [case(rng) for _ in range(CASES)]
    lines = ",\n".join(json.dumps(dict(c, blocks=[runs(row) for row in masks(c)]), separators=(",", ":"))
                       for c in cases)
    print(f'{{"nemo": "3.0.0", "cases": [\n{lines}\n]}}')


main()
