# SPDX-License-Identifier: Apache-2.0
"""Steps that train: through NCCL, with NVML's facts, with planted delays between two ranks, stopped and resumed."""
import io
import json
import math
import os
import pathlib
import statistics
import tarfile

from programs import Store, free_port, median_ms, only_run
from trial import StepFailed, StepSkipped, end_group, last_lines

PHASES = ("data_wait", "to_device", "preprocess", "augment", "forward", "loss", "backward", "optimizer")
DELAYS = ((1, 20, 0.3), (1, 30, 0.6), (0, 40, 0.6), (1, 50, 1.2))  # rank, step, seconds
TOLERANCE, LOOSE_TOLERANCE = 0.03, 0.25  # seconds between a planted delay and the measured one; loose: on shared cores


def launch(trial, programs, name, words):
    """Launches a run in a separate runs folder; returns the run's folder."""
    runs = programs.runs / name
    trial.run(name, [programs.ctl, "launch", *words, "--runs", runs], programs.env, cwd=programs.work)
    return only_run(runs)


def train(trial, programs):
    """Trains 200 steps of NEST Small; the gradients go through a group of one rank."""
    steps = 12 if programs.rehearsal else 200
    recipe = "quickstart" if programs.rehearsal else "nest_small"
    run = launch(trial, programs, "train", [programs.recipe(recipe), *programs.settings(
        steps, "model.train_ds.num_workers=4", "~rankscope.faults" if recipe == "quickstart" else "trainer.check_val_every_n_epoch=null")])
    store = Store(run)
    rows, tags = store.steps(0), store.tags()
    device = store.rows("SELECT device FROM rank")[0][0]
    losses = [row["loss"] for row in rows]
    if len(rows) != steps:
        raise StepFailed(f"{len(rows)} of {steps} steps are in the store")
    if None in losses or not all(map(math.isfinite, losses)):
        raise StepFailed("a loss is not finite")
    if not device.startswith(programs.device):
        raise StepFailed(f"the rank trained on {device}")
    if not tags.get("gradient"):
        raise StepFailed("no gradients went through the group")
    return {"run": str(run), "device": device, "recipe": recipe, "steps": steps, "step_ms": median_ms(rows, "step_ns"),
            "phases_ms": {p: median_ms(rows, f"{p}_ns") for p in PHASES}, "first_loss": losses[0], "last_loss": losses[-1],
            "collectives": tags}


def nvml(programs, run, gpus):
    """Checks what the supervisor recorded about the GPU while that run trained."""
    rows = Store(run).rows("SELECT * FROM fact WHERE gpu_total_bytes IS NOT NULL ORDER BY time_ns")
    if not rows:
        raise StepFailed("the store has no row of fact with a GPU's memory")
    last = dict(rows[-1])
    wrong = [name for name, sound in (
        ("gpu_total_bytes", last["gpu_total_bytes"] > 2**30),
        ("gpu_used_bytes", all((r["gpu_used_bytes"] or 0) <= r["gpu_total_bytes"] for r in rows)),
        ("gpu_temperature", last["gpu_temperature"] is not None and 5 < last["gpu_temperature"] < 120),
        ("gpu_clock_share", last["gpu_clock_share"] is not None and 0 < last["gpu_clock_share"] <= 1.05)) if not sound]
    used = [r["gpu_used_bytes"] for r in rows if r["gpu_used_bytes"]]  # a container may hide who uses the memory
    figures = {"rows": len(rows), "nvidia_smi": gpus, "most_used_mib": round(max(used) / 2**20) if used else None,
               **{k: last[k] for k in ("gpu_total_bytes", "gpu_temperature", "gpu_clock_share", "gpu_throttle")}}
    if wrong:
        failure = StepFailed(f"not as a GPU's: {', '.join(wrong)}")
        failure.figures = figures
        raise failure
    return figures


def waits(trial, programs):
    """Two ranks on one GPU over Gloo: one sleeps before its batch, and the recorded wait of the other is compared."""
    faults = ",".join(f"{{kind:data_loading,rank:{r},step:{s},seconds:{d}}}" for r, s, d in DELAYS)
    recipe = programs.work / "waits.yaml"
    settings = programs.settings(60, "model.train_ds.num_workers=0", "trainer.devices=2", "trainer.sync_batchnorm=false",
                                 f"rankscope.faults=[{faults}]", "trainer.enable_checkpointing=false", backend="gloo")
    recipe.write_text(trial.run("waits-recipe", [programs.ctl, "resolve", programs.recipe("quickstart"), *settings],
                                programs.env, cwd=programs.work))
    two_ranks(trial, programs, recipe, programs.work / "waits")
    trial.run("waits-collect", [programs.ctl, "collect", programs.work / "waits", "--runs", programs.runs / "waits"],
              programs.env)
    return compare_waits(Store(only_run(programs.runs / "waits")), LOOSE_TOLERANCE if programs.rehearsal else TOLERANCE)


