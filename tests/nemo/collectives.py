# SPDX-License-Identifier: Apache-2.0
"""Does the installed NeMo call the collectives that `rankscopectl plan` lists for it, with the same element counts?

usage: collectives.py [--rankscopectl PROGRAM] [--steps N] [--recorded] [VARIANT...]

Run it with a Python that has nemo_toolkit[asr] and torch 2.11 or newer. For each variant two ranks train a few steps on
the CPU (Gloo, one thread each, synthetic audio) while Flight Recorder keeps every collective in order; rank 0 says at
which of them each step began. Prints both lists side by side. Exit code 0 when all agree, else 1. --recorded prints
what was recorded as JSON and compares nothing.

SyncBatchNorm and hooks for gradients are not compared: PyTorch's and Lightning's need a GPU.
"""
import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import wave

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = ROOT / "tests/data/nemo/conf/nest_fast-conformer.yaml"
RANKS, SECONDS, RATE, UTTERANCES = 2, 2, 16000, 64
SMALL = {"model.encoder.d_model": 176, "model.encoder.n_heads": 4, "model.encoder.n_layers": 16,
         "model.optim.weight_decay": 0.0}  # fmt: skip
TINY = {"model.encoder.d_model": 64, "model.encoder.n_heads": 4, "model.encoder.n_layers": 3}
POST_CONV = {"model.mask_position": "post_conv", "model.quantizer.combine_time_steps": 1,
             "trainer.strategy": "ddp_find_unused_parameters_true"}  # fmt: skip
DDP = "lightning.pytorch.strategies.DDPStrategy"
VARIANTS = {
    "small": SMALL,
    "large": {},
    "post_conv": {**SMALL, **POST_CONV},
    "large_post_conv": POST_CONV,
    "accumulate": {**TINY, "trainer.accumulate_grad_batches": 2},
    "small_buckets": {**TINY, "trainer.strategy": {"_target_": DDP, "bucket_cap_mb": 0.3}},
    "static_graph": {**TINY, "trainer.strategy": {"_target_": DDP, "static_graph": True}},
    "no_broadcast": {**TINY, "trainer.strategy": {"_target_": DDP, "broadcast_buffers": False}},
    "layer_norm": {**TINY, "model.encoder.conv_norm_type": "layer_norm"},
    "local_attention": {**TINY, "model.encoder.self_attention_model": "rel_pos_local_attn",
                        "model.encoder.att_context_size": [16, 16]},
    "short_table": {**TINY, "model.encoder.pos_emb_max_len": 100},
    "no_length_sync": {**TINY, "model.encoder.sync_max_audio_length": False},
    "time_limit": {**TINY, "trainer.max_time": "00:01:00:00"},
}  # fmt: skip


