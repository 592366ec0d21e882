# SPDX-License-Identifier: Apache-2.0
"""Lightning under both of its names, and what else drives torch: what is seen, and that nothing changes."""
import re
import shutil
import sys

from observed import PROGRAMS, ProgramTest, needs

STEP = ["data_wait", "to_device", "optimizer", "forward", "backward", "optimizer"]
EPOCH = 4  # batches of a rank


def lines(text):
    """Returns the lines of an output in any order, without the time and process of torch's warnings."""
    return sorted(re.sub(r"^(W)\d{4} [\d:.]+ \d+ ", r"\1 ", line) for line in text.splitlines() if line)


@needs("torch", "lightning")
class LightningTest(ProgramTest):
    def fit(self, *arguments, observed=True):
        ran = self.run_program([sys.executable, PROGRAMS / "lightning_fit.py", *arguments], observed)
        shutil.rmtree(self.folder / "checkpoints")
        self.assertEqual(ran.code, 0, ran.err)
        self.assertFalse([note for rank in ran.ranks.values() for note in rank.notes() if " is off" in note])
        return ran

    def both(self, *arguments):
        """Compares runs without and with the observer. matrix.py does so with more ways to start ranks and workers."""
        plain = self.fit(*arguments, observed=False)
        ran = self.fit(*arguments)
        self.assertEqual(lines(ran.out), lines(plain.out))
        self.assertEqual(lines(ran.err), lines(plain.err))
        return ran

    def check(self, ran, ranks=2):
        self.assertEqual(sorted(ran.ranks), list(range(ranks)))
        for rank in ran.ranks.values():
            steps = rank.all("step")
            self.assertEqual([step.step for step in steps], list(range(2 * EPOCH * 2 // ranks)))
            self.assertEqual([step.epoch for step in steps], [0] * (len(steps) // 2) + [1] * (len(steps) // 2))
            self.assertTrue(all(0 < step.loss < 10 and step.rate == 0.01 for step in steps))
            self.assertEqual(rank.phases(1), STEP)
            self.assertEqual(rank.phases(len(steps) // 2 - 1), STEP + ["validate", "checkpoint"])
            self.assertEqual([batch.size for batch in rank.all("batch")], [4] * len(steps))
            validations = rank.all("validation")
            self.assertEqual([v.step for v in validations], [len(steps) // 2 - 1, len(steps) - 1])
            self.assertTrue(all(v.batches == len(steps) // 2 and 0 < v.loss < 10 for v in validations))
            self.assertEqual(rank.end(), (0, 0, ""))

    def test_lightning(self):
        self.check(self.both("workers=2"))

    @needs("pytorch_lightning")
    def test_the_other_name(self):
        self.check(self.fit("package=pytorch_lightning"))

    def test_without_other_ranks(self):
        self.check(self.fit("devices=1", "strategy=auto"), 1)

    def test_forked_and_spawned_ranks(self):
        for strategy in ("ddp_fork", "ddp_spawn"):
            with self.subTest(strategy=strategy):
                self.check(self.fit(f"strategy={strategy}"))

    def test_accumulation(self):
        for rank in self.fit("accumulate=2").ranks.values():
            self.assertEqual([step.step for step in rank.all("step")], [0, 1, 2, 3])
            self.assertEqual([batch.size for batch in rank.all("batch")], [4, 8] * 4)
            self.assertEqual(rank.phases(0)[:4], ["data_wait", "to_device", "forward", "backward"])

    def test_two_optimizers(self):
        for rank in self.both("optimizers=2").ranks.values():
            self.assertEqual([step.step for step in rank.all("step")], list(range(2 * EPOCH)))
            self.assertEqual(rank.phases(0).count("optimizer"), 2)

    def test_an_exception(self):
        ran = self.run_program([sys.executable, PROGRAMS / "lightning_fit.py", "fail=0"])
        self.assertNotEqual(ran.code, 0)
        self.assertNotIn("rankscope", ran.err)
        self.assertRegex(ran.ranks[0].end()[2], r"^ValueError: a bad batch \(lightning_fit.py:\d+\)$")
        self.assertTrue(any(note.startswith("exception: ValueError: a bad batch") for note in ran.ranks[0].notes()))
