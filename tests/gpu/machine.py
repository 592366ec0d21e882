# SPDX-License-Identifier: Apache-2.0
"""The machine: its GPU, its torch, and the environment in which packed programs find both."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

FIND_TORCH = """
import importlib.util, json, pathlib
spec = importlib.util.find_spec("torch")
if spec is None:
    print("null")
else:
    folder = pathlib.Path(list(spec.submodule_search_locations)[0])
    names = {}
    exec((folder / "version.py").read_text(), names)
    print(json.dumps({"folder": str(folder), "version": str(names["__version__"])}))
"""


class MachineError(Exception):
    """Says what the machine lacks."""


def gpus():
    """One line per GPU, as nvidia-smi prints it; empty: there is none, or no driver for it."""
    smi = shutil.which("nvidia-smi")
    if smi is None:
        return ["unknown: nvidia-smi is not installed"] if os.path.exists("/dev/nvidiactl") else []
    try:
        done = subprocess.run([smi, "--query-gpu=name,driver_version,memory.total,temperature.gpu", "--format=csv,noheader"],
                              capture_output=True, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return []
    return [line.strip() for line in done.stdout.splitlines() if line.strip()] if done.returncode == 0 else []


def torch_in(folder):
    """{"folder", "version"} of the `torch` folder of a wheel."""
    names = {}
    try:
        exec((pathlib.Path(folder) / "version.py").read_text(), names)
    except OSError:
        raise MachineError(f"{folder} is no torch folder of a wheel: it has no version.py") from None
    return {"folder": str(folder), "version": str(names["__version__"])}


def torch_of(python):
    """{"folder", "version"} of the torch that a Python has, without importing it."""
    try:
        done = subprocess.run([python, "-c", FIND_TORCH], capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        raise MachineError(f"{python} is not there") from None
    found = json.loads(done.stdout) if done.returncode == 0 and done.stdout.strip() else None
    if found is None:
        raise MachineError(f"{python} has no torch: name one that has it with --python")
    return found


def default_python():
    """This Python, or the first `python3` in the PATH if this one has no torch."""
    for python in (sys.executable, shutil.which("python3")):
        if python:
            try:
                torch_of(python)
                return python
            except MachineError:
                continue
    raise MachineError("no Python here has torch: name one that has it with --python")


def minor(version):
    return ".".join(version.split("+")[0].split(".")[:2])


def environment(pack, torch_folder):
    """The environment of the packed programs: torch's libraries first, then the packed ones, then those set before."""
    paths = [str(pathlib.Path(torch_folder) / "lib"), str(pack / "lib" / "deps")]
    if os.environ.get("LD_LIBRARY_PATH"):
        paths.append(os.environ["LD_LIBRARY_PATH"])
    env = {k: v for k, v in os.environ.items() if not k.startswith(("RANKSCOPE_", "TORCHELASTIC_"))}
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        env.pop(name, None)
    env["LD_LIBRARY_PATH"] = ":".join(paths)
    return env


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
    return f"{names[0] if names else 'unknown processor'}, {len(os.sched_getaffinity(0))} cores"
