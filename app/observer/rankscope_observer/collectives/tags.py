# SPDX-License-Identifier: Apache-2.0
"""What a collective is for, by the Python frames of the thread that calls it (docs/dev/telemetry.md, Tags).

A tag depends on the frames from the innermost to the decisive one: the first of the user's program, or one of a
library that says what the call is for. Code that is decisive once is so in every call: the C++ kernels rely on it.
"""
import os
import weakref
from collections import OrderedDict
from typing import NamedTuple

from ..guard import hook

FRAMES = 24  # as in app/observer/c10d/python/call_places.h

LIBRARIES = frozenset((
    "torch", "lightning", "lightning_fabric", "pytorch_lightning", "lightning_utilities", "torchmetrics", "accelerate",
    "transformers", "rankscope_observer", "contextlib", "functools", "threading", "concurrent", "importlib", "runpy",
    "typing_extensions"))

# What a function of DDP exchanges, by the innermost of its frames that is named here.
DDP = {
    "_verify_param_shape_across_processes": "ddp:verify_parameters",
    "_sync_module_states": "broadcast:parameters",
    "_sync_params_and_buffers": "broadcast:parameters",
    "_sync_buffers": "broadcast:buffers",
    "_sync_module_buffers": "broadcast:buffers",
    "_pre_forward": "ddp:bucket_order",
    "forward": "ddp:bucket_order",
}
OBJECTS = frozenset((
    "all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list", "send_object_list",
    "recv_object_list"))
METRICS = frozenset(("_sync_ddp", "_gather_all_tensors", "gather_all_tensors"))
# Of Lightning: through these, calls only pass.
PASSED_THROUGH = (".strategies.", ".utilities.distributed", ".logger_connector", ".core.")
PROPERTIES = frozenset(("metrics", "callback_metrics", "logged_metrics", "progress_bar_metrics"))


class Place(NamedTuple):
    """A tag, and whether the caller waits for the collective's end."""

    tag: str
    always_waits: bool  # whatever the call itself says
    waits: bool  # as far as the frames tell
    depth: int  # frames that it depends on, from the innermost; 0: all
    fixed: bool  # the same for each call from the same frames


class _Layers:
    """Numbers the SyncBatchNorm layers in the order in which they are used first."""

    BACKWARDS = 4096

    def __init__(self):
        self._of_module = weakref.WeakKeyDictionary()
        self._of_context = OrderedDict()

    def number(self, module):
        return self._of_module.setdefault(module, len(self._of_module))

    def enter_forward(self, context, number):
        """Remembers the layer for the backward that gets the same context."""
        self._of_context[id(context)] = number
        self._of_context.move_to_end(id(context))
        while len(self._of_context) > self.BACKWARDS:
            self._of_context.popitem(last=False)

    def of_backward(self, context):
        return self._of_context.get(id(context))


_layers = _Layers()


class _Places:
    """Places by the frames that they depend on, as CallPlaces does in C++. Codes are kept, and compared by address."""

    LIMIT = 4096

    def __init__(self):
        self._places, self._decisive = {}, {}

    def of(self, frame):
        innermost, key = frame, []
        while frame is not None and len(key) < 2 * FRAMES:
            code = id(frame.f_code)
            key += code, frame.f_lasti
            if code in self._decisive:
                break
            frame = frame.f_back
        place = self._places.get(tuple(key))
        return self._find(innermost, key) if place is None else place[0]

    def _find(self, frame, key):
        place = place_of(frame)
        codes = []
        while frame is not None and len(codes) < (place.depth or FRAMES):
            codes.append(frame.f_code)
            frame = frame.f_back
        if len(self._places) < self.LIMIT:
            if place.depth:
                self._decisive[id(codes[-1])] = codes[-1]
            if place.fixed:
                self._places[tuple(key[:2 * len(codes)])] = place, codes
        return place


_places = _Places()


@hook
def place_of_caller(frame):
    """Returns the Place of the collective that the calling thread calls; None: not known."""
    return _places.of(frame)


def resolve(frame):
    """Returns the tag of a collective whose innermost Python frame is `frame`."""
    return place_of(frame).tag


def place_of(frame):
    """Returns the Place of a collective whose innermost Python frame is `frame`."""
    walk = _Walk()
    depth = 0
    while frame is not None and depth < FRAMES:
        depth += 1
        if walk.add(frame):
            return walk.place(depth)
        frame = frame.f_back
    return walk.place(0)


def _line(frame):
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


