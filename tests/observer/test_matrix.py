# SPDX-License-Identifier: Apache-2.0
"""What the matrix of programs accepts, and what not. The whole matrix (matrix.py) takes long and is run by hand."""
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

import matched_collectives
import matrix
import rank_records
from comparable_output import comparable

RECORDS = {name: number for number, (name, _) in rank_records.RECORDS.items()}
ALL_REDUCE, GATHER = map(rank_records.OPERATIONS.index, ("all-reduce", "gather"))
GROUP = 77


def collective(sequence, op=ALL_REDUCE, elements=8, group=0):
    return SimpleNamespace(
        type="collective", group=group, sequence=sequence, op=op, dtype=6, elements=elements, failed=0
    )


def group(*members):
    bits = sum(1 << member for member in members).to_bytes(128, "little")
    return SimpleNamespace(type="group", group=GROUP, first=0, members=bits)


class FakeRank(rank_records.Rank):
    """A rank with given records."""

    def __init__(self, *records):
        self.records, self.malformed = list(records), []


def problems(*ranks):
    return matched_collectives.problems({number: FakeRank(*records) for number, records in enumerate(ranks)})


class CollectivesTest(unittest.TestCase):
    def test_equal(self):
        both = collective(0), collective(1, GATHER, 3)
        self.assertEqual(problems(both, (collective(1, GATHER, 4), collective(0))), [])

    def test_another_number_kind_or_size(self):
        first = collective(0)
        for other in ((first,), (first, collective(1, GATHER)), (first, collective(1, elements=9))):
            found = problems((first, collective(1)), other)
            self.assertIn("1 of 2 unmatched, the first 1", " ".join(found))

    def test_missing_on_all(self):
        self.assertIn("not all sequence numbers", problems((collective(1),), (collective(1),))[0])

    def test_groups(self):
        member = group(0, 1), collective(0, group=GROUP)
        self.assertEqual(problems(member, member, ()), [])
        self.assertIn("0x4d: 1 of 1 unmatched", problems(member, member[:1], ())[0])
        self.assertIn("0x4d has no record", problems(member[1:], (), ())[0])

    def test_messages_are_not_compared(self):
        self.assertEqual(problems((collective(3, group=matched_collectives.MESSAGES),), ()), [])


class RecordsTest(unittest.TestCase):
    def read(self, kind, length=None, field=b""):
        rank = FakeRank()
        slot = rank_records.HEADER.pack(length or 48, RECORDS[kind], 1, 0, 0) + field
        rank._read(slot.ljust(rank_records.SLOT, b"\0"))
        return rank

    def test_malformed(self):
        self.assertEqual(len(self.read("phase").records), 1)
        for rank in (self.read("phase", 47), self.read("step"), self.read("phase", field=b"\x63")):
            self.assertEqual((len(rank.records), len(rank.malformed)), (0, 1))


class RunTest(unittest.TestCase):
    def run_code(self, code, timeout=60):
        with tempfile.TemporaryDirectory() as name:
            return matrix.run([sys.executable, "-c", code], Path(name), None, timeout)

    def test_what_a_program_leaves_is_not_waited_for(self):
        begin = time.monotonic()
        ran = self.run_code("import subprocess; subprocess.Popen(['sleep', '1000']); print(1)")
        self.assertEqual((ran.code, ran.out, ran.err), (0, "1\n", ""))
        self.assertLess(time.monotonic() - begin, 60)

    def test_a_program_that_does_not_end(self):
        ran = self.run_code("import time; print(1, flush=True); time.sleep(1000)", timeout=5)
        self.assertEqual((ran.code, ran.out, ran.err), (-9, "1\n", "\nended after 5 s"))


class OutputTest(unittest.TestCase):
    def check(self, one, other):
        self.assertEqual(comparable(one), comparable(other))

    def test_order_of_ranks(self):
        self.check("rank 0\nrank 1\n", "rank 1\nrank 0\n")

    def test_times_and_speeds(self):
        self.check(
            "\r  0%|          | 0/2 [00:00<?, ?it/s]\r100%|####| 2/2 [00:01<00:00,  1.30it/s]\n",
            "\r 50%|##  | 1/2 [00:00<00:00, 3.1it/s]\r100%|####| 2/2 [00:00<00:00,  2.30it/s]\n",
        )
        self.check("Training: |    | 0/? [00:00<?, ?it/s]\nrank 0\n", "Training: |    | 0/? [00:01<?, ?it/s]rank 0\n")
        self.check(
            "Epoch 1: 100%|####| 4/4 [00:00<00:00, 9it/s]rank 1: done\nrank 0: done\n",
            "\rEpoch 1: 100%|####| 4/4 [00:00<00:00, 8it/s]rank 0: done\nrank 1: done\n",
        )
        self.check("{'eval_runtime': 1.1, 'epoch': 1.0}", "{'eval_runtime': 2.3, 'epoch': 1.0}")
        self.check("[NeMo W 2026-11-26 15:51:54 a:1] slow", "[NeMo W 2026-11-26 15:51:55 a:1] slow")
        self.check("W1126 15:51:54.461000 2693 a.py:113] slow", "W1126 15:51:55.461000 2700 a.py:113] slow")
        self.check("[rank0]:[W1126 15:51:54.461000123 a.cpp:1502] slow", "[rank0]:[W1126 15:51:55.461000456 a.cpp:1502] slow")

    def test_lines_of_gloo(self):
        gloo = "[Gloo] Rank %d is connected to 1 peer ranks. Expected number of connected peer ranks is : 1"
        first, second = gloo % 0, gloo % 1
        plain = "rank 0: step 1\nrank 1: step 1\n"
        for text in (
            f"{first}\n{second}\n{plain}",
            f"{second}\nrank 0: step 1\n{first}\nrank 1: step 1\n",
            f"rank 0: st{first}\nep 1\nrank 1: step 1\n{second}\n",  # inside a line
            f"{first}rank 0: step 1\n\nrank 1: step 1{second}\n",  # before its line end was written
            f"{first}{second}\n\n{plain}",
            f"[Gloo] Rank {second}\n0{first[len('[Gloo] Rank 0'):]}\n{plain}",  # one inside another one
            plain + "[Gloo] Another word\n",
        ):
            self.check(text, plain)
        self.check(f"{first}25 steps\n", "25 steps\n")
        self.assertNotEqual(comparable(f"{first}\nrank 0: step 2\n"), comparable("rank 0: step 1\n"))

    def test_everything_else(self):
        for one, other in (
            ("loss 1.25\n", "loss 1.26\n"),
            ("{'loss': 0.5, 'epoch': 1.0}", "{'loss': 0.6, 'epoch': 1.0}"),
            ("a\na\n", "a\n"),
            ("100%|####| 2/2 [00:01<00:00, 1it/s, loss=0.5]\n", "100%|####| 2/2 [00:01<00:00, 1it/s, loss=0.6]\n"),
        ):
            self.assertNotEqual(comparable(one), comparable(other))

    def test_changes(self):
        weights = "rank 0: weights " + 64 * "0"
        plain = SimpleNamespace(code=0, out=weights, err="")
        self.assertEqual(matrix.changes(plain, plain), [])
        self.assertEqual(len(matrix.changes(plain, SimpleNamespace(code=1, out=weights, err=""))), 1)
        self.assertEqual(len(matrix.changes(plain, SimpleNamespace(code=0, out=weights, err="rankscope: off"))), 1)
        self.assertIn("other weights", matrix.changes(plain, SimpleNamespace(code=0, out=weights[:-1] + "1", err="")))


if __name__ == "__main__":
    unittest.main()
