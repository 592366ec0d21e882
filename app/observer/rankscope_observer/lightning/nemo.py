# SPDX-License-Identifier: Apache-2.0
"""NeMo's models: how many frames some audio has, and the recipe."""
import os
import sys

from .. import rank
from ..guard import hook

FILE = "recipe-nemo.yaml"
TRAINER = (
    "max_steps",
    "max_epochs",
    "min_steps",
    "accumulate_grad_batches",
    "gradient_clip_val",
    "gradient_clip_algorithm",
    "log_every_n_steps",
    "val_check_interval",
    "check_val_every_n_epoch",
    "limit_train_batches",
    "limit_val_batches",
    "num_sanity_val_steps",
    "num_nodes",
    "num_devices",
    "precision",
    "use_distributed_sampler",
    "sync_batchnorm",
)


@hook
def describe(training, trainer, module):
    """Called when fit() begins."""
    if "nemo" not in sys.modules:
        return
    find_frames(training, module)
    if trainer.global_rank == 0:
        write_recipe(trainer, module)


@hook
def find_frames(training, module):
    featurizer = getattr(getattr(module, "preprocessor", None), "featurizer", None)
    if not hasattr(featurizer, "get_seq_len") or not hasattr(featurizer, "hop_length"):
        return
    hop = int(featurizer.hop_length)
    torch = sys.modules["torch"]
    extra = int(featurizer.get_seq_len(torch.tensor([1000 * hop]))[0]) - 1000
    training.steps.batch.frames_of = lambda samples: samples // hop + extra


@hook
def write_recipe(trainer, module):
    """Writes the model's configuration, the trainer's main settings and Hydra's overrides, once for a run."""
    configuration = getattr(module, "cfg", None)
    omegaconf = sys.modules.get("omegaconf")
    if configuration is None or omegaconf is None:
        return
    text = "# What NeMo trains with, as its process had it when training began.\n"
    text += omegaconf.OmegaConf.to_yaml(omegaconf.OmegaConf.create({"model": _plain(omegaconf, configuration)}))
    rest = {"trainer": _trainer(trainer), "hydra": _hydra()}
    text += omegaconf.OmegaConf.to_yaml(omegaconf.OmegaConf.create({k: v for k, v in rest.items() if v}))
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(os.path.join(rank.run_folder(), FILE), flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def _plain(omegaconf, configuration):
    """Returns the configuration with its references resolved, or as it is if one cannot be."""
    to_container = omegaconf.OmegaConf.to_container
    try:
        return to_container(configuration, resolve=True)
    except Exception:
        return to_container(configuration, resolve=False)


def _trainer(trainer):
    found = {name: getattr(trainer, name, None) for name in TRAINER}
    found = {name: value for name, value in found.items() if isinstance(value, (bool, int, float, str))}
    found["strategy"] = type(trainer.strategy).__name__
    found["accelerator"] = type(trainer.accelerator).__name__
    return found


def _hydra():
    module = sys.modules.get("hydra.core.hydra_config")
    if module is None or not module.HydraConfig.initialized():
        return None
    hydra = module.HydraConfig.get()
    return {
        "config_name": hydra.job.config_name,
        "overrides": list(hydra.overrides.task),
        "output_dir": hydra.runtime.output_dir,
    }
