# SPDX-License-Identifier: Apache-2.0
"""The numbers of process groups."""

UNKNOWN = 0xFFFFFFFF  # RS_C10D_UNKNOWN_GROUP


class Groups:
    """Tells the rank library the members of each process group, and keeps the number that it gives."""

    def __init__(self, dist, rank_library):
        self._dist = dist
        self._rank_library = rank_library
        self._numbers = {}

    def number_of_name(self, name):
        """Returns the number of the group with this name; UNKNOWN if torch.distributed does not know it."""
        if name not in self._numbers:
            self._numbers[name] = self._register(name)
        return self._numbers[name]

    def forget(self):
        """For when all groups were destroyed and others made."""
        self._numbers.clear()

    def _register(self, name):
        for group in list(self._dist.distributed_c10d._world.pg_names):
            if group.group_name == name:
                ranks = self._dist.get_process_group_ranks(group)
                return self._rank_library.group(name, self._dist.get_backend(group), ranks)
        return UNKNOWN
