# SPDX-License-Identifier: Apache-2.0
"""Reads what a rank wrote, by the page that describes it (docs/dev/telemetry.md)."""
import struct
from pathlib import Path
from types import SimpleNamespace

SLOT = 256
HEADER = struct.Struct("<IHHqq")
# type: (name, fields after the header; a number is the length of a text, or of bits)
RECORDS = {
    1: ("anchor", "q:monotonic q:realtime i:rank i:world_size i:local_rank i:pid Q:config 64:host 32:device"),
    2: (
        "batch",
        "i:epoch i:size q:samples_min q:samples_max q:samples_sum q:frames_min q:frames_max q:frames_sum "
        "q:padded_frames d:padding_share Q:index_hash q:load_ns q:wait_ns i:ready i:skipped",
    ),
    3: ("phase", "B:phase 7x q:begin q:end"),
    4: (
        "collective",
        "I:group B:op B:dtype B:failed B:phase Q:sequence q:elements q:arrived q:started q:done q:exposed 64:tag",
    ),
    5: ("step", "i:epoch i:flags d:loss d:rate d:norm q:masked d:per_second q:begin q:end q:exposed"),
    6: ("resource", "q:resident q:cpu q:gpu i:percent i:threads"),
    7: ("note", "B:severity 7x 200:text"),
    8: ("end", "B:cause 3x i:exit_code Q:hash Q:dropped 160:text"),
    9: ("validation", "i:epoch 4x d:loss d:local_loss q:batches q:unmasked q:masked q:begin q:end"),
    11: ("scalar", "d:value 96:name"),
    12: ("group", "I:group i:size i:first I:reserved 32:name 16:backend 128:members"),
    13: ("software", "32:name 64:version"),
}
PHASES = (
    "none startup rendezvous data_wait to_device preprocess augment forward loss backward optimizer validate "
    "checkpoint barrier"
).split()


OPERATIONS = (
    "all-reduce all-gather broadcast reduce reduce-scatter gather scatter barrier all-to-all send recv other"
).split()
BITS = "members"


def _layout(fields):
    names, formats = [], "<"
    for field in fields.split():
        kind, _, name = field.partition(":")
        formats += kind + ("s" if kind.isdigit() else "")
        names += [name] if name else []
    return struct.Struct(formats), names


LAYOUTS = {number: (name, *_layout(fields)) for number, (name, fields) in RECORDS.items()}


def _value(name, value):
    return value.split(b"\0", 1)[0].decode() if isinstance(value, bytes) and name != BITS else value


def _record(slot):
    """Returns the record in a slot; None if there is none. Raises ValueError if it is malformed."""
    length, number, version, time_ns, step = HEADER.unpack_from(slot)
    if length == 0:
        return None
    if number not in LAYOUTS or version != 1:
        raise ValueError(f"a record of type {number}, version {version}")
    name, layout, names = LAYOUTS[number]
    if length != HEADER.size + layout.size:
        raise ValueError(f"a record of type {name} with {length} bytes")
    values = {name: _value(name, value) for name, value in zip(names, layout.unpack_from(slot, HEADER.size))}
    if values.get("phase", 0) >= len(PHASES) or values.get("op", 0) >= len(OPERATIONS):
        raise ValueError(f"a record of type {name} with a phase or operation that there is not")
    return SimpleNamespace(type=name, time_ns=time_ns, step=step, **values)


class Rank:
    """The records of one rank."""

    def __init__(self, run, number):
        self.folder = Path(run) / "ranks" / str(number)
        self.records, self.malformed = [], []
        for segment in sorted(self.folder.glob("journal.*")):
            data = segment.read_bytes()
            if struct.unpack_from("<Q", data)[0] == 0:
                continue
            for at in range(SLOT, len(data) - SLOT + 1, SLOT):
                self._read(data[at : at + SLOT])

    def _read(self, slot):
        try:
            record = _record(slot)
        except ValueError as error:
            self.malformed.append(str(error))
        else:
            self.records += [] if record is None else [record]

    def all(self, kind):
        return [record for record in self.records if record.type == kind]

    def phases(self, step):
        """Returns the names of the phases of a step, in order."""
        return [PHASES[record.phase] for record in self.all("phase") if record.step == step]

    def groups(self):
        """Returns the members of each group by its number, without the default group."""
        found = {}
        for record in self.all("group"):
            bits = int.from_bytes(record.members, "little")
            members = {record.first + bit for bit in range(8 * len(record.members)) if bits >> bit & 1}
            found[record.group] = found.get(record.group, set()) | members
        return found

    def notes(self):
        return [record.text for record in self.all("note")]

    def end(self):
        """Returns (cause, exit code, text) of the end; None if there is none."""
        ends = [(record.cause, record.exit_code, record.text) for record in self.all("end")]
        return ends[0] if ends else None

    def software(self):
        return {record.name: record.version for record in self.all("software")}

    def board_reading(self):
        board = (self.folder / "board").read_bytes()
        return board[528 : 528 + 1008].split(b"\0", 1)[0].decode()

    def board(self):
        """Returns rank, world size, process, step, stage, phase and batch size, as the board says now."""
        board = (self.folder / "board").read_bytes()
        rank, world_size, pid = struct.unpack_from("<3i", board, 72)
        step = struct.unpack_from("<q", board, 112)[0]
        stage, phase = struct.unpack_from("<2B", board, 136)
        size = struct.unpack_from("<i", board, 144)[0]
        return SimpleNamespace(
            rank=rank, world_size=world_size, pid=pid, step=step, stage=stage, phase=PHASES[phase], size=size
        )


def ranks_of(run):
    folders = (Path(run) / "ranks").glob("*") if (Path(run) / "ranks").is_dir() else []
    return {int(folder.name): Rank(run, folder.name) for folder in folders}
