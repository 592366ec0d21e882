# SPDX-License-Identifier: Apache-2.0
"""Which items a DataLoader reads."""
import functools

from ..guard import hook
from ..rank import training_hook
from ..sources import ReportedIndices, source_of


@hook
def install(module):
    iterator = module._BaseDataLoaderIter
    plain = iterator._next_index

    @functools.wraps(plain)
    def _next_index(self):
        index = plain(self)
        reported = chosen(self, index)
        return index if reported is None else reported

    iterator._next_index = _next_index


@training_hook
def chosen(training, iterator, index):
    """Called when the iterator has the indices of a batch from its sampler. Returns what it uses instead, or None."""
    source = source_of(iterator)
    if iterator._num_workers > 0:
        source.remember(iterator._send_idx, index)
        return None
    if source.reads_slowly and type(index) is list and source.reads_one_by_one:
        indices = ReportedIndices(index)
        indices.report = functools.partial(reading, source)
        return indices
    training.read(source.named(index))
    return None


@training_hook
def reading(training, source, index):
    training.read(source.named(index))
