# SPDX-License-Identifier: Apache-2.0
"""What must be true for any run that has ended, whatever was done to it."""
import json
import os
import sqlite3
import stat
import struct
import urllib.parse

import expected
from telemetry import read_journal

PHASE_COLUMNS = {7: "forward_ns", 9: "backward_ns", 10: "optimizer_ns", 12: "checkpoint_ns"}


def open_store(run):
    """Opens the store without creating a file next to it."""
    log = os.path.join(run, "run.sqlite-wal")
    how = "mode=ro" if os.path.exists(log) and os.path.getsize(log) else "immutable=1"
    return sqlite3.connect("file:" + urllib.parse.quote(f"{run}/run.sqlite") + "?" + how, uri=True)


def journals_of(place, run, world):
    place.archive.look()
    return [read_journal(place.archive.rank(os.path.basename(run), r)) for r in range(world)]


def records(tally, scene, run, journals):
    """Checks that every appended record is in the store exactly once."""
    db = open_store(run)
    try:
        start = db.execute("SELECT value FROM meta WHERE key='start_ns'").fetchone()[0]
        for rank, journal in enumerate(journals):
            if journal.missing:
                tally.find(scene, "other", f"{run}: the campaign missed segments {journal.missing} of rank {rank}")
                continue
            tally.count(scene, "records", journal.records)
            _compare(tally, scene, f"{run} rank {rank}", db, rank, journal, start)
    except sqlite3.Error as e:
        tally.find(scene, "lost", f"{run}: its store cannot be read: {e}")
    finally:
        db.close()


def _compare(tally, scene, where, db, rank, journal, start):
    counters = dict(db.execute("SELECT name, value FROM counter WHERE rank=?", (rank,)))
    missing = journal.records - counters.get("records", 0)
    if missing:
        tally.find(scene, "lost" if missing > 0 else "twice",
                   f"{where}: {journal.records} appended, {counters.get('records', 0)} stored", abs(missing))
    for name, real in (("torn", journal.torn), ("malformed", journal.bad), ("missing_segments", 0), ("duplicates", 0),
                       ("implausible", 0), ("unknown", 0), ("thinned_phases", 0)):
        if counters.get(name, 0) != real:
            tally.find(scene, "other", f"{where}: {name} is {counters.get(name, 0)}, {real} by the journal")
    thinned = counters.get("thinned_collectives", 0)
    _same(tally, scene, f"{where} steps", journal.steps,
          dict(db.execute("SELECT step, loss FROM step WHERE rank=? AND complete=1", (rank,))))
    _same(tally, scene, f"{where} batches", journal.batches,
          {s for s, in db.execute("SELECT step FROM step WHERE rank=? AND batch_size IS NOT NULL", (rank,))})
    _same(tally, scene, f"{where} phases", {(s, b - start, p) for s, b, p in journal.phases},
          set(db.execute("SELECT step, begin_ns, phase FROM phase WHERE rank=?", (rank,))))
    if not thinned:
        _same(tally, scene, f"{where} collectives", journal.collectives,
              set(db.execute("SELECT step, group_id, sequence FROM collective WHERE rank=?", (rank,))))
    for what, count in (("note", journal.notes), ("validation", journal.validations)):
        stored = db.execute(f"SELECT count(*) FROM {what} WHERE rank=?", (rank,)).fetchone()[0]
        if stored != count:
            tally.find(scene, "lost" if stored < count else "twice", f"{where}: {stored} of {count} rows of {what}")
    _sums(tally, scene, where, db, rank, journal)
    said = db.execute("SELECT ended, end_cause, exit_code FROM rank WHERE rank=?", (rank,)).fetchone()
    if journal.end and said != (1, *journal.end[:2]):
        tally.find(scene, "lost", f"{where}: its end {journal.end[:2]} is stored as {said}")


