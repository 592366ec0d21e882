# SPDX-License-Identifier: Apache-2.0
"""The versions of the libraries that matter for what a rank does."""
import platform
from importlib import metadata

from .guard import hook

PACKAGES = {
    "torch": ("torch",),
    "lightning": ("lightning",),
    "pytorch_lightning": ("pytorch-lightning",),
    "nemo_toolkit": ("nemo-toolkit",),
    "lhotse": ("lhotse",),
    "accelerate": ("accelerate",),
    "transformers": ("transformers",),
    "nccl": ("nvidia-nccl-cu13", "nvidia-nccl-cu12", "nvidia-nccl-cu11"),
}


@hook
def report(lib):
    lib.rs_software(b"python", platform.python_version().encode())
    for name, distributions in PACKAGES.items():
        version = next(filter(None, map(_version, distributions)), None)
        if version is not None:
            lib.rs_software(name.encode(), version.encode("utf-8", "replace"))


def _version(distribution):
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
