# SPDX-License-Identifier: Apache-2.0
"""Chooses the kernels for the PyTorch that is loaded."""
import os
import re

from .. import library
from .groups import Groups
from .native_kernels import NativeKernels
from .python_kernels import PythonKernels

_kernels = None  # registered kernels stay until the process ends


def install(dist, torch, folder):
    """Registers the kernels. Returns which ones, in words for a note. `folder` has the native libraries.

    To be called after each init_process_group(): from the second time on, only the groups are forgotten.
    """
    global _kernels
    if _kernels is None:
        _kernels = _choose(Groups(dist, library.load()), dist, torch, folder)
    else:
        _kernels.forget_groups()
    return _kernels.name


def library_name(torch):
    """Returns the file name of the C++ kernels for this minor version of PyTorch and its C++ ABI.

    None for a version before its release, such as 2.8.0a0 in NVIDIA's containers: its classes may differ.
    """
    release = re.fullmatch(r"(\d+\.\d+)\.\d+(\+.*)?", torch.__version__)
    if release is None:
        return None
    abi = "" if torch.compiled_with_cxx11_abi() else "-precxx11"
    return f"librankscope_c10d-{release[1]}{abi}.so"


def _choose(groups, dist, torch, folder):
    name = library_name(torch)
    if name is None:
        reason = f"{torch.__version__} is no release"
    elif not os.path.isfile(os.path.join(folder, name)):
        reason = f"there is no {name}"
    else:
        try:
            return NativeKernels(os.path.join(folder, name), groups)
        except (OSError, RuntimeError) as error:  # another build of the same version
            reason = f"{name} cannot be used: {error}"
    return PythonKernels(torch, dist, groups, reason)
