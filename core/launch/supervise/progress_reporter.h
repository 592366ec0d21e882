// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/evidence/run_stall.h"
#include "core/launch/process/rank_monitor.h"
#include "core/launch/run/run_info.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::launch {

/// Returns the mean of the losses that are known; none: no loss is.
std::optional<double> meanLoss(std::span<const std::optional<double>> losses);

/// The state of a run, as its supervisor reports it several times a second.
struct Progress {
    RunState state = RunState::Starting;
    int ranks = 0; ///< 0: not known yet
    std::int64_t step = -1, totalSteps = 0;
    std::optional<double> loss;     ///< mean of the ranks that know theirs; NaN: not a number; none: no rank does
    diagnosis::RunStall standstill; ///< While there is one, neither a rate nor a time left is known.
    double stepsPerSecond = 0;      ///< over the newest steps that nothing held up; 0: unknown
    double audioPerSecond = 0;      ///< seconds of speech that all ranks train on per second; 0: unknown
    std::int64_t stepsPerEpoch = 0; ///< 0: unknown
    std::int64_t nowNs = 0;         ///< monotonic
    Message headline;               ///< sentence of the newest open incident, or the cause of the end
    std::int64_t incident = 0;      ///< id of that incident; 0: none is open
    Message trouble;                ///< error that keeps the supervisor from writing now; empty: none
    /// While the store is behind its ranks: the time up to which it is complete. 0: it is not behind.
    std::int64_t storedUntilNs = 0;
};

/// Reports the progress of a run to the caller of supervise(), with the speed of the steps that nothing held up.
class ProgressReporter {
public:
    explicit ProgressReporter(std::function<void(const Progress&)> report) : m_report(std::move(report)) {}

    /// `ranks`: none as long as their number is not known. `open`: the incidents that are open now. `trouble` and
    /// `storedUntilNs`: as in Progress.
    void publishProgress(const RunInfo& info, const std::vector<RankMonitor>& ranks,
                         const std::vector<diagnosis::Incident>& open, int sampleRate, const Message& trouble,
                         std::int64_t storedUntilNs, std::int64_t nowNs);

    /// Excludes steps during a pause of the whole run from the measured speed.
    void keepPauses(std::span<const diagnosis::Transition> transitions);

private:
    void updateStalls(const diagnosis::RunStall& now, std::span<const std::int64_t> stepEnds, std::int64_t nowNs);

    std::function<void(const Progress&)> m_report;
    /// Times in which the newest steps were held up. The last one may still be open.
    std::vector<diagnosis::TimeInterval> m_stalls;
};

} // namespace rankscope::launch
