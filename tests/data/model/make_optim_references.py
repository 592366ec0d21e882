# SPDX-License-Identifier: Apache-2.0
"""Writes what tst_learning_rate_schedule and tst_optimizers compare with: the learning rates that NeMo's own schedulers give, and
the parameters that PyTorch's own optimizers leave, in float64.

usage: make_optim_references.py OUT_DIR    (needs nemo_toolkit[asr]==2.7.3 and torch==2.11.0)
"""
import json
import math
import pathlib
import sys

import torch
from nemo.core.optim.lr_scheduler import prepare_lr_scheduler

WITH_WARMUP = {"warmup_steps": 5}
BY_RATIO = {"warmup_ratio": 0.15}
# schedules as they stand in a recipe; max_steps is what trainer.max_steps puts into them
SCHEDULES = [
    *({"name": name, "min_lr": 0.01, **warmup} for name in (
        "WarmupPolicy", "SquareAnnealing", "SquareRootAnnealing", "CosineAnnealing", "WarmupAnnealing",
        "InverseSquareRootAnnealing", "PolynomialDecayAnnealing")
      for warmup in ({}, WITH_WARMUP, BY_RATIO)),
    *({"name": name, "min_lr": 0.01, **more} for name in (
        "WarmupHoldPolicy", "PolynomialHoldDecayAnnealing", "WarmupHoldAnnealOneMinusSquareRoot",
        "WarmupHoldAnnealLinear")
      for more in ({}, WITH_WARMUP, {**WITH_WARMUP, "hold_steps": 7}, {**BY_RATIO, "hold_ratio": 0.3},
                   {"hold_steps": 4})),
    *({"name": "NoamHoldAnnealing", "min_lr": 0.01, **more} for more in (
        WITH_WARMUP, {**WITH_WARMUP, "hold_steps": 7}, {**BY_RATIO, "hold_ratio": 0.3, "decay_rate": 1.0},
        {**WITH_WARMUP, "hold_steps": 7, "decay_rate": 0.25})),
    *({"name": "NoamAnnealing", "d_model": 4, "min_lr": 0.01, **warmup} for warmup in ({}, WITH_WARMUP, BY_RATIO)),
    *({"name": "CosineAnnealing", "min_lr": 0.01, **more} for more in (
        {"constant_steps": 8}, {**WITH_WARMUP, "constant_steps": 8}, {**BY_RATIO, "constant_ratio": 0.25},
        {**WITH_WARMUP, "constant_steps": 60})),
    *({"name": "T5InverseSquareRootAnnealing", "min_lr": 0.01, "constant_steps": steps} for steps in (1, 9)),
    {"name": "PolynomialDecayAnnealing", "power": 2.5, "warmup_steps": 5},
    {"name": "PolynomialHoldDecayAnnealing", "power": 2.0, "cycle": True, "warmup_steps": 11, "min_lr": 0.05},
    {"name": "PolynomialHoldDecayAnnealing", "power": 0.5, "warmup_steps": 5, "hold_steps": 7},
    # what a constructor takes when the file says nothing
    {"name": "SquareAnnealing"}, {"name": "SquareRootAnnealing"}, {"name": "CosineAnnealing"},
    {"name": "WarmupAnnealing"}, {"name": "PolynomialDecayAnnealing"}, {"name": "InverseSquareRootAnnealing"},
    {"name": "CosineAnnealing", "warmup_steps": 100},  # longer than the run
]
LONG = [
    {"name": "CosineAnnealing", "warmup_steps": 10000, "min_lr": 1e-6},
    {"name": "NoamAnnealing", "d_model": 512, "warmup_steps": 25000, "min_lr": 1e-6},
    {"name": "PolynomialHoldDecayAnnealing", "warmup_ratio": 0.07, "hold_ratio": 0.23, "power": 1.7, "min_lr": 1e-6},
    {"name": "InverseSquareRootAnnealing", "warmup_steps": 10000},
    {"name": "NoamHoldAnnealing", "warmup_ratio": 0.05, "hold_ratio": 0.35, "min_lr": 1e-6},
]


