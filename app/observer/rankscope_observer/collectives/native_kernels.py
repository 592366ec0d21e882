# SPDX-License-Identifier: Apache-2.0
"""The C++ kernels (app/observer/c10d), and what they ask Python for."""
import ctypes
import os
import sys

from . import tags
from .groups import UNKNOWN

_RESOLVE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_GROUP = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_char_p)

# RS_C10D_ALWAYS_WAITS, RS_C10D_WAITS, RS_C10D_FIXED
_ALWAYS_WAITS, _WAITS, _FIXED = 1, 2, 4


class NativeKernels:
    """The library for one version of PyTorch, with its kernels registered."""

    def __init__(self, path, groups):
        self.name = f"C++ kernels, {os.path.basename(path)}"
        self._groups = groups
        self._library = ctypes.CDLL(path)
        self._library.rs_c10d_install.argtypes = [_RESOLVE, _GROUP, ctypes.c_char_p, ctypes.c_size_t]
        self._raise_later = ctypes.PyDLL(path).rs_c10d_raise_later
        self._raise_later.argtypes, self._raise_later.restype = [ctypes.py_object], None
        self._callbacks = _RESOLVE(self._write_tag), _GROUP(self._number_of)
        self._register()

    def forget_groups(self):
        """Forgets all numbers, because the groups were destroyed and others made."""
        self._groups.forget()
        self._register()

    def _register(self):
        error = ctypes.create_string_buffer(256)
        if self._library.rs_c10d_install(*self._callbacks, error, len(error)) < 0:
            raise RuntimeError(error.value.decode("utf-8", "replace"))

    # An exception that arrives here was raised by a handler of the program for a signal, which Python calls between any
    # two lines: the program gets it as soon as these functions have returned and its own code continues.

    def _write_tag(self, buffer, size):
        try:
            place = tags.place_of_caller(sys._getframe(1))
        except BaseException as error:
            self._raise_later(error)
            return -1
        if place is None:
            return -1
        text = place.tag.encode("utf-8", "replace")[:size - 1] + b"\0"
        ctypes.memmove(buffer, text, len(text))
        return ((place.always_waits and _ALWAYS_WAITS) | (place.waits and _WAITS) | (place.fixed and _FIXED) |
                place.depth << 8)

    def _number_of(self, name):
        try:
            return self._groups.number_of_name(name.decode())
        except BaseException as error:
            self._raise_later(error)
            return UNKNOWN
