# SPDX-License-Identifier: Apache-2.0
"""Which library with C++ kernels is for a PyTorch: by its exact minor version and C++ ABI, never by trying."""
import os
import sys
import unittest
from types import SimpleNamespace

OBSERVER = os.environ.get("RANKSCOPE_OBSERVER_DIR") or os.path.join(os.path.dirname(__file__), "../../app/observer")
sys.path.insert(0, os.path.abspath(OBSERVER))

from rankscope_observer.collectives.groups import UNKNOWN, Groups  # noqa: E402
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


class Nameless:
    """A group without backends, whose name torch refuses to say."""

    @property
    def group_name(self):
        raise RuntimeError("ProcessGroup name not set")


class Named:
    group_name = "1"


class GroupNumbers(unittest.TestCase):
    def test_a_group_beside_one_without_a_name(self):
        named = Named()
        names = {Nameless(): "0", named: "1"}
        dist = SimpleNamespace(
            distributed_c10d=SimpleNamespace(_world=SimpleNamespace(pg_names=names)),
            get_process_group_ranks=lambda group: [0, 2],
            get_backend=lambda group: "gloo",
        )
        groups = Groups(dist, SimpleNamespace(rs_group=lambda name, backend, members, count: 100 + members[1]))
        self.assertEqual(groups.number_of(Nameless()), UNKNOWN)
        self.assertEqual(groups.number_of(named), 102)
        self.assertEqual(groups.number_of_name("2"), UNKNOWN)


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
