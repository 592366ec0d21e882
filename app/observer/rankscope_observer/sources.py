# SPDX-License-Identifier: Apache-2.0
"""What is known about one iteration over a DataLoader."""
import weakref
from collections import deque

ATTRIBUTE = "_rankscope_source"
SHOWN = 16  # indices of a batch that are named


class Source:
    """One iterator of a DataLoader: the batches that no step has used yet, and what its next one is made of."""

    PENDING = 64

    def __init__(self, iterator):
        self.pending = deque(maxlen=self.PENDING)  # (size, Lengths or None, wait ns, ready)
        self.is_listed = False  # among those of the Training
        self.trains = False  # a backward used a batch of it
        self.is_used = False  # by the next backward
        self.ready_when_asked = 0
        self.loaded = 0  # batches since one was used
        self.reads_slowly = True
        self.evaluates = False
        self.has_ended = False  # an iterator with persistent workers begins again
        self.iterator = weakref.ref(iterator)
        self.dataset = _name_of(getattr(iterator, "_dataset", None))
        is_map = iterator._dataset_kind == 0
        # otherwise the indices are seen by the dataset itself, as they are
        self.reads_one_by_one = is_map and iterator._auto_collation and not hasattr(iterator._dataset, "__getitems__")
        workers = getattr(iterator, "_num_workers", 0)
        self.capacity = workers * (getattr(iterator, "_prefetch_factor", 0) or 0)
        self._indices = {}  # of workers' batches: number → indices

    def remember(self, number, index):
        """Takes the indices of a batch that a worker gets."""
        self._indices[number] = index

    def ready(self):
        """Returns how many batches workers have finished."""
        iterator = self.iterator()
        if not self.capacity or iterator is None:
            return 0
        results, data = iterator._worker_result_queue, iterator._data_queue
        kept = sum(len(info) == 2 for info in iterator._task_info.values())
        return kept + results.qsize() + (data.qsize() if data is not results else 0)

    def awaited(self):
        """Returns the text for what the program is about to wait for; empty if it is there, or not known."""
        iterator = self.iterator()
        if not self.capacity or iterator is None:
            return ""
        number = iterator._rcvd_idx
        for old in [n for n in self._indices if n < number]:
            del self._indices[old]
        info = iterator._task_info.get(number)
        if info is None or len(info) == 2:
            return ""
        return f"{self.named(self._indices.get(number))} (worker {info[0]})"

    def named(self, index):
        """Returns "MyDataset[1234]" for an index or a list of them."""
        if index is None:
            return self.dataset
        if not isinstance(index, (list, tuple)):
            return f"{self.dataset}[{index}]"
        if not index or index[0] is None:
            return self.dataset  # an iterable dataset has no indices
        more = ", …" if len(index) > SHOWN else ""
        return f"{self.dataset}[{', '.join(map(str, index[:SHOWN]))}{more}]"


def source_of(iterator):
    """Returns the Source of an iterator."""
    found = iterator.__dict__.get(ATTRIBUTE)
    if found is None:
        found = iterator.__dict__[ATTRIBUTE] = Source(iterator)
    return found


def _name_of(dataset):
    """Returns the name of a dataset's class, and of the one that it wraps."""
    name = type(dataset).__name__
    inner = getattr(dataset, "__dict__", {}).get("dataset")
    return name if inner is None else f"{name}({type(inner).__name__})"


class ReportedIndices(list):
    """The indices of a batch that this process reads itself, which reports each one when it is read."""

    report = None

    def __iter__(self):
        for index in super().__iter__():
            self.report(index)
            yield index
