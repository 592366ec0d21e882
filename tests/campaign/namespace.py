# SPDX-License-Identifier: Apache-2.0
"""Makes a separate mount namespace without an external program, for a scenario that works on its own disk."""
import ctypes
import errno
import os
import time

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 32, 0x1000, 0x4000, 0x40000
MNT_DETACH = 2

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def enter():
    """Enters a new mount namespace. Raises OSError if the kernel does not allow it."""
    if os.geteuid() == 0:
        _check(_libc.unshare(CLONE_NEWNS), "unshare")
    else:
        user, group = os.geteuid(), os.getegid()
        _check(_libc.unshare(CLONE_NEWNS | CLONE_NEWUSER), "unshare")
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w") as f:
                f.write(text)
    mount("none", "/", None, MS_REC | MS_PRIVATE)


_entered = False


def enter_once():
    """Does the same, but only once per process, for work on several disks."""
    global _entered
    if not _entered:
        enter()
        _entered = True


def unmount(target):
    """Unmounts immediately, even if a process still has a file open there."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def mount(source, target, kind, flags=0, options=""):
    encode = lambda text: text.encode() if text is not None else None
    _check(_libc.mount(encode(source), encode(target), encode(kind), ctypes.c_ulong(flags), encode(options)),
           f"mount {target}")


def remount(target, read_only):
    """Retries, because a process that is just ending may still have a file open there."""
    for _ in range(100):
        try:
            return mount("none", target, None, MS_REMOUNT | (MS_RDONLY if read_only else 0))
        except OSError as e:
            if e.errno != errno.EBUSY:
                raise
            time.sleep(0.05)
    raise OSError(errno.EBUSY, f"{target} stays busy")


def obey_quota():
    """Drops the capability by which root ignores quotas, for all processes that are started from now on."""
    pr_capbset_drop, cap_sys_resource = 24, 24
    _check(_libc.prctl(pr_capbset_drop, cap_sys_resource, 0, 0, 0), "prctl")


def own(act):
    """Makes a scenario run in a child process with its own mount namespace."""
    import multiprocessing

    from scenarios import Skip

    def work(stage, pipe):
        try:
            enter()
        except OSError as e:
            pipe.send(("skip", f"no mount namespace to be had here: {e}", [], 0))
            return
        try:
            text = act(stage)
            pipe.send(("ok", text, stage.problems, stage.records))
        except Skip as e:
            pipe.send(("skip", str(e), stage.problems, 0))
        finally:
            for place in stage.places:
                place.archive.close()

    def outer(stage):
        ours, theirs = multiprocessing.Pipe()
        child = multiprocessing.get_context("fork").Process(target=work, args=(stage, theirs))
        child.start()
        theirs.close()
        try:
            word, text, stage.problems, stage.records = ours.recv()
        except EOFError:
            word, text = "died", ""
            stage.expect(False, "the scenario's own process failed, see above")
        child.join()
        if word == "skip":
            raise Skip(text)
        return text

    return outer
