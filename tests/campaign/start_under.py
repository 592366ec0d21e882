#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a program under given conditions: start_under.py JSON PROGRAM …

    host: NAME          a UTS namespace with this host name
    boot: ID            another boot id, bound over /proc/sys/kernel/random/boot_id
    proc: true          with `pid`: a /proc of that namespace
    pid: true           a PID namespace
    user: NUMBER        a user namespace in which this user has that number
    uptime: SECONDS     a time namespace whose monotonic clock is ahead by this much
    ignore, block       lists of signal numbers
    limits: {NAME: N}   soft and hard limits, named as in Python's module resource (FSIZE, NOFILE, AS, NPROC)
    umask: N

Exit code 77: the kernel does not allow one of these here.
"""
import ctypes
import json
import os
import resource
import signal
import sys
import tempfile

NEWTIME, NEWNS, NEWUTS, NEWUSER, NEWPID = 0x80, 0x20000, 0x4000000, 0x10000000, 0x20000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
PR_SET_PDEATHSIG = 1
REFUSED = 77

libc = ctypes.CDLL(None, use_errno=True)


def call(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def mount(source, target, kind, flags):
    call(libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), None), f"mount {target}")


def unshare(c):
    flags = 0
    for key, flag in (("host", NEWUTS), ("boot", NEWNS), ("proc", NEWNS), ("pid", NEWPID), ("uptime", NEWTIME)):
        if c.get(key):
            flags |= flag
    if c.get("user") is not None or os.geteuid() != 0 and flags:
        user, group = os.geteuid(), os.getegid()
        call(libc.unshare(NEWUSER), "unshare a user namespace")
        write("/proc/self/setgroups", "deny")
        number = c.get("user") or 0
        write("/proc/self/uid_map", f"{number} {user} 1")
        write("/proc/self/gid_map", f"{number} {group} 1")
    if flags:
        call(libc.unshare(flags), "unshare")
    if flags & NEWNS:
        mount("none", "/", "", MS_REC | MS_PRIVATE)


def set_up(c):
    if c.get("host"):
        name = c["host"].encode()
        call(libc.sethostname(name, len(name)), "sethostname")
    if c.get("uptime"):
        write("/proc/self/timens_offsets", f"monotonic {c['uptime']} 0\nboottime {c['uptime']} 0\n")


def prepare(c):
    for number in c.get("ignore", []):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, c.get("block", []))
    if "umask" in c:
        os.umask(c["umask"])
    for name, most in c.get("limits", {}).items():
        kind = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


def pretend_another_boot(identity):
    with tempfile.NamedTemporaryFile("w") as f:
        f.write(identity + "\n")
        f.flush()
        mount(f.name, "/proc/sys/kernel/random/boot_id", "", MS_BIND)


def become(c, program):
    if c.get("proc"):
        mount("proc", "/proc", "proc", 0)
    if c.get("boot"):  # bound into the /proc that the program sees
        pretend_another_boot(c["boot"])
    prepare(c)
    os.execv(program[0], program)


def lead(child):
    """Passes signals on to the child, and ends as the child does."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1):
        signal.signal(number, lambda n, _: os.kill(child, n))
    while True:
        try:
            _, status = os.waitpid(child, 0)
            break
        except InterruptedError:
            continue
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def main():
    c, program = json.loads(sys.argv[1]), sys.argv[2:]
    try:
        unshare(c)
        set_up(c)
        if c.get("pid") or c.get("uptime"):  # these namespaces take effect in the next child
            child = os.fork()
            if child:
                return lead(child)
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        become(c, program)
    except OSError as e:
        print(f"start_under: {e}", file=sys.stderr)
        return REFUSED


if __name__ == "__main__":
    sys.exit(main())
