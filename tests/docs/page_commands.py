#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of README and docs/ exactly as written there. Run by ctest as page_commands.

usage: page_commands.py ROOT BIN_DIR WORK_DIR [PAGE...]

Each page gets an empty folder with the files that its text assumes: the sample speech, recipes under the names used
there, and links to the checkout's folders. Its commands run one after another in one shell, and each must end with 0.
A command that cannot run here is listed in SKIPPED with the reason; an entry that is no longer on any page fails the test.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

# The beginning of a command: why it is not run.
SKIPPED = {
    "packaging/run.sh": "installs packages and opens the window until it is closed",
    "packaging/test.sh": "runs all tests, this one among them",
    "packaging/lint.sh": "reads all sources for a quarter of an hour",
    "cmake --preset": "builds the project",
    "cmake --install": "installs a build",
    "sudo ": "changes the system; packaging/check_deb.sh does these on a clean one",
    "cd /var/lib/rankscope": "needs the installed packages; packaging/check_deb.sh runs it",
    "rankscope-setup": "downloads LibTorch; tst_install runs it with a local one",
    "~/rankscope/bin/rankscope-setup": "needs the installed program",
    "tar xf rankscope-": "needs an archive; packaging/check_deb.sh makes one",
    "bin/rankscope": "needs the unpacked archive",
    "ldd bin/rankscope": "needs the unpacked archive",
    "sed -n 's/^cpu //p' /usr/share": "needs the installed packages",
    "python3 -m pip download": "downloads LibTorch",
    "tests/gpu/run": "builds for GPUs",
    "tests/fuzz/run.sh": "builds with another compiler; ctest runs the seeds",
    "RANKSCOPE_NEMO_PYTHON": "needs NeMo",
    "QT_ENABLE_REGEXP_JIT": "needs valgrind",
    "srun ": "needs Slurm",
    "set -e": "the script of a Slurm job",
    "run=/scratch": "the script of a Slurm job",
    'mkdir -p "$run"': "the script of a Slurm job",
    "export RANKSCOPE_RUNS=/scratch": "a cluster's file system",
    "rankscopectl run --": "needs a Python with torch; the tests of the observer run such programs",
    'eval "$(rankscopectl observe-env': "starts a program that needs torch; tst_watch does this with ranks of its own",
    "torchrun ": "needs torch",
    "rankscopectl attach": "needs ranks that something else started; tst_watch attaches to some",
    "rankscopectl compare RUN1": "needs a run of NeMo beside one of ours; tst_commands compares runs",
    "rankscopectl collect": "needs a run of several machines; tst_rank_collection makes one",
    "rankscopectl resolve /data": "a cluster's file system",
    "rankscopectl resolve configs/nest_large.yaml": "continues with torchrun on a machine with 8 GPUs",
    "rankscopectl launch configs/nest_small.yaml": "trains for days; the same page plans it",
    "rankscopectl launch nest.yaml": "trains for days; the same page plans it",
}
WINDOW = re.compile(r"^(build/release/bin/)?rankscope(?= |$)")
WINDOW_SECONDS = 6
DIFFERS = 1 # exit code of rankscopectl compare, as of diff
OUTSIDE = pathlib.Path("/tmp/events") # the only path outside the folder to which a page writes


def commands_of(page):
    """The commands of a page's sh blocks; lines continued by a backslash or an operator are one command."""
    for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        command = ""
        for line in block.splitlines():
            line = re.sub(r"(^|\s)#.*", "", line).rstrip() # as the shell does; also because pages in two languages are compared
            command += line + "\n"
            if line.endswith(("\\", "&&", "|")):
                continue
            if command.strip():
                yield command.strip()
            command = ""


def prepare(folder, root, bin_dir):
    for name in ("configs", "packaging", "resources", "tests"):
        (folder / name).symlink_to(root / name)
    (folder / "build/release").mkdir(parents=True)
    (folder / "build/release/bin").symlink_to(bin_dir)
    recipe = (root / "configs/quickstart.yaml").read_text(encoding="utf-8")
    for name in ("nest.yaml", "recipe.yaml"):
        (folder / name).write_text(recipe, encoding="utf-8")
    for name in ("train.json", "noise.json"):
        shutil.copy(root / "resources/sample/data/train.json", folder / name)


def after_first_run(folder):
    """Provides the files that the text takes from a run's folder."""
    for run in sorted((folder / "runs").glob("2*")):
        for source, name in (("checkpoints/last.safetensors", "last.safetensors"), ("effective.yaml", "effective.yaml")):
            if (run / source).exists():
                shutil.copy(run / source, folder / name)


def make_weights(folder, root, environment):
    """Trains a short run whose checkpoint and configuration the page's commands convert."""
    subprocess.run(["rankscopectl", "launch", "configs/quickstart.yaml", "~rankscope.faults", "trainer.max_steps=2",
                    "trainer.val_check_interval=2"], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after_first_run(folder)


def run(command, folder, environment):
    if WINDOW.match(command):
        command = f"timeout {WINDOW_SECONDS} {command}; [ $? = 124 ]"
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300)


def main():
    root, bin_dir, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    pages = [pathlib.Path(page) for page in sys.argv[4:]] or [
        root / "README.md", root / "README.zh-CN.md", *sorted(root.glob("docs/**/*.md"))]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    subprocess.run([root / "resources/sample/make.sh"], check=True, stdout=subprocess.DEVNULL)
    done, failed, used = set(), [], set()
    for page in pages:
        folder = work / str(page.relative_to(root)).replace("/", "-")
        wanted = []
        for command in commands_of(page):
            skip = next((start for start in SKIPPED if command.startswith(start)), None)
            if skip:
                used.add(skip)
            elif "jq " in command and not shutil.which("jq"):
                print(f"{page.name}: not run, jq is not installed: {command}")
            else:
                wanted.append(command)
        if not [command for command in wanted if command not in done]:
            continue
        folder.mkdir()
        prepare(folder, root, bin_dir)
        environment = dict(os.environ, PATH=f"{bin_dir}:{os.environ['PATH']}", RANKSCOPE_RUNS=str(folder / "runs"),
                           QT_QPA_PLATFORM="offscreen", XDG_CONFIG_HOME=str(folder / "config"),
                           XDG_DATA_HOME=str(folder / "data"), XDG_CACHE_HOME=str(folder / "cache"), LC_ALL="C.UTF-8",
                           TMPDIR=str(folder))
        if any("last" in command or "safetensors" in command for command in wanted):
            make_weights(folder, root, environment)
        for command in wanted:
            done.add(command)
            if OUTSIDE.exists() and str(OUTSIDE) in command:
                print(f"{page.name}: not run, {OUTSIDE} is there already: {command}")
                continue
            ended = run(command, folder, environment)
            print(f"{page.name}: {command.splitlines()[0]}: {ended.returncode}", flush=True)
            fine = (0, DIFFERS) if command.startswith("rankscopectl compare") else (0,)
            if ended.returncode not in fine:
                failed.append(f"{page.name}: {command}\nended with {ended.returncode}:\n{ended.stdout[-2000:]}")
            if str(OUTSIDE) in command:
                shutil.rmtree(OUTSIDE, ignore_errors=True)
        shutil.rmtree(folder)
    if len(sys.argv) == 4:
        failed += [f"no page has a command any more that begins with {start!r}" for start in SKIPPED if start not in used]
        if len(done) < 25:
            failed.append(f"only {len(done)} commands were found")
    for failure in failed:
        print(failure)
    print(f"{len(done)} commands run, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
