# SPDX-License-Identifier: Apache-2.0
"""Kernels in Python, for a PyTorch without a native library. They do what app/observer/c10d does in C++."""
import sys
from functools import partial

from ..guard import hook
from . import tags
from .groups import UNKNOWN

# Values of CollectiveOp (core/telemetry/format/records.h), by the operator's name without leading underscores. The
# first match counts.
OPERATIONS = (
    ("allreduce", 0), ("allgather", 1), ("broadcast", 2), ("reduce_scatter", 4), ("reduce", 3), ("gather", 5),
    ("scatter", 6), ("alltoall", 8), ("barrier", 7), ("monitored_barrier", 7), ("send", 9), ("recv", 10))
ALL_REDUCE, REDUCE_SCATTER, SCATTER, BARRIER, SEND, RECEIVE, OTHER = 0, 4, 6, 7, 9, 10, 11

# Values of c10::ScalarType.
DTYPES = {
    name: number
    for number, name in enumerate((
        "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64",
        "complex128", "bool", "qint8", "quint8", "qint32", "bfloat16", "quint4x2", "quint2x4", "bits1x8", "bits2x4",
        "bits4x2", "bits8", "bits16", "float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz", "uint16",
        "uint32", "uint64"))
}

POINT_TO_POINT = 0x80000000


def operation_of(name):
    """Returns the number of the operation that an operator of c10d performs."""
    name = name.lstrip("_")
    return next((number for prefix, number in OPERATIONS if name.startswith(prefix)), OTHER)


class PythonKernels:
    """One kernel for each operator of c10d that has a process group."""

    def __init__(self, torch, dist, groups, reason):
        self.name = f"Python kernels, because {reason}"
        self.torch, self.groups, self.lib = torch, groups, groups.lib
        self.unbox_group, self.unbox_work = dist.ProcessGroup.unbox, dist.Work.unbox
        self.current_node = torch._C._current_autograd_node
        self.below = torch._C._dispatch_keyset_full_after(torch._C.DispatchKey.BackendSelect)
        self.dtypes = {getattr(torch, name): number for name, number in DTYPES.items() if hasattr(torch, name)}
        self._library = torch.library.Library("c10d", "IMPL")
        for name in torch._C._dispatch_get_all_op_names():
            if name.startswith("c10d::") and "." not in name:
                self._register(name[len("c10d::"):])

    def forget_groups(self):
        """Forgets all numbers, because the groups were destroyed and others made."""
        self.groups.forget()

    def _register(self, name):
        operator = getattr(self.torch.ops.c10d, name).default
        arguments = [argument.name for argument in operator._schema.arguments]
        if "process_group" in arguments:
            kernel = Kernel(self, name, operator, arguments)
            self._library.impl(name, kernel.call, "BackendSelect", with_keyset=True)


class Kernel:
    """The kernel of one operator."""

    def __init__(self, shared, name, operator, arguments):
        self.shared, self.lib = shared, shared.lib
        self.operator, self.strided = operator, shared.torch.strided
        self.op = operation_of(name)
        self.may_reduce = self.op in (ALL_REDUCE, REDUCE_SCATTER)
        self.group = arguments.index("process_group")
        self.asynchronous = next((i for i, name in enumerate(arguments) if name in ("async_op", "asyncOp")), None)
        given = ("tensor", "output" if self.op == SCATTER else "input")
        self.payload = next(
            (i for i, name in enumerate(arguments) if self.op != BARRIER and name.startswith(given)), None)
        self.has_future = True

    def call(self, keys, *args):
        """Reports the call, passes it on to the backend unchanged, and reports its end."""
        handle = enter(self, args) if self.lib.rs_is_open() else 0
        keys &= self.shared.below
        if not handle:
            return self.operator.redispatch(keys, *args)
        try:
            result = self.operator.redispatch(keys, *args)
        except BaseException:
            self.lib.rs_handed(handle)
            self.lib.rs_done(handle, 1)
            raise
        self.lib.rs_handed(handle)
        if not follow(self, result, handle):
            self.lib.rs_done(handle, 0)
        return result

    def payload_of(self, args):
        """Returns the first tensor, and how many elements all have; -1: not known, for sparse ones."""
        if self.payload is None:
            return None, 0
        first, elements = None, 0
        for tensor in _tensors(args[self.payload]):
            first = tensor if first is None else first
            if tensor.layout is not self.strided:
                return first, -1
            elements += tensor.numel()
        return first, elements

    def is_async(self, args):
        """Whether the caller continues before the end; None: the operator has no such argument."""
        if self.asynchronous is None:
            return None
        return args[self.asynchronous] if self.asynchronous < len(args) else True  # a default is left out

    def reduces_gradients(self):
        """As inGradientHook() in app/observer/c10d/call_observer.cpp."""
        return self.may_reduce and type(self.shared.current_node()).__name__ == "AccumulateGrad"

    def future_of(self, work):
        """Returns None for work that has no future."""
        if work is None or not self.has_future:
            return None
        work = self.shared.unbox_work(work)
        try:
            return work.get_future() if work is not None else None
        except RuntimeError:
            self.has_future = False
            return None


@hook
def enter(kernel, args):
    """Returns the handle of rs_enter()."""
    group = kernel.shared.groups.number_of(kernel.shared.unbox_group(args[kernel.group]))
    if group == UNKNOWN:
        return 0
    if kernel.op in (SEND, RECEIVE):
        group |= POINT_TO_POINT
    first, elements = kernel.payload_of(args)
    asynchronous = kernel.is_async(args)
    tag, waits = None, False
    if kernel.reduces_gradients():
        if first is not None and not first.dtype.is_floating_point:
            tag = b"ddp:used_parameters"
    elif asynchronous is None or not kernel.lib.rs_current_tag():
        place = tags.place_of_caller(sys._getframe(3))  # outside of this one, its guard and the kernel
        if place is not None:
            waits = place.always_waits or (place.waits and asynchronous is None)
            tag = None if kernel.lib.rs_current_tag() else place.tag.encode("utf-8", "replace")
    dtype = kernel.shared.dtypes.get(first.dtype, 0) if first is not None else 0
    return kernel.lib.rs_enter(group, kernel.op, dtype, elements, tag, waits or asynchronous is False)


@hook
def follow(kernel, result, handle):
    """Returns whether the end will be reported. Work without a future is reported as ended now."""
    future = kernel.future_of(result[-1] if isinstance(result, tuple) else result)
    if future is None:
        return False
    future.add_done_callback(partial(_has_ended, kernel.lib.rs_done, handle))
    return True


def _has_ended(report, handle, future):
    """Called by the thread of the backend, in which an exception would reach nobody."""
    try:
        future.value()
        report(handle, 0)
    except Exception:
        report(handle, 1)


def _tensors(value):
    """Returns the tensors of an argument: a tensor, or a list of tensors or lists."""
    if not isinstance(value, list):
        return (value,)
    if value and isinstance(value[0], list):
        return [tensor for tensors in value for tensor in tensors]
    return value
