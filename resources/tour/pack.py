# SPDX-License-Identifier: Apache-2.0
# pack.py RUNS WORK ROOT OUT: what the tour shows of the one run in RUNS, without names and paths of the machine that recorded it.
# What was measured stays as it is; what the detector saw, which only `diagnose --replay` reads, is left out.
import gzip
import json
import os
import shutil
import socket
import sqlite3
import sys
from pathlib import Path

NAME = "workstation"


def clean(text, names):
    for name, instead in names:
        text = text.replace(name, instead)
    return text


def clean_store(file, names):
    db = sqlite3.connect(file)
    db.execute("DELETE FROM detector_input")
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    for table in tables:
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[2] in ("TEXT", "")]
        for column in columns:
            for name, instead in names:
                db.execute(f"UPDATE {table} SET {column}=replace({column},?,?) WHERE typeof({column})='text'", (name, instead))
    db.commit()
    db.execute("PRAGMA journal_mode=DELETE")
    db.execute("VACUUM")
    incidents = db.execute("SELECT cause, close_reason FROM incident").fetchall()
    steps = db.execute("SELECT count(*) FROM step").fetchone()[0]
    db.close()
    return incidents, steps


def main():
    runs, work, root, out = (Path(a) for a in sys.argv[1:5])
    (run,) = [r for r in runs.iterdir() if r.is_dir()]
    # longest first: one may lie inside another
    names = sorted([(str(work) + "/", ""), (str(root) + "/", ""), (str(runs), "runs"), (socket.gethostname(), NAME),
                    (str(Path.home()), "~")], key=lambda pair: -len(pair[0]))
    names = [pair for pair in names if len(pair[0]) > 2]
    info = json.loads((run / "run.json").read_text())
    if info["state"] != "finished":
        sys.exit(f"pack.py: the run ended as {info['state']}: {info['cause']}")
    info["host"], info["boot_id"] = NAME, ""
    info["argv"] = ["rankscopectl", "launch", "quickstart.yaml", "trainer.max_steps=120"]
    incidents, steps = clean_store(run / "run.sqlite", names)
    if [cause for cause, reason in incidents if reason == 1] != ["data_loading"] or len(incidents) != 1:
        sys.exit(f"pack.py: one stall in the data loader was expected, not {incidents}: run it again without other work")
    if steps != 240:
        sys.exit(f"pack.py: {steps} steps were stored, 240 were expected")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    (out / "id").write_text(run.name + "\n")
    (out / "run.json").write_text(clean(json.dumps(info, indent=2), names) + "\n")
    for name in ["config.yaml", "effective.yaml", *(f"ranks/{r}/log.txt" for r in range(info["world_size"]))]:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(clean((run / name).read_text(), names))
    packed = gzip.compress((run / "run.sqlite").read_bytes(), 9, mtime=0)
    (out / "run.sqlite.gz").write_bytes(packed)
    total = 0
    for file in sorted(out.rglob("*")):
        if not file.is_file():
            continue
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        total += file.stat().st_size
        for name, _ in names:
            if name.encode() in data:
                sys.exit(f"pack.py: {file.name} still holds {name}")
    if total > 600_000:
        sys.exit(f"pack.py: {total} bytes are too many for the tour")
    print(f"{out}: {run.name}, {total} bytes")


if __name__ == "__main__":
    main()
