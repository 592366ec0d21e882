# SPDX-License-Identifier: Apache-2.0
"""Checks that the installed NeMo loads a .nemo file from Rankscope and computes the same with it as with its own weights.

usage: check_nemo_file.py REFERENCE_DIR FILE.nemo...

FILE's stem names the reference (tests/data/nemo/<stem>.safetensors). Keys are checked strictly; weights must be equal bit for
bit, log-probabilities within 1e-5. Exit code 0 if all are, else 1.
"""
import io
import json
import os
import sys
import tarfile

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import nemo
import torch
from safetensors import safe_open

from nemo.collections.asr.models.ssl_models import EncDecDenoiseMaskedTokenPredModel as Nest
from nemo.utils import logging

logging.setLevel(logging.ERROR)
TOLERANCE = 1e-5  # NeMo with one thread differs by up to 5.3e-6 from NeMo with two
einsum = torch.einsum


def einsum_of_one_type(equation, *operands):
    """Works around NeMo's cosine distance, which multiplies float by double; torch refuses that."""
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):  # as local attention calls it
        operands = operands[0]
    if len({o.dtype for o in operands}) > 1:
        operands = [o.double() for o in operands]
    return einsum(equation, *operands)


torch.einsum = einsum_of_one_type


def forward(model, batch, apply_mask):
    if model.pre_encoder is None:
        return model.forward(**batch, apply_mask=apply_mask)
    # NeMo passes [B, D, T] to post_conv's sub-sampling, which fails for any input; the references were made with [B, T, D]
    clean, length = model.preprocessor(input_signal=batch["input_signal"], length=batch["input_signal_length"])
    noisy, noisy_length = model.preprocessor(input_signal=batch["noisy_input_signal"],
                                             length=batch["noisy_input_signal_length"])
    features, _ = model.pre_encoder.pre_encode(x=clean.transpose(1, 2), lengths=length)
    _, tokens = model.quantizer(input_signal=features.transpose(1, 2))
    model.pre_encoder.set_masking_enabled(apply_mask=apply_mask)
    encoded, encoded_length = model.encoder(audio_signal=noisy, length=noisy_length)
    return model.decoder(encoder_output=encoded), encoded_length, model.pre_encoder.get_current_mask(), tokens


def mask_as(model, mask):
    """NeMo's versions draw masks differently: if another version made the reference, the reference's masks are used."""
    masking = model.mask_processor

    def forward(input_feats, input_lengths):
        on = mask.bool().unsqueeze(1)
        masked = torch.where(on, masking.mask_embedding.view(1, -1, 1), input_feats)
        return masked, on.to(input_feats.dtype).expand_as(input_feats)

    masking.forward = forward


def weights_of(file):
    with tarfile.open(file) as tar:
        return torch.load(io.BytesIO(tar.extractfile("./model_weights.ckpt").read()), weights_only=True)


def problems(file, reference):
    with safe_open(reference, "pt") as f:
        known = {k: f.get_tensor(k) for k in f.keys()}
        seeds, version = json.loads(f.metadata()["seeds"]), f.metadata()["nemo"]
    model = Nest.restore_from(file, map_location="cpu", strict=True)
    state = {k[len("state."):]: v for k, v in known.items() if k.startswith("state.")}
    if list(model.state_dict()) != list(weights_of(file)):
        yield "the order of the tensors differs from the model's"
    if set(state) != set(model.state_dict()):
        yield f"keys differ: {sorted(set(state) ^ set(model.state_dict()))}"
        return
    for name, tensor in model.state_dict().items():
        if not torch.equal(tensor, state[name]):
            yield f"{name} has other values"
    batch = {"input_signal": known["in.audio"], "input_signal_length": known["in.audio_len"],
             "noisy_input_signal": known["in.noisy_audio"], "noisy_input_signal_length": known["in.noisy_audio_len"]}
    if version != nemo.__version__:
        mask_as(model, known["out.mask"])
    with torch.no_grad():
        model.train()  # as in the reference's first step
        torch.manual_seed(seeds[0])
        log_probs, lengths, masks, tokens = forward(model, batch, True)
    worst = (log_probs - known["out.log_probs"]).abs().max().item()
    if not worst <= TOLERANCE:
        yield f"log-probabilities differ by up to {worst:.3g}"
    if not torch.equal(tokens, known["out.tokens"]) or not torch.equal(lengths, known["out.encoded_len"]):
        yield "tokens or lengths differ"
    print(f"{os.path.basename(file)}: {len(state)} tensors, log-probabilities within {worst:.2g}")


def main():
    folder, failed = sys.argv[1], 0
    for file in sys.argv[2:]:
        reference = os.path.join(folder, os.path.splitext(os.path.basename(file))[0] + ".safetensors")
        for problem in problems(file, reference):
            print(f"{file}: {problem}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
