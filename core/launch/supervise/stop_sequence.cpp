// SPDX-License-Identifier: Apache-2.0
#include "core/launch/supervise/stop_sequence.h"

#include "core/diagnosis/evidence/leave_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace rankscope::launch {

static constexpr std::int64_t kOneSecondNs = 1'000'000'000;
/// Allowed between a rank's report that it is done and its exit.
static constexpr std::int64_t kLingerNs = 20 * kOneSecondNs;
static constexpr std::int64_t kFailureGraceNs = 800'000'000; ///< The run is over within 2 s of a rank's death.
/// After this time the boards have been read again, and say whether a rank was still joining when another ended.
static constexpr std::int64_t kSurelyInVainNs = 500'000'000;
/// Within this time, a batch system that signals a rank signals the supervisor as well.
static constexpr std::int64_t kSupervisorIsAskedNs = 80'000'000;
static constexpr double kStopMarginSeconds = 0.25; ///< from reading the boards until every rank sees the stop
/// How long ranks of a watched run may take to leave by themselves: between these, and as long as a few of their steps.
static constexpr std::int64_t kLeastLeaveNs = 5 * kOneSecondNs, kMostLeaveNs = 60 * kOneSecondNs;
static constexpr double kStepsToLeave = 4;

StopSequence::StopSequence(const PreparedLaunch& plan, RankSet& set) : m_plan(plan), m_set(set) {}

void StopSequence::onSignals(const StopSignals::Received& seen, std::int64_t nowNs) {
    m_nowNs = nowNs;
    if (m_plan.info.attached && !seen.requested) {
        m_letsGo |= seen.stop > 0 || seen.now || seen.asked;
        return;
    }
    for (int i = 0; i < seen.interrupts; ++i)
        interrupt();
    for (int i = seen.interrupts; i < seen.stop; ++i)
        stop(++m_requests > 1);
    if (seen.now)
        stop(true);
    if (seen.asked) // however often and by however many processes: the last checkpoint is to be written
        stop(false);
}

/// Passes Ctrl-C on to a command as its terminal would: the program may save its work, however long that takes. If that
/// does not end it, the third one does.
void StopSequence::interrupt() {
    constexpr int kMostPassedOn = 2;
    if (m_interrupts == kMostPassedOn || !m_set.interrupt())
        return stop(m_interrupts > 0 || ++m_requests > 1);
    ++m_interrupts;
    if (!hasBegun())
        m_requested = m_interrupted = true;
}

void StopSequence::stop(bool now) {
    if (!m_failed && (!m_requested || m_interrupted))
        begin();
    if (now) {
        m_killAtNs = m_nowNs;
        m_set.kill();
    }
}

void StopSequence::begin() {
    m_requested = true;
    m_interrupted = false;
    nameLastStep();
    // a program without a handler for SIGTERM would end in the middle of a step
    const double steps = stepsPerSecond() > 0 ? kStepsToLeave / stepsPerSecond() * 1e9 : 0;
    const bool mayLeave = m_plan.info.watched() && m_set.anyLives();
    endAfter(mayLeave ? std::clamp(static_cast<std::int64_t>(std::min(steps, 1e15)), kLeastLeaveNs, kMostLeaveNs) : 0,
             static_cast<std::int64_t>(m_plan.settings.stopGraceSeconds * 1e9));
}

/// Every rank must see the step before it begins it, or one waits in a collective that no other rank enters.
void StopSequence::nameLastStep() {
    const auto margin = static_cast<std::int64_t>(std::ceil(kStopMarginSeconds * stepsPerSecond()));
    m_named = m_control->setStopAtStep(newestStep() + std::max<std::int64_t>(2, margin));
}

/// `waitNs`: until they are sent SIGTERM. `graceNs`: from then on until they are killed.
void StopSequence::endAfter(std::int64_t waitNs, std::int64_t graceNs) {
    m_terminateAtNs = m_nowNs + waitNs;
    m_killAtNs = m_terminateAtNs + graceNs;
    if (waitNs > 0)
        return;
    m_terminateAtNs = 0;
    m_set.terminate();
}

