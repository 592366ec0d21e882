# SPDX-License-Identifier: Apache-2.0
"""Writes nemo.json: what NeMo's MultiSpeakerNoiseAugmentation makes of a small batch, for several settings.

NeMo draws from Python's `random`; here that module is replaced by the generator of core/plan/data/random.h, so that
the same numbers are drawn on both sides and the results can be compared sample by sample.

    python make.py > nemo.json        (in an environment with nemo_toolkit[asr]==2.7.3)
"""
import json
import sys

import torch
from nemo.collections.asr.data.ssl_dataset import AudioNoiseBatch
from nemo.collections.asr.modules.ssl_modules import augmentation

M64 = (1 << 64) - 1


def hash_of(key):
    state = 0
    for part in key:
        state = (state + part + 0x9E3779B97F4A7C15) & M64
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & M64
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & M64
        state ^= state >> 31
    return state


class Mt64:  # std::mt19937_64
    def __init__(self, seed):
        self.mt = [seed & M64]
        for i in range(1, 312):
            last = self.mt[-1]
            self.mt.append((6364136223846793005 * (last ^ (last >> 62)) + i) & M64)
        self.at = 312

    def __call__(self):
        if self.at == 312:
            mt = self.mt
            for i in range(312):
                x = (mt[i] & ~0x7FFFFFFF & M64) | (mt[(i + 1) % 312] & 0x7FFFFFFF)
                mt[i] = mt[(i + 156) % 312] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0)
            self.at = 0
        y = self.mt[self.at]
        self.at += 1
        y ^= (y >> 29) & 0x5555555555555555
        y ^= (y << 17) & 0x71D67FFFEDA60000
        y ^= (y << 37) & 0xFFF7EEE000000000
        return y ^ (y >> 43)


class Rng:  # stands in for the module `random`
    def __init__(self, *key):
        self.engine = Mt64(hash_of(key))

    def random(self):
        return (self.engine() >> 11) * 2.0**-53

    def uniform(self, low, high):
        return low + (high - low) * self.random()

    def randint(self, low, high):
        low, high = int(low), int(high)
        return low if high <= low else low + ((self.engine() * (high - low + 1)) >> 64)

    def choices(self, items, k):
        return [items[self.randint(0, len(items) - 1)] for _ in range(k)]

    def sample(self, items, k):
        items = list(items)
        for i in range(k):
            j = self.randint(i, len(items) - 1)
            items[i], items[j] = items[j], items[i]
        return items[:k]


LENGTHS, CLIPS = [150, 105, 49, 150], [150, 20, 49, 61]


def batch():
    stride = max(LENGTHS)
    audio, noise = torch.zeros(len(LENGTHS), stride), torch.zeros(len(LENGTHS), stride)
    for i, (length, clip) in enumerate(zip(LENGTHS, CLIPS)):
        for t in range(length):
            audio[i, t] = ((t * 37 + i * 101) % 201 - 100) / 128
        for t in range(clip):
            noise[i, t] = ((t * 53 + i * 17) % 151 - 75) / 128
    return AudioNoiseBatch(
        audio=audio, audio_len=torch.tensor(LENGTHS), noise=noise, noise_len=torch.tensor(CLIPS)
    )


def main():
    base = dict(prob=1.0, noise_ratio=0.5, min_r_speech=-5.0, max_r_speech=5.0, min_r_noise=-5.0, max_r_noise=20.0,
                min_mix_rate=0.0, max_mix_rate=1.0, min_num_segments=1, max_num_segments=5, min_num_speakers=1,
                max_num_speakers=4)  # fmt: skip
    recipe = dict(min_mix_rate=0.5, max_mix_rate=0.5, max_num_segments=1, max_num_speakers=1, prob=0.5)
    settings = [
        {}, recipe, dict(noise_ratio=1.0), dict(noise_ratio=0.0, min_num_speakers=3, max_num_speakers=3),
        dict(noise_ratio=0.0, min_mix_rate=1.0, max_mix_rate=1.0), dict(prob=0.4), dict(min_mix_rate=0.3),
        dict(noise_ratio=0.0, min_num_segments=5), dict(noise_ratio=1.0, min_r_noise=7.5, max_r_noise=7.5),
    ]  # fmt: skip
    cases = []
    for number, change in enumerate(settings):
        config = base | change
        seed = 0
        while len([c for c in cases if c["number"] == number]) < 3:
            seed += 1
            augmentation.random = Rng(number, seed)
            try:
                out = augmentation.MultiSpeakerNoiseAugmentation(**config)(batch())
            except IndexError:  # NeMo's own, when one of its segments is empty
                continue
            rows = [[float(f"{x:.6g}") for x in row[:length]] for row, length in zip(out.noise.tolist(), LENGTHS)]
            cases.append(dict(number=number, seed=seed, config=config, noise=rows, noise_len=out.noise_len.tolist()))
    json.dump(dict(nemo="2.7.3", lengths=LENGTHS, clips=CLIPS, cases=cases), sys.stdout)


main()
