# SPDX-License-Identifier: Apache-2.0
"""Unexpected files in a run's folder, other users' folders next to it, and files that must never change."""
import hashlib
import json
import os
import shutil
import stat

# what replaces a file of a run; a stranger's folder is made of the same, except "removed"
KINDS = ["removed", "empty", "garbage", "cut", "link", "loop", "dangling", "fifo", "folder", "sparse", "device link",
         "device"]
NAMES = ["run.json", "run.sqlite", "run.sqlite-wal", "run.sqlite-shm", "lock", "control", "config.yaml",
         "effective.yaml", "marks.json", "supervisor.log", "ranks", "ranks/0", "ranks/0/board", "ranks/0/journal.000000",
         "ranks/0/journal.18446744073709551615", "ranks/0/log.txt", "checkpoints", "checkpoints/last.safetensors",
         "checkpoints/.x.AbCdEf.part"]
DEVICES = ("/dev/null", "/dev/zero", "/dev/full")


def _private(path, flags):
    """Opens a file that only its user may read from the beginning, as the disk may be too full to complete it."""
    return os.open(path, flags, 0o600)


def put(path, kind, outside, rng):
    """Puts something of this kind at `path`, replacing what is there. Returns False if that is not possible here."""
    if kind == "cut":
        if not os.path.isfile(path):
            return False
        os.truncate(path, rng.randrange(os.path.getsize(path) + 1))
        return True
    if kind == "device" and os.geteuid() != 0:
        return False
    take_away(path)
    if kind == "empty":
        open(path, "w", opener=_private).close()
    elif kind == "garbage":
        with open(path, "wb", opener=_private) as f:
            f.write(rng.randbytes(rng.choice([1, 100, 4096, 70000])))
    elif kind == "link":
        os.symlink(rng.choice([os.path.join(outside, "file"), outside]), path)
    elif kind == "loop":
        os.symlink(os.path.basename(path), path)
    elif kind == "dangling":
        os.symlink(os.path.join(outside, "nothing"), path)
    elif kind == "fifo":
        os.mkfifo(path, 0o600)
    elif kind == "folder":
        os.mkdir(path, 0o700)
    elif kind == "sparse":
        with open(path, "wb", opener=_private) as f:
            f.truncate(1 << rng.choice([20, 31, 40]))
    elif kind == "device link":
        os.symlink(rng.choice(DEVICES), path)
    elif kind == "device":
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))  # like /dev/zero
    return True


def take_away(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.remove(path)


def name_of(rng, most=255):
    """Returns a name of 1 to `most` bytes, made of characters of 1 to 4 bytes; usually at a limit."""
    letter = rng.choice(["a", "ä", "训", "\U0001f40c", "-", " ", "\n", "\x1b", "%", "."])
    size = rng.choice([most, most - 1, rng.randint(1, most)])
    name = letter * (size // len(letter.encode()))
    return (name or "a") if name.strip(".") else "n" + name[1:]


def strangers_folder(path, pattern, outside, rng):
    """Makes a folder that looks more or less like a run: some files of `pattern` (an ended run), some strange ones."""
    what = {}
    shutil.copytree(pattern, path, symlinks=True) if pattern and rng.random() < 0.7 else os.mkdir(path, 0o700)
    for name in rng.sample(NAMES, rng.randint(1, 6)):
        target, kind = os.path.join(path, name), rng.choice(KINDS)
        if not os.path.isdir(os.path.dirname(target)) or os.path.islink(os.path.dirname(target)):
            continue
        if put(target, kind, outside, rng):
            what[name] = kind
    _edit(os.path.join(path, "run.json"), rng, what)
    if os.geteuid() == 0 and rng.random() < 0.3:
        what["owner"] = "another"
        for top, folders, names in os.walk(path):
            for name in [".", *folders, *names]:
                os.lchown(os.path.join(top, name), 54321, 54321)
    return what


def _edit(path, rng, what):
    """Changes claims in run.json that decide which process is considered alive."""
    if rng.random() < 0.4 or not os.path.isfile(path) or os.path.islink(path) or os.path.getsize(path) > 1 << 20:
        return
    try:
        with open(path) as f:
            info = json.load(f)
    except (OSError, ValueError, UnicodeDecodeError):
        return
    claims = {"state": rng.choice(["running", "starting", "stopping", "nonsense"]),
              "host": rng.choice(["elsewhere", name_of(rng, 64), ""]),
              "boot_id": "00000000-0000-4000-8000-000000000000",
              "supervisor_pid": rng.choice([1, os.getpid(), 2**31 - 1, -1]),
              "world_size": rng.choice([0, 1, 7, 65536, 2**40]),
              "cause": "\x1b]0;title\x07 \r\n <img src=/dev/zero>"}
    for key in rng.sample(sorted(claims), rng.randint(1, 3)):
        info[key] = claims[key]
        what["run.json " + key] = repr(claims[key])[:40]
    with open(path, "w") as f:
        json.dump(info, f)


class Outside:
    """A folder that no program may touch, although links lead to it; and devices, which must stay devices."""

    def __init__(self, path):
        self.path = path
        os.makedirs(os.path.join(path, "deeper"), mode=0o700)
        for name in ("file", "journal.000000", "board.AbCdEf", ".x.AbCdEf.part", "last.safetensors", "deeper/lock"):
            with open(os.path.join(path, name), "w") as f:
                f.write("of somebody else: " + name)
            os.chmod(os.path.join(path, name), 0o640)
        self.before = self._look()

    def _look(self):
        seen = {}
        for top, folders, names in os.walk(self.path):
            for name in [*folders, *names]:
                path = os.path.join(top, name)
                state = os.lstat(path)
                data = b""
                if stat.S_ISREG(state.st_mode):
                    with open(path, "rb") as f:
                        data = f.read()
                seen[os.path.relpath(path, self.path)] = (state.st_mode, hashlib.sha256(data).hexdigest())
        for path in DEVICES:
            seen[path] = (os.lstat(path).st_mode, os.lstat(path).st_rdev)
        return seen

    def changes(self):
        after = self._look()
        return sorted(name for name in {*self.before, *after} if self.before.get(name) != after.get(name))
