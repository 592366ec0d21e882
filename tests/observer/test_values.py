# SPDX-License-Identifier: Apache-2.0
"""Numbers in tensors and lengths of batches. No device is here: its events are played."""
import importlib.util
import math
import sys
import unittest
from collections import UserDict, namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import observed
from observed import needs

sys.path.insert(0, str(observed.OBSERVER))

from rankscope_observer.batches import BatchReader  # noqa: E402
from rankscope_observer.library import UNKNOWN  # noqa: E402
from rankscope_observer.step_batch import StepBatch  # noqa: E402
from rankscope_observer.steps import Steps  # noqa: E402
from rankscope_observer.training import Training  # noqa: E402
from rankscope_observer.values import DeviceCopies, Pending, ValueReader, arrived, give_up  # noqa: E402

if importlib.util.find_spec("torch"):
    import torch
    from torch.utils.data import DataLoader


class PlayedEvent:
    """An event of a device that has not come to it yet."""

    def __init__(self):
        self.has_come = False

    def record(self, stream):
        self.stream = stream

    def query(self):
        return self.has_come


class PlayedTorch:
    """torch with a device that copies when it is told to; a wait for it would be an AttributeError."""

    def __init__(self, captures=False):
        self.events = []
        self.copied = []
        self.cuda = SimpleNamespace(
            is_current_stream_capturing=lambda: captures,
            Event=self.make_event,
            current_stream=lambda device: f"stream of {device}",
        )

    def make_event(self):
        self.events.append(PlayedEvent())
        return self.events[-1]

    def empty(self, count, dtype, device, pin_memory):
        assert pin_memory and device == "cpu"
        return [PlayedMemory(self) for _ in range(count)]


class PlayedMemory:
    """One element of pinned memory."""

    def __init__(self, owner):
        self.owner, self.value = owner, None

    def copy_(self, tensor, non_blocking):
        assert non_blocking
        self.owner.copied.append((self, tensor))

    def __float__(self):
        return self.value


class PlayedTensor:
    """A tensor on a device."""

    def __init__(self, value):
        self.value, self.dtype, self.device = value, "float32", "cuda:0"

    def detach(self):
        return self

    def reshape(self, shape):
        return self


class DeviceTest(unittest.TestCase):
    def test_a_number_is_known_once_the_event_has_come(self):
        played = PlayedTorch()
        numbers = [1.0, DeviceCopies(played).start(PlayedTensor(2.5)), None]
        self.assertFalse(arrived(numbers))
        memory, tensor = played.copied[0]
        memory.value = tensor.value
        self.assertFalse(arrived(numbers))
        played.events[0].has_come = True
        self.assertTrue(arrived(numbers))
        self.assertEqual((numbers, played.events[0].stream), ([1.0, 2.5, None], "stream of cuda:0"))

    def test_each_copy_has_its_place(self):
        played = PlayedTorch()
        copies = DeviceCopies(played)
        for number in range(copies.PLACES):
            copies.start(PlayedTensor(number))
        self.assertEqual(len({id(memory) for memory, _ in played.copied}), copies.PLACES)

    def test_nothing_is_copied_while_a_graph_is_captured(self):
        played = PlayedTorch(captures=True)
        self.assertIsNone(DeviceCopies(played).start(PlayedTensor(2.5)))
        self.assertEqual(played.copied, [])

    def test_what_is_given_up_is_not_known(self):
        numbers = [1.0, DeviceCopies(PlayedTorch()).start(PlayedTensor(2.5))]
        give_up(numbers)
        self.assertEqual(numbers, [1.0, None])


