# SPDX-License-Identifier: Apache-2.0
"""Reads the records of a rank's journal (docs/dev/telemetry.md)."""
import os
import struct
from typing import NamedTuple

SLOT = 256
COLLECTIVE, NOTE, GROUP = 4, 7, 12


class Collective(NamedTuple):
    """A record of a collective."""

    group: int
    op: int
    dtype: int
    failed: int
    phase: int
    sequence: int
    count: int
    arrived: int
    started: int
    done: int
    exposed: int
    tag: str


def records(folder):
    """Yields type and bytes of each complete record in the folder of a rank."""
    for name in sorted(os.listdir(folder)):
        if not name.startswith("journal."):
            continue
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        for at in range(SLOT, len(data) - SLOT + 1, SLOT):
            length, kind = struct.unpack_from("<IH", data, at)
            if length:
                yield kind, data[at:at + length]


def collectives(folder):
    """Returns the collectives of a rank, by group and sequence number."""
    found = [
        Collective(*struct.unpack_from("<IBBBBQqqqqq", data, 24), text(data[80:144]))
        for kind, data in records(folder) if kind == COLLECTIVE]
    return sorted(found, key=lambda record: (record.group, record.sequence))


def notes(folder):
    """Returns the texts of the notes of a rank."""
    return [text(data[32:232]) for kind, data in records(folder) if kind == NOTE]


def text(field):
    """Returns a field as text."""
    return field.split(b"\0")[0].decode("utf-8")
