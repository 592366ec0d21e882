# SPDX-License-Identifier: Apache-2.0
"""Makes a pack: the programs and everything they need on a machine that has LibTorch and NVIDIA's libraries, but no more.

    rankscope-gpu/bin/          programs of a build folder, without symbols
    rankscope-gpu/lib/          the NCCL plug-in, which the programs look for next to bin/
    rankscope-gpu/lib/deps/     shared libraries that are neither the C library's nor torch's nor NVIDIA's
    rankscope-gpu/configs/      recipes
    rankscope-gpu/references/   what NeMo computed, for `verify`
    rankscope-gpu/tests/gpu/    this program itself
    rankscope-gpu/pack.json     what was packed
"""
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile

NAME = "rankscope-gpu"
FILE = NAME + ".tar.xz"
PROGRAMS = ("rankscope-trainer", "rankscopectl", "bench_step")
PLUGIN = "librankscope-nccl.so"
RECIPES = ("quickstart", "nest_small", "nest_medium", "nest_large", "nest_xlarge")
LIMIT_MIB = 64

# Libraries of every machine on which torch's wheel runs. libstdc++ is one of them: an older one that is found before the
# machine's own would break programs built with a newer compiler.
SYSTEM = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|pthread|rt|util|resolv|stdc\+\+|gcc_s))\.so(\.|$)")
TORCH = re.compile(r"^lib(torch|c10|shm|caffe2|nccl|nv|cuda|cudart|cupti|cublas|cudnn|cufft|cufile|curand|cusolver|cusparse)")


class PackError(Exception):
    """Says what is wrong and what to do."""


def is_system(name):
    return SYSTEM.match(name) is not None


def is_torch(name):
    return TORCH.match(name) is not None