@needs("torch")
class ReaderTest(unittest.TestCase):
    def setUp(self):
        self.reader = ValueReader()

    def check(self, given, number):
        self.assertEqual(self.reader.read(given), number)

    def test_numbers(self):
        self.check(torch.tensor(1.5), 1.5)
        self.check(torch.tensor([[1.5]], dtype=torch.bfloat16, requires_grad=True), 1.5)
        self.check(torch.tensor(float("inf")), float("inf"))
        self.check(3, 3.0)

    def test_what_is_no_single_number(self):
        for given in (None, "1.5", torch.ones(2), torch.tensor(1), torch.ones(1, device="meta"), [1.0]):
            self.assertIsNone(self.reader.read(given), given)

    def test_tensors_that_run_other_code_are_not_touched(self):
        class Strange(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, arguments=(), options=None):
                raise AssertionError("touched")

        strange = torch.tensor(1.5).as_subclass(Strange)
        self.assertIsNone(self.reader.read(strange))
        self.assertEqual(BatchReader(self.reader).read([strange, strange]), (UNKNOWN, None))

    def test_the_programs_modes_see_nothing(self):
        from torch.overrides import TorchFunctionMode
        from torch.utils._python_dispatch import TorchDispatchMode

        seen = []

        class Functions(TorchFunctionMode):
            def __torch_function__(self, function, types, arguments=(), options=None):
                seen.append(function)
                return function(*arguments, **(options or {}))

        class Dispatched(TorchDispatchMode):
            def __torch_dispatch__(self, function, types, arguments=(), options=None):
                seen.append(function)
                return function(*arguments, **(options or {}))

        loss, lengths = torch.tensor(1.5), torch.tensor([3, 4])
        batch = (torch.ones(2, 4), lengths)
        with Functions():
            self.check(loss, 1.5)
            self.assertEqual(BatchReader(self.reader).read(batch)[1].values, [3, 4])
        with Dispatched():
            self.assertIsNone(self.reader.read(loss))
            BatchReader(self.reader).read(batch)
        self.assertEqual(seen, [])


@needs("torch")
class BatchTest(unittest.TestCase):
    def read(self, batch):
        size, lengths = BatchReader(ValueReader()).read(batch)
        return size, lengths and (lengths.values, lengths.are_samples, lengths.padded)

    def test_lengths_next_to_what_they_are_of(self):
        lengths = torch.tensor([3, 5])
        self.assertEqual(self.read((torch.ones(2, 5), lengths, torch.ones(2, 4), torch.tensor([4, 4]))), (2, ([3, 5], True, 5)))
        self.assertEqual(self.read([torch.ones(2, 80, 5), lengths]), (2, ([3, 5], False, 5)))
        self.assertEqual(self.read([torch.ones(2, 5, 80), lengths]), (2, ([3, 5], False, 5)))
        self.assertEqual(self.read([torch.ones(2, 5, dtype=torch.long), lengths]), (2, ([3, 5], False, 5)))
        pair = namedtuple("Pair", "x y")
        self.assertEqual(self.read(pair(torch.ones(2, 5), lengths)), (2, ([3, 5], True, 5)))

    def test_labels_are_no_lengths(self):
        self.assertEqual(self.read((torch.ones(2, 3, 32, 32), torch.tensor([7, 1]))), (2, None))
        self.assertEqual(self.read((torch.ones(2, 784), torch.tensor([7, 9]))), (2, None))
        self.assertEqual(self.read((torch.ones(2, 5), torch.tensor([0, 5]))), (2, None))
        self.assertEqual(self.read((torch.ones(3, 5), torch.tensor([4, 5]))), (3, None))
        self.assertEqual(self.read((torch.ones(2, 5), torch.tensor([1.0, 5.0]))), (2, None))

    def test_nemos_batches(self):
        @dataclass
        class AudioNoiseBatch:
            sample_id: object = None
            audio: object = None
            audio_len: object = None
            noise: object = None

        batch = AudioNoiseBatch(None, torch.ones(2, 900), torch.tensor([700, 900]), torch.ones(2, 900))
        self.assertEqual(self.read(batch), (2, ([700, 900], True, 900)))
        self.assertEqual(
            self.read({"audio_signal": torch.ones(1, 9), "audio_lens": torch.tensor([9])}), (1, ([9], True, 9))
        )
        self.assertEqual(
            self.read({"inputs": torch.ones(2, 7, 80), "supervisions": {"num_frames": torch.tensor([5, 7])}}),
            (2, ([5, 7], False, 7)),
        )

    def test_attention_masks(self):
        mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0]])
        tokens = UserDict(input_ids=torch.ones(2, 4, dtype=torch.long), attention_mask=mask)
        self.assertEqual(self.read(tokens), (2, ([2, 3], False, 4)))
        self.assertEqual(
            self.read({"input_values": torch.ones(2, 4), "attention_mask": mask}), (2, ([2, 3], True, 4))
        )

    def test_only_a_size(self):
        self.assertEqual(self.read(torch.ones(6, 2)), (6, None))
        self.assertEqual(self.read({"pixel_values": torch.ones(6, 3, 8, 8)}), (6, None))
        self.assertEqual(self.read([torch.ones(6, 2), None]), (6, None))

    def test_nothing(self):
        for batch in (None, "text", 3, [], {}, object(), torch.tensor(1.0), [[1, 2], [3]]):
            self.assertEqual(self.read(batch), (UNKNOWN, None), batch)


