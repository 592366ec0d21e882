# SPDX-License-Identifier: Apache-2.0
"""Reports every collective of PyTorch: by C++ kernels where there is a library for this PyTorch, else by Python."""
from .install import install

__all__ = ["install"]
