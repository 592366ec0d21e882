# SPDX-License-Identifier: Apache-2.0
"""Gives every journal segment a second name, so that a rank's records can be counted after the supervisor has deleted
the first one. This keeps the segment's final bytes, not a copy made at some moment."""
import errno
import os
import threading


class Archive:
    def __init__(self, runs, folder, every=0.01):
        self.runs, self.folder, self.every = runs, folder, every
        self._known, self._done = set(), set()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self):
        while not self._stop.wait(self.every):
            self.look()

    def look(self):
        with self._lock:
            for run in _names(self.runs):
                if run.startswith(".") or run in self._done:
                    continue
                ranks = os.path.join(self.runs, run, "ranks")
                for rank in _names(ranks):
                    for name in _names(os.path.join(ranks, rank)):
                        if name.startswith("journal."):
                            self._keep(os.path.join(ranks, rank, name), (run, rank, name))

    def _keep(self, path, key):
        if key in self._known or os.path.islink(path) or not os.path.isfile(path):
            return  # not a journal: something else was put there
        os.makedirs(self.rank(*key[:2]), mode=0o700, exist_ok=True)
        try:
            os.link(path, os.path.join(self.rank(*key[:2]), key[2]))
        except FileExistsError:
            pass
        except OSError as e:
            if e.errno in (errno.ENOENT, errno.EROFS, errno.ENOSPC):
                return  # the supervisor was faster (the numbers then have a gap), or there is no space for the name
            raise
        self._known.add(key)

    def rank(self, run, rank):
        return os.path.join(self.folder, run, str(rank))

    def done(self, run):
        with self._lock:
            self._done.add(run)

    def close(self):
        self._stop.set()
        self._thread.join()


def _names(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []
