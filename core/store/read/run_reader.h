// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/open/open_store.h"
#include "core/store/read/fact_reader.h"
#include "core/store/read/series_reader.h"
#include "core/store/read/span_reader.h"
#include "core/store/read/wait_reader.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace rankscope::store {

/// Reads run.sqlite, during the run or afterwards. There may be any number of readers; none of them changes anything.
/// Every query is bounded. Use one object per thread.
class RunReader : public SeriesReader, public FactReader, public SpanReader, public WaitReader {
public:
    /// See OpenStore::open().
    static Result<RunReader> open(const std::filesystem::path& file, const RunMeta* known = nullptr);

    const RunMeta& meta() const { return m_store->meta(); }
    /// Returns the damage found so far; grows as more of the store is read. Lists and series of a viewed store contain
    /// the readable rows; functions that read row by row (each…, export, explained waits) end with an error.
    const StoreHealth& condition() const { return m_store->condition(); }
    /// Returns true if another process wrote to a viewed store or replaced it; open it again in that case.
    bool outdated() const { return m_store->outdated(); }
    /// Reads every page; an error names the first damaged one.
    Result<void> checkPages() const { return m_store->checkPages(); }
    /// The same for a viewed store that is no larger than kQuicklyChecked; damage is added to condition().
    Result<void> checkQuickly() { return m_store->checkQuickly(); }
    /// Returns a number that changes with every commit of a writer; cheap (PRAGMA data_version).
    std::int64_t version();
    Result<std::vector<MemorySummary>> memory() { return FactReader::memory(*this); } ///< one for each rank
    /// Returns the store itself, for readers of other tables.
    OpenStore& source() { return *m_store; }

private:
    explicit RunReader(std::unique_ptr<OpenStore> store)
        : SeriesReader(*store), FactReader(*store), SpanReader(*store), WaitReader(*store), m_store(std::move(store)) {}

    std::unique_ptr<OpenStore> m_store;
};

} // namespace rankscope::store