def rates(sched, lr, max_steps, steps):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=lr)
    schedule = prepare_lr_scheduler(optimizer, {**sched, "max_steps": max_steps})["scheduler"]
    out = []
    schedule._get_lr_called_within_step = True
    for step in steps:
        schedule.last_epoch = step
        out.append(float(schedule.get_lr()[0]))
    # the schedule as training drives it gives the same
    driven = prepare_lr_scheduler(optimizer, {**sched, "max_steps": max_steps})["scheduler"]
    for step in range(min(20, max_steps)):
        if step in steps:
            assert driven.get_last_lr()[0] == out[list(steps).index(step)], (sched, step)
        optimizer.step()
        driven.step()
    return out


def schedules():
    cases = []
    for sched in SCHEDULES:
        try:
            cases.append({"sched": sched, "lr": 0.8, "max_steps": 40, "steps": list(range(46)),
                          "rates": rates(sched, 0.8, 40, range(46))})
        except ZeroDivisionError:  # 0 / 0 at the very last step
            cases.append({"sched": sched, "lr": 0.8, "max_steps": 40, "steps": list(range(40)),
                          "rates": rates(sched, 0.8, 40, range(40))})
    steps = [0, 1, 2, 9999, 10000, 10001, 24999, 25000, 25001, 34999, 35000, 35001, 150000, 200000, 200001, 249999,
             333333, 499999, 500000, 500001]
    for sched in LONG:
        cases.append({"sched": sched, "lr": 5.0 if sched["name"] == "NoamAnnealing" else 2e-3, "max_steps": 500000,
                      "steps": steps, "rates": rates(sched, 5.0 if sched["name"] == "NoamAnnealing" else 2e-3, 500000,
                                                     steps)})
    return cases


OPTIMIZERS = [
    ("adamw", {}), ("adamw", {"betas": [0.9, 0.98], "weight_decay": 0.3}), ("adamw", {"amsgrad": True, "eps": 1e-3}),
    ("adamw", {"maximize": True}),
    ("adam", {}), ("adam", {"weight_decay": 0.3, "betas": [0.8, 0.95]}), ("adam", {"amsgrad": True}),
    ("adam", {"weight_decay": 0.3, "decoupled_weight_decay": True}), ("adam", {"maximize": True, "weight_decay": 0.3}),
    ("sgd", {}), ("sgd", {"weight_decay": 0.3}), ("sgd", {"momentum": 0.9}),
    ("sgd", {"momentum": 0.9, "dampening": 0.4, "weight_decay": 0.1}),
    ("sgd", {"momentum": 0.7, "nesterov": True, "weight_decay": 0.1}), ("sgd", {"maximize": True, "momentum": 0.5}),
]
CLASSES = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam, "sgd": torch.optim.SGD}


def gradient(parameter, step, i):
    """Changes its sign and its size; the second parameter has none in step 0."""
    return math.sin(1.7 * step + i + parameter) * (1 + step % 4) ** 2 / 8


def optimizers():
    cases = []
    for name, options in OPTIMIZERS:
        a = torch.nn.Parameter(torch.tensor([0.5, -1.25, 2.0], dtype=torch.float64))
        b = torch.nn.Parameter(torch.tensor([[1.0, -3.0], [0.25, 0.0]], dtype=torch.float64))
        optimizer = CLASSES[name]([a, b], lr=0.1, foreach=False, **options)
        for step in range(12):
            optimizer.param_groups[0]["lr"] = 0.1 / (1 + step)
            for k, p in enumerate((a, b)):
                values = [gradient(k, step, i) for i in range(p.numel())]
                p.grad = None if k == 1 and step == 0 else torch.tensor(values, dtype=torch.float64).view_as(p)
            optimizer.step()
        cases.append({"name": name, "options": options, "a": a.tolist(), "b": b.flatten().tolist()})
    return cases


def write(path, source, cases):
    lines = ",\n".join(json.dumps(case) for case in cases)
    path.write_text('{"source": %s, "cases": [\n%s\n]}\n' % (json.dumps(source), lines))


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1])
    write(out / "schedules_nemo.json", "NeMo 2.7.3, torch 2.11.0: prepare_lr_scheduler()", schedules())
    write(out / "optimizers_torch.json", "torch 2.11.0: torch.optim, for-loop implementation, float64", optimizers())
