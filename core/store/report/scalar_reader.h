// SPDX-License-Identifier: Apache-2.0
// Reads data for plots that a store has in addition to the metrics: series with their own names (an imported run's, and
// the losses of several validation sets), and the steps after which a checkpoint was written. Read-only; every query is
// bounded. Use one object per thread.
#pragma once

#include "core/base/values/error.h"
#include "core/store/open/open_store.h"
#include "core/store/tables/metrics.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::store {

struct CheckpointRow {
    std::int64_t step = 0;  ///< the training step it followed
    std::int64_t endNs = 0; ///< since the run's start
};

class ScalarReader {
public:
    static Result<ScalarReader> open(const std::filesystem::path& file);

    /// Returns the names of the series, in order.
    Result<std::vector<std::string>> tags(int limit = 10'000);
    /// Returns at most maxPoints + 1 points over steps [first, last]; merged points keep smallest, largest and mean.
    /// Groups begin at multiples of their size, so that they do not change while a view moves.
    Result<std::vector<SeriesPoint>> series(const std::string& tag, int rank, std::int64_t first, std::int64_t last,
                                            int maxPoints);
    /// The same over a time range, ns since the run's start.
    Result<std::vector<SeriesPoint>> seriesByTime(const std::string& tag, int rank, std::int64_t fromNs,
                                                  std::int64_t toNs, int maxPoints);
    /// Returns the checkpoints of rank 0, oldest first.
    Result<std::vector<CheckpointRow>> checkpoints(int limit = 10'000);
    /// Returns the store itself, for readers of other tables.
    OpenStore& source() { return *m_store; }

private:
    ScalarReader(std::unique_ptr<OpenStore> store, bool scalars) : m_store(std::move(store)), m_hasScalars(scalars) {}
    Result<std::vector<SeriesPoint>> read(const std::string& tag, int rank, std::int64_t from, std::int64_t to,
                                          int maxPoints, bool byTime);

    std::unique_ptr<OpenStore> m_store;
    bool m_hasScalars;
};

} // namespace rankscope::store
