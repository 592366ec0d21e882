# SPDX-License-Identifier: Apache-2.0
"""NeMo's models: the number of frames of an utterance, and the recipe."""
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
    "precision",
)
ACCELERATORS = {"CPUAccelerator": "cpu", "CUDAAccelerator": "gpu"}


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
    """Writes the model's configuration, the trainer's main settings and Hydra's overrides, as the keys of a recipe."""
    configuration = getattr(module, "cfg", None)
    omegaconf = sys.modules.get("omegaconf")
    if configuration is None or omegaconf is None:
        return
    sections = {
        "model": _plain(omegaconf, configuration),
        "trainer": _trainer(trainer),
        "hydra": _hydra(),
        "rankscope": _version(),
    }
    text = "# What NeMo trains with, as its process had it when training began.\n"
    for name, section in sections.items():
        if section:
            text += omegaconf.OmegaConf.to_yaml(omegaconf.OmegaConf.create({name: section}))
    _replace(rank.run_folder(), text)


def _replace(folder, text):
    """Writes the file under another name first, so that nobody reads half of it."""
    aside = os.path.join(folder, f".{FILE}.{os.getpid() % 10**6:06d}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(aside, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(aside, os.path.join(folder, FILE))


def _plain(omegaconf, configuration):
    """Returns the configuration with its references resolved, or unresolved if one of them cannot be."""
    to_container = omegaconf.OmegaConf.to_container
    try:
        return to_container(configuration, resolve=True)
    except Exception:
        return to_container(configuration, resolve=False)


def _trainer(trainer):
    """Returns the settings under the names that a recipe has for them."""
    found = {name: getattr(trainer, name) for name in TRAINER if hasattr(trainer, name)}
    connector = getattr(trainer, "_accelerator_connector", None)
    if hasattr(connector, "use_distributed_sampler"):
        found["use_distributed_sampler"] = connector.use_distributed_sampler
    if hasattr(connector, "_layer_sync"):
        found["sync_batchnorm"] = connector._layer_sync is not None
    plain = (bool, int, float, str, type(None))
    found = {name: value for name, value in found.items() if isinstance(value, plain)}
    for name in ("limit_train_batches", "limit_val_batches"):
        if isinstance(found.get(name), float) and found[name] == 1.0:  # all of them; the number 1 is one batch
            del found[name]
    if found.get("precision") == "32-true":
        found["precision"] = 32
    found["devices"] = trainer.num_devices
    found["strategy"] = _strategy(trainer.strategy)
    accelerator = type(trainer.accelerator).__name__
    found["accelerator"] = ACCELERATORS.get(accelerator, accelerator)
    return found


def _strategy(strategy):
    name = type(strategy).__name__
    if name == "SingleDeviceStrategy":
        return "auto"
    if name != "DDPStrategy":
        return name
    unused = getattr(strategy, "_ddp_kwargs", {}).get("find_unused_parameters", False)
    return "ddp_find_unused_parameters_true" if unused else "ddp"


def _version():
    """Returns which of the versions of NeMo that Rankscope knows has the defaults of this one."""
    version = str(getattr(sys.modules["nemo"], "__version__", ""))
    return {"nemo": "2.7.3" if version.startswith(("0.", "1.", "2.")) else "3.0.0"} if version else None


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
