// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/not_finite_tail.h"

#include "core/base/values/result.h"
#include "core/store/read/run_reader.h"
#include "core/telemetry/format/note_markers.h"

#include <algorithm>

namespace rankscope::store {

/// Bits of a step's flags.
static constexpr std::int64_t kLossBit = 1, kGradientBit = 2;

void NotFiniteTail::addStep(std::int64_t step, std::int64_t flags) {
    if ((flags & (kLossBit | kGradientBit)) == 0) {
        *this = {};
        return;
    }
    if (since < 0)
        since = step;
    ++steps;
    loss = (flags & kLossBit) != 0;
    weights |= (flags & kGradientBit) != 0; // the bit is not set if the gradient scaler skipped the step
}

void NotFiniteTail::addEnd(std::string_view text, std::int64_t lastStep) {
    if (text.find(telemetry::kWeightsNotFinite) == std::string_view::npos)
        return;
    weights = true;
    if (since < 0)
        since = std::max<std::int64_t>(0, lastStep);
}

/// Returns whether a rank's last step was finite, which is read much faster than a tail.
static Result<bool> isFinite(OpenStore& store, std::size_t rank, std::int64_t step) {
    bool finite = false;
    RS_TRY(store.eachReadable(
        "step", "SELECT flags FROM step WHERE rank=?1 AND step=?2 AND complete",
        [&](const Statement& row) { finite = (row.integer(0) & (kLossBit | kGradientBit)) == 0; }, rank, step));
    return finite;
}

Result<std::vector<NotFiniteTail>> notFiniteTails(RunReader& reader) {
    OpenStore& store = reader.source();
    std::vector<NotFiniteTail> tails(static_cast<std::size_t>(store.meta().worldSize));
    constexpr std::string_view newest = "SELECT step, flags FROM step WHERE rank=?1 AND complete AND step>coalesce("
                                        "(SELECT step FROM step WHERE rank=?1 AND complete AND flags&3=0 ORDER BY step "
                                        "DESC LIMIT 1),-1) ORDER BY step";
    RS_TRY_ASSIGN(const auto ranks, reader.ranks());
    std::vector<std::int64_t> lastSteps(tails.size(), -1);
    for (const RankSummary& rank : ranks)
        lastSteps[static_cast<std::size_t>(rank.rank)] = rank.lastStep;
    for (std::size_t rank = 0; rank < tails.size(); ++rank) {
        RS_TRY_ASSIGN(const bool finite, isFinite(store, rank, lastSteps[rank]));
        if (!finite)
            RS_TRY(store.eachReadable(
                "step", newest, [&](const Statement& row) { tails[rank].addStep(row.integer(0), row.integer(1)); },
                rank));
    }
    for (const RankSummary& rank : ranks)
        tails[static_cast<std::size_t>(rank.rank)].addEnd(rank.endText, rank.lastStep);
    return tails;
}

} // namespace rankscope::store
