# SPDX-License-Identifier: Apache-2.0
"""Numbers in tensors, read without waiting for a device.

A number is a float if it was read, a Pending if it is on its way from a device, and None if it is not known.
"""
import sys


class Pending:
    """A number that is being copied from a device."""

    __slots__ = ("_host", "_copied")

    def __init__(self, host, copied):
        """`host`: the memory to which it is copied; `copied`: the event at the copy's end."""
        self._host, self._copied = host, copied

    def number(self):
        """Returns the number once it has arrived, before that this."""
        return float(self._host) if self._copied.query() else self


class DeviceCopies:
    """Copies from a CUDA device into pinned memory, in the order of the current stream."""

    PLACES = 64

    def __init__(self, torch):
        self._torch = torch
        self._places = {}  # dtype → (tensor of PLACES elements, next)

    def start(self, tensor):
        """Returns a Pending for the number in a tensor; None while a CUDA graph is captured."""
        cuda = self._torch.cuda
        if cuda.is_current_stream_capturing():
            return None
        host = self._place(tensor.dtype)
        host.copy_(tensor.detach().reshape(()), non_blocking=True)
        copied = cuda.Event()
        copied.record(cuda.current_stream(tensor.device))
        return Pending(host, copied)

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
        self.has_modes = torch._C._len_torch_function_stack
        self.has_dispatch_modes = torch._C._len_torch_dispatch_stack
        self.types = frozenset((torch.Tensor, torch.nn.Parameter))
        """Of tensors that can be read without running other code, such as a collective or the program's."""
        self._copies = copies or DeviceCopies(torch)

    def read(self, tensor):
        """Returns the number in a tensor of one floating-point element, or the number itself."""
        if type(tensor) not in self.types or self.has_dispatch_modes():
            return float(tensor) if isinstance(tensor, (int, float)) else None
        if self.has_modes():
            with self.without_overrides():
                return self._read(tensor)
        return self._read(tensor)

    def _read(self, tensor):
        if not tensor.is_floating_point() or tensor.numel() != 1:
            return None
        if tensor.is_cpu:
            return tensor.item()
        return self._copies.start(tensor) if tensor.is_cuda else None


def arrived(numbers):
    """Replaces the Pending in a list that have arrived. Returns whether none is left."""
    for at, number in enumerate(numbers):
        if type(number) is Pending:
            numbers[at] = number.number()
            if numbers[at] is number:
                return False
    return True


def give_up(numbers):
    """What has not arrived is not known."""
    numbers[:] = [None if type(number) is Pending else number for number in numbers]