def two_ranks(trial, programs, recipe, folder):
    """Starts two ranks as torchrun does, except that both use the first GPU."""
    port = str(free_port())
    processes = []
    try:
        for rank in ("0", "1"):
            env = {**programs.env, "RANK": rank, "LOCAL_RANK": rank if programs.rehearsal else "0", "WORLD_SIZE": "2",
                   "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
                   "OMP_NUM_THREADS": str(max(1, len(os.sched_getaffinity(0)) // 2))}
            processes.append(trial.start(f"waits-rank{rank}", [programs.trainer, "train", recipe, "--run-dir", folder], env,
                                         cwd=programs.work))
        for rank, process in enumerate(processes):
            code, out, err = trial.finish(process, f"waits-rank{rank}")
            if code != 0:
                raise StepFailed(f"rank {rank} ended with {code}: {(err or out).strip()[-400:]}")
    finally:
        for process in processes:
            if process.poll() is None:
                end_group(process)


def compare_waits(store, tolerance):
    """Per delay, in seconds: the planted delay, the sleeper's data wait and the other's forward by their streams' events,
    and the wait that follows from the arrival times of both."""
    rows = [{row["step"]: row for row in store.steps(rank)} for rank in (0, 1)]
    usual = {(rank, column): statistics.median(row[column] or 0 for row in rows[rank].values())
             for rank in (0, 1) for column in ("forward_ns", "data_wait_ns", "wait_ns")}
    found = []
    for rank, step, seconds in DELAYS:
        if step not in rows[0] or step not in rows[1]:
            raise StepFailed(f"step {step} is not in the store")
        def over(who, column):
            return round(((rows[who][step][column] or 0) - usual[who, column]) / 1e9, 4)
        found.append({"rank": rank, "step": step, "planted_s": seconds, "data_wait_s": over(rank, "data_wait_ns"),
                      "forward_of_the_other_s": over(1 - rank, "forward_ns"), "stored_wait_s": over(1 - rank, "wait_ns")})
    off = [f"step {f['step']}: {name} {f[name]}, planted {f['planted_s']}" for f in found
           for name in ("data_wait_s", "forward_of_the_other_s", "stored_wait_s")
           if abs(f[name] - f["planted_s"]) > tolerance]
    figures = {"delays": found, "tolerance_s": tolerance}
    if off:
        failure = StepFailed("; ".join(off))
        failure.figures = figures
        raise failure
    return figures


def loss_column(run):
    return {row["step"]: row["loss"] for row in Store(run).steps(0)}


def weights_hash(trial, programs, log, file):
    return json.loads(trial.run(log, [programs.ctl, "weights", file, "--json"], programs.env))["hash"]


def nemo_of(run):
    files = sorted((run / "checkpoints").glob("*.nemo"))
    if len(files) != 1:
        raise StepFailed(f"{run / 'checkpoints'} has {len(files)} .nemo files, expected is one")
    return files[0]


def resume(trial, programs):
    """A run of 40 steps, and one of 20 that is resumed up to 40, must have the same losses and weights, bit for bit."""
    half, whole = (4, 8) if programs.rehearsal else (20, 40)
    common = ["trainer.deterministic=true", "~rankscope.faults", "trainer.log_every_n_steps=10"]
    unbroken = launch(trial, programs, "unbroken", [programs.recipe("quickstart"), *programs.settings(whole, *common)])
    first = launch(trial, programs, "first", [programs.recipe("quickstart"), *programs.settings(half, *common)])
    second = launch(trial, programs, "second", ["--resume", first, f"trainer.max_steps={whole}"])
    expected, got = loss_column(unbroken), loss_column(second)
    hashes = [weights_hash(trial, programs, f"weights-{run.parent.name}", nemo_of(run)) for run in (unbroken, second)]
    differ = [step for step in sorted(got) if got[step] != expected.get(step)]
    figures = {"run": str(second), "steps": whole, "resumed_after": half, "weights": hashes, "differing_losses": differ}
    if sorted(got) != list(range(half, whole)):
        raise StepFailed(f"the resumed run has {len(got)} steps, expected are {half} to {whole - 1}")
    if differ or hashes[0] != hashes[1]:
        failure = StepFailed(f"losses differ in {len(differ)} steps, weights are {' and '.join(hashes)}")
        failure.figures = figures
        raise failure
    return figures


READ_NEMO = """
import io, json, sys, tarfile
try:
    import torch
except ImportError as why:
    print(f"{sys.executable} cannot import torch: {why}", file=sys.stderr)
    sys.exit(3)
with tarfile.open(sys.argv[1]) as tar:
    state = torch.load(io.BytesIO(tar.extractfile("./model_weights.ckpt").read()), weights_only=True)
print(json.dumps({"tensors": len(state), "elements": sum(t.numel() for t in state.values()),
                  "devices": sorted({str(t.device) for t in state.values()}),
                  "finite": all(bool(torch.isfinite(t.double()).all()) for t in state.values())}))
"""


def nemo_file(trial, programs, run, python):
    """Checks the .nemo written on a GPU: torch reads it, it has no GPU tensors, and its model section exists."""
    file = nemo_of(pathlib.Path(run))
    with tarfile.open(file) as tar:
        names = sorted(name.lstrip("./") for name in tar.getnames() if name.lstrip("./"))
        config = io.TextIOWrapper(tar.extractfile("./model_config.yaml"), encoding="utf-8").read()
    listed = json.loads(trial.run("nemo-weights", [programs.ctl, "weights", file, "--json"], programs.env))
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    code, out, err = trial.finish(trial.start("nemo-torch", [python, "-c", READ_NEMO, file], env), "nemo-torch")
    if code == 3:
        raise StepSkipped(err.strip().splitlines()[-1])
    if code != 0:
        raise StepFailed(f"torch does not read it: {last_lines(err)}")
    read = json.loads(out.strip().splitlines()[-1])
    if read["devices"] != ["cpu"] or not read["finite"] or read["tensors"] != len(listed["tensors"]):
        raise StepFailed(f"torch reads {read}, rankscopectl {len(listed['tensors'])} tensors")
    if "encoder:" not in config:
        raise StepFailed("model_config.yaml has no encoder")
    return {"members": names, "hash": listed["hash"], **read}