class StepBatchTest(unittest.TestCase):
    FIELDS = ("size", "samples_min", "samples_max", "samples_sum", "frames_min", "frames_max", "frames_sum", "padded_frames")

    def facts(self, batch):
        return tuple(getattr(batch.facts, name) for name in self.FIELDS)

    def add(self, batch, values, are_samples):
        lengths = values and SimpleNamespace(values=values, are_samples=are_samples, padded=max(values))
        batch.add(len(values) if values else 2, lengths, 5, 1)

    def test_micro_batches_are_added(self):
        batch = StepBatch()
        batch.frames_of = lambda samples: samples // 10
        self.add(batch, [100, 300], True)
        self.assertEqual(self.facts(batch), (2, 100, 300, 400, 10, 30, 40, 60))
        self.add(batch, [50], True)
        self.assertEqual(self.facts(batch), (3, 50, 300, 450, 5, 30, 45, 65))
        self.assertEqual((batch.facts.wait_ns, batch.facts.ready, batch.facts.load_ns), (10, 1, UNKNOWN))
        batch.clear()
        self.add(batch, [70], True)
        self.assertEqual(self.facts(batch), (1, 70, 70, 70, 7, 7, 7, 7))

    def test_what_is_not_known_stays_so(self):
        batch = StepBatch()
        self.add(batch, [100, 300], True)
        self.assertEqual(self.facts(batch), (2, 100, 300, 400, -1, -1, -1, -1))
        self.add(batch, None, True)
        self.assertEqual(self.facts(batch), (4, -1, -1, -1, -1, -1, -1, -1))
        self.add(batch, [100, 300], True)
        self.assertEqual(self.facts(batch), (6, -1, -1, -1, -1, -1, -1, -1))

    def test_frames(self):
        batch = StepBatch()
        self.add(batch, [4, 6], False)
        self.assertEqual(self.facts(batch), (2, -1, -1, -1, 4, 6, 10, 12))


@needs("torch")
class EpochTest(unittest.TestCase):
    """The end of a loader in a program without a trainer."""

    class Library:
        def __init__(self):
            self.steps = []

        def rs_step_begin(self, step, epoch):
            self.steps.append((step, epoch))

        def __getattr__(self, name):
            return lambda *arguments: 1

    def setUp(self):
        self.library = self.Library()
        self.training = Training(self.library, lambda device: None)
        self.optimizer = SimpleNamespace(param_groups=[{"lr": 0.1}])

    def train(self, iterator, accumulate=1):
        for number, batch in enumerate(iterator, 1):
            self.training.load(iterator)
            self.training.loaded(batch)
            self.training.begin_backward([torch.tensor(1.0)])
            self.training.end_backward()
            if number % accumulate == 0:
                self.training.begin_optimizer(self.optimizer)
                self.training.end_optimizer(self.optimizer)
        self.training.load(iterator)
        self.training.exhausted()

    def test_the_next_epoch_is_shown_when_there_is_no_more_batch(self):
        self.train(iter(DataLoader([1.0, 2.0])))
        self.assertEqual(self.library.steps, [(2, 1)])
        self.train(iter(DataLoader([1.0, 2.0, 3.0])))
        self.assertEqual(self.library.steps, [(2, 1), (5, 2)])

    def test_a_step_that_continues_in_the_next_epoch(self):
        self.train(iter(DataLoader([1.0, 2.0, 3.0])), accumulate=2)
        self.assertEqual(self.library.steps, [(1, 1)])

    def test_the_loader_of_an_evaluation(self):
        iterator = iter(DataLoader([1.0, 2.0]))
        with torch.no_grad():
            for batch in iterator:
                self.training.load(iterator)
                self.training.loaded(batch)
            self.training.load(iterator)
            self.training.exhausted()
        self.assertEqual(self.library.steps, [])