def write_data(folder):
    """Writes audio of noise, and its manifest."""
    import random
    lines, draw = [], random.Random(1)
    for i in range(UTTERANCES):
        path = folder / f"{i}.wav"
        with wave.open(str(path), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(RATE)
            out.writeframes(draw.randbytes(2 * RATE * SECONDS))
        lines.append(json.dumps({"audio_filepath": str(path), "duration": SECONDS, "text": ""}))
    manifest = folder / "noise.json"
    manifest.write_text("\n".join(lines) + "\n")
    return manifest


def write_recipe(path, variant, manifest, steps, version):
    from omegaconf import OmegaConf
    recipe = OmegaConf.load(RECIPE)
    settings = {
        "model.train_ds.manifest_filepath": str(manifest), "model.validation_ds.manifest_filepath": str(manifest),
        "model.train_ds.batch_size": 1, "model.validation_ds.batch_size": 1,
        "model.train_ds.num_workers": 0, "model.validation_ds.num_workers": 0,
        "model.train_ds.pin_memory": False, "model.validation_ds.pin_memory": False,
        "trainer.devices": RANKS, "trainer.accelerator": "cpu", "trainer.max_steps": steps,
        "trainer.val_check_interval": 2, "trainer.limit_val_batches": 2, "trainer.sync_batchnorm": False,
        "trainer.enable_progress_bar": False, "trainer.num_sanity_val_steps": 0, "rankscope.nemo": version,
    }  # fmt: skip
    for key, value in {**settings, **VARIANTS[variant]}.items():
        OmegaConf.update(recipe, key, value, force_add=True)
    OmegaConf.save(recipe, path)


# --- one rank -------------------------------------------------------------------------------------------------------

def recorded_so_far():
    import torch
    return json.loads(torch._C._distributed_c10d._dump_fr_trace_json(True, False)).get("entries", [])


def elements(sizes):
    """Returns the number of elements of all tensors, and of the first one."""
    counts = []
    for shape in sizes:
        count = 1
        for size in shape:
            count *= size
        counts.append(count)
    return sum(counts)


def collective(entry):
    return {"op": entry["profiling_name"].split(":", 1)[1],
            "in": elements(entry["input_sizes"]), "out": elements(entry["output_sizes"]),
            "dtype": (entry.get("input_dtypes") or [""])[0]}  # fmt: skip


def train(recipe_path, out):
    """Trains as one rank, as NeMo's masked_token_pred_pretrain.py does, and writes what it exchanged."""
    import warnings
    warnings.filterwarnings("ignore")
    import lightning.pytorch as pl
    import torch
    from nemo.collections.asr.models.ssl_models import EncDecDenoiseMaskedTokenPredModel
    from nemo.collections.asr.parts.submodules.subsampling import ConvSubsampling
    from nemo.utils import logging
    from omegaconf import OmegaConf

    logging.setLevel(logging.ERROR)
    torch.set_num_threads(1)
    marks = []

    class Marks(pl.Callback):
        def mark(self, what):
            marks.append((what, len(recorded_so_far())))

        def on_train_batch_start(self, trainer, module, batch, batch_idx):
            self.mark(f"batch {batch_idx}")

        def on_validation_batch_start(self, trainer, module, batch, batch_idx, dataloader_idx=0):
            self.mark(f"validation {batch_idx}")

        def on_fit_end(self, trainer, module):
            self.mark("end")

    # With post_conv, NeMo gives the sub-sampling [B, D, T], which no input passes; [B, T, D] has the same collectives.
    plain, features = ConvSubsampling.forward, 80

    def forward(self, x, lengths):
        return plain(self, x if x.size(-1) == features else x.transpose(1, 2), lengths)

    ConvSubsampling.forward = forward
    recipe = OmegaConf.load(recipe_path)
    settings = OmegaConf.to_container(recipe.trainer, resolve=True)
    if isinstance(settings["strategy"], dict):
        import hydra
        settings["strategy"] = hydra.utils.instantiate(recipe.trainer.strategy)
    trainer = pl.Trainer(**settings, callbacks=[Marks()])
    model = EncDecDenoiseMaskedTokenPredModel(cfg=recipe.model, trainer=trainer)
    trainer.fit(model)
    found = recorded_so_far()
    pathlib.Path(out).write_text(json.dumps({"marks": marks, "collectives": [collective(e) for e in found]}))
    torch.distributed.barrier()


# --- both ranks -----------------------------------------------------------------------------------------------------

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def record(recipe, folder):
    """Returns what rank 0 exchanged, after checking that rank 1 exchanged the same."""
    base = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(free_port()), "NODE_RANK": "0", "TORCH_FR_BUFFER_SIZE": "20000",
            "TORCH_NCCL_TRACE_BUFFER_SIZE": "20000", "HF_HUB_OFFLINE": "1"}  # fmt: skip
    files = [folder / f"rank_{r}.json" for r in range(RANKS)]
    ranks = [subprocess.Popen([sys.executable, __file__, "--rank-of", str(recipe), str(files[r])],
                              env={**base, "LOCAL_RANK": str(r)}, cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for r in range(RANKS)]  # fmt: skip
    outputs = [rank.communicate()[0] for rank in ranks]
    for r, rank in enumerate(ranks):
        if rank.returncode != 0:
            raise RuntimeError(f"rank {r} ended with {rank.returncode}:\n{outputs[r][-3000:]}")
    found = [json.loads(file.read_text()) for file in files]
    if any(one["collectives"] != found[0]["collectives"] for one in found):
        raise RuntimeError("the ranks recorded different collectives")
    return found[0]


def split(found, accumulated):
    """Cuts the list where batches begin: start, steps and validation batches, each a list of collectives."""
    marks, all_of_it = found["marks"], found["collectives"]
    parts = {"start": all_of_it[:marks[0][1]], "steps": [], "validation": []}
    for (what, begin), (_, end) in zip(marks, marks[1:]):
        kind, number = what.split()
        if kind == "validation":
            parts["validation"].append(all_of_it[begin:end])
        elif int(number) % accumulated == 0:
            parts["steps"].append(all_of_it[begin:end])
        else:
            parts["steps"][-1] += all_of_it[begin:end]
    return parts


# --- the plan -------------------------------------------------------------------------------------------------------

OPS = {"all-reduce": "all_reduce", "all-gather": "all_gather", "broadcast": "broadcast", "barrier": "barrier"}
DTYPES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long",
          "int32": "Int", "uint8": "Byte"}  # fmt: skip


def called(planned, batches):
    """Returns the plan's list with each call on its own: a list for one step of `batches` batches."""
    out = []
    for batch in range(batches):
        for one in planned:
            first, last = batch == 0, batch == batches - 1
            if {"every_batch": True, "first_batch": first, "last_batch": last}[one["when"]]:
                out += [one] * one["calls"]
    return [{"op": OPS[one["op"]], "in": one["elements_in"], "out": one["elements_out"],
             "dtype": DTYPES.get(one["dtype"], ""), "tag": one["tag"], "certain": one["certain"]} for one in out]


