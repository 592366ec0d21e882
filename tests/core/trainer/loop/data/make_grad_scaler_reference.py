# SPDX-License-Identifier: Apache-2.0
"""Writes the reference for tst_grad_scaler: the state of torch.amp.GradScaler after each of several steps, on the CPU.

usage: make_grad_scaler_reference.py OUT.json    (needs torch==2.11.0)
"""
import json
import math
import sys

import torch

OPTIONS = {"init_scale": 4096.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 3}
# what the first gradient of each step becomes
EVENTS = ["", "", "", "", "inf", "", "nan", "nan", "", "", "", "-inf", "", "", "", "", ""]


def inputs(step, size):
    return torch.tensor([math.sin(0.7 * step + 1.3 * i) for i in range(size)], dtype=torch.float32)


def run():
    first = torch.nn.Parameter(inputs(100, 4))
    second = torch.nn.Parameter(inputs(200, 3))
    unused = torch.nn.Parameter(torch.zeros(2))
    optimizer = torch.optim.SGD([first, second, unused], lr=0.125)
    scaler = torch.amp.GradScaler(device="cpu", **OPTIONS)
    steps = []
    for step, event in enumerate(EVENTS):
        optimizer.zero_grad()
        loss = (first * inputs(step, 4)).sum() + (second * second * inputs(step, 3)).sum()
        scaler.scale(loss).backward()
        if event:
            first.grad[1] = float(event)
        scaled = second.grad.tolist()
        scaler.unscale_(optimizer)
        found = sum(v.item() for v in scaler._found_inf_per_device(optimizer).values())
        gradient = second.grad.tolist()
        scaler.step(optimizer)
        scaler.update()
        steps.append({"event": event, "scaled": scaled, "gradient": gradient, "found": found, "scale": scaler.get_scale(),
                      "tracker": scaler._get_growth_tracker(), "first": first.tolist(), "second": second.tolist()})
    return {"torch": torch.__version__, "options": OPTIONS, "inputs": {str(s): inputs(s, 4).tolist() for s in
            (*range(len(EVENTS)), 100, 200)}, "steps": steps}


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        json.dump(run(), out, indent=None, separators=(",", ":"))
        out.write("\n")