class LateLossTest(unittest.TestCase):
    """Steps whose loss comes from a device."""

    class Library:
        def __init__(self):
            self.ends = []

        def rs_next_step(self, pointer, step, epoch, phase):
            if pointer is not None:
                self.rs_step_end(pointer)
            return 1

        def rs_now(self):
            return 1

        def rs_step_end(self, pointer):
            facts = pointer._obj
            self.ends.append((facts.step, facts.flags, facts.loss))

    class Memory:
        def __init__(self, number):
            self.number = number

        def __float__(self):
            return self.number

    def setUp(self):
        self.library, self.events = self.Library(), []
        self.steps = Steps(self.library)

    def late(self, number):
        self.events.append(PlayedEvent())
        return Pending(self.Memory(number), self.events[-1])

    def step(self, *backward):
        self.steps.begin(0, -1)
        self.steps.add_backward(*backward)
        self.steps.end(2)

    def test_steps_are_reported_in_order_once_they_are_known(self):
        self.step(self.late(1.0))
        self.step(self.late(2.0))
        self.assertEqual(self.library.ends, [])
        self.events[1].has_come = True
        self.step(3.0)
        self.assertEqual(self.library.ends, [])
        self.events[0].has_come = True
        self.step(self.late(4.0))
        self.assertEqual(self.library.ends, [(0, 0, 1.0), (1, 0, 2.0), (2, 0, 3.0)])
        self.steps.report(is_last=True)
        self.assertEqual(self.library.ends[3][:2], (3, 0))
        self.assertTrue(math.isnan(self.library.ends[3][2]))

    def test_a_step_that_ends_with_the_next(self):
        self.steps.begin(0, -1)
        self.steps.add_backward(1.0)
        self.steps.begin(0, -1, ends=True)
        self.steps.add_backward(self.late(2.0))
        self.steps.begin(0, -1, ends=True)
        self.steps.add_backward(3.0)
        self.steps.begin(0, -1, ends=True)
        self.assertEqual(self.library.ends, [(0, 0, 1.0)])
        self.events[0].has_come = True
        self.steps.end(2)
        self.assertEqual(self.library.ends[:3], [(0, 0, 1.0), (1, 0, 2.0), (2, 0, 3.0)])

    def test_a_loss_that_never_comes(self):
        for _ in range(self.steps.WAITING + 1):
            self.step(self.late(1.0))
        self.assertEqual(len(self.library.ends), 1)
        self.assertEqual(self.library.ends[0][:2], (0, 0))

    def test_factors_and_sums(self):
        self.steps.begin(0, -1)
        self.steps.add_backward(8.0, 4.0)
        self.steps.add_backward(1.0)
        self.steps.end(2)
        self.assertEqual(self.library.ends, [(0, 0, 3.0)])

    def test_what_is_reported_comes_first_and_is_averaged(self):
        self.steps.begin(0, -1)
        self.steps.add_backward(8.0)
        self.steps.add_reported(1.0)
        self.steps.add_reported(2.0)
        self.steps.end(2)
        self.assertEqual(self.library.ends, [(0, 0, 1.5)])

    def test_a_loss_that_is_not_finite(self):
        self.step(float("nan"))
        self.step(float("inf"), 2.0)
        self.step(None)
        self.step(1.0, None)
        self.assertEqual([flags for _, flags, _ in self.library.ends], [1, 1, 0, 0])

    def test_a_skip_that_only_the_device_knows(self):
        self.steps.begin(0, -1)
        self.steps.skip(self.late(1.0))
        self.steps.end(2)
        self.steps.begin(0, -1)
        self.steps.skip(0.0)
        self.steps.end(2)
        self.events[0].has_come = True
        self.steps.report()
        self.assertEqual([flags for _, flags, _ in self.library.ends], [4, 0])


if __name__ == "__main__":
    unittest.main()
