# SPDX-License-Identifier: Apache-2.0
"""Whether the members of each process group recorded the same collectives."""
from rank_records import OPERATIONS

MESSAGES = 1 << 31
"""Bit of the number of a group with messages between two ranks, which are counted by each rank alone."""

OWN_SIZES = {OPERATIONS.index(name) for name in ("gather", "scatter", "all-to-all", "other")}
"""Operations in which ranks may give different numbers of elements."""


def _kinds(rank, group):
    """Returns what the rank recorded in a group: sequence number → operation, type, elements, whether it failed."""
    return {
        record.sequence: (record.op, record.dtype, record.failed, 0 if record.op in OWN_SIZES else record.elements)
        for record in rank.all("collective")
        if record.group == group
    }


def _members(ranks):
    """Returns the members of each group by its number."""
    members = {0: set(ranks)}
    for rank in ranks.values():
        members.update(rank.groups())
    return members


def _unnamed(ranks, members):
    used = {record.group for rank in ranks.values() for record in rank.all("collective")}
    return sorted(group for group in used if group not in members and not group & MESSAGES)


def count(ranks):
    """Returns how many collectives the ranks recorded, messages between two ranks included."""
    return sum(len(rank.all("collective")) for rank in ranks.values())


def problems(ranks):
    """Returns a list of what does not match, as text: nothing, if all is well. `ranks`: rank number → Rank."""
    members = _members(ranks)
    found = [f"group {group:#x} has no record" for group in _unnamed(ranks, members)]
    for group, numbers in members.items():
        kinds = {number: _kinds(ranks[number], group) for number in numbers if number in ranks}
        every = sorted(set().union(*kinds.values())) if kinds else []
        if every != list(range(len(every))):
            found.append(f"group {group:#x}: not all sequence numbers are there")
        unmatched = [at for at in every if len({repr(of_rank.get(at)) for of_rank in kinds.values()}) > 1]
        if unmatched:
            first = {number: of_rank.get(unmatched[0]) for number, of_rank in kinds.items()}
            which = f"{len(unmatched)} of {len(every)} unmatched, the first {unmatched[0]}: {first}"
            found.append(f"group {group:#x}: {which}")
    return found
