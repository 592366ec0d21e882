// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/run_row.h"

#include <bit>

namespace rankscope::ui {

bool sameShown(const RunRow& a, const RunRow& b) {
    return a.paths.dir == b.paths.dir && a.info.name == b.info.name && a.info.state == b.info.state &&
           a.info.worldSize == b.info.worldSize && a.info.totalSteps == b.info.totalSteps &&
           a.info.startRealtimeNs == b.info.startRealtimeNs && a.info.endRealtimeNs == b.info.endRealtimeNs &&
           a.info.cause == b.info.cause && a.info.tags == b.info.tags && a.problem == b.problem &&
           a.lastStep == b.lastStep &&
           std::bit_cast<std::uint64_t>(a.lastLoss) == std::bit_cast<std::uint64_t>(b.lastLoss);
}

} // namespace rankscope::ui
