#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests packing, and rehearses all steps on this CPU, with the programs of a build folder. Run by ctest as gpu_pack.

usage: tst_pack.py BUILD TORCH [unittest's arguments]; TORCH is the torch folder of a wheel.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import machine  # noqa: E402
import packing  # noqa: E402
import report  # noqa: E402
import trial  # noqa: E402

BUILD = TORCH = None  # from the command line


def gpu_run(*words):
    return subprocess.run([sys.executable, str(HERE / "run"), *map(str, words)], capture_output=True, text=True, timeout=500)


class Packed(unittest.TestCase):
    """One pack for all tests, because making it takes half a minute."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="rankscope gpu ")  # a space in each path
        cls.addClassCleanup(cls.place.cleanup)
        cls.folder = pathlib.Path(cls.place.name)
        cls.options = ["--build", BUILD, "--references", "pre_conv"]
        if not (pathlib.Path(BUILD) / "lib" / packing.PLUGIN).exists():
            cls.options.append("--without-nccl")
        done = gpu_run("pack", *cls.options, "--pack-dir", cls.folder / "packed")
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.file = cls.folder / "packed" / packing.FILE
        cls.root = packing.unpack(cls.file, cls.folder / "elsewhere")
        cls.env = machine.environment(cls.root, TORCH)

    def command(self, *words):
        return subprocess.run([str(w) for w in words], capture_output=True, text=True, env=self.env, timeout=120, cwd="/")

    def test_is_below_the_limit(self):
        self.assertLess(self.file.stat().st_size, 64 * 2**20)
        self.assertEqual([p.name for p in self.file.parent.iterdir()], [packing.FILE])

    def test_every_library_is_packed_or_the_systems_or_torchs(self):
        deps = {p.name for p in (self.root / "lib/deps").iterdir()}
        elves = [p for p in self.root.rglob("*") if p.is_file() and p.read_bytes()[:4] == b"\x7fELF"]
        self.assertGreater(len(elves), len(packing.PROGRAMS))
        for elf in elves:
            for name in packing.names_needed(elf):
                self.assertTrue(name in deps or packing.is_system(name) or packing.is_torch(name), f"{elf.name}: {name}")
        self.assertFalse([name for name in deps if packing.is_system(name) or packing.is_torch(name)])

    def test_the_loader_takes_the_packed_libraries(self):
        for program in packing.PROGRAMS:
            for line in self.command("ldd", self.root / "bin" / program).stdout.splitlines():
                name = line.split()[0]
                self.assertNotIn("not found", line)
                if not (packing.is_system(name) or packing.is_torch(name) or name.startswith(("/", "libgomp"))):
                    self.assertIn(str(self.root / "lib/deps"), line, program)

    def test_programs_start_from_another_folder(self):
        for program in ("rankscopectl", "rankscope-trainer"):
            done = self.command(self.root / "bin" / program, "--version")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith(program))
        self.assertEqual(self.command(self.root / "bin/bench_step", "--help").returncode, 0)

    def test_a_reference_is_verified_on_the_cpu(self):
        reference = self.root / "references/pre_conv.safetensors"
        done = self.command(self.root / "bin/rankscopectl", "verify", reference, reference.with_suffix(".yaml"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_verify_without_a_gpu_says_so(self):
        if machine.gpus():
            self.skipTest("this machine has a GPU")
        reference = self.root / "references/pre_conv.safetensors"
        done = self.command(self.root / "bin/rankscope-trainer", "verify", reference, reference.with_suffix(".yaml"),
                            "--device", "cuda")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("--device cuda: ", done.stderr)

    def test_a_pack_above_the_limit_is_refused(self):
        done = gpu_run("pack", *self.options, "--pack-dir", self.folder / "large", "--limit-mib", 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("more than the 1 MiB that are allowed", done.stderr)
        self.assertEqual(list((self.folder / "large").iterdir()), [])

    def test_what_cannot_be_packed_is_named(self):
        empty = self.folder / "empty"
        empty.mkdir()
        done = gpu_run("pack", "--build", empty, "--pack-dir", self.folder / "none")
        self.assertEqual((done.returncode, "rankscope-trainer is not there" in done.stderr), (1, True), done.stderr)
        done = gpu_run("pack", "--build", BUILD, "--references", "pre_conv,no_such", "--pack-dir", self.folder / "none")
        self.assertEqual((done.returncode, "has no no_such" in done.stderr), (1, True), done.stderr)

    def test_another_torch_is_refused(self):
        torch = self.folder / "torch"
        torch.mkdir()
        (torch / "version.py").write_text("__version__ = '2.4.0+cu121'\n")
        done = gpu_run("bench", "--rehearse", "--pack", self.root, "--torch", torch, "--out", self.folder / "other")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has torch 2.4.0+cu121", done.stderr)

    def test_the_steps_on_this_cpu(self):
        out = self.folder / "results"
        done = gpu_run("bench", "--rehearse", "--pack", self.file, "--torch", TORCH, "--out", out, "--nemo")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        results = json.loads((out / "results.json").read_text())
        status = {step["step"]: step["status"] for step in results["steps"]}
        for name in ("start", "verify", "train", "waits", "resume", "speed quickstart fp32"):
            self.assertEqual(status[name], "passed", name)
        self.assertEqual(status["nvml"], "skipped")
        self.assertIn(status["nemo"], ("passed", "skipped"))  # this Python may have NeMo
        text = (out / "results.md").read_text()
        self.assertIn("A rehearsal on the CPU", text)
        self.assertEqual(text.count("\n| quickstart, "), 2)


class Alone(unittest.TestCase):
    def test_without_a_gpu_it_says_what_it_would_do(self):
        if machine.gpus():
            self.skipTest("this machine has a GPU")
        done = gpu_run()
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("no NVIDIA GPU", "--cuda", "NCCL", "NVML", "xlarge", "bf16-mixed", "results.md"):
            self.assertIn(word, done.stdout)
        done = gpu_run("bench", "--pack", HERE)
        self.assertEqual((done.returncode, "there is no NVIDIA GPU" in done.stderr), (2, True))

    def test_a_step_that_fails_stops_no_other(self):
        with tempfile.TemporaryDirectory() as place:
            said = []
            steps = trial.Trial(pathlib.Path(place), 60, say=said.append)
            began = time.monotonic()
            steps.step("hangs", 6, lambda: steps.run("hangs", ["sleep", "600"], os.environ))
            self.assertLess(time.monotonic() - began, 30)
            steps.step("is wrong", 10, lambda: {}["no such figure"])
            steps.step("ends badly", 10, lambda: steps.run("false", ["sh", "-c", "echo why >&2; exit 7"], os.environ))
            self.assertEqual(steps.step("works", 10, lambda: {"figure": 1}), {"figure": 1})
            self.assertEqual([s["status"] for s in steps.steps], ["failed", "failed", "failed", "passed"])
            self.assertIn("ended with 7: why", steps.steps[2]["reason"])
            self.assertFalse(steps.passed())
            steps.end = time.monotonic()
            steps.step("late", 10, dict)
            self.assertEqual(steps.steps[-1]["status"], "skipped")
            self.assertEqual(len(said), 5)

    def test_kernels_have_names_that_fit_a_table(self):
        self.assertEqual(report.short_kernel("void at::native::vectorized_elementwise_kernel<4, at::native::Op<float>, std::array<"
                                             "char*, 2ul> >(int, at::native::Op<float>)"), "at::native::vectorized_elementwise_kernel")
        self.assertEqual(report.short_kernel("Memcpy DtoH (Device -> Pinned)"), "Memcpy DtoH")
        self.assertEqual(report.short_kernel("sm90_xmma_gemm_bf16bf16_tn"), "sm90_xmma_gemm_bf16bf16_tn")

    def test_nemo_is_compared_with_the_same_model_only(self):
        ours = {"size": "small", "precision": "fp32", "params": 10, "batch": 8, "seconds": 15, "step": 50.0, "peak_gpu_mib": 100,
                **dict.fromkeys(report.PHASES, 1.0)}
        self.assertIn("| 100.0 | – | 2.00 |", report.speed_table([ours], [{**ours, "step": 100.0, "peak_gpu_mib": None}]))
        self.assertIn("another model", report.speed_table([ours], [{**ours, "params": 11}]))


if __name__ == "__main__":
    BUILD, TORCH = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