def line(one):
    if one is None:
        return "-"
    size = f"{one['in']:,}" if one["in"] == one["out"] or one["out"] == 0 else f"{one['in']:,} into {one['out']:,}"
    return f"{one['op']} {size} {one['dtype']}"


def same(a, b):
    return a and b and a["op"] == b["op"] and a["in"] == b["in"] and a["dtype"] == b["dtype"] and a["out"] == b["out"]


def has_grown(planned, found):
    """A batch longer than pos_emb_max_len makes NeMo's position table longer, which the plan cannot know."""
    return (planned and found and planned["tag"] == "broadcast:buffers" and not planned["certain"]
            and found["op"] == "broadcast" and found["in"] > planned["in"])  # fmt: skip


def side_by_side(title, planned, found):
    """Prints both lists, equal neighbours once. Returns whether they agree."""
    print(f"\n{title}: {len(planned)} planned, {len(found)} recorded\n\n| tag | plan | NeMo | |\n|---|---|---|---|")
    agree, rows = True, []
    for i in range(max(len(planned), len(found))):
        p = planned[i] if i < len(planned) else None
        f = found[i] if i < len(found) else None
        equal, grown = bool(same(p, f)), bool(has_grown(p, f))
        agree = agree and (equal or grown)
        row = (p["tag"] if p else "", line(p), line(f), "" if equal else "has grown" if grown else "**differs**")
        if rows and rows[-1][0] == row:
            rows[-1][1] += 1
        else:
            rows.append([row, 1])
    for row, times in rows:
        count = f" × {times}" if times > 1 else ""
        print(f"| {row[0]} | {row[1]}{count} | {row[2]}{count} | {row[3]} |")
    return agree


def expected_steps(nemo, steps, validated_before):
    """Returns what the plan says of each step."""
    batches, one_bucket = nemo["batches"], nemo["one_bucket_steps"]
    for number in range(steps):
        if number < one_bucket:
            step = called(nemo["first_step"], batches)
            if number > 0:
                step = [one for one in step if one["tag"] != "ddp:used_parameters"]
        else:
            step = called(nemo["step"], batches)
        if number in validated_before:  # nothing was reduced in the forward before
            step = [one for one in step if one["tag"] != "broadcast:buffers"]
        yield (called(nemo["rebuild"], 1) if number == one_bucket else []) + step


def compare(plan, parts, validated_before):
    nemo, ok = plan["collectives_in_order"]["nemo"], True
    start = called(nemo["start"], 1)
    # DDP's constructor is between Lightning's barriers: look for it as a whole
    at = next((i for i in range(len(parts["start"])) if same(start[0], parts["start"][i])), 0)
    ok &= side_by_side("Start (DDP's constructor)", start, parts["start"][at:at + len(start)])
    expected = expected_steps(nemo, len(parts["steps"]), validated_before)
    for number, (planned, found) in enumerate(zip(expected, parts["steps"])):
        ok &= side_by_side(f"Step {number + 1}{', after a validation' if number in validated_before else ''}",
                           planned, found)  # fmt: skip
    for number, exchanged in enumerate(parts["validation"][:2], 1):
        planned = [one for one in nemo["validation"] if number == 1 or one["when"] == "every_batch"]
        ok &= side_by_side(f"Validation, batch {number}", called(planned, 1), exchanged)
    return ok


def main():
    if sys.argv[1:2] == ["--rank-of"]:
        return train(*sys.argv[2:4])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", metavar="VARIANT", nargs="*", help=", ".join(VARIANTS))
    parser.add_argument("--rankscopectl", default=os.environ.get("RANKSCOPECTL", "rankscopectl"))
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--recorded", action="store_true")
    args = parser.parse_args()
    import nemo
    import torch
    print(f"NeMo {nemo.__version__}, torch {torch.__version__}, {RANKS} ranks on Gloo")
    differing = []
    for variant in args.variants or VARIANTS:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            recipe = folder / "recipe.yaml"
            write_recipe(recipe, variant, write_data(folder), args.steps, nemo.__version__)
            accumulated = VARIANTS[variant].get("trainer.accumulate_grad_batches", 1)
            try:
                parts = split(record(recipe, folder), accumulated)
            except RuntimeError as error:
                print(f"{variant}: {error}", file=sys.stderr)
                differing.append(variant)
                continue
            if args.recorded:
                print(json.dumps({"variant": variant, **parts}), flush=True)
                continue
            plan = subprocess.run([args.rankscopectl, "plan", str(recipe), "--json"], capture_output=True, text=True)
            if plan.returncode != 0:
                sys.exit(f"{args.rankscopectl} plan ended with {plan.returncode}:\n{plan.stderr}")
            print(f"\n## {variant}")
            # val_check_interval counts batches
            validated = {step for step in range(1, args.steps) if step * accumulated % 2 == 0}
            if not compare(json.loads(plan.stdout), parts, validated):
                differing.append(variant)
    if args.recorded:
        return 1 if differing else 0
    print(f"\n{'All variants agree.' if not differing else 'Differ: ' + ', '.join(differing)}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
