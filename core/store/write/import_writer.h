// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/sqlite/sqlite.h"
#include "core/store/tables/metrics.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::store {

/// A value that another program measured and recorded.
struct ImportedValue {
    enum class ImportedKind : std::uint8_t {
        Metric,     ///< of a step; the later of two counts
        Epoch,      ///< of a step
        Validation, ///< loss of a validation after this step
        Other,      ///< a series that is not one of the metrics: kept under its tag
    };
    ImportedKind kind = ImportedKind::Other;
    store::Metric metric = store::Metric::Loss;
    int rank = 0;
    std::int64_t step = 0;   ///< 0 to kMaxStep
    std::int64_t timeNs = 0; ///< when it was recorded, since the run's start
    double value = 0;
    std::string tag;
};

/// Writes values that were measured elsewhere directly into the rows that the ranks' records would have produced,
/// inside the caller's transaction.
class ImportWriter {
public:
    explicit ImportWriter(const Database& db) : m_db(db) {}

    Result<void> take(const ImportedValue& value);
    /// Derives begin and end of each step, and the rank's sums, from the values of a rank.
    Result<void> finishRank(int rank);

private:
    Result<void> metric(const ImportedValue& value);
    Result<void> epoch(const ImportedValue& value);
    Result<void> validation(const ImportedValue& value);
    Result<void> other(const ImportedValue& value);
    Result<void> setTimes(int rank);
    Result<void> prepare(Statement& statement, std::string_view sql);

    const Database& m_db;
    std::array<Statement, static_cast<std::size_t>(Metric::Count)> m_metrics;
    Statement m_epoch, m_older, m_validation, m_tag, m_scalar;
};

} // namespace rankscope::store
