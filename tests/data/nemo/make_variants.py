# SPDX-License-Identifier: Apache-2.0
"""What NeMo itself computes for the variants of its NEST model: tests/data/nemo/variants, and the parameter counts of
the sizes in configs. Run again only for another version of NeMo or a new variant.

    make_variants.py models [NAME...]     variants/NAME.safetensors and .yaml, as `rankscopectl verify` reads them
    make_variants.py front-end            variants/front_end.safetensors
    make_variants.py sizes                parameters of every configs/nest_*.yaml, for test_model_sizes.cpp

Needs nemo_toolkit[asr]==2.7.3 and espeak-ng: all audio is synthetic speech.
"""

import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

os.environ["CUDA_VISIBLE_DEVICES"] = ""
warnings.filterwarnings("ignore")

import soundfile
import torch
from nemo.collections.asr.models.ssl_models import EncDecDenoiseMaskedTokenPredModel
from nemo.collections.asr.modules import AudioToMelSpectrogramPreprocessor
from nemo.core.optim.lr_scheduler import NoamAnnealing
from nemo.utils import logging as nemo_logging
from omegaconf import OmegaConf
from safetensors.torch import save_file
from scipy.signal import resample_poly

nemo_logging.setLevel(logging.ERROR)
torch.set_num_threads(1)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
OUT = HERE / "variants"
RATE = 8000
SENTENCES = [("en-us", "160", "a quick brown fox jumps over it"), ("en-gb", "150", "seven small boats came home")]

TINY = {
    "sample_rate": RATE, "num_classes": 32, "code_dim": 4,
    "preprocessor.n_fft": 256, "preprocessor.features": 32, "preprocessor.dither": 0.0,
    "masking.block_size": 8, "masking.mask_prob": 0.08,
    "encoder.d_model": 16, "encoder.n_heads": 2, "encoder.n_layers": 2, "encoder.subsampling_factor": 4,
    "encoder.subsampling_conv_channels": 4, "encoder.conv_kernel_size": 5,
    "encoder.dropout": 0.0, "encoder.dropout_pre_encoder": 0.0, "encoder.dropout_att": 0.0,
    "optim.lr": 0.5, "optim.sched.warmup_steps": 4,
}  # fmt: skip
POST_CONV = {"mask_position": "post_conv", "quantizer.combine_time_steps": 1, "masking.block_size": 16,
             "masking.mask_prob": 0.4}  # fmt: skip
DROPOUT = {"encoder.dropout": 0.1, "encoder.dropout_pre_encoder": 0.15, "encoder.dropout_emb": 0.2,
           "encoder.dropout_att": 0.25}  # fmt: skip
REDUCED = {"encoder.reduction_factor": 2, "quantizer.combine_time_steps": 8, "loss.combine_time_steps": 8}

