// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/not_finite_tail.h"

#include "core/base/values/result.h"
#include "core/store/open/open_store.h"
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

Result<std::vector<NotFiniteTail>> notFiniteTails(OpenStore& store) {
    std::vector<NotFiniteTail> tails(static_cast<std::size_t>(store.meta().worldSize));
    constexpr std::string_view newest = "SELECT step, flags FROM step WHERE rank=?1 AND complete AND step>coalesce("
                                        "(SELECT step FROM step WHERE rank=?1 AND complete AND flags&3=0 ORDER BY step "
                                        "DESC LIMIT 1),-1) ORDER BY step";
    for (std::size_t rank = 0; rank < tails.size(); ++rank)
        RS_TRY(store.eachReadable(
            "step", newest, [&](const Statement& row) { tails[rank].addStep(row.integer(0), row.integer(1)); },
            static_cast<std::int64_t>(rank)));
    RS_TRY(store.eachReadable("rank", "SELECT rank, end_text, last_step FROM rank", [&](const Statement& row) {
        if (store.isRank(row.integer(0)))
            tails[static_cast<std::size_t>(row.integer(0))].addEnd(row.text(1), row.integer(2));
    }));
    return tails;
}

} // namespace rankscope::store
