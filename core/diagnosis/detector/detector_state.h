// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/incidents/open_incidents.h"
#include "core/diagnosis/model/active_clock.h"
#include "core/diagnosis/model/sanitized_observation.h"
#include "core/diagnosis/model/settings.h"
#include "core/diagnosis/statistics/memory_growth.h"
#include "core/diagnosis/statistics/slow_rank_test.h"
#include "core/diagnosis/statistics/step_window.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

/// How long rules wait for the other ranks' reports on the same step or collective.
inline constexpr std::int64_t kOthersReportNs = 1'000'000'000;

inline std::int64_t toNs(double seconds) {
    return nanosecondsOf(std::round(seconds * 1e9));
}

/// What was wrong with a rank's step, from the least to the most severe.
enum class NonFinite : std::uint8_t { None, Gradient, Loss, Batch, Empty, Count };

/// The first step with a loss or gradient that is not finite, kept until all ranks have reported theirs.
struct NonFiniteStep {
    std::int64_t step = -1, sinceNs = 0;
    std::map<int, NonFinite> ranks;
};

struct RankMemory {
    bool ran = false; ///< it was in its training loop, or past it
    std::int64_t toldStep = -1, badStep = -1;
    std::int64_t heldStep = -1;   ///< the newest step in which it held the others up and an incident reported it
    std::int64_t tensorStep = -1; ///< step that `tensor` belongs to
    std::string tensor;           ///< first tensor that was not finite
    std::int64_t checkpointSinceNs = 0, lookedNs = 0;
    double checkpointBytes = 0; ///< written since then, if measured
    bool failed = false;        ///< its end record or its board says so
    std::int64_t failedNs = 0;  ///< when that was seen first
    std::string endText;        ///< of its end record, printable
    std::uint64_t lostRecords = 0;
    std::int64_t lostNs = 0;       ///< when their number grew last; 0: never
    std::int64_t workerDiedNs = 0; ///< when a loader worker was seen that ended badly; 0: none in this phase
    std::string workerEnd;         ///< how it ended
};

/// The first version of the detector that detects pauses of the whole run.
inline constexpr int kVersionOfPauses = 7;
/// The first version that knows how ranks ended, which records they lost, and their loader workers.
inline constexpr int kVersionOfEnds = 8;

/// The state that the detector keeps from one round to the next. The rules' trackers have no state, so a recording
/// saves and restores everything with this struct.
struct DetectorState {
    DetectorState(int worldSize, const Settings& ofRun);

    /// Computes the figures of a round. Its records must be in the window.
    void beginJudging();
    /// Returns the threshold for a holder in this phase, which is longer for a usually long checkpoint or validation.
    std::int64_t thresholdIn(telemetry::Phase phase) const;

    /// Returns the members of the run's process groups, as far as they are known.
    const telemetry::ProcessGroups& groups() const { return window.groups(); }

    void save(ByteEncoder& out) const;
    /// Returns false, and leaves the state unusable, if the bytes are not one of this world size and version.
    bool load(ByteDecoder& in, int version);

    int world;
    Settings settings;
    StepWindow window;
    SlowRankTest slow;
    OpenIncidents incidents;
    std::vector<RankMemory> ranks;
    std::int64_t firstNs = 0, runningNs = 0; ///< of the first round; when all ranks had joined (0: not yet)
    bool configChecked = false;
    std::string differingKeys; ///< keys in which the ranks' configurations differ, once compared
    std::int64_t stragglerCheckedStep = -1, stragglerCheckedNs = 0;
    std::int64_t stragglerBehindStep = -1;            ///< the window for stragglers begins after this step
    std::int64_t mismatchSinceNs = 0, oddSinceNs = 0; ///< first seen on the boards; in the records
    std::optional<NonFiniteStep> bad;
    ActiveClock clock;
    /// The pause that is still in progress or was found in this round, in monotonic time; 0 if there is none.
    std::int64_t pausedSinceNs = 0, pausedUntilNs = 0;
    MemoryGrowth memory;
    std::int64_t threshold = 0, typicalStepNs = 0; ///< of this round
};

} // namespace rankscope::diagnosis