VARIANTS = {
    "striding": {"encoder.subsampling": "striding", "encoder.subsampling_factor": 8},
    "dropout": DROPOUT,
    "position_growth": {"encoder.subsampling_factor": 2, "encoder.pos_emb_max_len": 9},
    "causal_downsampling": {**POST_CONV, "encoder.causal_downsampling": True},
    "causal_striding": {**POST_CONV, "encoder.causal_downsampling": True, "encoder.subsampling": "striding"},
    "causal_convolution": {"encoder.conv_context_size": "causal", "encoder.feat_out": 24, "decoder.feat_in": 24},
    "uneven_convolution": {"encoder.conv_context_size": [3, 1], "encoder.att_context_size": [5, -1]},
    "group_norm": {"encoder.conv_norm_type": "group_norm4"},
    "instance_norm": {"encoder.conv_norm_type": "instance_norm"},
    "fused_batch_norm": {"encoder.conv_norm_type": "fused_batch_norm"},
    "chunked": {"encoder.att_context_style": "chunked_limited", "encoder.att_context_size": [4, 1]},
    "chunked_all_left": {"encoder.att_context_style": "chunked_limited", "encoder.att_context_size": [[-1, 2]]},
    # layer norm: a bias before a batch norm has no gradient but rounding, which Adam makes as large as any
    "stochastic_linear": {"encoder.n_layers": 3, "encoder.conv_norm_type": "layer_norm",
                          "encoder.ff_expansion_factor": 2, "encoder.stochastic_depth_drop_prob": 0.7},
    "stochastic_uniform": {"encoder.n_layers": 3, "encoder.conv_norm_type": "layer_norm", "encoder.ff_expansion_factor": 2,
                           "encoder.stochastic_depth_drop_prob": 0.5,
                           "encoder.stochastic_depth_mode": "uniform", "encoder.stochastic_depth_start_layer": 2},
    "abs_pos": {**DROPOUT, "encoder.self_attention_model": "abs_pos", "encoder.att_context_size": [6, 4]},
    "local_attention": {**DROPOUT, "encoder.self_attention_model": "rel_pos_local_attn",
                        "encoder.att_context_size": [3, 3]},
    "sdpa": {"encoder.use_pytorch_sdpa": True, "encoder.att_context_size": [4, 2], "encoder.dropout_att": 0.25},
    "stacking": {"encoder.subsampling": "stacking"},
    "stacking_norm": {**POST_CONV, "encoder.subsampling": "stacking_norm"},
    "no_subsampling": {"encoder.subsampling_factor": 1, "masking.mask_prob": 0.05},
    "pooling": {**REDUCED, **DROPOUT, "encoder.reduction": "pooling", "encoder.reduction_position": 0},
    "strided_reduction": {**REDUCED, "encoder.reduction": "striding", "encoder.reduction_position": -1},
    "mask_value": {"masking.mask_value": 0.25, "encoder.conv_norm_type": "layer_norm"},
    "unfrozen": {"masking.freeze": False, "quantizer.freeze": False},
    "three_books": {"num_books": 3, "encoder.use_bias": False, "encoder.untie_biases": False,
                    "decoder.use_bias": False, "decoder.init_mode": "kaiming_normal", "encoder.ff_expansion_factor": 3},
}  # fmt: skip

FRONT_ENDS = {
    "per_feature": {},
    "all_features": {"normalize": "all_features", "window": "hamming"},
    "not_normalised": {"normalize": "NA", "window": "blackman", "pad_value": -1.5},
    "null_normalise": {"normalize": None, "window": "bartlett", "mel_norm": None},
    "linear": {"log": False, "mag_power": 1.0},
    "clamp": {"log_zero_guard_type": "clamp", "log_zero_guard_value": 1e-3, "mag_power": 1.5},
    "eps": {"log_zero_guard_value": "eps", "normalize": "NA"},
    "tiny": {"log_zero_guard_value": "tiny", "log_zero_guard_type": "clamp"},
    "exact_pad": {"exact_pad": True, "preemph": 0.9},
    "no_preemphasis": {"preemph": None, "dither": 1e-3},
    "dither": {"dither": 1e-3},
    "exact_dither": {"dither": 1e-2, "exact_pad": True},
    "samples": {"window_size": None, "n_window_size": 201, "window_stride": None, "n_window_stride": 77},
    "splicing": {"frame_splicing": 3, "features": 10},
    "no_padding": {"pad_to": 0},
    "padding": {"pad_to": 40, "pad_value": 3.0},
    "band": {"lowfreq": 120, "highfreq": 3300, "n_fft": None, "features": 24},
}  # fmt: skip

# ---- audio -----------------------------------------------------------------------------------------------------------


def speech(seconds):
    """[B, T] float32 and [B] lengths: each utterance a little shorter than the one before."""
    out = []
    for i, (voice, speed, text) in enumerate(SENTENCES):
        with tempfile.NamedTemporaryFile(suffix=".wav") as wav:
            subprocess.run(["espeak-ng", "-v", voice, "-s", speed, "-w", wav.name, text], check=True)
            x, rate = soundfile.read(wav.name, dtype="float64")
        x = resample_poly(x, RATE, rate)
        start = int((abs(x) > 0.02).argmax())
        samples = int(RATE * (seconds - 0.15 * i))
        out.append(torch.from_numpy(x[start : start + samples].astype("float32")))
    lens = torch.tensor([len(x) for x in out])
    audio = torch.zeros(len(out), int(lens.max()))
    for row, x in zip(audio, out):
        row[: len(x)] = x
    return audio, lens


