# SPDX-License-Identifier: Apache-2.0
"""Chooses the kernels for the PyTorch that is loaded."""
import os

from .groups import Groups
from .native_kernels import NativeKernels
from .python_kernels import PythonKernels
from .rank_calls import RankCalls

_OBSERVER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

_kernels = None  # registered kernels stay until the process ends


def install(dist_module, torch_module, folder=_OBSERVER):
    """Registers the kernels. Returns which ones, in words for a note. `folder` has the native libraries.

    To be called after each init_process_group(): from the second time on, only the groups are forgotten.
    """
    global _kernels
    if _kernels is not None:
        _kernels.forget_groups()
        return _kernels.name
    rank_calls = RankCalls(os.path.join(folder, "librankscope_rank.so"))
    groups = Groups(dist_module, rank_calls)
    file_name = library_name(torch_module)
    path = os.path.join(folder, file_name)
    reason = "there is no %s" % file_name
    if os.path.isfile(path):
        try:
            _kernels = NativeKernels(path, groups, rank_calls)
            return _kernels.name
        except Exception as error:  # another build of the same version
            reason = "%s: %s" % (file_name, error)
    _kernels = PythonKernels(torch_module, dist_module, groups, rank_calls, reason)
    return _kernels.name


def library_name(torch_module):
    """Returns the file name of the C++ kernels for this minor version of PyTorch and its C++ ABI."""
    minor = ".".join(torch_module.__version__.split("+")[0].split(".")[:2])
    abi = "" if torch_module.compiled_with_cxx11_abi() else "-precxx11"
    return "librankscope_c10d-%s%s.so" % (minor, abi)
