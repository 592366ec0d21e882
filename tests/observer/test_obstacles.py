# SPDX-License-Identifier: Apache-2.0
"""What stands in the way of observing a program: it ends as it would without the observer, and one line says so."""
import os
import shutil
import subprocess
import sys
import unittest

import observed
from observed import ProgramTest, needs

NOBODY = 54321
"""A user that no passwd entry names."""

NOT_OBSERVED = "this process is not observed: "
INCOMPLETE = "not everything that this process did was recorded: "
FULL = ".*No space left on device"

PROGRAM = """\
import os, resource, shutil, signal, sys, time
RUN = {run!r}
training = None
if "RANKSCOPE_RUN_DIR" in os.environ:
    from rankscope_observer import rank
{before}
if "RANKSCOPE_RUN_DIR" in os.environ:
    rank.open_rank(0, 1)
    training = rank.training

def report(count):
    for number in range(count if training else 0):
        training.lib.rs_scalar(b"figure", float(number))
        if number % 500 == 0:
            time.sleep(0.01)

report(10)
{within}
print("done")
sys.exit(7)
"""
"""A rank without torch; `before` is run before it reports anything, `within` afterwards."""

MOUNT = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]


def can_mount():
    command = [*MOUNT, "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


needs_mount = unittest.skipUnless(can_mount(), "this user cannot mount anything here, not even in a namespace")
needs_root = unittest.skipUnless(os.geteuid() == 0, "only root can change the user or the root folder")


def with_mount(options, target, then=":"):
    """Returns the beginning of a command that has a tmpfs there. `then`: a shell command to prepare it."""
    return [*MOUNT, "sh", "-c", f'mount -t tmpfs -o "{options}" none "{target}" && {then} && exec "$@"', "sh"]


class ObstacleTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.reports = self.folder / "run"
        self.reports.mkdir(mode=0o700)

    def run_one(self, command, run, **environment):
        """Runs a command. `run`: the run's folder, which it reports to; None: none."""
        process = self.start(command, run, **environment)
        out, err = process.communicate(timeout=300)
        return observed.Ran(process.returncode, out, err, run)

    def compare(self, command, line, **environment):
        """Exit code and output are those of a program that is not observed, but for one line, or none (None)."""
        plain = self.run_one(command, None, **environment)
        ran = self.run_one(command, self.reports, **environment)
        said = [text for text in ran.err.splitlines() if text.startswith("rankscope: ")]
        err = "".join(text for text in ran.err.splitlines(True) if not text.startswith("rankscope: "))
        self.assertEqual((ran.code, ran.out, err), (plain.code, plain.out, plain.err))
        self.assertEqual(len(said), 0 if line is None else 1, ran.err)
        if line is not None:
            self.assertRegex(said[0], f"^rankscope: {line}")
        return ran

    def check(self, line, before="", within="", wrap=(), **environment):
        """Compares runs of PROGRAM."""
        text = PROGRAM.format(run=str(self.reports), before=before, within=within)
        return self.compare([*wrap, sys.executable, "-B", self.script(text)], line, **environment)


class DiskTest(ObstacleTest):
    @needs_mount
    def test_a_full_disk(self):
        self.check(NOT_OBSERVED + FULL, wrap=with_mount("size=64k", self.reports))

    @needs_mount
    def test_a_disk_that_fills_up(self):
        fill = "fill = open(RUN + '/fill', 'wb', 0)\ntry:\n    while True: fill.write(bytes(65536))\nexcept OSError: pass\n"
        self.check(INCOMPLETE + FULL, within=fill + "report(20000)", wrap=with_mount("size=8m", self.reports))

    @needs_mount
    def test_a_disk_that_has_room_again(self):
        """Only what came in between is missing."""
        fill = "fill = open(RUN + '/fill', 'wb', 0)\ntry:\n    while True: fill.write(bytes(65536))\nexcept OSError: pass\n"
        free = "os.unlink(RUN + '/fill'); fill.close(); time.sleep(0.3)\nbefore = training.lib.rs_dropped() if training else 0\n"
        more = "report(6000)\nassert not training or before == training.lib.rs_dropped() > 0\n"
        self.check(INCOMPLETE + FULL, within=fill + "report(20000)\n" + free + more, wrap=with_mount("size=12m", self.reports))

    @needs_mount
    def test_a_disk_that_cannot_be_written(self):
        remount = f'mount -o remount,ro "{self.reports}"'
        self.check(NOT_OBSERVED + ".*Read-only file system", wrap=with_mount("size=8m", self.reports, remount))

    def test_a_limit_for_the_size_of_files(self):
        limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\n"
        self.check(NOT_OBSERVED + FULL, before=limit)
        # Python ignores the signal of that limit, but a program may have its default again, which is to be ended
        self.check(NOT_OBSERVED + FULL, before=limit + "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n")

    def test_a_limit_that_comes_later(self):
        limit = "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\nresource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\n"
        self.check(INCOMPLETE + FULL, within=limit + "report(20000)")


class FolderTest(ObstacleTest):
    def test_a_folder_that_is_missing(self):
        self.check(NOT_OBSERVED + ".*No such file or directory", before="shutil.rmtree(RUN, ignore_errors=True)")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_cannot_be_written(self):
        self.check(NOT_OBSERVED + ".*Permission denied", before="os.chmod(RUN, 0o500)")

    def test_a_folder_that_is_removed(self):
        self.check(INCOMPLETE + ".*removed or renamed", within="shutil.rmtree(RUN)\nreport(20000)\nos.mkdir(RUN)")

    def test_a_folder_that_is_renamed(self):
        there = "os.rename(RUN, RUN + '2')\nreport(20000)\n"
        self.check(INCOMPLETE + ".*", within=there + "shutil.rmtree(RUN + '2')\nos.mkdir(RUN)")

    def test_a_working_folder_that_is_gone(self):
        ran = self.check(None, before="os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')")
        self.assertEqual(len(ran.ranks[0].all("scalar")), 10)

    def test_an_ascii_locale(self):
        ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        self.reports = self.folder / "läuft"
        self.reports.mkdir(mode=0o700)
        self.assertEqual(len(self.check(None, **ascii_only).ranks[0].all("scalar")), 10)
        shutil.rmtree(self.reports / "ranks")
        (self.reports / "ranks").write_text("")
        self.check(NOT_OBSERVED + ".*", **ascii_only)


class ProcessTest(ObstacleTest):
    def test_no_more_descriptors(self):
        self.check(NOT_OBSERVED + ".*Too many open files", before="resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))")

    def test_no_more_descriptors_later(self):
        limit = "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))\n"
        self.check(INCOMPLETE + ".*Too many open files", within=limit + "report(20000)")

    def test_no_more_processes(self):
        """The library has threads of its own."""
        if os.geteuid() == 0:
            self.skipTest("root has no limit")
        self.check(NOT_OBSERVED, before="resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))")

    @needs_root
    def test_another_user(self):
        self.check(NOT_OBSERVED + ".*Permission denied", before=f"os.setuid({NOBODY})")

    @needs_root
    def test_another_user_later(self):
        self.check(INCOMPLETE + ".*Permission denied", within=f"os.setuid({NOBODY})\nreport(20000)")

    @needs_root
    def test_a_user_without_a_name(self):
        as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        readable = [*as_nobody, "sh", "-c", '"$1" -c "" && test -r "$2"', "sh", sys.executable,
                    observed.OBSERVER / "sitecustomize.py"]
        if subprocess.run(readable, stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("other users cannot read this Python or the observer")
        self.folder.chmod(0o711)
        os.chown(self.reports, NOBODY, NOBODY)
        ran = self.check(None, before="os.environ.pop('HOME', 0); os.environ.pop('USER', 0)", wrap=as_nobody)
        self.assertEqual(len(ran.ranks[0].all("scalar")), 10)

    @needs_root
    def test_another_root_folder(self):
        self.check(NOT_OBSERVED + ".*", before="os.makedirs('root', exist_ok=True); os.chroot('root')")

    @needs_root
    def test_another_root_folder_later(self):
        self.check(INCOMPLETE + ".*", within="os.makedirs('root', exist_ok=True); os.chroot('root')\nreport(20000)")

    def test_a_limit_for_processor_time(self):
        ran = self.check(None, within="signal.raise_signal(signal.SIGXCPU)")
        self.assertLess(ran.code, 0)
        self.check(None, within="signal.signal(signal.SIGXCPU, lambda *_: print('caught'))\n"
                                "signal.raise_signal(signal.SIGXCPU)")


class StandardStreamsTest(ObstacleTest):
    """The streams of the program are its own: the observer writes its line, or cannot, and changes nothing."""

    def ends_alike(self, redirect, spoil):
        spoiled = "shutil.rmtree(RUN, ignore_errors=True)" if spoil else ""
        text = PROGRAM.format(run=str(self.reports), before=spoiled, within="print('x' * 100000, flush=True)")
        command = ["bash", "-c", f'"$0" -B "$1" {redirect}', sys.executable, self.script(text)]
        plain = self.run_one(command, None)
        ran = self.run_one(command, self.reports)
        self.reports.mkdir(exist_ok=True)
        shutil.rmtree(self.reports / "ranks", ignore_errors=True)
        err = "".join(text for text in ran.err.splitlines(True) if not text.startswith("rankscope: "))
        self.assertEqual((ran.code, ran.out, err), (plain.code, plain.out, plain.err), redirect)

    def test_they_are_full_or_closed(self):
        for redirect in (">/dev/full", "2>/dev/full", ">&-", "2>&-", "<&- >&- 2>&-", "| true; exit ${PIPESTATUS[0]}"):
            for spoil in (False, True):
                self.ends_alike(redirect, spoil)

    def test_our_file_is_none_of_them(self):
        """A program whose standard error is closed writes to the descriptor that is free, whatever it is."""
        within = "try: os.write(2, b'for standard error')\nexcept OSError as error: print(error)"
        text = PROGRAM.format(run=str(self.reports), before="os.close(2)", within=within)
        ran = self.compare([sys.executable, "-B", self.script(text)], None)
        self.assertIn("Bad file descriptor", ran.out)


class InstallationTest(ObstacleTest):
    def copy(self, *without):
        copy = self.folder / "observer"
        shutil.copytree(observed.OBSERVER, copy, ignore=shutil.ignore_patterns("__pycache__", *without))
        return copy

    def test_no_library(self):
        self.check(NOT_OBSERVED + ".*librankscope_rank.so", PYTHONPATH=str(self.copy("librankscope_rank.so")))

    def test_a_library_that_is_none(self):
        copy = self.copy()
        (copy / "librankscope_rank.so").write_text("something else")
        self.check(NOT_OBSERVED + ".*librankscope_rank.so", PYTHONPATH=str(copy))

    def test_no_package(self):
        copy = self.copy("rankscope_observer")
        command = [sys.executable, "-B", "-c", "print('done')"]
        self.compare(command, "this program is not observed: .*rankscope_observer", PYTHONPATH=str(copy))


TRAINING = """\
import os, sys
import torch
import torch.distributed as dist
RUN = {run!r}
torch.set_num_threads(1)
torch.manual_seed(0)
{before}
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
network = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 16))
optimizer = torch.optim.AdamW(network.parameters(), lr=0.01)
for step in range(20):
    loss = network(torch.randn(4, 16)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(*(weights.detach().numpy().tobytes().hex() for weights in network.parameters()))
sys.exit(7)
"""


@needs("torch")
class TrainingTest(ObstacleTest):
    """The same with a program that trains: its weights are those without the observer."""

    def train(self, line, before="", wrap=(), **environment):
        text = TRAINING.format(run=str(self.reports), before=before)
        return self.compare([*wrap, sys.executable, "-B", self.script(text)], line, **environment)

    def collectives(self, ran):
        return len(ran.ranks[0].all("collective"))

    @needs_mount
    def test_a_full_disk(self):
        self.train(NOT_OBSERVED + FULL, wrap=with_mount("size=64k", self.reports))

    @needs_mount
    def test_no_shared_memory(self):
        """The observer needs none."""
        ran = self.train(None, wrap=with_mount("ro", "/dev/shm"))
        self.assertGreater(self.collectives(ran), 20)

    def test_a_version_that_nobody_knows(self):
        ran = self.train(None, before='torch.__version__ = "9.9.0"')
        kernels = [note for note in ran.ranks[0].notes() if "kernels" in note]
        self.assertEqual(len(kernels), 1, ran.ranks[0].notes())
        self.assertRegex(kernels[0], "Python kernels, because there is no librankscope_c10d-9.9")
        self.assertGreater(self.collectives(ran), 20)

    @needs_root
    def test_another_user(self):
        self.train(NOT_OBSERVED + ".*Permission denied", before=f"os.setuid({NOBODY})")

    def test_a_folder_that_is_missing(self):
        self.train(NOT_OBSERVED + ".*No such file", before="os.path.isdir(RUN) and os.rmdir(RUN)")


if __name__ == "__main__":
    unittest.main()
