# SPDX-License-Identifier: Apache-2.0
"""Numbers in tensors, read without waiting for a device."""
import sys

from .library import NAN


class Value:
    """A number. If it is still on its way from a device, `is_known()` says when it has arrived."""

    __slots__ = ("number", "was_read", "_host", "_copied")

    def __init__(self, number=NAN, was_read=False, host=None, copied=None):
        """`was_read`: it is what a tensor holds, and not a NaN for "not known"; `host`: the memory to which it is being
        copied; `copied`: the event at the copy's end."""
        self.number, self.was_read, self._host, self._copied = number, was_read, host, copied

    def is_known(self):
        if self._copied is not None:
            if not self._copied.query():
                return False
            self.number, self.was_read = float(self._host), True
            self.give_up()
        return True

    def give_up(self):
        self._host = self._copied = None


class DeviceCopies:
    """Copies from a CUDA device into pinned memory, in the order of the current stream."""

    PLACES = 64

    def __init__(self, torch):
        self._torch = torch
        self._places = {}  # dtype → (tensor of PLACES elements, next)

    def start(self, tensor):
        """Returns the Value of a tensor; one that is not known while a CUDA graph is captured."""
        cuda = self._torch.cuda
        if cuda.is_current_stream_capturing():
            return Value()
        host = self._place(tensor.dtype)
        host.copy_(tensor.detach().reshape(()), non_blocking=True)
        copied = cuda.Event()
        copied.record(cuda.current_stream(tensor.device))
        return Value(NAN, False, host, copied)

    def _place(self, dtype):
        memory, at = self._places.get(dtype) or (self._make(dtype), 0)
        self._places[dtype] = (memory, (at + 1) % self.PLACES)
        return memory[at]

    def _make(self, dtype):
        return self._torch.empty(self.PLACES, dtype=dtype, device="cpu", pin_memory=True)


class ValueReader:
    """Reads tensors of one element."""

    def __init__(self, copies=None):
        """`copies`: by default those of CUDA."""
        torch = sys.modules["torch"]
        self.without_overrides = torch._C.DisableTorchFunction
        """Makes contexts in which no mode of the program sees what is called."""
        self._types = (torch.Tensor, torch.nn.Parameter)
        self._count_modes = torch._C._len_torch_dispatch_stack
        self._copies = copies or DeviceCopies(torch)

    def is_plain(self, value):
        """Whether it is a tensor that can be read without running other code, such as a collective or the program's."""
        return type(value) in self._types and self._count_modes() == 0

    def is_on_cpu(self, value):
        return self.is_plain(value) and value.device.type == "cpu"

    def read(self, tensor):
        """Returns the Value of a tensor or number; one that is not known if it has no single number."""
        if isinstance(tensor, (int, float)):
            return Value(float(tensor), True)
        if not self.is_plain(tensor):
            return Value()
        with self.without_overrides():
            return self._read(tensor)

    def _read(self, tensor):
        if tensor.numel() != 1 or not tensor.is_floating_point():
            return Value()
        kind = tensor.device.type
        if kind == "cpu":
            return Value(tensor.item(), True)
        return self._copies.start(tensor) if kind == "cuda" else Value()
