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

/// Reads run.sqlite, live or afterwards: any number of readers, none of which changes anything. Every query is bounded.
/// One object per thread.
class RunReader : public SeriesReader, public FactReader, public SpanReader, public WaitReader {
public:
    /// A store whose writer lives is read beside it; any other one is viewed, and no byte, name or time in its folder
    /// changes. What cannot be read of it is in condition(); an error: nothing can be. `known` is what run.json says,
    /// for a store that does not any more.
    static Result<RunReader> open(const std::filesystem::path& file, const RunMeta* known = nullptr);

    const RunMeta& meta() const { return m_store->meta(); }
    /// What is wrong with it; grows as more of it is read. Lists and series of a viewed store then hold what is
    /// readable, what goes row by row (each…, export, waits explained) ends with an error.
    const StoreCondition& condition() const { return m_store->condition(); }
    /// Another process wrote to what is viewed, or put another store in its place: open it again.
    bool outdated() const { return m_store->outdated(); }
    /// Reads every page; an error names the first that is damaged.
    Result<void> checkPages() const { return m_store->checkPages(); }
    /// The same of a viewed store that is no larger than kQuicklyChecked; what is found is in condition().
    Result<void> checkQuickly() { return m_store->checkQuickly(); }
    /// Changes whenever a writer committed; cheap (PRAGMA data_version).
    std::int64_t version();
    Result<std::vector<MemorySummary>> memory() { return FactReader::memory(*this); } ///< one for each rank
    /// The store itself, for what reads further tables of it.
    OpenStore& source() { return *m_store; }

private:
    explicit RunReader(std::unique_ptr<OpenStore> store)
        : SeriesReader(*store), FactReader(*store), SpanReader(*store), WaitReader(*store), m_store(std::move(store)) {}

    std::unique_ptr<OpenStore> m_store;
};

} // namespace rankscope::store
