# SPDX-License-Identifier: Apache-2.0
"""Writes what tst_autocast compares with: the first step of a reference of tests/data/nemo as NeMo itself computes it
under torch.autocast("cpu", bfloat16).

usage: make_autocast_reference.py REFERENCE.safetensors OUT.safetensors    (needs nemo_toolkit[asr]==2.7.3)
"""
import json
import pathlib
import sys

import torch
from nemo.collections.asr.models.ssl_models import EncDecDenoiseMaskedTokenPredModel
from omegaconf import OmegaConf
from safetensors import safe_open
from safetensors.torch import save_file


def read(path):
    with safe_open(path, "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata()


def step(model, tensors, seed, dtype):
    model.zero_grad()
    torch.manual_seed(seed)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=dtype == torch.bfloat16):
        log_probs, lengths, masks, tokens = model.forward(
            input_signal=tensors["in.audio"], input_signal_length=tensors["in.audio_len"],
            noisy_input_signal=tensors["in.noisy_audio"], noisy_input_signal_length=tensors["in.noisy_audio_len"],
            apply_mask=True)
        loss = model.loss(masks=masks, decoder_outputs=log_probs, targets=tokens, decoder_lengths=lengths)
    loss.backward()
    gradients = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    return loss.item(), log_probs.detach().float(), tokens, gradients


def main(reference, out):
    tensors, meta = read(reference)
    config = OmegaConf.create({"model": OmegaConf.load(pathlib.Path(reference).with_suffix(".yaml"))}).model
    model = EncDecDenoiseMaskedTokenPredModel(cfg=config)
    model.load_state_dict({k[6:]: v for k, v in tensors.items() if k.startswith("state.")}, strict=True)
    model.train()
    seed = json.loads(meta["seeds"])[0]
    full = step(model, tensors, seed, torch.float32)
    assert abs(full[0] - json.loads(meta["losses"])[0]) < 1e-5, "not the model that the reference was made from"
    loss, log_probs, tokens, gradients = step(model, tensors, seed, torch.bfloat16)
    result = {"out.log_probs": log_probs, "out.tokens": tokens}
    result.update({f"grad.{name}": value.to(torch.bfloat16) for name, value in gradients.items()})
    save_file({k: v.contiguous() for k, v in result.items()}, out,
              metadata={"loss": repr(loss), "seed": str(seed), "nemo": __import__("nemo").__version__,
                        "torch": torch.__version__})
    flat = torch.cat([(gradients[k] - full[3][k]).flatten() for k in gradients])
    print("loss", loss, "float32", full[0], "tokens equal", (tokens == full[2]).float().mean().item(),
          "log probs differ by", (log_probs - full[1]).abs().max().item(), "gradients differ by",
          (flat.norm() / torch.cat([g.flatten() for g in full[3].values()]).norm()).item())


if __name__ == "__main__":
    main(*sys.argv[1:])
