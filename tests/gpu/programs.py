# SPDX-License-Identifier: Apache-2.0
"""Shared by the steps: the pack, the device, scratch folders, and stores of runs."""
import contextlib
import pathlib
import socket
import sqlite3
import statistics

from audio import write_set
from trial import StepFailed

STRATEGY = "trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy,process_group_backend:%s}"


class Programs:
    """`device` is "cuda", or "cpu" for a rehearsal: the same steps, but small and over Gloo."""

    def __init__(self, pack, env, device, work, references):
        self.pack, self.env, self.device = pack, env, device
        self.work = pathlib.Path(work)
        self.references = references
        self.runs = self.work / "runs"
        self.trainer, self.ctl, self.bench = (pack / "bin" / n for n in ("rankscope-trainer", "rankscopectl", "bench_step"))
        self._manifest = None

    @property
    def rehearsal(self):
        return self.device == "cpu"

    def recipe(self, name):
        return self.pack / "configs" / f"{name}.yaml"

    def manifest(self):
        if self._manifest is None:
            self._manifest = write_set(self.work / "audio")
        return self._manifest

    def settings(self, steps, *more, backend=None):
        """The overrides for a short run on the synthetic set."""
        backend = backend or ("gloo" if self.rehearsal else "nccl")
        return [f"model.train_ds.manifest_filepath={self.manifest()}", "model.train_ds.noise_manifest=null",
                "~model.validation_ds", f"trainer.max_steps={steps}", "trainer.devices=1",
                f"trainer.accelerator={'cpu' if self.rehearsal else 'gpu'}", STRATEGY % backend,
                "rankscope.seed=1", *more]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Store:
    """Reads run.sqlite of a run that has ended (docs/dev/store.md)."""

    def __init__(self, run):
        self.path = pathlib.Path(run) / "run.sqlite"
        if not self.path.exists():
            raise StepFailed(f"{self.path} was not written")

    def rows(self, query, *values):
        with contextlib.closing(sqlite3.connect(self.path)) as connection:
            connection.row_factory = sqlite3.Row
            return connection.execute(query, values).fetchall()

    def steps(self, rank):
        return self.rows("SELECT * FROM step WHERE rank = ? AND complete = 1 ORDER BY step", rank)

    def tags(self):
        """The number of collectives by the part of their tag before the colon."""
        counted = {}
        for row in self.rows("SELECT t.name, count(*) FROM collective c JOIN tag t ON t.id = c.tag GROUP BY t.name"):
            name = row[0].split(":")[0]
            counted[name] = counted.get(name, 0) + row[1]
        return counted


def median_ms(rows, column, skip=5):
    """The median of a column in ns, as ms; skips the first steps, which allocate memory."""
    values = [row[column] for row in rows[skip:] if row[column] is not None]
    return round(statistics.median(values) / 1e6, 3) if values else None


def only_run(runs):
    """Returns the folder of the newest run."""
    found = sorted((p for p in runs.iterdir() if (p / "run.json").exists()), key=lambda p: p.stat().st_mtime)
    if not found:
        raise StepFailed(f"there is no run in {runs}")
    return found[-1]