def with_noise(audio, lens, seed):
    g = torch.Generator().manual_seed(seed)
    noisy = audio + 0.1 * audio.roll(1, 0).roll(1500, 1) + 1e-3 * torch.randn(audio.shape, generator=g)
    for row, n in zip(noisy, lens):
        row[n:] = 0
    return noisy


# ---- NeMo ------------------------------------------------------------------------------------------------------------


class Model(EncDecDenoiseMaskedTokenPredModel):
    """NeMo's, but for post_conv: as released it hands pre_encode (B, D, T), which no input passes."""

    def forward(self, **kw):
        if self.pre_encoder is None:
            return super().forward(**kw)
        clean, n = self.preprocessor(input_signal=kw["input_signal"], length=kw["input_signal_length"])
        noisy, noisy_n = self.preprocessor(
            input_signal=kw["noisy_input_signal"], length=kw["noisy_input_signal_length"]
        )
        features, _ = self.pre_encoder.pre_encode(x=clean.transpose(1, 2), lengths=n)
        _, tokens = self.quantizer(input_signal=features.transpose(1, 2))
        self.pre_encoder.set_masking_enabled(apply_mask=kw["apply_mask"])
        encoded, encoded_len = self.encoder(audio_signal=noisy, length=noisy_n)
        return self.decoder(encoder_output=encoded), encoded_len, self.pre_encoder.get_current_mask(), tokens


def recipe(overrides):
    values = json.loads((ROOT / "configs/nemo/nemo-2.7.3.json").read_text())["recipe"]["values"]
    cfg = OmegaConf.create({})
    for key, value in values.items():
        OmegaConf.update(cfg, key, value, force_add=True)
    for key, value in overrides.items():
        OmegaConf.update(cfg, "model." + key, value, force_add=True)
    cfg.model.train_ds = cfg.model.validation_ds = None
    return cfg


def train_steps(model, cfg, signals, seed, tensors):
    """Four optimizer steps; fills `tensors` with what the first one gives. Returns the lists of the metadata."""
    params = [p for p in model.parameters() if p.requires_grad]
    o = cfg.model.optim
    optimizer = torch.optim.AdamW(params, lr=o.lr, betas=tuple(o.betas), weight_decay=o.weight_decay)
    schedule = NoamAnnealing(
        optimizer, d_model=o.sched.d_model, warmup_steps=o.sched.warmup_steps, max_steps=100, min_lr=o.sched.min_lr
    )
    losses, rates, seeds = [], [], []
    for step in range(4):
        seeds.append(seed + 100 + step)
        torch.manual_seed(seeds[-1])
        log_probs, lens, masks, tokens = model.forward(**signals, apply_mask=True)
        loss = model.loss(masks=masks, decoder_outputs=log_probs, targets=tokens, decoder_lengths=lens)
        optimizer.zero_grad()
        loss.backward()
        rates.append(optimizer.param_groups[0]["lr"])
        tensors["out.mask" if step == 0 else f"step{step}.mask"] = masks[:, 0].to(torch.uint8)
        if step == 0:
            tensors.update({"out.log_probs": log_probs.detach(), "out.encoded_len": lens, "out.tokens": tokens})
            tensors.update({"grad." + k: p.grad for k, p in model.named_parameters() if p.grad is not None})
            tensors.update({k: v.clone() for k, v in tensors.items()})
        losses.append(loss.item())
        optimizer.step()
        schedule.step()
    return {"losses": losses, "lrs": rates, "seeds": seeds}


