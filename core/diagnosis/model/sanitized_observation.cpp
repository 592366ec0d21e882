// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/model/sanitized_observation.h"

#include <iterator>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

bool isTime(std::int64_t ns) {
    return ns == timeWithin(ns);
}

bool isSpan(std::int64_t beginNs, std::int64_t endNs) {
    return isTime(beginNs) && isTime(endNs) && endNs - beginNs == durationWithin(endNs - beginNs);
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
        return batch->framesMax == framesWithin(batch->framesMax) &&
               batch->samplesMax == framesWithin(batch->samplesMax);
    return true;
}

double figureWithin(double value) {
    return std::isfinite(value) ? std::clamp(value, -1.0, 1e18) : -1.0;
}

int signalWithin(int signal) {
    return std::clamp(signal, 0, 1 << 16);
}

/// Calls `field(value, within)` for what has bounds.
template <class Rank, class Field> void eachField(Rank& r, Field&& field) {
    if (r.board) {
        auto& b = *r.board;
        for (auto* time : {&b.updatedNs, &b.phaseSinceNs, &b.readingSinceNs})
            field(*time, timeWithin);
        for (auto* step : {&b.step, &b.totalSteps})
            field(*step, stepWithin);
        for (auto* frames : {&b.longestFrames, &b.longestSamples})
            field(*frames, framesWithin);
        for (auto& c : b.collectives)
            for (auto* time : {&c.enteredNs, &c.leftNs})
                field(*time, timeWithin);
    }
    if (r.resources) {
        auto& v = *r.resources;
        for (auto* figure : {&v.cpuShare, &v.cpuThrottledShare, &v.majorFaultsPerSecond, &v.writeBytesPerSecond,
                             &v.gpuClockShare, &v.gpuTemperature, &v.cpuQuota, &v.cpuThrottledTimeShare})
            field(*figure, figureWithin);
    }
    field(r.process.sinceNs, timeWithin);
    field(r.process.signal, signalWithin);
    field(r.process.asked.atNs, timeWithin);
}

bool isFine(const RankObservation& r) {
    bool fine = std::all_of(r.records.begin(), r.records.end(), isPlausible);
    eachField(r, [&](const auto& value, auto within) { fine = fine && within(value) == value; });
    return fine;
}

} // namespace

PlausibleObservation::PlausibleObservation(const Observation& given) : m_given(&given) {
    const bool fine = isTime(given.nowNs) && std::all_of(given.ranks.begin(), given.ranks.end(), isFine);
    if (fine)
        return;
    m_mended = given;
    m_mended->nowNs = timeWithin(given.nowNs);
    m_records.resize(given.ranks.size());
    for (std::size_t r = 0; r < given.ranks.size(); ++r) {
        RankObservation& rank = m_mended->ranks[r];
        eachField(rank, [](auto& value, auto within) { value = within(value); });
        std::copy_if(rank.records.begin(), rank.records.end(), std::back_inserter(m_records[r]), isPlausible);
        rank.records = m_records[r];
    }
}

} // namespace rankscope::diagnosis
