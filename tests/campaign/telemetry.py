# SPDX-License-Identifier: Apache-2.0
"""Reads journals and boards as docs/dev/telemetry.md describes them, sharing no code with the programs."""
import os
import struct
from dataclasses import dataclass, field

SLOT = 256
HEADER = struct.Struct("<IHHqq")  # length, type, version, appended at, step
LENGTHS = {1: 160, 2: 128, 3: 48, 4: 144, 5: 96, 6: 56, 7: 232, 8: 208, 9: 88, 10: 256, 11: 128}
BATCH, PHASE, COLLECTIVE, STEP, RESOURCE, NOTE, END, VALIDATION = 2, 3, 4, 5, 6, 7, 8, 9
FINISHED, STOPPED, FAILED = 0, 1, 2
CHECKPOINT_PHASE = 12
STAGE_RUNNING, STAGE_FINISHED = 2, 3


@dataclass
class Segment:
    number: int
    writer: tuple  # pid, created at
    records: list  # (slot, bytes)
    holes: int     # empty slots before a record
    last: int      # the slot after the last record


def read_segment(path, number):
    """Returns None while the segment is being prepared."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:8] != b"RSJURNL\0":
        return None
    _, slot_bytes, slots, pid = struct.unpack_from("<IIII", data, 8)
    created = struct.unpack_from("<q", data, 32)[0]
    if slot_bytes != SLOT:
        raise ValueError(f"{path}: slots of {slot_bytes} bytes")
    used = min((len(data.rstrip(b"\0")) + SLOT - 1) // SLOT - 1, slots)
    records, holes, gap = [], 0, 0
    for slot in range(max(used, 0)):
        at = (slot + 1) * SLOT
        length = struct.unpack_from("<I", data, at)[0]
        if length == 0:  # reserved and perhaps half written, but never completed
            gap += 1
            continue
        holes += gap
        gap = 0
        records.append((slot, data[at:at + SLOT]))
    return Segment(number, (pid, created), records, holes, records[-1][0] + 1 if records else 0)


@dataclass
class Journal:
    """What one rank appended in one run."""
    records: int = 0
    torn: int = 0
    bad: int = 0
    missing: list = field(default_factory=list)  # segments that were not kept
    steps: dict = field(default_factory=dict)    # step: loss
    batches: set = field(default_factory=set)
    phases: set = field(default_factory=set)       # (step, begin, phase)
    phase_sums: dict = field(default_factory=dict)  # (step, phase): ns
    collectives: set = field(default_factory=set)  # (step, group, sequence)
    notes: int = 0
    validations: int = 0
    end: tuple = None  # cause, exit code, weights' hash

    def take(self, slot):
        length, kind, version, _, step = HEADER.unpack_from(slot)
        if version != 1 or LENGTHS.get(kind) != length:
            self.bad += 1
            return
        self.records += 1
        if kind == STEP:
            self.steps[step] = struct.unpack_from("<d", slot, 32)[0]
        elif kind == BATCH and step >= 0:
            self.batches.add(step)
        elif kind == PHASE:
            phase, begin, end = slot[24], *struct.unpack_from("<qq", slot, 32)
            self.phases.add((step, begin, phase))
            self.phase_sums[step, phase] = self.phase_sums.get((step, phase), 0) + max(end - begin, 0)
        elif kind == COLLECTIVE:
            group, sequence = struct.unpack_from("<I4xQ", slot, 24)
            self.collectives.add((step, group, sequence))
        elif kind == NOTE:
            self.notes += 1
        elif kind == VALIDATION:
            self.validations += 1
        elif kind == END:
            cause, code, weights = struct.unpack_from("<B3xiQ", slot, 24)
            self.end = (cause, code, weights)


def read_journal(folder):
    """Reads all segments of one rank that were kept."""
    journal = Journal()
    numbers = sorted(int(name.split(".")[1]) for name in os.listdir(folder)) if os.path.isdir(folder) else []
    segments = []
    for number in numbers:
        if segment := read_segment(os.path.join(folder, f"journal.{number:06}"), number):
            segments.append(segment)
    if segments:
        journal.missing = sorted(set(range(segments[-1].number)) - {s.number for s in segments})
    for segment, later in zip(segments, segments[1:] + [None]):
        for _, slot in segment.records:
            journal.take(slot)
        journal.torn += segment.holes
        # the writer has continued in the next segment: slots missing at the end of this one were never completed either
        if later and later.records and later.writer == segment.writer and later.records[0][0] == 0:
            journal.torn += 4096 - segment.last
    return journal


@dataclass
class Board:
    stage: int
    phase: int
    step: int
    pid: int


def read_board(path):
    try:
        with open(path, "rb") as f:
            data = f.read(4096)
    except OSError:
        return None
    if len(data) < 4096 or data[:8] != b"RSBOARD\0":
        return None
    pid = struct.unpack_from("<i", data, 80)[0]
    step = struct.unpack_from("<q", data, 112)[0]
    return Board(data[136], data[137], step, pid)
