// SPDX-License-Identifier: GPL-3.0-or-later
// Shows who waited for whom as a matrix waiter x holder, its ranking in sentences, and what balanced ranks would have
// gained. Everything except the reading is pure.
#pragma once

#include "core/base/values/error.h"
#include "core/store/waits/wait_report.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::store {
class RunReader;
}

namespace rankscope::ui {

/// Selects the waits that count: those at one tag, those that fell into one phase of the holder, or both.
struct WaitFilter {
    std::optional<telemetry::Phase> phase; ///< Phase::None: while the holder was in no phase
    std::string family;                    ///< of the tag; empty: all
    friend bool operator==(const WaitFilter&, const WaitFilter&) = default;
};

struct WaitGrid {
    int ranks = 0;
    std::vector<std::int64_t> ns; ///< [waiter][holder]
    std::int64_t most = 0;        ///< of one cell
    std::int64_t total = 0;

    std::int64_t at(int waiter, int holder) const {
        return ns[static_cast<std::size_t>(waiter) * static_cast<std::size_t>(ranks) +
                  static_cast<std::size_t>(holder)];
    }
};
/// Returns the grid; ranks outside [0, worldSize) are damage and left out.
WaitGrid gridOf(const diagnosis::WaitMatrix& matrix, int worldSize, const WaitFilter& filter);

/// Returns the tags and phases that have waits, longest total first.
std::vector<std::string> waitFamilies(const diagnosis::WaitMatrix& matrix);
std::vector<telemetry::Phase> waitPhases(const diagnosis::WaitMatrix& matrix);

/// Returns one sentence for each holder, longest total wait first; at most `most`, then how many more there are.
/// Without a holder: that there were no waits.
QStringList rankingSentences(const diagnosis::WaitMatrix& matrix, const WaitFilter& filter, int most);
/// Returns how long the steps would have taken with balanced ranks and without the length sync, and how certain that
/// is; empty if nothing could be replayed.
QStringList predictionSentences(const store::WaitReport& report);
/// Returns which steps are counted: "Whole run: steps 0 to 59", "In view: steps 34 to 59 of 60". Empty if there are
/// none.
QString rangeSentence(const store::WaitReport& report, bool selected);
/// Returns how much of the report is estimated; empty: nothing.
QString estimateSentence(const store::WaitReport& report);

/// Returns the grid tab-separated, with a header: seconds by waiter (rows) and holder (columns); for more than
/// `mostRanks` ranks, only the pairs that waited.
QString gridAsText(const WaitGrid& grid, int mostRanks = 64);

struct WaitsRequest {
    std::filesystem::path store;
    bool byTime = false;
    std::int64_t from = 0, to = 0; ///< steps, or ns since the run's start
    bool selected = false;         ///< the user selected the part; otherwise it is what is in view
    friend bool operator==(const WaitsRequest&, const WaitsRequest&) = default;
};
/// Returns the requested steps; those of a time are the steps of all ranks that touch it.
Result<store::StepInterval> requestedSteps(store::RunReader& reader, const WaitsRequest& request);

struct WaitsReply {
    WaitsRequest request;
    store::WaitReport report;
    QString error;
};
using WaitsReplyPtr = std::shared_ptr<const WaitsReply>;

/// Reads and explains the waits. Blocks: a long run takes seconds. Ends soon after `cancelled` returns true.
WaitsReplyPtr explainWaits(const WaitsRequest& request, const std::function<bool()>& cancelled);

} // namespace rankscope::ui
