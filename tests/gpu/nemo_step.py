#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the training step of the installed NeMo's own model, phase by phase, as bench_step does for Rankscope's.

usage: nemo_step.py [--device cuda] [--batch 8] [--seconds 15] [--kernels 8] [--limit 120] CONFIG:NAME:PRECISION:STEPS...

PRECISION is fp32, tf32 or bf16-mixed. Prints a line of JSON for each job. Exit code 3: NeMo cannot be imported.
"""
import argparse
import json
import logging
import statistics
import sys
import time

PHASES = ("mel", "quantizer", "mask", "encoder", "decoder_loss", "backward", "optimizer")
WARM_UP = 3


class Clock:
    """Marks after the queued work: CUDA events, or this thread's clock."""

    def __init__(self, torch, device):
        self.torch, self.cuda, self.marks = torch, device == "cuda", []

    def mark(self):
        if not self.cuda:
            self.marks.append(time.perf_counter())
            return
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        self.marks.append(event)

    def milliseconds(self):
        """The times between successive marks."""
        if not self.cuda:
            return [1e3 * (b - a) for a, b in zip(self.marks, self.marks[1:])]
        self.torch.cuda.synchronize()
        return [a.elapsed_time(b) for a, b in zip(self.marks, self.marks[1:])]


class Step:
    def __init__(self, torch, model_class, config, args):
        from omegaconf import OmegaConf
        recipe = OmegaConf.load(config)
        recipe.model.train_ds = recipe.model.validation_ds = None
        torch.manual_seed(0)
        self.torch = torch
        self.model = model_class(cfg=recipe.model).to(args.device)
        self.model.train()
        self.parameters = [p for p in self.model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(self.parameters, lr=1e-4, betas=(0.9, 0.98), weight_decay=1e-3)
        samples = int(args.seconds * 16000)
        self.clean = torch.randn(args.batch, samples, device=args.device) * 0.05
        self.noisy = self.clean + 0.01 * torch.randn_like(self.clean)
        self.length = torch.full((args.batch,), samples, device=args.device)

    def forward(self, clock):
        m = self.model
        clock.mark()
        clean, _ = m.preprocessor(input_signal=self.clean, length=self.length)
        noisy, frames = m.preprocessor(input_signal=self.noisy, length=self.length)
        clock.mark()
        _, tokens = m.quantizer(input_signal=clean)
        clock.mark()
        masked, masks = m.mask_processor(input_feats=noisy, input_lengths=frames)
        clock.mark()
        encoded, lengths = m.encoder(audio_signal=masked, length=frames)
        clock.mark()
        log_probs = m.decoder(encoder_output=encoded)
        loss = m.loss(masks=masks, decoder_outputs=log_probs, targets=tokens, decoder_lengths=lengths)
        loss.item()  # both programs read the loss before they continue
        clock.mark()
        return loss

    def run(self, clock, mixed):
        with self.torch.autocast(self.clean.device.type, dtype=self.torch.bfloat16, enabled=mixed):
            loss = self.forward(clock)
        self.optimizer.zero_grad()
        loss.backward()
        clock.mark()
        self.optimizer.step()
        clock.mark()
        return clock.milliseconds()


def longest_kernels(torch, step, mixed, count, device):
    if device != "cuda":
        return {}
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        step.run(Clock(torch, device), mixed)
    sums = {}
    for event in seen.events():
        if "CUDA" in str(event.device_type) and not event.is_user_annotation:
            ms, calls = sums.get(event.name, (0.0, 0))
            sums[event.name] = (ms + event.time_range.elapsed_us() / 1e3, calls + 1)
    order = sorted(sums.items(), key=lambda item: -item[1][0])
    return {"kernels_ms": round(sum(ms for ms, _ in sums.values()), 3),
            "kernels": [{"name": name, "ms": round(ms, 3), "calls": calls} for name, (ms, calls) in order[:count]]}


def measure(torch, model_class, job, args):
    config, name, precision, steps = job.rsplit(":", 3)
    tf32, mixed = precision == "tf32", precision == "bf16-mixed"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    if args.device == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    step = Step(torch, model_class, config, args)
    rows = [step.run(Clock(torch, args.device), mixed) for _ in range(WARM_UP + int(steps))][WARM_UP:]
    phases = {phase: round(statistics.median(row[i] for row in rows), 3) for i, phase in enumerate(PHASES)}
    memory = {}
    if args.device == "cuda":
        memory = {"peak_gpu_mib": round(torch.cuda.max_memory_allocated() / 2**20),
                  "reserved_gpu_mib": round(torch.cuda.max_memory_reserved() / 2**20)}
    return {"size": name, "precision": precision, "params": sum(p.numel() for p in step.parameters), "batch": args.batch,
            "seconds": args.seconds, **phases, "step": round(statistics.median(sum(row) for row in rows), 3), **memory,
            **longest_kernels(torch, step, mixed, args.kernels, args.device)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="+", metavar="CONFIG:NAME:PRECISION:STEPS")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--kernels", type=int, default=8)
    parser.add_argument("--limit", type=float, default=120.0, help="seconds after which no further job begins")
    args = parser.parse_args()
    end = time.monotonic() + args.limit
    try:
        import torch
        from nemo.collections.asr.models.ssl_models import EncDecDenoiseMaskedTokenPredModel
        from nemo.utils import logging as nemo_logging
    except ImportError as why:
        print(f"{sys.executable} has no NeMo: {why}", file=sys.stderr)
        return 3
    nemo_logging.setLevel(logging.ERROR)
    for job in args.jobs:
        if time.monotonic() > end:
            print(f"no time is left for {job}", file=sys.stderr)
            continue
        try:
            print(json.dumps(measure(torch, EncDecDenoiseMaskedTokenPredModel, job, args)), flush=True)
        except Exception as why:  # a size that does not fit must not prevent the others
            print(f"{job}: {type(why).__name__}: {str(why).splitlines()[0] if str(why) else ''}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
