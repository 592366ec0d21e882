# SPDX-License-Identifier: Apache-2.0
"""The lines of the matrix: which program is started how."""
from dataclasses import dataclass

TORCHRUN = "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"
ACCELERATE = "-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1"
ACCELERATE += "--mixed_precision", "no", "--dynamo_backend", "no", "--num_cpu_threads_per_process", "1"


@dataclass(frozen=True)
class Line:
    """A program and how it is started. It runs once for each set of versions of `needs`, or once if `is_once`."""

    program: str
    file: str
    needs: tuple
    """Names of the packages, as they are installed."""
    launcher: str
    command: tuple = ()
    """What starts the ranks, before the file; nothing where the program does it."""
    arguments: tuple = ()
    workers: int = 0
    start: str = "fork"
    """How loader workers are started."""
    is_once: bool = False
    since: tuple = (0, 0)
    """The oldest minor version of torch that can run it."""

    def words(self, python, folder):
        """Returns the command."""
        workers = [f"workers={self.workers}", f"context={self.start}"] if self.workers else []
        return [python, *self.command, folder / self.file, *self.arguments, *workers]

    def why_not(self, versions):
        """Returns why the line cannot run, as text; nothing if it can. `versions`: of the packages that are there."""
        missing = [name for name in self.needs if name not in versions]
        if missing:
            return f"not run: no {', '.join(missing)}"
        torch = tuple(map(int, versions["torch"].split(".")[:2]))
        return "" if torch >= self.since else f"not run: needs torch {'.'.join(map(str, self.since))}"

    def row(self, versions):
        """Returns what the table says about it. `versions`: of the packages that are there, by name."""
        package = self.needs[-1]
        program = self.program if package == "torch" else f"{self.program} {versions.get(package, '')}"
        start = self.start if self.workers else "-"
        return program, versions.get("torch", "none"), self.launcher, self.workers, start


def _plain(**more):
    return Line("plain DDP", "plain.py", ("torch",), **more)


def _fsdp(version, **more):
    arguments = (f"version={version}", *more.pop("arguments", ()))
    since = (2, 8) if version == 2 else (0, 0)  # on the CPU, whose streams record no events in 2.6
    return Line(f"FSDP{version}", "fsdp.py", ("torch",), arguments=arguments, since=since, **more)


def _lightning(package, module, **more):
    arguments = (f"package={module}", "bar=1", *more.pop("arguments", ()))
    return Line(package, "lightning_fit.py", ("torch", package), arguments=arguments, **more)


def _hugging_face(model, **more):
    needs = "torch", "accelerate", "transformers"
    return Line(f"Trainer, {model}", "huggingface.py", needs, arguments=(f"model={model}",), **more)


def _nemo(program, file, **more):
    return Line(program, file, ("torch", "lightning", "nemo_toolkit"), **more)


BY_TORCHRUN = {"launcher": "torchrun", "command": TORCHRUN}
BY_SPAWN = {"launcher": "mp.spawn", "arguments": ("spawn=1",)}
BY_LIGHTNING = {"launcher": "Lightning"}
BY_ACCELERATE = {"launcher": "accelerate", "command": ACCELERATE}
FORKED = {"workers": 2, "start": "fork"}
SPAWNED = {"workers": 2, "start": "spawn"}


LINES = (
    _plain(**BY_TORCHRUN, **FORKED),
    _plain(**BY_SPAWN),
    _fsdp(1, **BY_TORCHRUN),
    _fsdp(2, **BY_SPAWN, **FORKED),
    _lightning("lightning", "lightning.pytorch", **BY_LIGHTNING, **FORKED),
    _lightning("pytorch-lightning", "pytorch_lightning", **BY_TORCHRUN),
    _hugging_face("bert", **BY_ACCELERATE, **FORKED),
    _hugging_face("wav2vec2", **BY_TORCHRUN),
    _nemo("NeMo NEST", "nemo_nest.py", **BY_TORCHRUN),
    _nemo("NeMo NEST", "nemo_nest.py", **BY_LIGHTNING, **FORKED),
    _nemo("NeMo CTC", "nemo_ctc.py", **BY_LIGHTNING),
    _nemo("NeMo CTC", "nemo_ctc.py", **BY_TORCHRUN, **FORKED),
    # with one version
    _plain(**BY_TORCHRUN, is_once=True),
    _plain(launcher="mp.spawn", arguments=("spawn=1", "persistent=1"), **SPAWNED, is_once=True),
    _fsdp(1, **BY_SPAWN, **SPAWNED, is_once=True),
    _lightning("lightning", "lightning.pytorch", **BY_TORCHRUN, **SPAWNED, is_once=True),
    _lightning("lightning", "lightning.pytorch", launcher="ddp_fork", arguments=("strategy=ddp_fork",), is_once=True),
    _lightning("lightning", "lightning.pytorch", launcher="ddp_spawn", arguments=("strategy=ddp_spawn",), is_once=True),
    _nemo("NeMo NEST", "nemo_nest.py", launcher="Lightning", arguments=("epochs=1",), **SPAWNED, is_once=True),
)
