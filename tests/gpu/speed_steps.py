# SPDX-License-Identifier: Apache-2.0
"""Step times of each size and precision, with phases, memory and the longest kernels, and NeMo's for comparison."""
import json
import os
import pathlib

from trial import StepFailed, StepSkipped

SIZES = ("small", "medium", "large", "xlarge")
PRECISIONS = {"fp32": ["-o", "trainer.precision=32"], "tf32": ["-o", "trainer.precision=32", "--tf32"],
              "bf16-mixed": ["-o", "trainer.precision=bf16-mixed"]}
BATCH, SECONDS = 8, 15.0
KERNELS = 8


def plan(programs):
    """(size, precision, steps), the most informative first: if time runs out, the rest is skipped."""
    if programs.rehearsal:
        return [("quickstart", "fp32", 2), ("quickstart", "bf16-mixed", 2)]
    return [(size, precision, 10 if size == "xlarge" else 20) for precision in ("bf16-mixed", "tf32", "fp32") for size in SIZES]


def sizes_of(programs):
    return (2, 3.0) if programs.rehearsal else (BATCH, SECONDS)


def recipe_of(programs, size):
    return programs.recipe(size if size == "quickstart" else f"nest_{size}")


def json_line(text):
    lines = [line for line in text.splitlines() if line.startswith("{")]
    if not lines:
        raise StepFailed("it printed no line of JSON")
    return json.loads(lines[-1])


def speed(trial, programs, size, precision, steps):
    batch, seconds = sizes_of(programs)
    device = ["--device", programs.device, "--kernels", KERNELS] if not programs.rehearsal else []
    words = [programs.bench, "--json", "--config", recipe_of(programs, size), "--recipe-sizes", *device, "--batch", batch,
             "--seconds", seconds, "--steps", steps, *PRECISIONS[precision]]
    return {"size": size, "precision": precision, **json_line(trial.run(f"speed-{size}-{precision}", words, programs.env))}


def nemo_speed(trial, programs, python, plan_of_sizes):
    """Uses one process for all jobs, since importing NeMo takes longer than the steps. Results printed in time count."""
    batch, seconds = sizes_of(programs)
    script = pathlib.Path(__file__).resolve().parent / "nemo_step.py"
    jobs = [f"{recipe_of(programs, size)}:{size}:{precision}:{steps}" for size, precision, steps in plan_of_sizes]
    words = [python, script, "--device", programs.device, "--batch", batch, "--seconds", seconds, "--kernels", KERNELS,
             "--limit", int(trial.left()) - 5, *jobs]
    process = trial.start("nemo", words, os.environ)  # without the packed libraries: Python has its own
    code, out, err = trial.finish(process, "nemo")
    if code == 3:
        raise StepSkipped(err.strip().splitlines()[-1])
    measured = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if code != 0 and not measured:
        raise StepFailed(f"it ended with {code}: {err.strip()[-400:]}")
    return {"measured": measured}
