# SPDX-License-Identifier: Apache-2.0
"""The numbers of process groups."""
import ctypes

from ..guard import hook

UNKNOWN = 0xFFFFFFFF  # RS_C10D_UNKNOWN_GROUP


class Groups:
    """Reports the members of each process group to the rank's library, and keeps the number that it returns."""

    def __init__(self, dist, lib):
        self.dist, self.lib = dist, lib
        self._numbers = {}

    def number_of_name(self, name):
        """Returns the number of the group with this name; UNKNOWN if torch.distributed does not know it."""
        if name not in self._numbers:
            number = register(self, name)
            self._numbers[name] = UNKNOWN if number is None else number
        return self._numbers[name]

    def number_of(self, group):
        """Returns the number of a group; UNKNOWN if it has no name."""
        try:
            name = group.group_name
        except RuntimeError:
            return UNKNOWN
        return self.number_of_name(name)

    def forget(self):
        """Forgets all numbers, because the groups were destroyed and others made."""
        self._numbers.clear()


@hook
def register(groups, name):
    """Returns the number of a group that is seen for the first time; None if torch.distributed does not know it."""
    for group, known in list(groups.dist.distributed_c10d._world.pg_names.items()):
        if known == name:
            ranks = groups.dist.get_process_group_ranks(group)
            backend = groups.dist.get_backend(group)
            members = (ctypes.c_int32 * len(ranks))(*ranks)
            return groups.lib.rs_group(name.encode(), backend.encode(), members, len(ranks))
    return None
