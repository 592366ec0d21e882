// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/evidence/run_stall.h"
#include "core/diagnosis/evidence/training_pace.h"
#include "core/launch/process/rank_monitor.h"
#include "core/launch/run/run_info.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::launch {

struct Progress {
    RunState state = RunState::Starting;
    std::int64_t step = -1, totalSteps = 0;
    double loss = 0;
    diagnosis::Standstill standstill; ///< while it stands still there is neither a rate nor a time left
    double stepsPerSecond = 0;        ///< of the newest steps that nothing held up; 0: not known
    double audioPerSecond = 0;        ///< seconds of speech that all ranks train on a second; 0: not known
    std::int64_t stepsPerEpoch = 0;   ///< 0: not known
    std::int64_t nowNs = 0;           ///< monotonic
    std::string headline;             ///< the newest open incident's sentence, or the end's cause
    std::int64_t incident = 0;        ///< id of that incident; 0: none is open
    std::string trouble;              ///< of the supervisor itself: what cannot be written now, and why
};

/// Reports the progress of a run to the caller of supervise(), with the speed of the steps that nothing held up.
class ProgressReporter {
public:
    explicit ProgressReporter(std::function<void(const Progress&)> report) : m_report(std::move(report)) {}

    /// `open`: the incidents that are open now. `trouble`: what cannot be written now, and why.
    void tell(const RunInfo& info, const std::vector<RankWatch>& ranks, const std::vector<diagnosis::Incident>& open,
              int sampleRate, const std::string& trouble, std::int64_t nowNs);

private:
    void keepStalls(const diagnosis::Standstill& now, std::span<const std::int64_t> stepEnds, std::int64_t nowNs);

    std::function<void(const Progress&)> m_report;
    /// Times in which the newest steps were held up, in order. The last one may still be open.
    std::vector<diagnosis::Interval> m_stalls;
};

} // namespace rankscope::launch