def _same(tally, scene, where, appended, stored):
    """Compares sets of keys, or dictionaries whose values must be the same, bit for bit."""
    lost, extra = set(appended) - set(stored), set(stored) - set(appended)
    if lost:
        tally.find(scene, "lost", f"{where}: {len(lost)} are not there, first {min(lost)}", len(lost))
    if extra:
        tally.find(scene, "twice", f"{where}: {len(extra)} were never appended, first {min(extra)}", len(extra))
    if isinstance(appended, dict):
        other = [k for k in set(appended) & set(stored) if not _equal(appended[k], stored[k])]
        if other:
            tally.find(scene, "lost", f"{where}: other values, first {min(other)}", len(other))


def _equal(appended, stored):
    return stored is None if appended != appended else stored is not None and _bits(appended) == _bits(stored)


def _bits(value):
    return struct.pack("<d", value)


def _sums(tally, scene, where, db, rank, journal):
    """Checks the sums in the steps' rows, which would reveal a record that was counted twice."""
    columns = ", ".join(PHASE_COLUMNS.values())
    for step, *sums in db.execute(f"SELECT step, {columns} FROM step WHERE rank=?", (rank,)):
        for phase, value in zip(PHASE_COLUMNS, sums):
            real = journal.phase_sums.get((step, phase))
            if (real is None) != (value is None) or (real is not None and abs(real - value) > 0.5):
                tally.find(scene, "twice", f"{where}: step {step} has {value} ns of phase {phase}, {real} appended")


def end(tally, scene, run, info, done, journals):
    if said := expected.wrong(info, done, journals):
        tally.find(scene, "end", f"{run}: {said}")
    db = open_store(run)
    told = [t for t, in db.execute("SELECT text FROM note WHERE rank=-1 AND text LIKE 'The run ended:%'")]
    open_ = db.execute("SELECT count(*) FROM incident WHERE closed_ns IS NULL").fetchone()[0]
    db.close()
    if len(told) != 1:
        tally.find(scene, "end", f"{run}: its end is told {len(told)} times: {told}")
    if open_:
        tally.find(scene, "end", f"{run}: {open_} incidents are still open")


def files(tally, scene, run):
    """Checks that no partial files are left, and that other users can read nothing."""
    left = [os.path.relpath(os.path.join(top, name), run) for top, folders, names in os.walk(run)
            for name in names + folders if name.startswith(".") or name.endswith((".part", "-journal"))
            or name.startswith(("board.", "control.", "journal."))]
    if left:
        tally.find(scene, "rest", f"{run}: {', '.join(left)}", len(left))
    modes(tally, scene, run)


def modes(tally, scene, folder):
    for top, folders, names in os.walk(folder):
        for name in [".", *folders, *names]:
            path = os.path.join(top, name)
            mode = stat.S_IMODE(os.lstat(path).st_mode)
            if mode & 0o077 and not os.path.islink(path):
                tally.find(scene, "mode", f"{path} has mode {mode:04o}")


def checkpoints(tally, scene, place, run, thorough):
    """Checks that checkpoints are complete; if `thorough`, also that the program reads them, with their checksums."""
    folder = os.path.join(run, "checkpoints")
    names = [n for n in os.listdir(folder) if not n.startswith(".")] if os.path.isdir(folder) else []
    for name in names:
        path = os.path.join(folder, name)
        tally.count(scene, "checkpoints")
        if problem := _safetensors(path) if name.endswith(".safetensors") else "":
            tally.find(scene, "checkpoint", f"{path}: {problem}")
        if thorough:
            code, _, said = place.ctl("weights", path, "--json")
            if code != 0:
                tally.find(scene, "checkpoint", f"{path}: {said.strip()}")
    return any(n.endswith(".safetensors") for n in names)


def _safetensors(path):
    size = os.path.getsize(path)
    with open(path, "rb") as f:
        length = struct.unpack("<Q", f.read(8))[0] if size >= 8 else 0
        if not 2 <= length <= size - 8:
            return "its header is cut off"
        try:
            header = json.loads(f.read(length))
        except ValueError as e:
            return f"its header is damaged: {e}"
    ends = [t["data_offsets"][1] for name, t in header.items() if name != "__metadata__"]
    if not ends or 8 + length + max(ends) != size:
        return f"{size} bytes, {8 + length + max(ends, default=0)} by its header"
    return "" if "checksum" in header.get("__metadata__", {}) else "it has no checksum"
