// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/run_recording.h"

#include "core/base/text/unit_format.h"
#include "core/telemetry/format/note_markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rankscope::launch {

using diagnosis::RunOutcomeSeen;
using diagnosis::Transition;

static constexpr std::int64_t kRetryNs = 500'000'000; ///< until a failed commit is tried again

RunRecording::RunRecording(const RunInfo& info, const SupervisionSettings& settings, Drain drain,
                           telemetry::ControlPage& control, RunMonitors& monitors)
    : m_startNs(info.startNs), m_worldSize(info.worldSize), m_settings(settings.detector), m_monitors(monitors),
      m_drain(std::move(drain)), m_errors(m_drain, control, static_cast<std::size_t>(info.worldSize)),
      m_recorder(info.worldSize, settings.detector) {
    m_detector.emplace(m_worldSize, m_settings);
}

std::vector<Transition> RunRecording::advance(const Round& round, std::vector<RankMonitor>& ranks) {
    std::vector<bool> gone;
    for (const auto& rank : ranks)
        gone.push_back(rank.ended());
    m_more = m_drain.read(gone);
    for (auto& rank : ranks)
        rank.add(m_drain.newRecords(rank.rank()));
    m_monitors.lookForGpus(ranks);
    auto transitions = diagnose(observationOf(round, ranks));
    m_monitors.onTransitions(transitions, ranks);
    commit(transitions, round.nowNs);
    return transitions;
}

void RunRecording::restart(const Round& round, std::vector<RankMonitor>& ranks) {
    Round last = round;
    last.end = RunOutcomeSeen::Failed;
    advance(last, ranks);
    m_recorder.interrupted();
    const std::int64_t next = m_detector->nextIncident();
    m_detector.emplace(m_worldSize, m_settings, next);
}

diagnosis::Observation RunRecording::observationOf(const Round& round, const std::vector<RankMonitor>& ranks) const {
    diagnosis::Observation o;
    o.nowNs = round.nowNs;
    o.end = round.end;
    o.unwatched = round.unwatched;
    // without everything that the ranks wrote meanwhile, their silence proves nothing
    if (o.unwatched.ranks == diagnosis::UnwatchedTime::RankActivity::Unknown && (m_more || m_retryAtNs != 0))
        o.unwatched.ranks = diagnosis::UnwatchedTime::RankActivity::Ran;
    for (const auto& rank : ranks)
        o.ranks.push_back({rank.rank(), rank.board(), rank.view(round.stopping, round.leaving),
                           m_monitors.resources(rank.rank()), m_drain.newRecords(rank.rank())});
    return o;
}

/// If the ranks continued while the supervisor itself did not run, notes that they were not watched.
void RunRecording::checkUnwatched(const diagnosis::Observation& o, const std::vector<Transition>& transitions) {
    const bool paused = std::any_of(transitions.begin(), transitions.end(),
                                    [](const auto& t) { return t.incident.cause == diagnosis::Cause::Paused; });
    if (o.unwatched.beginNs != 0 && !paused)
        noteUnwatched({o.unwatched.beginNs, o.nowNs}, "its supervisor was stopped or blocked");
}

void RunRecording::takeOver(std::int64_t sinceNs, std::int64_t nowNs) {
    noteUnwatched({sinceNs, nowNs}, "it had no supervisor");
}

void RunRecording::noteUnwatched(const diagnosis::TimeSpan& time, std::string_view why) {
    if (static_cast<double>(time.lengthNs()) * 1e-9 < m_settings.stallMinSeconds)
        return;
    const auto text = fmt::format("{}from {} to {}: {} for {}. What the ranks measured meanwhile is stored, but "
                                  "hold-ups in that time were not diagnosed.",
                                  telemetry::kNotWatched, formatDuration(time.beginNs - m_startNs),
                                  formatDuration(time.endNs - m_startNs), why, formatDuration(time.lengthNs()));
    if (const auto noted = store().noteUnwatched(time, text); !noted)
        m_errors.onStoreError(noted.error().asMessage(), time.endNs);
}

/// Records what the detector sees, in the transaction that stores what the detector made of it.
std::vector<Transition> RunRecording::diagnose(const diagnosis::Observation& o) {
    m_recorder.record(o, *m_detector);
    auto transitions = m_detector->advance(o);
    checkUnwatched(o, transitions);
    keepRecording(transitions, o.end != RunOutcomeSeen::Running);
    return transitions;
}

void RunRecording::keepRecording(const std::vector<Transition>& transitions, bool end) {
    if (auto piece = m_recorder.take(transitions, m_detector->anyOpen(), end))
        if (!m_drain.deferRecording(std::move(*piece)))
            m_recorder.interrupted();
}

void RunRecording::use(const ProgramRecipe& recipe) {
    m_settings = recipe.appliedTo(m_settings);
    keepRecording({}, true); // what follows is recorded with the new settings
    m_recorder.use(m_settings);
    m_detector->use(m_settings);
}

void RunRecording::commit(std::vector<Transition> transitions, std::int64_t nowNs) {
    if (m_retryAtNs != 0 && nowNs < m_retryAtNs) {
        m_drain.defer(std::move(transitions));
        return;
    }
    if (auto stored = m_drain.commit(std::move(transitions)); !stored) {
        m_retryAtNs = nowNs + kRetryNs;
        m_errors.onStoreError(stored.error().asMessage(), nowNs);
    } else {
        m_retryAtNs = 0;
        m_errors.onStoreRecovered(nowNs);
        if (!m_more)
            m_errors.publishStored(nowNs);
    }
}

Result<void> RunRecording::end(const RunInfo& info, const std::string& note, std::int64_t nowNs) {
    if (auto there = store().checkInPlace(); !there) {
        store().abandon();
        return there;
    }
    const auto severity =
        info.state == RunState::Failed ? telemetry::NoteSeverity::Error : telemetry::NoteSeverity::Info;
    auto stored = store().end(endingOf(info), severity, note, nowNs);
    return stored ? store().finish() : stored;
}

void RunRecording::rewriteStore(std::int64_t nowNs) {
    if (m_errors.isFolderGone() || m_drain.store().checkInPlace())
        return;
    auto store = m_drain.store().writeAnew();
    if (!store)
        return m_errors.onStoreError(store.error().asMessage(), nowNs);
    m_drain.setStore(std::move(*store));
    m_retryAtNs = 0;
}

} // namespace rankscope::launch
