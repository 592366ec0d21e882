#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of the observer, for Pythons that are not started by rankscopectl.

usage: observer_wheel.py OBSERVER [OUT]

OBSERVER is the folder lib/rankscope/observer of a build or an installation. The wheel is written into OUT, by default
the current folder. An installed wheel acts only in programs whose environment has RANKSCOPE_RUN_DIR.
"""
import base64
import hashlib
import platform
import re
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

PACKAGE = "rankscope_observer"
START = (
    'import os; os.environ.get("RANKSCOPE_RUN_DIR") and '
    '__import__("rankscope_observer.start").start.begin()\n'
)


def files_of(observer):
    """Returns {name in the wheel: content}, without what describes the wheel."""
    files = {}
    for path in sorted((observer / PACKAGE).rglob("*.py")):
        files[path.relative_to(observer).as_posix()] = path.read_bytes()
    for path in sorted(observer.glob("*.so")):
        files[f"{PACKAGE}/{path.name}"] = path.read_bytes()
    files[f"{PACKAGE}.pth"] = START.encode()
    return files


def describe(observer, files, tag):
    """Adds the wheel's own description. Returns its version."""
    metadata = observer / f"{PACKAGE}.dist-info"
    version = Parser().parsestr((metadata / "METADATA").read_text())["Version"]
    folder = f"{PACKAGE}-{version}.dist-info"
    for path in sorted(metadata.iterdir()):
        files[f"{folder}/{path.name}"] = path.read_bytes()
    files[f"{folder}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: rankscope\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    records = [f"{name},sha256={digest_of(content)},{len(content)}\n" for name, content in files.items()]
    files[f"{folder}/RECORD"] = "".join([*records, f"{folder}/RECORD,,\n"]).encode()
    return version


def digest_of(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def tag_of(files):
    """Returns the tag for the newest glibc that a native library asks for."""
    libraries = b"".join(content for name, content in files.items() if name.endswith(".so"))
    major, minor = max((int(major), int(minor)) for major, minor in re.findall(rb"GLIBC_(\d+)\.(\d+)", libraries))
    return f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"


def write(wheel, files):
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            archive.writestr(entry, content)


def main(observer, out="."):
    files = files_of(Path(observer))
    tag = tag_of(files)
    version = describe(Path(observer), files, tag)
    wheel = Path(out) / f"{PACKAGE}-{version}-{tag}.whl"
    write(wheel, files)
    print(wheel)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
