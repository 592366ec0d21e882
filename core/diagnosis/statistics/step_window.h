// SPDX-License-Identifier: Apache-2.0
// What the detector remembers of the newest steps: who held whom for how long, and in which phase it spent that time.
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/model/wait_times.h"
#include "core/telemetry/format/records.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::diagnosis {

struct UsualCompute;

/// The first version of the detector whose step windows hold what the slow-rank test reads.
inline constexpr int kVersionOfSlowRanks = 4;
/// The first version whose step windows hold which time was counted, and not only up to when.
inline constexpr int kVersionOfCountedTimes = 7;

inline constexpr std::size_t kPhases = static_cast<std::size_t>(telemetry::Phase::Count);

/// One rank in one step.
struct RankStep {
    std::int64_t stepNs = 0; ///< 0: not finished yet
    /// Longest wait of another rank while this one did not wait itself, summed over the collectives that it entered
    /// last.
    std::int64_t heldNs = 0;
    std::int64_t waitedNs = 0; ///< own waits
    /// What both are counted of: waits for gradients overlap, and time is lost only once.
    std::int64_t heldUntilNs = 0;
    CountedTime waited;
    std::int64_t heldSavingNs = 0; ///< of heldNs, what it spent in a checkpoint or a validation
    /// Waits during which its thread stood still. Of the waits for gradients only the last one blocks: backward
    /// continues beside the others.
    std::int64_t blockedNs = 0, gradientWaitNs = 0;
    std::array<std::int64_t, kPhases> phaseNs{};  ///< as measured, waits inside included
    std::array<std::int64_t, kPhases> waitInNs{}; ///< waits by the phase in which they fell
    std::int64_t framesMax = 0, samplesMax = 0;
    int batchSize = 0;

    /// Time of its own in a phase: what it would have taken had nobody kept it waiting.
    std::int64_t ownNs(std::size_t phase) const { return phaseNs[phase] - std::min(waitInNs[phase], phaseNs[phase]); }
    /// The same of the whole step; 0 when it is not finished.
    std::int64_t workNs() const { return std::max<std::int64_t>(0, stepNs - blockedNs - gradientWaitNs); }
};

struct StepStats {
    std::vector<RankStep> ranks;
    int finished = 0;
};

/// One rank's call of a collective, as its record tells it.
struct RecordedCall {
    int rank = -1;
    telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
    std::uint8_t dtype = 0;
    std::int64_t count = 0, arrivedNs = 0, step = -1;
    telemetry::Phase phase = telemetry::Phase::None;
    std::string tag;
};

/// The first collective that ranks called differently.
struct OddCollective {
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    std::vector<RecordedCall> calls; ///< by rank, of those that have told
};

class StepWindow {
public:
    StepWindow(int worldSize, int windowSteps);

    void add(int rank, const telemetry::AnyRecord& record);
    std::int64_t typicalStepNs() const; ///< median step time; 0 until a few steps were seen
    const RankStep* find(int rank, std::int64_t step) const;
    /// What of [fromNs, toNs) the rank spent in its newest checkpoint and its newest validation, once they have ended.
    std::int64_t savedIn(int rank, std::int64_t fromNs, std::int64_t toNs) const;
    UsualCompute usualCompute() const;
    std::int64_t newestCompleteStep() const { return m_newestComplete; }
    bool anyStepFinished() const { return m_finishedRecords > 0; }
    /// What a checkpoint or a validation took at most lately; 0: too few were seen to know.
    std::int64_t usualCheckpointNs() const;
    std::int64_t usualValidationNs() const { return m_validationNs; }
    /// Calls take(StepStats) for the steps behind `step` that all ranks have finished, in order.
    template <class Take> void eachFinished(std::int64_t step, Take&& take) const {
        for (auto it = m_steps.upper_bound(step); it != m_steps.end(); ++it)
            if (it->second.finished == m_world)
                take(it->second);
    }
    /// By number, of all that are still here, finished or not.
    const std::map<std::int64_t, StepStats>& steps() const { return m_steps; }
    int worldSize() const { return m_world; }
    int windowSteps() const { return m_window; }
    /// None while all ranks call the same.
    const std::optional<OddCollective>& oddCollective() const { return m_odd; }
    /// The rank's process was seen stopped at that time: until then the others' lateness was none of their own doing.
    void sawStopped(int rank, std::int64_t ns);
    /// When a rank other than this one was seen stopped last; 0: never.
    std::int64_t othersStoppedUntil(int rank) const;

    void save(WireWriter& out) const;
    /// False, and an unusable window, when the bytes are not those of a window of this size. `version`: the detector's.
    bool load(WireReader& in, int version);

private:
    struct Variant { ///< what was called
        telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
        std::uint8_t dtype = 0;
        std::int64_t count = 0;
        std::string tag;
    };
    struct Pending {
        std::vector<std::int64_t> arrived; ///< 0: not yet
        std::vector<telemetry::Phase> phase;
        std::vector<std::int64_t> step;
        std::vector<std::uint8_t> variant;
        std::vector<Variant> variants;
        int count = 0;
    };
    struct Span {
        std::int64_t beginNs = 0, endNs = 0;
    };
    using Key = std::pair<std::uint32_t, std::uint64_t>;
    RankStep* at(int rank, std::int64_t step);
    void addPhase(int rank, const telemetry::PhaseRecord& record);
    void addCollective(int rank, const telemetry::CollectiveRecord& record);
    void join(const Pending& all);
    void remember(const Key& key, const Pending& odd);
    void finish(int rank, std::int64_t step, std::int64_t stepNs);
    void saveSteps(WireWriter& out) const;
    bool loadSteps(WireReader& in, int version);
    void savePending(WireWriter& out) const;
    bool loadPending(WireReader& in);

    int m_world, m_window;
    std::map<std::int64_t, StepStats> m_steps;
    std::map<Key, Pending> m_pending;
    std::deque<std::int64_t> m_stepTimes, m_checkpointTimes;
    std::vector<std::array<Span, 2>> m_savings; ///< per rank: its newest checkpoint, its newest validation
    std::vector<std::int64_t> m_stoppedUntil;   ///< per rank
    std::int64_t m_newestComplete = -1, m_finishedRecords = 0, m_validationNs = 0;
    std::optional<OddCollective> m_odd;
};

} // namespace rankscope::diagnosis
