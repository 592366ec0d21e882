# SPDX-License-Identifier: Apache-2.0
"""Makes stand-ins for the CUDA libraries that torch links but that are not installed, so that torch can be imported.

usage: cuda_stand_ins.py FOLDER [COMPILER]

Looks at the torch of the Python that runs it. Writes one shared library for each that the dynamic linker does not find,
with the functions that torch's libraries need of it; each only returns an error. FOLDER is then for LD_LIBRARY_PATH. It
stays empty if this Python has no torch, or if nothing is missing.
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ERROR = 100  # cudaErrorNoDevice


def output_of(*command, **environment):
    """Returns what a tool prints in English; ldd fails where something is missing."""
    environment = {**os.environ, "LC_ALL": "C", **environment}
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment).stdout


def torch_libraries():
    """Returns torch's own libraries, without importing it."""
    spec = importlib.util.find_spec("torch")
    folders = spec.submodule_search_locations if spec else []
    return [library for folder in folders for library in sorted(Path(folder, "lib").glob("libtorch*.so"))]


def missing_libraries(libraries):
    """Returns {name: versions of symbols that are needed of it}."""
    names = set(re.findall(r"^\s*(\S+) => not found", output_of("ldd", *libraries), re.MULTILINE))
    needed = {name: set() for name in names}
    for text in re.split(r"\bFile: ", output_of("readelf", "-VW", *libraries))[1:]:
        name = text.split(maxsplit=1)[0]
        if name in needed:
            needed[name].update(re.findall(r"Name: (\S+)", text))
    return needed


def missing_functions(libraries, folder):
    """Returns {version or '': functions} that no library has, but for those of Python's program."""
    functions = defaultdict(set)
    found = output_of("ldd", "-r", *libraries, LD_LIBRARY_PATH=str(folder))
    for name, version in re.findall(r"^undefined symbol: (\w+)(?:, version (\S+))?", found, re.MULTILINE):
        if not name.startswith(("Py", "_Py")):
            functions[version].add(name)
    return functions


def make(folder, name, functions, compiler):
    """Compiles a library with {version or '': functions}."""
    code = "".join(f"int {function}(void) {{ return {ERROR}; }}\n" for found in functions.values() for function in found)
    versions = (f"{version} {{ {''.join(f'{function}; ' for function in found)}}};\n"
                for version, found in functions.items() if version)
    script = folder / "versions"
    script.write_text("".join(versions))
    options = [f"-Wl,--version-script={script}"] if any(functions) else []
    subprocess.run(
        [compiler, "-x", "c", "-shared", "-fPIC", "-w", "-fno-builtin", f"-Wl,-soname,{name}", *options, "-o",
         folder / name, "-"], input=code, text=True, check=True)
    script.unlink()


def main(folder, compiler="cc"):
    folder = Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    libraries = torch_libraries()
    missing = missing_libraries(libraries) if libraries else {}
    for name, versions in missing.items():
        make(folder, name, {version: () for version in versions}, compiler)
    functions = missing_functions(libraries, folder) if missing else {}
    for number, (name, versions) in enumerate(missing.items()):
        wanted = {version: functions.get(version, ()) for version in versions}
        # symbols without a version may be in any library
        make(folder, name, wanted if number else {**wanted, "": functions.get("", ())}, compiler)
    print(f"{len(missing)} stand-ins in {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
