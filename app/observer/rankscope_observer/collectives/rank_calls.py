# SPDX-License-Identifier: Apache-2.0
"""The functions of librankscope_rank.so that collectives need (core/observer/rank_interface.h)."""
import ctypes


class RankCalls:
    """A few of its functions, by ctypes."""

    WARNING = 2

    def __init__(self, path):
        library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.is_open = library.rs_is_open
        self.enter = library.rs_enter
        self.enter.restype = ctypes.c_uint64
        self.enter.argtypes = [
            ctypes.c_uint32, ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_char_p, ctypes.c_int]
        self.handed = library.rs_handed
        self.handed.restype = None
        self.handed.argtypes = [ctypes.c_uint64]
        self.done = library.rs_done
        self.done.restype = None
        self.done.argtypes = [ctypes.c_uint64, ctypes.c_int]
        self.current_tag = library.rs_current_tag
        self.current_tag.restype = ctypes.c_void_p
        self._group = library.rs_group
        self._group.restype = ctypes.c_uint32
        self._note = library.rs_note
        self._note.restype = None

    def group(self, name, backend, ranks):
        """Returns the number of the process group with these global ranks."""
        members = (ctypes.c_int32 * len(ranks))(*ranks)
        return self._group(name.encode(), backend.encode(), members, ctypes.c_int(len(ranks)))

    def warn(self, text):
        """Appends a note to the journal."""
        self._note(ctypes.c_int(self.WARNING), text.encode("utf-8", "replace"))
