// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/message.h"
#include "core/base/values/error.h"
#include "core/launch/process/stop_signals.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/supervise/rank_set.h"
#include "core/telemetry/board/control_page.h"

#include <cstdint>
#include <string>

namespace rankscope::launch {

/// How the processes of a run are ended before they end by themselves: because the user stops the run, because a rank
/// was asked to leave, or because the run has failed.
class StopSequence {
public:
    /// Uses the references as long as it lives.
    StopSequence(const PreparedLaunch& plan, RankSet& set);
    /// Names the last step on this page, which must outlive this object. Call it before the other functions.
    void useControlPage(telemetry::ControlPage& page) { m_control = &page; }

    /// Acts on signals to the supervisor. The boards of the ranks must have been read just before.
    void onSignals(const StopSignals::Received& seen, std::int64_t nowNs);
    /// Begins a stop if a rank was asked to leave. Returns what the run's notes should say about it; empty: nothing.
    std::string onLeaveRequests(std::int64_t nowNs);
    /// Ends all processes, because the run has failed.
    void fail(std::int64_t nowNs);
    /// Does what is due now. `canBeNamed`: the folder with the control page is still there.
    void advance(std::int64_t nowNs, bool canBeNamed);

    /// Returns whether the processes are being ended.
    bool hasBegun() const { return m_requested || m_failed; }
    /// Returns whether a stop was requested before any rank ended badly.
    bool isRequested() const { return m_requested; }
    /// Returns whether it was requested by asking a rank to leave.
    bool isLeave() const { return m_leaving; }
    /// Returns whether the user has ended the watching: the ranks, which others started, continue.
    bool letsGo() const { return m_letsGo; }
    /// Returns "rank 1 was asked to leave by SIGTERM from earlyoom (process 4711 of root)"; empty if no rank was asked.
    Message askedText() const;
    /// Returns why the last step could not be named on the control page.
    const Result<void>& named() const { return m_named; }

private:
    void interrupt();
    void stop(bool now);
    void begin();
    void nameLastStep();
    void endAfter(std::int64_t waitNs, std::int64_t graceNs);
    void endLingering();
    void endWaiting();
    std::int64_t newestStep() const;
    double stepsPerSecond() const;

    const PreparedLaunch& m_plan;
    RankSet& m_set;
    telemetry::ControlPage* m_control = nullptr;
    std::int64_t m_nowNs = 0;
    bool m_requested = false;
    bool m_interrupted = false; ///< It was requested by Ctrl-C, and the command decides what follows.
    bool m_failed = false;
    bool m_leaving = false;
    bool m_letsGo = false;
    Result<void> m_named;
    int m_requests = 0;               ///< number of stop signals received, except those that were passed on
    int m_interrupts = 0;             ///< number of SIGINT that were passed on to the command
    std::int64_t m_askedSinceNs = 0;  ///< 0: no rank was asked to leave
    std::int64_t m_terminateAtNs = 0; ///< after which they get SIGTERM; 0: they have got it, or no stop is in progress
    std::int64_t m_killAtNs = 0;      ///< after which they are killed; 0: no stop is in progress
    std::int64_t m_allSaidNs = 0;     ///< since when all ranks have reported that they are done; 0: not all have
    std::int64_t m_inVainNs = 0;      ///< since when the ranks wait for one that will not join; 0: they do not
};

} // namespace rankscope::launch
