# SPDX-License-Identifier: Apache-2.0
"""librankscope_rank.so by ctypes. Its functions and their meaning: core/observer/rank_interface.h."""
import ctypes
import os
import struct
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64

VERSION = 1
FILE = "librankscope_rank.so"
NEVER = 2**63 - 1
"""What rs_stop_at_step() returns if no stop is requested."""

UNKNOWN = -1
NAN = float("nan")

# docs/dev/telemetry.md
STARTING, JOINING, RUNNING = 0, 1, 2
FINISHED, STOPPED, FAILED = 0, 1, 2
DEBUG, INFO, WARNING, ERROR = 0, 1, 2, 3
NONE, STARTUP, RENDEZVOUS, DATA_WAIT, TO_DEVICE, PREPROCESS, AUGMENT, FORWARD, LOSS = range(9)
BACKWARD, OPTIMIZER, VALIDATE, CHECKPOINT, BARRIER = range(9, 14)


class Identity(ctypes.Structure):
    """rs_identity"""

    _fields_ = [
        ("rank", c_int32),
        ("world_size", c_int32),
        ("local_rank", c_int32),
        ("total_steps", c_int64),
        ("steps_per_epoch", c_int64),
        ("device", c_char_p),
    ]


class BatchFacts(ctypes.Structure):
    """rs_batch_facts"""

    _fields_ = [
        ("size", c_int32),
        ("ready", c_int32),
        ("samples_min", c_int64),
        ("samples_max", c_int64),
        ("samples_sum", c_int64),
        ("frames_min", c_int64),
        ("frames_max", c_int64),
        ("frames_sum", c_int64),
        ("padded_frames", c_int64),
        ("load_ns", c_int64),
        ("wait_ns", c_int64),
        ("index_hash", c_uint64),
    ]


BATCH = struct.Struct("@iiqqqqqqqqqQ")
"""The fields of BatchFacts: `BATCH.pack_into(facts, 0, …)` sets all in one call."""


class StepFacts(ctypes.Structure):
    """rs_step_facts"""

    _fields_ = [
        ("step", c_int64),
        ("epoch", c_int32),
        ("flags", c_int32),
        ("loss", c_double),
        ("learning_rate", c_double),
        ("gradient_norm", c_double),
        ("begin_ns", c_int64),
        ("end_ns", c_int64),
        ("exposed_gradient_ns", c_int64),
    ]


STEP = struct.Struct("@qiidddqqq")
"""The fields of StepFacts."""


class ValidationFacts(ctypes.Structure):
    """rs_validation_facts"""

    _fields_ = [
        ("step", c_int64),
        ("epoch", c_int32),
        ("loss", c_double),
        ("local_loss", c_double),
        ("batches", c_int64),
        ("begin_ns", c_int64),
        ("end_ns", c_int64),
    ]


_SLOW = {
    "rs_open": (c_int, c_char_p, POINTER(Identity), c_char_p, c_size_t),
    "rs_close": (None, c_int, c_int, c_char_p),
    "rs_at_exit": (None, c_int, c_char_p),
    "rs_group": (c_uint32, c_char_p, c_char_p, POINTER(c_int32), c_int),
    "rs_check": (c_int, c_char_p, c_size_t),
}
_QUICK = {
    "rs_interface_version": (c_int,),
    "rs_is_open": (c_int,),
    "rs_now": (c_int64,),
    "rs_stage": (None, c_int),
    "rs_software": (None, c_char_p, c_char_p),
    "rs_note": (None, c_int, c_char_p),
    "rs_scalar": (None, c_char_p, c_double),
    "rs_reading": (None, c_char_p),
    "rs_queue": (None, c_int, c_int),
    "rs_phase": (c_int64, c_int),
    "rs_current_phase": (c_int,),
    "rs_step_begin": (None, c_int64, c_int),
    "rs_batch": (None, POINTER(BatchFacts)),
    "rs_step_end": (None, POINTER(StepFacts)),
    "rs_validation": (None, POINTER(ValidationFacts)),
    "rs_stop_at_step": (c_int64,),
    "rs_enter": (c_uint64, c_uint32, c_int, c_int, c_int64, c_char_p, c_int),
    "rs_handed": (None, c_uint64),
    "rs_done": (None, c_uint64, c_int),
    "rs_tag": (None, c_char_p),
    "rs_untag": (None,),
    "rs_current_tag": (c_char_p,),
    "rs_backward_begin": (None,),
    "rs_backward_end": (c_int64,),
    "rs_next_step": (c_int64, POINTER(StepFacts), c_int64, c_int, c_int),
    "rs_use_batch": (c_int64, POINTER(BatchFacts), c_int),
    "rs_enter_backward": (None, c_int),
    "rs_leave_backward": (c_int64, c_int),
    "rs_dropped": (c_uint64,),
}


class Library:
    """The functions of the library, under the names that they have in C."""

    def __init__(self, path):
        # PyDLL keeps the GIL: giving it away costs more than a function that does not block, and may take it for 5 ms.
        self._bind(ctypes.PyDLL(path), _QUICK)
        self._bind(ctypes.CDLL(path), _SLOW)
        self.path = path
        version = self.rs_interface_version()
        if version != VERSION:
            raise OSError(f"{path}: interface {version}, not {VERSION}")

    def _bind(self, loaded, table):
        for name, (result, *arguments) in table.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)


_library = None


def load():
    """Returns the Library next to the package, or in it, as a wheel has it. Raises OSError."""
    global _library
    if _library is None:
        package = os.path.dirname(os.path.abspath(__file__))
        inside, outside = (os.path.join(folder, FILE) for folder in (package, os.path.dirname(package)))
        _library = Library(inside if os.path.exists(inside) else outside)
    return _library
