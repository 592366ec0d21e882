# SPDX-License-Identifier: Apache-2.0
"""What C++ and Python kernels see of two ranks' collectives, and that the program notices neither."""
import json
import shutil
from collections import Counter

from observed import OBSERVER, ProgramTest, needs

POINT_TO_POINT = 0x80000000
REDUCE_SCATTER, SEND, RECEIVE = 4, 9, 10
STEPS = 4  # of programs/collectives.py


def facts(rank):
    """Returns what is the same for the same collective, whoever sees it."""
    return sorted(
        (record.group, record.sequence, record.op, record.dtype, record.elements, record.failed, record.tag,
         record.exposed >= 0) for record in rank.all("collective"))


def results_of(ran):
    """Returns what rank 0 printed; before it, Gloo of some versions reports connections in any order."""
    return json.loads(ran.out.splitlines()[-1])


@needs("torch")
class CollectivesTest(ProgramTest):
    """Each is run with the C++ kernels, if there are any for this PyTorch, and with those in Python."""

    def python_only(self):
        """Returns a copy of the observer without C++ kernels."""
        copy = self.folder / "python_only"
        if not copy.exists():
            shutil.copytree(OBSERVER, copy, ignore=shutil.ignore_patterns("librankscope_c10d-*", "__pycache__"))
        return copy

    def kernels_of(self, ran):
        return next(note for note in ran.ranks[0].notes() if note.startswith("collectives are seen by"))

    def test_program_notices_nothing(self):
        plain = self.run_ranks("collectives.py", observed=False)
        self.assertEqual(plain.code, 0, plain.err)
        native = self.run_ranks("collectives.py")
        python = self.run_ranks("collectives.py", PYTHONPATH=self.python_only())
        for ran in (native, python):
            self.assertEqual((ran.code, results_of(ran)), (plain.code, results_of(plain)), ran.err)
            self.check_ranks(ran)
        self.assertIn("Python kernels", self.kernels_of(python))
        for number in (0, 1):
            self.assertEqual(facts(native.ranks[number]), facts(python.ranks[number]))
        failed = [result for result in results_of(plain)[0].values() if isinstance(result, str)]
        errors = [text for text in failed if ":" in text]
        self.assertEqual(sum(record.failed for record in native.ranks[0].all("collective")), len(errors))

    def check_ranks(self, ran):
        self.assertEqual(sorted(ran.ranks), [0, 1])
        ranks = [facts(ran.ranks[number]) for number in (0, 1)]
        groups = [{fact[0] for fact in rank} for rank in ranks]
        common = groups[0] & groups[1] - {POINT_TO_POINT}
        self.assertEqual(len(common), 2)  # all ranks twice; each rank has one more group alone
        self.assertEqual([len(group) for group in groups], [4, 4])
        shared = [[fact for fact in rank if fact[0] in common] for rank in ranks]
        self.assertEqual(*shared)
        for group in common:
            numbers = [fact[1] for fact in shared[0] if fact[0] == group]
            self.assertEqual(numbers, list(range(len(numbers))))
        self.check_messages(ran)
        self.check_tags(ran.ranks[0])
        self.check_times(ran.ranks[0])

    def check_tags(self, rank):
        tags = Counter(record.tag for record in rank.all("collective") if not record.tag.startswith("collectives.py"))
        gradients = {tag: count for tag, count in tags.items() if tag.startswith("gradient:")}
        # one more where the program averages gradients itself
        self.assertEqual(gradients, {"gradient:0": STEPS + 1, "gradient:1": STEPS})
        self.assertEqual(tags["ddp:used_parameters"], STEPS)
        self.assertEqual(tags["ddp:verify_parameters"], 2)
        self.assertEqual(tags["broadcast:parameters"], 2)
        self.assertEqual(tags["broadcast:buffers"], 2 * STEPS)
        self.assertEqual(sum(count for tag, count in tags.items() if tag.startswith("objects:")), 4)
        self.assertEqual(sum(count for tag, count in tags.items() if tag.startswith("barrier:")), 3)

    def check_times(self, rank):
        for record in rank.all("collective"):
            self.assertLessEqual(record.arrived, record.started)
            self.assertLessEqual(record.arrived, record.done)
        reduce = [record for record in rank.all("collective") if record.op == REDUCE_SCATTER and not record.failed]
        self.assertEqual([record.elements for record in reduce], [6] * len(reduce))

    def check_messages(self, ran):
        """They are counted apart from the group's collectives."""
        for number, op in ((0, SEND), (1, RECEIVE)):
            records = [record for record in ran.ranks[number].all("collective") if record.op == op]
            self.assertEqual([(record.group, record.sequence) for record in records],
                             [(POINT_TO_POINT, 0), (POINT_TO_POINT, 1)])

    def test_signal_handlers_exception_arrives(self):
        for observer in (OBSERVER, self.python_only()):
            ran = self.run_ranks("interrupted_collective.py", count=1, PYTHONPATH=observer)
            self.assertEqual((ran.code, ran.out.splitlines()[-1:]), (0, ["stopped as the program asked"]), ran.err)

    def test_library_of_another_build(self):
        import torch
        observer = self.python_only()
        name = f"librankscope_c10d-{'.'.join(torch.__version__.split('.')[:2])}"
        for abi in ("", "-precxx11"):
            (observer / f"{name}{abi}.so").write_text("not a library")
        ran = self.run_ranks("collectives.py", PYTHONPATH=observer)
        self.assertEqual(ran.code, 0, ran.err)
        self.assertRegex(self.kernels_of(ran), f"Python kernels, because {name}.* cannot be used")
        self.check_ranks(ran)