def make_model(name, seed=1234):
    cfg = recipe({**TINY, **VARIANTS[name]})
    written = OmegaConf.to_yaml(cfg.model)
    torch.manual_seed(seed)
    model = Model(cfg=cfg.model).train()
    audio, lens = speech(0.6)
    noisy = with_noise(audio, lens, seed + 1)
    signals = {"input_signal": audio, "input_signal_length": lens,
               "noisy_input_signal": noisy, "noisy_input_signal_length": lens}  # fmt: skip
    tensors = {"state." + k: v.detach().clone() for k, v in model.state_dict().items()}
    tensors.update({"in.audio": audio, "in.audio_len": lens, "in.noisy_audio": noisy, "in.noisy_audio_len": lens})
    for prefix, signal in (("out.", audio), ("out.noisy_", noisy)):
        tensors[prefix + "mel"], tensors[prefix + "mel_len"] = model.preprocessor(input_signal=signal, length=lens)
    lists = train_steps(model, cfg, signals, seed, tensors)
    if any(loss != loss for loss in lists["losses"]):
        sys.exit(f"{name}: a step masks no frame: {lists['losses']}")
    tensors.update({"after." + k: v.detach().clone() for k, v in model.state_dict().items()})
    model.eval()
    with torch.no_grad():
        out = model.forward(**signals, apply_mask=False)
    tensors["eval.log_probs"], tensors["eval.encoded_len"] = out[0], out[1]
    meta = {**{k: json.dumps(v) for k, v in lists.items()}, **versions(), "variant": name}
    save(name, tensors, meta)
    (OUT / f"{name}.yaml").write_text(written)
    print(f"{name:22} losses {[round(x, 4) for x in lists['losses']]} log-probs {tuple(out[0].shape)}", flush=True)


def versions():
    import nemo

    return {"nemo": nemo.__version__, "torch": torch.__version__}


def save(name, tensors, meta):
    OUT.mkdir(exist_ok=True)
    save_file({k: v.contiguous().clone() for k, v in tensors.items()}, OUT / f"{name}.safetensors", metadata=meta)


def make_front_ends(seed=99):
    audio, lens = speech(0.45)
    tensors = {"audio": audio, "audio_len": lens}
    base = {"sample_rate": RATE, "window_size": 0.025, "features": 32, "n_fft": 256, "dither": 0.0}
    for name, keys in FRONT_ENDS.items():
        module = AudioToMelSpectrogramPreprocessor(**{**base, **keys}).train()
        torch.manual_seed(seed)
        mel, mel_len = module(input_signal=audio.clone(), length=lens)
        tensors[name + ".mel"], tensors[name + ".len"] = mel, mel_len
    keys = {k: json.dumps({**base, **v}) for k, v in FRONT_ENDS.items()}
    save("front_end", tensors, {**keys, **versions(), "seed": str(seed)})


def print_sizes():
    from nemo.collections.asr.parts.submodules import subsampling

    calc_length = subsampling.calc_length  # asks a tensor for its value, which a meta tensor has not
    for path in sorted((ROOT / "configs").glob("nest_*.yaml")):
        cfg = OmegaConf.load(path)
        cfg.model.train_ds = cfg.model.validation_ds = None
        width = torch.tensor(float(cfg.model.preprocessor.features))
        subsampling.calc_length = lambda lengths, **kw: calc_length(lengths=width, **kw)
        with torch.device("meta"):
            model = EncDecDenoiseMaskedTokenPredModel(cfg=cfg.model)
        trained = sum(p.numel() for p in model.parameters() if p.requires_grad)
        print(path.name, "parameters", sum(p.numel() for p in model.parameters()), "trainable", trained,
              "tensors", len(model.state_dict()), "encoder", sum(p.numel() for p in model.encoder.parameters()))  # fmt: skip


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "models":
        for variant in sys.argv[2:] or VARIANTS:
            make_model(variant)
    elif what == "front-end":
        make_front_ends()
    elif what == "sizes":
        print_sizes()
    else:
        sys.exit(__doc__)
