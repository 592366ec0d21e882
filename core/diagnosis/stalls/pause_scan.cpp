// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/stalls/pause_scan.h"

#include "core/diagnosis/stalls/stall_scan.h"

#include <algorithm>
#include <vector>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

constexpr std::int64_t kLeastNs = 1'000'000'000; // shorter is a hiccup of a busy machine
/// Ranks may be stopped a little later than the supervisor and continued a little earlier.
constexpr std::int64_t kApartNs = 1'500'000'000;

/// Calls take(ns) for every moment at which the rank is known to have done something.
template <class Take> void eachSignOfLife(const RankObservation& r, Take&& take) {
    for (const AnyRecord& record : r.records) {
        const auto span = [&](const auto* of) {
            if (of) {
                take(of->beginNs);
                take(of->endNs);
            }
        };
        span(record.as<PhaseRecord>());
        span(record.as<StepRecord>());
        span(record.as<ValidationRecord>());
        if (const auto* collective = record.as<CollectiveRecord>())
            take(collective->arrivedNs);
    }
    if (!r.board)
        return;
    take(r.board->updatedNs);
    take(r.board->phaseSinceNs);
    for (const auto& c : r.board->collectives)
        if (c.used) {
            take(c.arrivedNs);
            take(c.doneNs);
        }
}

/// Returns the longest part of the unwatched time in which no rank gave a sign of life.
ActiveClock::Pause longestSilence(const Observation& o) {
    const std::int64_t from = o.unwatched.beginNs, to = o.nowNs;
    std::vector<std::int64_t> times{from, to};
    for (const RankObservation& r : o.ranks)
        eachSignOfLife(r, [&](std::int64_t ns) {
            if (ns > from && ns < to)
                times.push_back(ns);
        });
    std::sort(times.begin(), times.end());
    ActiveClock::Pause longest;
    for (std::size_t i = 1; i < times.size(); ++i)
        if (times[i] - times[i - 1] > longest.endNs - longest.beginNs)
            longest = {times[i - 1], times[i]};
    ++longest.beginNs; // an event at that moment was before the pause
    return longest;
}

std::optional<ActiveClock::Pause> unwatchedPause(const Observation& o) {
    const auto& unwatched = o.unwatched;
    if (unwatched.beginNs <= 0 || unwatched.ranks == UnwatchedTime::RankActivity::Ran ||
        o.nowNs - unwatched.beginNs < kLeastNs)
        return std::nullopt;
    const ActiveClock::Pause silence = longestSilence(o);
    const std::int64_t length = silence.endNs - silence.beginNs;
    const bool whole = o.nowNs - unwatched.beginNs - length <= kApartNs;
    const bool certain = unwatched.ranks == UnwatchedTime::RankActivity::StoodStill;
    return length >= kLeastNs && (whole || certain) ? std::optional(silence) : std::nullopt;
}

} // namespace

bool areAllStopped(const Observation& o) {
    return o.ranks.size() > 1 &&
           std::all_of(o.ranks.begin(), o.ranks.end(), [](const RankObservation& r) { return isStopped(r.process); });
}

std::optional<ActiveClock::Pause> findPause(const Observation& o) {
    auto pause = unwatchedPause(o);
    if (!areAllStopped(o))
        return pause;
    ActiveClock::Pause stopped{0, o.nowNs};
    for (const RankObservation& r : o.ranks)
        stopped.beginNs = std::max(stopped.beginNs, r.process.sinceNs);
    if (pause)
        stopped.beginNs = std::min(stopped.beginNs, pause->beginNs);
    return stopped;
}

} // namespace rankscope::diagnosis
