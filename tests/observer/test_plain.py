# SPDX-License-Identifier: Apache-2.0
"""Programs with DistributedDataParallel and without a framework: what is seen, and that nothing changes."""
import sys

import rank_records
from observed import PROGRAMS, ProgramTest, needs

STEPS = ["data_wait", "to_device", "forward", "loss", "backward", "optimizer"]
EPOCH = 6  # batches of a rank


def lines(text):
    return sorted(text.splitlines())


@needs("torch")
class PlainTest(ProgramTest):
    plain_runs = {}

    def without_observer(self, arguments):
        """Runs the program, unless the same work has been done. How workers are started makes no difference to it."""
        work = tuple(argument for argument in arguments if not argument.startswith(("workers=", "context=")))
        if work not in self.plain_runs:
            self.plain_runs[work] = self.run_ranks("plain.py", observed=False, arguments=work)
        return self.plain_runs[work]

    def both(self, *arguments):
        """Compares runs of the program without and with the observer. Returns the latter."""
        plain = self.without_observer(arguments)
        ran = self.run_ranks("plain.py", arguments=arguments)
        self.assertEqual((ran.code, lines(ran.out)), (plain.code, lines(plain.out)), ran.err)
        self.assertEqual(sorted(ran.ranks), [0, 1], ran.err)
        return ran

    def check_steps(self, rank, steps):
        found = rank.all("step")
        self.assertEqual([step.step for step in found], list(range(steps)))
        self.assertEqual([step.epoch for step in found], [n * 2 // steps for n in range(steps)])
        self.assertTrue(all(0 < step.loss < 10 and step.flags == 0 and step.rate == 0.01 for step in found))
        self.assertTrue(all(before.end <= after.begin for before, after in zip(found, found[1:])))

    def test_steps_phases_batches_and_losses(self):
        ran = self.both()
        self.assertEqual(sorted(ran.ranks), [0, 1])
        for number, rank in ran.ranks.items():
            self.check_steps(rank, 2 * EPOCH)
            self.assertEqual(rank.phases(1), STEPS)
            # the loader has no more batches, and the next step begins after the evaluation
            self.assertEqual(rank.phases(EPOCH), ["data_wait", "validate", "checkpoint"] + STEPS)
            self.assertEqual(rank.phases(-1)[0], "startup")
            batches = rank.all("batch")
            self.assertEqual([batch.size for batch in batches], [4] * 2 * EPOCH)
            # DistributedSampler gives item 2 n + rank
            longest = [100 + number + 2 * (4 * n + 3) for n in range(EPOCH)]
            self.assertEqual([batch.samples_max for batch in batches], longest * 2)
            self.assertEqual([batch.samples_min for batch in batches], [n - 6 for n in longest] * 2)
            self.assertEqual(rank.end(), (0, 0, ""))
            self.assertEqual(rank.software()["python"].split(".")[:2], sys.version.split(".")[:2])
            self.assertIn("torch", rank.software())
            self.assertEqual([note for note in rank.notes() if " is off" in note], [])

    def test_workers(self):
        for context in ("fork", "spawn"):
            with self.subTest(context=context):
                ran = self.both("workers=2", f"context={context}")
                for rank in ran.ranks.values():
                    self.check_steps(rank, 2 * EPOCH)
                    self.assertEqual([batch.size for batch in rank.all("batch")], [4] * 2 * EPOCH)
                self.assertEqual(sorted(ran.ranks), [0, 1])

    def test_accumulation(self):
        ran = self.both("accumulate=3")
        for rank in ran.ranks.values():
            self.check_steps(rank, 4)
            batches, steps = rank.all("batch"), rank.all("step")
            self.assertEqual([batch.size for batch in batches], [4, 8, 12] * 4)
            for step, batch in zip(steps, batches[2::3]):
                self.assertAlmostEqual(step.per_second * (step.end - step.begin) / 1e9, batch.samples_sum, delta=0.5)
            self.assertEqual(rank.phases(1), (["data_wait", "to_device", "forward", "loss", "backward"]) * 3 + ["optimizer"])

    def test_a_skipped_step(self):
        ran = self.both("scaler=1", "overflow=2")
        for rank in ran.ranks.values():
            steps = rank.all("step")
            self.assertEqual([step.step for step in steps], list(range(2 * EPOCH)))
            self.assertEqual([step.flags for step in steps], ([0, 0, 5, 0, 0, 0]) * 2)
            self.assertTrue(all(0 < step.loss < 10 for step in steps if not step.flags))

    def test_an_exception(self):
        ran = self.run_ranks("plain.py", arguments=["fail=1"])
        self.assertEqual((ran.code, ran.ranks[1].end()[:2]), (1, (2, 1)))
        self.assertRegex(ran.ranks[1].end()[2], r"^ValueError: no more data \(plain.py:\d+\)$")
        self.assertNotIn("rankscope", ran.err)

    def test_an_exception_of_a_dataset(self):
        """In a worker, whose traceback is the text of the rank's exception."""
        ran = self.run_ranks("plain.py", arguments=["bad_item=8", "workers=2"])
        self.assertEqual(ran.code, 1)
        self.assertNotIn("rankscope", ran.err)
        self.assertRegex(ran.ranks[0].end()[2], r"^ValueError: item 8 is bad \(plain.py:\d+\)$")

    def test_what_a_loader_reads(self):
        for arguments, expected in (
            ((), "Sounds[9]"),
            (("workers=2",), "Sounds[9, 11, 13, 15] (worker 1)"),
        ):
            with self.subTest(arguments=arguments):
                run = self.folder / f"run-{len(arguments)}"
                launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
                process = self.start([*launcher, PROGRAMS / "plain.py", "slow_item=9", *arguments], run)
                self.wait_for(lambda: 1 in rank_records.ranks_of(run) and (run / "ranks/1/board").exists())
                rank = rank_records.Rank(run, 1)
                self.wait_for(lambda: rank.board_reading() == expected)
                self.assertEqual(rank.board().phase, "data_wait")
                self.end(process)

    def test_spawn(self):
        command = [sys.executable, PROGRAMS / "plain.py", "spawn=1"]
        plain = self.run_program(command, observed=False)
        (self.folder / "store").unlink(missing_ok=True)
        ran = self.run_program(command)
        self.assertEqual((ran.code, lines(ran.out), lines(ran.err)), (plain.code, lines(plain.out), lines(plain.err)))
        for rank in ran.ranks.values():
            self.check_steps(rank, 2 * EPOCH)
            self.assertEqual(rank.end(), (0, 0, ""))
        (self.folder / "store").unlink(missing_ok=True)
        ran = self.run_program([*command, "fail=1"])
        self.assertEqual(ran.code, 1)
        self.assertRegex(ran.ranks[1].end()[2], r"^ValueError: no more data \(plain.py:\d+\)$")


if __name__ == "__main__":
    import unittest

    unittest.main()
