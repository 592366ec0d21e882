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

    def __init__(self, path, groups, rank_calls):
        self._groups = groups
        self._rank_calls = rank_calls
        self._off = False
        self._library = ctypes.CDLL(path)
        self._library.rs_c10d_install.argtypes = [_RESOLVE, _GROUP, ctypes.c_char_p, ctypes.c_size_t]
        self._library.rs_c10d_raise_later.argtypes = [ctypes.py_object]
        self._library.rs_c10d_raise_later.restype = None
        self._resolve = _RESOLVE(self._write_tag)
        self._group = _GROUP(self._number_of)
        self.name = "C++ kernels, %s" % os.path.basename(path)
        self._register()

    def forget_groups(self):
        """For when all groups were destroyed and others made."""
        self._groups.forget()
        self._register()

    def _register(self):
        error = ctypes.create_string_buffer(256)
        if self._library.rs_c10d_install(self._resolve, self._group, error, len(error)) < 0:
            raise RuntimeError(error.value.decode("utf-8", "replace"))

    def _write_tag(self, buffer, size):
        try:
            place = tags.place_of(sys._getframe(1))
            text = place.tag.encode("utf-8", "replace")[:size - 1] + b"\0"
            ctypes.memmove(buffer, text, len(text))
            return ((place.always_waits and _ALWAYS_WAITS) | (place.waits and _WAITS) | (place.fixed and _FIXED) |
                    place.depth << 8)
        except BaseException as error:
            self._failed(error)
            return -1

    def _number_of(self, name):
        try:
            return self._groups.number_of_name(name.decode())
        except BaseException as error:
            self._failed(error)
            return UNKNOWN

    def _failed(self, error):
        """Notes the first error. What a handler of a signal has raised meanwhile belongs to the user's program."""
        if not isinstance(error, Exception):
            self._library.rs_c10d_raise_later(error)
        elif not self._off:
            self._off = True
            self._rank_calls.warn("The purpose of some collectives is not known: %r" % error)