def output_of(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        raise PackError(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout.strip()[-500:]}")
    return done.stdout


def libraries_of(program):
    """{name: path} of all shared libraries that the loader uses for it; the path is None if it finds none."""
    found = {}
    for line in output_of("ldd", program).splitlines():
        words = line.split()
        if "=>" in words:
            found[words[0]] = None if "not found" in line else words[2]
    return found


def names_needed(elf):
    """The library names in an ELF file's own header."""
    return re.findall(r"\(NEEDED\).*\[(.+?)\]", output_of("readelf", "-d", elf))


def references(source, wanted):
    """(stem, weights, recipe) of each reference computed by NeMo; `wanted`: "all", "none", or names with commas."""
    folder = source / "tests/data/nemo"
    pairs = [(p.stem, p, p.with_suffix(".yaml")) for p in sorted([*folder.glob("*.safetensors"),
                                                                 *folder.glob("variants/*.safetensors")])]
    pairs = [pair for pair in pairs if pair[2].exists()]
    if wanted in ("all", "none"):
        return pairs if wanted == "all" else []
    names = wanted.split(",")
    unknown = sorted(set(names) - {stem for stem, _, _ in pairs})
    if unknown:
        raise PackError(f"--references: {folder} has no {', '.join(unknown)}")
    return [pair for pair in pairs if pair[0] in names]


class Packer:
    def __init__(self, build, source, wanted_references="all", without_nccl=False):
        self.build, self.source = pathlib.Path(build), pathlib.Path(source)
        self.references = wanted_references
        self.without_nccl = without_nccl
        self.elves = []

    def collect(self, root):
        """Fills the folder `root`."""
        for name in PROGRAMS:
            self._program(self.build / "bin" / name, root / "bin" / name)
        if not self.without_nccl:
            self._program(self.build / "lib" / PLUGIN, root / "lib" / PLUGIN)
        self._dependencies(root / "lib" / "deps")
        self._data(root)
        self._check(root)
        self._describe(root)

    def _program(self, origin, target):
        if not origin.exists():
            raise PackError(f"{origin} is not there: run tests/gpu/run pack, which builds it, or name another build "
                            "folder with --build")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(origin, target)
        if shutil.which("strip"):
            output_of("strip", "--strip-unneeded", target)
        self.elves.append((origin, target))

    def _dependencies(self, folder):
        folder.mkdir(parents=True)
        for origin, _ in list(self.elves):
            for name, path in libraries_of(origin).items():
                if is_system(name) or is_torch(name) or (folder / name).exists():
                    continue
                if path is None:
                    raise PackError(f"{origin} needs {name}, which is not installed here: run packaging/setup.sh")
                shutil.copy(os.path.realpath(path), folder / name)
                self.elves.append((pathlib.Path(path), folder / name))

    def _data(self, root):
        (root / "configs").mkdir()
        for name in RECIPES:
            shutil.copy(self.source / "configs" / f"{name}.yaml", root / "configs")
        (root / "references").mkdir()
        for _, weights, recipe in references(self.source, self.references):
            shutil.copy(weights, root / "references")
            shutil.copy(recipe, root / "references")
        own = root / "tests" / "gpu"
        own.mkdir(parents=True)
        for file in sorted(pathlib.Path(__file__).resolve().parent.iterdir()):
            if file.suffix == ".py" or file.name == "run":
                shutil.copy2(file, own)

    def _check(self, root):
        """Checks that no library will be missing on the other machine: every name that an ELF file needs is known."""
        packed = {file.name for file in (root / "lib" / "deps").iterdir()}
        for _, elf in self.elves:
            for name in names_needed(elf):
                if name not in packed and not is_system(name) and not is_torch(name):
                    raise PackError(f"{elf.name} needs {name}, which is neither packed nor the system's nor torch's")

    def _describe(self, root):
        files = sorted(str(f.relative_to(root)) for f in root.rglob("*") if f.is_file())
        about = {"torch": self._torch_version(), "nccl_plugin": not self.without_nccl, "commit": self._commit(),
                 "libraries": sorted(f.name for f in (root / "lib" / "deps").iterdir()), "files": files}
        (root / "pack.json").write_text(json.dumps(about, indent=1) + "\n")

    def _torch_version(self):
        """The version of the LibTorch that the trainer was built with, such as "2.11.0"."""
        path = libraries_of(self.build / "bin" / "rankscope-trainer").get("libtorch_cpu.so")
        if path is None:
            raise PackError(f"the LibTorch that {self.build} was built with is not there: run packaging/setup.sh")
        headers = pathlib.Path(path).resolve().parents[1] / "include/torch"
        for header in (headers / "headeronly/version.h", headers / "csrc/api/include/torch/version.h"):
            text = header.read_text() if header.exists() else ""
            numbers = [re.search(rf"#define TORCH_VERSION_{part} (\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
            if all(numbers):
                return ".".join(n.group(1) for n in numbers)
        raise PackError(f"{headers} does not name its version")

    def _commit(self):
        done = subprocess.run(["git", "-C", str(self.source), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else "unknown"


class TooLarge(Exception):
    pass


class Limited(io.BytesIO):
    """Refuses to grow beyond a limit, so that a pack that is too large is not compressed to its end."""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def write(self, data):
        if self.tell() + len(data) > self.limit:
            raise TooLarge
        return super().write(data)


def compressed(root, limit):
    """The folder as a tar of at most `limit` bytes. The same files always give the same bytes."""
    def plain(info):
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime = 0
        return info

    buffer = Limited(limit)
    with tarfile.open(fileobj=buffer, mode="w:xz", preset=6) as tar:
        for path in sorted(root.rglob("*")):
            tar.add(path, arcname=str(pathlib.Path(NAME) / path.relative_to(root)), recursive=False, filter=plain)
    return buffer.getvalue()


def largest(root, count=5):
    sizes = sorted(((f.stat().st_size, str(f.relative_to(root))) for f in root.rglob("*") if f.is_file()), reverse=True)
    return ", ".join(f"{name} {size / 2**20:.1f} MiB" for size, name in sizes[:count])


def make_pack(packer, folder, limit_mib=LIMIT_MIB):
    """Writes FILE into `folder`; returns its path and a sentence about its size. A pack above the limit is not written."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="rankscope-pack-") as place:
        root = pathlib.Path(place) / NAME
        root.mkdir()
        packer.collect(root)
        try:
            content = compressed(root, int(limit_mib * 2**20))
        except TooLarge:
            raise PackError(f"the pack has more than the {limit_mib:g} MiB that are allowed; the largest files: "
                            f"{largest(root)}. --references none leaves out what a checkout beside it has") from None
        plain = sum(f.stat().st_size for f in root.rglob("*") if f.is_file())
    target = folder / FILE
    part = folder / (FILE + ".part")
    part.write_bytes(content)
    os.replace(part, target)
    return target, f"{len(content) / 2**20:.1f} MiB, unpacked {plain / 2**20:.1f} MiB"


def unpack(file, folder):
    """Unpacks into `folder`; returns the pack's own folder in it."""
    with tarfile.open(file) as tar:
        if hasattr(tarfile, "data_filter"):
            tar.extractall(folder, filter="data")
        else:
            tar.extractall(folder)
    return pathlib.Path(folder) / NAME
