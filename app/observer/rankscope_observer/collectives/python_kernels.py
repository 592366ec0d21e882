# SPDX-License-Identifier: Apache-2.0
"""Kernels in Python, for a PyTorch without a native library. They do what app/observer/c10d does in C++."""
import sys

from . import tags
from .groups import UNKNOWN

# Values of CollectiveOp (core/telemetry/format/records.h), by the operator's name without leading underscores. The
# first that fits counts.
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
    """Returns the number of the operation that an operator of c10d does."""
    name = name.lstrip("_")
    return next((number for prefix, number in OPERATIONS if name.startswith(prefix)), OTHER)


class PythonKernels:
    """One kernel for each operator of c10d that has a process group."""

    def __init__(self, torch_module, dist_module, groups, rank_calls, reason):
        self.name = "Python kernels, because %s" % reason
        self.torch = torch_module
        self.dist = dist_module
        self.groups = groups
        self.rank_calls = rank_calls
        self.off = False
        self.below = torch_module._C._dispatch_keyset_full_after(torch_module._C.DispatchKey.BackendSelect)
        self.dtypes = {
            getattr(torch_module, name): number for name, number in DTYPES.items() if hasattr(torch_module, name)}
        self._library = torch_module.library.Library("c10d", "IMPL")
        for name in torch_module._C._dispatch_get_all_op_names():
            if name.startswith("c10d::") and "." not in name:
                self._register(name[len("c10d::"):])

    def forget_groups(self):
        """For when all groups were destroyed and others made."""
        self.groups.forget()

    def switch_off(self, error):
        """After the first error, calls are only passed on."""
        if not self.off:
            self.off = True
            self.rank_calls.warn("The kernels for PyTorch's collectives are off: %r" % error)

    def _register(self, name):
        operator = getattr(self.torch.ops.c10d, name).default
        arguments = [argument.name for argument in operator._schema.arguments]
        if "process_group" in arguments:
            kernel = _Kernel(self, operator, arguments)
            self._library.impl(name, kernel.call, "BackendSelect", with_keyset=True)


class _Kernel:
    """The kernel of one operator."""

    def __init__(self, kernels, operator, arguments):
        self._kernels = kernels
        self._rank_calls = kernels.rank_calls
        self._operator = operator
        self._op = operation_of(operator._schema.name.partition("::")[2])
        self._group = arguments.index("process_group")
        self._async = next((i for i, name in enumerate(arguments) if name in ("async_op", "asyncOp")), None)
        given = ("tensor", "output" if self._op == SCATTER else "input")
        self._payload = next(
            (i for i, name in enumerate(arguments) if self._op != BARRIER and name.startswith(given)), None)
        self._has_future = True

    def call(self, keys, *args):
        """Reports the call, passes it on to the backend as it is, and reports its end."""
        handle = self._enter(args)
        if not handle:
            return self._operator.redispatch(keys & self._kernels.below, *args)
        try:
            result = self._operator.redispatch(keys & self._kernels.below, *args)
        except BaseException:
            self._rank_calls.handed(handle)
            self._rank_calls.done(handle, 1)
            raise
        self._rank_calls.handed(handle)
        self._follow(result, handle)
        return result

    def _enter(self, args):
        if self._kernels.off or not self._rank_calls.is_open():
            return 0
        try:
            name = self._kernels.dist.ProcessGroup.unbox(args[self._group]).group_name
            group = self._kernels.groups.number_of_name(name)
            if group == UNKNOWN:
                return 0
            return self._enter_group(group | POINT_TO_POINT if self._op in (SEND, RECEIVE) else group, args)
        except Exception as error:
            self._kernels.switch_off(error)
            return 0

    def _enter_group(self, group, args):
        first, elements = self._payload_of(args)
        dtype = self._kernels.dtypes.get(first.dtype, 0) if first is not None else 0
        tag, waits = None, False
        asynchronous = self._is_async(args)
        if self._op in (ALL_REDUCE, REDUCE_SCATTER) and self._in_gradient_hook():
            if first is not None and not first.dtype.is_floating_point:
                tag = b"ddp:used_parameters"
        elif asynchronous is None or not self._rank_calls.current_tag():
            place = tags.place_of(sys._getframe(3))
            waits = place.always_waits or (place.waits and asynchronous is None)
            if not self._rank_calls.current_tag():
                tag = place.tag.encode("utf-8", "replace")
        return self._rank_calls.enter(group, self._op, dtype, elements, tag, waits or asynchronous is False)

    def _payload_of(self, args):
        if self._payload is None:
            return None, 0
        tensors = list(_tensors(args[self._payload]))
        if not tensors:
            return None, 0
        strided = self._kernels.torch.strided
        if any(tensor.layout != strided for tensor in tensors):
            return tensors[0], -1
        return tensors[0], sum(tensor.numel() for tensor in tensors)

    def _is_async(self, args):
        if self._async is None:
            return None
        return args[self._async] if self._async < len(args) else True  # the default is left out

    def _in_gradient_hook(self):
        node = self._kernels.torch._C._current_autograd_node()
        return type(node).__name__ == "AccumulateGrad"

    def _follow(self, result, handle):
        work = result[-1] if isinstance(result, tuple) else result
        try:
            future = self._future_of(work)
            if future is None:  # the end of such work is not known: it counts as ended now
                self._rank_calls.done(handle, 0)
            else:
                future.add_done_callback(lambda ended: self._ended(ended, handle))
        except Exception as error:
            self._rank_calls.done(handle, 0)
            self._kernels.switch_off(error)

    def _future_of(self, work):
        if work is None or not self._has_future:
            return None
        work = self._kernels.dist.Work.unbox(work)
        try:
            return work.get_future() if work is not None else None
        except RuntimeError:
            self._has_future = False
            return None

    def _ended(self, future, handle):
        failed = 0
        try:
            future.value()
        except Exception:
            failed = 1
        self._rank_calls.done(handle, failed)


def _tensors(value):
    if isinstance(value, (list, tuple)):
        for element in value:
            yield from _tensors(element)
    elif value is not None:
        yield value
