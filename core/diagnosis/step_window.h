// SPDX-License-Identifier: Apache-2.0
// What the detector remembers of the newest steps: who held whom for how long, and in which phase it spent that time.
#pragma once

#include "core/telemetry/journal.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace rankscope::diagnosis {

inline constexpr std::size_t kPhases = static_cast<std::size_t>(telemetry::Phase::Count);

/// One rank in one step.
struct RankStep {
    std::int64_t stepNs = 0; ///< 0: not finished yet
    std::int64_t heldNs = 0; ///< longest wait of another rank, summed over the collectives that this rank entered last
    std::int64_t waitedNs = 0;                    ///< own waits
    std::array<std::int64_t, kPhases> phaseNs{};  ///< as measured, waits inside included
    std::array<std::int64_t, kPhases> waitInNs{}; ///< waits by the phase in which they fell
    std::int64_t framesMax = 0, samplesMax = 0;
    int batchSize = 0;

    /// Time of its own in a phase: what it would have taken had nobody kept it waiting.
    std::int64_t ownNs(std::size_t phase) const { return phaseNs[phase] - std::min(waitInNs[phase], phaseNs[phase]); }
};

struct StepStats {
    std::vector<RankStep> ranks;
    int finished = 0;
};

struct Straggler {
    int rank = -1;
    telemetry::Phase phase = telemetry::Phase::None; ///< where it spends what the others do not
    std::int64_t heldNs = 0, windowNs = 0;           ///< net of what it waited itself; of the window's steps
    int steps = 0;
    std::int64_t framesMax = 0, othersFramesMax = 0, othersSamplesMax = 0; ///< means over the window
    double lengthShare = 0; ///< share of the window's steps in which its batch was clearly the longest
};

/// What a batch usually costs, over all ranks and the window's finished steps.
struct UsualCompute {
    std::int64_t computeNs = 0; ///< mean own time of forward, loss and backward; 0: no step finished yet
    std::int64_t framesMax = 0; ///< mean longest item
    /// What a batch whose longest item has `frames` may take at most: attention grows with the square of the length.
    std::int64_t atMostNs(std::int64_t frames) const;
};

/// A straggler is the holder in at least this share of the window's steps: chance alone, with lengths drawn at random,
/// comes near it once in 100,000 windows of 50.
inline constexpr double kMostSteps = 0.8;

class StepWindow {
public:
    StepWindow(int worldSize, int windowSteps);

    void add(int rank, const telemetry::AnyRecord& record);
    std::int64_t typicalStepNs() const; ///< median step time; 0 until a few steps were seen
    /// Sum of the waits charged to `rank` in `step` so far.
    std::int64_t heldIn(int rank, std::int64_t step) const;
    const RankStep* find(int rank, std::int64_t step) const;
    UsualCompute usualCompute() const;
    std::int64_t newestCompleteStep() const { return m_newestComplete; }
    /// The rank that holds the others for at least `share` of the steps' time and in most of the window's steps. Steps
    /// with a hold of `stallNs` or more do not count: they are incidents of their own.
    std::optional<Straggler> straggler(double share, std::int64_t minHeldNs, std::int64_t stallNs,
                                       double mostSteps = kMostSteps) const;

private:
    struct Pending {
        std::vector<std::int64_t> arrived;
        std::vector<telemetry::Phase> phase;
        std::vector<std::int64_t> step;
        int count = 0;
    };
    RankStep* at(int rank, std::int64_t step);
    void join(const Pending& all);
    void finish(int rank, std::int64_t step, std::int64_t stepNs);

    int m_world, m_window;
    std::map<std::int64_t, StepStats> m_steps;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Pending> m_pending;
    std::deque<std::int64_t> m_stepTimes;
    std::int64_t m_newestComplete = -1;
};

} // namespace rankscope::diagnosis
