# SPDX-License-Identifier: Apache-2.0
"""Which library with C++ kernels is for a PyTorch: by its exact minor version and C++ ABI, never by trying."""
import os
import sys
import unittest
from types import SimpleNamespace

OBSERVER = os.environ.get("RANKSCOPE_OBSERVER_DIR") or os.path.join(os.path.dirname(__file__), "../../app/observer")
sys.path.insert(0, os.path.abspath(OBSERVER))

from rankscope_observer.collectives.install import library_name  # noqa: E402
from rankscope_observer.collectives.python_kernels import OTHER, operation_of  # noqa: E402


def name_for(version, cxx11_abi=True):
    return library_name(SimpleNamespace(__version__=version, compiled_with_cxx11_abi=lambda: cxx11_abi))


class KernelChoice(unittest.TestCase):
    def test_minor_version(self):
        self.assertEqual(name_for("2.11.0+cpu"), "librankscope_c10d-2.11.so")
        self.assertEqual(name_for("2.8.1"), "librankscope_c10d-2.8.so")

    def test_abi(self):
        self.assertEqual(name_for("2.6.0+cu124", cxx11_abi=False), "librankscope_c10d-2.6-precxx11.so")

    def test_only_releases(self):
        for version in ("2.8.0a0+5228986c39.nv25.06", "2.16.0.dev20261101+cpu", "2.12.0rc1", "git"):
            self.assertIsNone(name_for(version))


class Operations(unittest.TestCase):
    """Values of CollectiveOp, by operators of several versions."""

    def test_names(self):
        for number, names in enumerate((
                "allreduce_ allreduce_coalesced_", "allgather_ _allgather_base_ allgather_into_tensor_coalesced_",
                "broadcast_", "reduce_", "reduce_scatter_ _reduce_scatter_base_ reduce_scatter_tensor_coalesced_",
                "gather_ gather_into_tensor_", "scatter_", "barrier monitored_barrier_", "alltoall_ alltoall_base_",
                "send", "recv_ recv_any_source_")):
            for name in names.split():
                self.assertEqual(operation_of(name), number, name)
        self.assertEqual(operation_of("something_new_"), OTHER)


if __name__ == "__main__":
    unittest.main()
