// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/check_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace rankscope::store {

using telemetry::CheckStatus;

static constexpr std::size_t kRanksShown = 4;

Message checkTitle(const std::string& name) {
    static const std::pair<std::string_view, Message> titles[] = {
        {"configuration", "Configuration"},
        {"settings", "Effective settings"},
        {"loader", "Loader"},
        {"dataset", "Data"},
        {"batches_per_epoch", "Batches per epoch"},
        {"model", "Model"},
        {"devices", "Devices"},
        {"processes", "Processes"},
        {"shards", "Data shards"},
        {"initial_weights", "Initial weights"},
        {"resume", "Step to resume from"},
        {"effective_values", "Requested and effective"},
        {"first_batch", "First batch"},
        {"batch_lengths", "Lengths in the first batch"},
        {"finite_input", "Finite input"},
    };
    const auto* found =
        std::find_if(std::begin(titles), std::end(titles), [&](const auto& t) { return t.first == name; });
    return found == std::end(titles) ? Message(name) : found->second;
}

Message checkStatusTitle(CheckStatus status) {
    switch (status) {
    case CheckStatus::Passed:
        return "passed";
    case CheckStatus::Failed:
        return "failed";
    case CheckStatus::Skipped:
    case CheckStatus::Count:
        break;
    }
    return "skipped";
}

static CheckSummary summaryOf(std::vector<CheckRow> rows) {
    std::sort(rows.begin(), rows.end(), [](const CheckRow& a, const CheckRow& b) { return a.rank < b.rank; });
    CheckSummary summary{rows.front().name, rows.front().status, false, {}, {}};
    for (const CheckRow& row : rows)
        if (row.status == CheckStatus::Failed) {
            summary.status = CheckStatus::Failed;
            summary.stops = summary.stops || row.stops;
            summary.ranks.push_back(row.rank);
        }
    if (!summary.ranks.empty())
        std::erase_if(rows, [](const CheckRow& row) { return row.status != CheckStatus::Failed; });
    const bool same =
        std::all_of(rows.begin(), rows.end(), [&](const CheckRow& row) { return row.text == rows.front().text; });
    if (same) {
        summary.text = rows.front().text;
        return summary;
    }
    for (std::size_t i = 0; i < std::min(rows.size(), kRanksShown); ++i)
        summary.text += fmt::format("{}rank {}: {}", i == 0 ? "" : "; ", rows[i].rank, rows[i].text);
    if (rows.size() > kRanksShown)
        summary.text += fmt::format("; and {} more ranks", rows.size() - kRanksShown);
    return summary;
}

std::vector<CheckSummary> summarize(const std::vector<CheckRow>& rows) {
    std::vector<CheckSummary> out;
    std::vector<std::string> done;
    for (const CheckRow& row : rows) {
        if (std::find(done.begin(), done.end(), row.name) != done.end())
            continue;
        done.push_back(row.name);
        std::vector<CheckRow> same;
        std::copy_if(rows.begin(), rows.end(), std::back_inserter(same),
                     [&](const CheckRow& other) { return other.name == row.name; });
        out.push_back(summaryOf(std::move(same)));
    }
    return out;
}

} // namespace rankscope::store
