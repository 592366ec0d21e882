// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/model/sanitized_observation.h"

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

bool isTime(std::int64_t ns) {
    return ns == clampTime(ns);
}

bool isSpan(std::int64_t beginNs, std::int64_t endNs) {
    return isTime(beginNs) && isTime(endNs) && endNs - beginNs == clampDuration(endNs - beginNs);
}

bool isPlausible(const AnyRecord& r) {
    if (const std::int64_t step = r.header().step; step != stepWithin(step))
        return false;
    if (const auto* phase = r.as<PhaseRecord>())
        return isSpan(phase->beginNs, phase->endNs);
    if (const auto* step = r.as<StepRecord>())
        return isSpan(step->beginNs, step->endNs);
    if (const auto* validation = r.as<ValidationRecord>())
        return isSpan(validation->beginNs, validation->endNs);
    if (const auto* collective = r.as<CollectiveRecord>())
        return isTime(collective->arrivedNs);
    if (const auto* batch = r.as<BatchRecord>())
        return batch->framesMax == clampLength(batch->framesMax) && batch->samplesMax == clampLength(batch->samplesMax);
    return true;
}

double figureWithin(double value) {
    return std::isfinite(value) ? std::clamp(value, -1.0, 1e18) : -1.0;
}

std::int64_t bytesWithin(std::int64_t bytes) {
    return std::clamp<std::int64_t>(bytes, -1, std::int64_t{1} << 60);
}

int signalWithin(int signal) {
    return std::clamp(signal, 0, 1 << 16);
}

template <class Rank, class Take> void eachTime(Rank& r, Take&& take) {
    if (r.board) {
        for (auto* time : {&r.board->updatedNs, &r.board->phaseSinceNs, &r.board->readingSinceNs})
            take(*time);
        for (auto& c : r.board->collectives)
            for (auto* time : {&c.arrivedNs, &c.doneNs})
                take(*time);
    }
    take(r.process.sinceNs);
    take(r.process.asked.atNs);
}

/// Calls `field(value, within)` for each value that has bounds.
template <class Rank, class Field> void eachField(Rank& r, Field&& field) {
    eachTime(r, [&](auto& time) { field(time, clampTime); });
    if (r.board) {
        auto& b = *r.board;
        for (auto* step : {&b.step, &b.totalSteps})
            field(*step, stepWithin);
        for (auto* frames : {&b.longestFrames, &b.longestSamples})
            field(*frames, clampLength);
    }
    if (r.resources) {
        auto& v = *r.resources;
        for (auto* figure :
             {&v.cpuShare, &v.cpuThrottledShare, &v.majorFaultsPerSecond, &v.writeBytesPerSecond, &v.gpuClockShare,
              &v.gpuTemperature, &v.cpuQuota, &v.cpuThrottledTimeShare, &v.cpuWaitShare, &v.workersCpuWaitShare})
            field(*figure, figureWithin);
        for (auto* bytes : {&v.rssBytes, &v.workersRssBytes, &v.memoryUsedBytes, &v.memoryLimitBytes})
            field(*bytes, bytesWithin);
    }
    field(r.process.signal, signalWithin);
}

bool isFine(const RankObservation& r) {
    bool fine = std::all_of(r.records.begin(), r.records.end(), isPlausible);
    eachField(r, [&](const auto& value, auto within) { fine = fine && within(value) == value; });
    return fine;
}

/// Returns the record with converted times.
template <class Convert> AnyRecord withTimes(const AnyRecord& record, Convert&& convert) {
    const auto copy = [&]<class R>(const R* of, auto... times) {
        R copied = *of;
        ((copied.*times = convert(copied.*times)), ...);
        return AnyRecord::of(copied);
    };
    if (const auto* phase = record.as<PhaseRecord>())
        return copy(phase, &PhaseRecord::beginNs, &PhaseRecord::endNs);
    if (const auto* step = record.as<StepRecord>())
        return copy(step, &StepRecord::beginNs, &StepRecord::endNs);
    if (const auto* validation = record.as<ValidationRecord>())
        return copy(validation, &ValidationRecord::beginNs, &ValidationRecord::endNs);
    if (const auto* collective = record.as<CollectiveRecord>())
        return copy(collective, &CollectiveRecord::arrivedNs);
    return record;
}

} // namespace

SanitizedObservation::SanitizedObservation(const Observation& given) : m_given(&given) {
    const bool fine = isTime(given.nowNs) && isTime(given.unwatched.beginNs) && isTime(given.unwatched.suspendedNs) &&
                      std::all_of(given.ranks.begin(), given.ranks.end(), isFine);
    if (fine)
        return;
    Observation& mended = copied();
    mended.nowNs = clampTime(given.nowNs);
    mended.unwatched.beginNs = clampTime(given.unwatched.beginNs);
    mended.unwatched.suspendedNs = clampTime(given.unwatched.suspendedNs);
    for (std::size_t r = 0; r < mended.ranks.size(); ++r) {
        eachField(mended.ranks[r], [](auto& value, auto within) { value = within(value); });
        std::erase_if(m_records[r], [](const AnyRecord& record) { return !isPlausible(record); });
        mended.ranks[r].records = m_records[r];
    }
}

/// Returns the copy that owns its records, which it makes at the first call.
Observation& SanitizedObservation::copied() {
    if (m_mended)
        return *m_mended;
    m_mended = *m_given;
    m_records.clear();
    for (RankObservation& rank : m_mended->ranks) {
        m_records.emplace_back(rank.records.begin(), rank.records.end());
        rank.records = m_records.back();
    }
    return *m_mended;
}

void SanitizedObservation::useActiveTime(const ActiveClock& clock) {
    if (!clock.hasPauses())
        return;
    Observation& o = copied();
    const auto active = [&](std::int64_t ns) { return clock.active(ns); };
    o.nowNs = active(o.nowNs);
    for (std::size_t r = 0; r < o.ranks.size(); ++r) {
        eachTime(o.ranks[r], [&](std::int64_t& time) { time = active(time); });
        for (AnyRecord& record : m_records[r])
            record = withTimes(record, active);
        o.ranks[r].records = m_records[r];
    }
}

} // namespace rankscope::diagnosis