Message StopSequence::askedText() const {
    if (!m_leaving)
        return {};
    std::vector<int> ranks;
    diagnosis::ProcessView first;
    for (const auto& rank : m_set.ranks()) {
        auto view = rank.view(true, true);
        if (view.asked.signal == 0)
            continue;
        if (ranks.empty() || view.asked.atNs < first.asked.atNs)
            first = std::move(view);
        ranks.push_back(rank.rank());
    }
    const auto evidence = diagnosis::leaveEvidence(first);
    const std::string signal = signalName(first.asked.signal);
    const auto sender = diagnosis::leaveSenderText(evidence);
    return ranks.size() == 1 ? Message("{} was asked to leave by {} from {}", Ranks{ranks}, signal, sender)
                             : Message("{} were asked to leave by {} from {}", Ranks{ranks}, signal, sender);
}

/// A signal that asks one rank to leave counts for all: they leave after the same step, with a checkpoint. A batch
/// system may signal all processes of a job one after the other: then the supervisor's own signal counts.
std::string StopSequence::onLeaveRequests(std::int64_t nowNs) {
    m_nowNs = nowNs;
    const auto& ranks = m_set.ranks();
    const auto asked = [](const RankMonitor& r) { return r.isAskedToLeave(); };
    if (hasBegun() || std::none_of(ranks.begin(), ranks.end(), asked))
        return {};
    if (m_askedSinceNs == 0)
        m_askedSinceNs = m_nowNs;
    const bool left =
        std::any_of(ranks.begin(), ranks.end(), [&](const RankMonitor& r) { return asked(r) && r.ended(); });
    if (!left && m_nowNs - m_askedSinceNs < kSupervisorIsAskedNs)
        return {};
    m_leaving = true;
    begin();
    return fmt::format("The run stops: {}. All ranks leave after the same step.", askedText().english());
}

void StopSequence::fail(std::int64_t nowNs) {
    m_nowNs = nowNs;
    m_failed = true;
    endAfter(0, kFailureGraceNs);
}

void StopSequence::advance(std::int64_t nowNs, bool canBeNamed) {
    m_nowNs = nowNs;
    if (m_requested && !m_interrupted && !m_named && canBeNamed)
        nameLastStep();
    endLingering();
    endWaiting();
    m_set.endLeftovers(m_nowNs, m_requested && !m_interrupted);
    if (m_terminateAtNs != 0 && m_nowNs >= m_terminateAtNs) {
        m_terminateAtNs = 0;
        m_set.terminate();
    }
    if (m_killAtNs != 0 && m_nowNs >= m_killAtNs)
        m_set.kill();
}

/// Ends ranks of ours that have all reported that they are done, and do not exit.
void StopSequence::endLingering() {
    const auto& ranks = m_set.ranks();
    const bool allSaid = !m_plan.info.watched() && std::all_of(ranks.begin(), ranks.end(), [](const RankMonitor& r) {
        return r.ended() || r.reportedDone();
    });
    if (!allSaid)
        m_allSaidNs = 0;
    else if (m_allSaidNs == 0)
        m_allSaidNs = m_nowNs;
    if (m_killAtNs == 0 && m_allSaidNs != 0 && m_nowNs - m_allSaidNs > kLingerNs)
        endAfter(0, kOneSecondNs);
}

/// Before a rank has loaded its libraries, a signal ends it. Those that have loaded theirs wait for it to join, and
/// cannot leave before they have begun to train.
void StopSequence::endWaiting() {
    if (!m_requested || !m_set.waitsInVain())
        m_inVainNs = 0;
    else if (m_inVainNs == 0)
        m_inVainNs = m_nowNs;
    else if (m_nowNs - m_inVainNs >= kSurelyInVainNs)
        m_set.endWaiting();
}

std::int64_t StopSequence::newestStep() const {
    constexpr std::int64_t kMost = INT64_MAX / 2; // a board may hold anything
    std::int64_t step = -1;
    for (const auto& rank : m_set.ranks())
        if (rank.board())
            step = std::max(step, std::min(rank.board()->step, kMost));
    return step;
}

double StopSequence::stepsPerSecond() const {
    double rate = 0;
    for (const auto& rank : m_set.ranks())
        rate = std::max(rate, rank.stepsPerSecond());
    return rate;
}

} // namespace rankscope::launch
