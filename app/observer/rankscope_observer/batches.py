# SPDX-License-Identifier: Apache-2.0
"""What is in a batch: how many items, and how long they are. Only tensors on the CPU are read."""
import sys
from collections.abc import Mapping

from .library import UNKNOWN

# Names of lengths in audio samples: NeMo's and lhotse's batches, and others'.
SAMPLES = (
    "audio_len",
    "audio_lens",
    "audio_lengths",
    "audio_length",
    "a_sig_length",
    "audio_signal_length",
    "input_signal_length",
    "source_audio_lens",
    "num_samples",
)
# Names of lengths in the frames, tokens or other units that the encoder gets.
FRAMES = (
    "feature_length",
    "feature_lens",
    "features_length",
    "processed_signal_length",
    "num_frames",
    "input_lengths",
    "input_length",
    "input_lens",
    "lengths",
    "length",
    "x_lens",
    "seq_lens",
)


class Lengths:
    """The lengths of a batch's items: `values` in audio samples if `are_samples`, otherwise in frames or tokens."""

    __slots__ = ("values", "are_samples", "padded")

    def __init__(self, values, are_samples, padded=None):
        """`padded`: to what the items are padded; None: to the longest."""
        self.values, self.are_samples, self.padded = values, are_samples, padded or max(values)


class BatchReader:
    """Reads batches."""

    def __init__(self, values):
        """`values`: a ValueReader."""
        self._values = values
        torch = sys.modules["torch"]
        self._types = values.types
        self._integer_types = frozenset((torch.int64, torch.int32, torch.int16, torch.uint8))

    def read(self, batch):
        """Returns (size, Lengths or None); size is UNKNOWN if it cannot be seen."""
        if self._values.has_dispatch_modes():
            return UNKNOWN, None
        if self._values.has_modes():
            with self._values.without_overrides():
                return self._read(batch)
        return self._read(batch)

    def _read(self, batch):
        is_sequence = isinstance(batch, (tuple, list))
        lengths = self._second(batch) if is_sequence else self._named(batch) if _has_names(batch) else None
        return (self._size(batch), None) if lengths is None else (len(lengths.values), lengths)

    def _named(self, batch):
        for names, are_samples in ((SAMPLES, True), (FRAMES, False)):
            for name in names:
                found = self._integers(_get(batch, name))
                if found:
                    return Lengths(found, are_samples)
        if isinstance(_get(batch, "supervisions"), Mapping):  # lhotse's own datasets
            return self._named(_get(batch, "supervisions"))
        return self._masked(batch)

    def _masked(self, batch):
        """Reads a batch of Hugging Face's processors and tokenizers."""
        mask = _get(batch, "attention_mask")
        if type(mask) not in self._types or not mask.is_cpu or mask.dim() != 2 or mask.is_floating_point():
            return None
        values = mask.sum(1).tolist()
        return Lengths(values, _get(batch, "input_values") is not None, mask.shape[1]) if values else None

    def _second(self, batch):
        """Reads a tuple (x, lengths, …), where the longest length is that of x."""
        if len(batch) < 2 or type(batch[0]) not in self._types:
            return None
        x, values = batch[0], self._integers(batch[1])
        shape = tuple(x.shape) if values else ()
        if len(shape) < 2 or shape[0] != len(values) or max(values) not in shape[1:3] or min(values) < 1:
            return None
        return Lengths(values, len(shape) == 2 and x.is_floating_point())

    def _integers(self, tensor):
        """Returns the elements of a vector of lengths; None if it is something else."""
        if not (type(tensor) in self._types and tensor.is_cpu and tensor.dim() == 1 and tensor.dtype in self._integer_types):
            return None
        values = tensor.tolist()
        return values if values and min(values) >= 0 else None

    def _size(self, batch):
        if isinstance(batch, (tuple, list)):
            parts = batch
        elif type(batch) in self._types:
            parts = (batch,)
        elif isinstance(batch, Mapping):
            parts = batch.values()
        else:
            parts = getattr(batch, "__dict__", {}).values()
        for part in parts:
            if type(part) in self._types and part.dim():
                return part.size(0)
        return UNKNOWN


def _has_names(batch):
    return isinstance(batch, Mapping) or (hasattr(batch, "__dict__") and not hasattr(batch, "dim"))


def _get(batch, name):
    return batch.get(name) if isinstance(batch, Mapping) else getattr(batch, "__dict__", {}).get(name)