class _Walk:
    """The frames of one call, from the innermost outwards."""

    def __init__(self):
        self._kind = ""  # "barrier", "objects", "metrics"
        self._label = ""
        self._tag = ""
        self._innermost = ""  # place, where no frame decides
        self._outermost = ""  # place in a library, for what its loop has called
        self._waits = None
        self._always_waits = False
        self._fixed = True
        self._ddp = None
        self._layer_context = None

    def place(self, depth):
        """Returns what the frames so far say."""
        tag = self._tag or self._label or self._innermost
        if not self._tag and self._kind:
            tag = f"{self._kind}:{tag}"
        return Place(tag, self._always_waits, bool(self._waits), depth, self._fixed)

    def add(self, frame):
        """Takes one more frame. Returns whether it is the decisive one."""
        module = frame.f_globals.get("__name__") or ""
        package = module.partition(".")[0]
        if package not in LIBRARIES:
            return self._add_user(module, frame)
        if package == "torch":
            return self._add_torch(module, frame)
        if package in ("lightning", "pytorch_lightning", "lightning_fabric", "transformers"):
            return self._add_trainer(module, frame)
        if package == "torchmetrics":
            self._kind = "metrics"
        elif package == "accelerate" and frame.f_code.co_name == "wait_for_everyone":
            self._kind = "barrier"
        return False

    def _add_user(self, module, frame):
        if frame.f_code.co_name == "update_max_seq_length" and module.startswith("nemo."):
            self._tag = "sync_max_audio_length"
        elif not self._label:
            self._label = _line(frame)
        return True

    def _add_torch(self, module, frame):
        name = frame.f_code.co_name
        if module == "torch.distributed.distributed_c10d":
            self._add_c10d(name, frame)
        elif module == "torch.distributed.utils" or module == "torch.nn.parallel.distributed":
            return self._add_ddp(module, name)
        elif ".fsdp" in module or "._fsdp" in module:
            self._tag = "fsdp:" + name.strip("_")
            return True
        elif module == "torch.nn.modules._functions":
            return self._add_batchnorm_function(name, frame)
        elif module == "torch.nn.modules.batchnorm" and self._layer_context is not None:
            return self._add_batchnorm_module(frame)
        elif not module.startswith("torch.distributed") and not self._innermost:
            self._innermost = _line(frame)
        return False

    def _add_c10d(self, name, frame):
        if name in ("send", "recv", "monitored_barrier"):
            self._waits = True
        elif self._waits is None and "async_op" in frame.f_code.co_varnames:
            self._waits = not frame.f_locals.get("async_op", False)
        if name in OBJECTS:
            self._kind = "objects"
        elif name in ("barrier", "monitored_barrier"):
            self._kind = "barrier"

    def _add_ddp(self, module, name):
        self._ddp = self._ddp or DDP.get(name)
        if module != "torch.nn.parallel.distributed" or name.endswith("_broadcast_coalesced"):
            return False  # FSDP uses the same functions
        self._tag = self._ddp or "ddp:" + name.strip("_")
        self._always_waits = self._waits is None  # C++ code of DDP has called
        return True

    def _add_batchnorm_function(self, name, frame):
        context = frame.f_locals.get("self")
        self._fixed = False
        if name == "forward":
            self._layer_context = context
            return False
        number = _layers.of_backward(context)
        self._tag = "sync_batchnorm" if number is None else f"sync_batchnorm:{number}"
        return True

    def _add_batchnorm_module(self, frame):
        number = _layers.number(frame.f_locals["self"])
        _layers.enter_forward(self._layer_context, number)
        self._tag = f"sync_batchnorm:{number}"
        return True

    def _add_trainer(self, module, frame):
        name = frame.f_code.co_name
        if name in METRICS:
            self._kind = "metrics"
        elif name == "barrier":
            self._kind = self._kind or "barrier"
            self._label = self._label or _name_of_barrier(frame)
        if _is_loop(module, name):
            self._label = self._label or self._outermost or self._place_in_library(frame)
            return True
        if not any(part in module for part in PASSED_THROUGH):
            self._outermost = self._place_in_library(frame)
        self._innermost = self._innermost or _line(frame)
        return False

    def _place_in_library(self, frame):
        return frame.f_code.co_name if self._kind in ("barrier", "metrics") else _line(frame)


def _name_of_barrier(frame):
    """Returns the name that Lightning's strategy was given; empty: none."""
    name = frame.f_locals.get("name") or next(iter(frame.f_locals.get("args") or ()), None)
    return name if isinstance(name, str) else ""


def _is_loop(module, name):
    """Whether the function calls the user's code: a call from here without the user's frames is the library's own."""
    if module.endswith("logger_connector.result") or name in PROPERTIES:
        return False
    return ".loops." in module or ".trainer." in module or module == "transformers.trainer"
