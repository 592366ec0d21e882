// SPDX-License-Identifier: GPL-3.0-or-later
// A few figures from a run's store. Only bounded queries are made, so that thousands of runs can be read.
#pragma once

#include "core/base/values/error.h"
#include "core/store/read/run_reader.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

namespace rankscope::ui {

/// The wait of all ranks that is charged to one.
struct HeldTime {
    int rank = -1; ///< -1: no rank
    std::int64_t ns = 0;
    friend bool operator==(const HeldTime&, const HeldTime&) = default;
};

struct RunFigures {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    std::int64_t lastStep = -1;                            ///< last step that all ranks finished, from 0; -1: none
    double lastLoss = kNone, bestLoss = kNone;             ///< of rank 0; NaN: none
    double lastValidation = kNone, bestValidation = kNone; ///< val_loss, as rank 0 logs it; NaN: none
    double stepsPerSecond = kNone;                         ///< of rank 0's step times, over the whole run
    double samplesPerSecond = kNone;                       ///< over all ranks: samples divided by the time they took
    std::int64_t waitedNs = -1;                            ///< by all ranks in collectives; -1: unknown
    bool waitsAreSums = false;                             ///< an older version added up waits that overlap
    std::vector<HeldTime> held;                            ///< ranks that others waited for, ascending
    int incidents = 0;
    std::vector<diagnosis::Incident> open; ///< those that have not ended, oldest first; a few
    std::int64_t memoryBytes = -1;         ///< peak of the rank that used most; -1: not measured
};
using RunFiguresPtr = std::shared_ptr<const RunFigures>;

Result<RunFigures> readFigures(store::RunReader& reader);

} // namespace rankscope::ui
