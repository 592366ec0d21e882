// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector/detector_state.h"

#include "core/diagnosis/model/sanitized_observation.h"

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

/// Until the typical step is known, the first steps' warm-up (kernels, caches, workers) must not count as a stall.
static constexpr double kWarmUpFactor = 5.0;

DetectorState::DetectorState(int worldSize, const Settings& ofRun)
    : world(worldSize), settings(ofRun), window(world, settings.stragglerWindowSteps),
      slow(world, settings.stragglerShare), incidents(world, settings), ranks(static_cast<std::size_t>(world)),
      memory(world) {}

void DetectorState::beginJudging() {
    typicalStepNs = window.typicalStepNs();
    const std::int64_t least = toNs(settings.stallMinSeconds);
    threshold = typicalStepNs == 0
                    ? nanosecondsOf(kWarmUpFactor * static_cast<double>(least))
                    : std::max(least, nanosecondsOf(settings.stallFactor * static_cast<double>(typicalStepNs)));
    incidents.setFigures(threshold, typicalStepNs);
}

std::int64_t DetectorState::thresholdIn(Phase phase) const {
    if (phase == Phase::Checkpoint)
        return std::max(threshold, 2 * window.usualCheckpointNs());
    if (phase != Phase::Validate)
        return threshold;
    const std::int64_t usual = window.usualValidationNs();
    const auto unknown = nanosecondsOf(kWarmUpFactor * static_cast<double>(toNs(settings.stallMinSeconds)));
    return std::max(threshold, usual > 0 ? usual / 2 : unknown);
}

namespace {

void saveMemory(ByteEncoder& out, const RankMemory& m) {
    out.boolean(m.ran);
    for (const std::int64_t v : {m.toldStep, m.badStep, m.tensorStep, m.checkpointSinceNs, m.lookedNs})
        out.integer(v);
    out.text(m.tensor);
    out.real(m.checkpointBytes);
}

void loadMemory(ByteDecoder& in, RankMemory& m) {
    m.ran = in.boolean();
    for (std::int64_t* v : {&m.toldStep, &m.badStep, &m.tensorStep})
        *v = stepWithin(in.integer());
    for (std::int64_t* v : {&m.checkpointSinceNs, &m.lookedNs})
        *v = clampTime(in.integer());
    m.tensor = in.text();
    m.checkpointBytes = in.real();
    if (!std::isfinite(m.checkpointBytes))
        in.fail();
}

} // namespace

static void saveEnd(ByteEncoder& out, const RankMemory& m) {
    out.boolean(m.failed);
    for (const std::int64_t v : {m.failedNs, m.lostNs, m.workerDiedNs})
        out.integer(v);
    out.text(m.endText);
    out.number(m.lostRecords);
    out.text(m.workerEnd);
}

static void loadEnd(ByteDecoder& in, RankMemory& m) {
    m.failed = in.boolean();
    for (std::int64_t* v : {&m.failedNs, &m.lostNs, &m.workerDiedNs})
        *v = clampTime(in.integer());
    m.endText = in.text();
    m.lostRecords = in.number();
    m.workerEnd = in.text();
}

void DetectorState::save(ByteEncoder& out) const {
    window.save(out);
    incidents.save(out);
    for (const std::int64_t v : {firstNs, runningNs, stragglerCheckedStep, mismatchSinceNs, oddSinceNs})
        out.integer(v);
    for (const bool v : {incidents.deathSeen(), configChecked, incidents.mismatchSeen(), bad.has_value()})
        out.boolean(v);
    if (bad) {
        out.integer(bad->step);
        out.integer(bad->sinceNs);
        out.number(bad->ranks.size());
        for (const auto& [rank, what] : bad->ranks) {
            out.number(static_cast<std::uint64_t>(rank));
            out.number(static_cast<std::uint64_t>(what));
        }
    }
    out.text(differingKeys);
    for (const RankMemory& m : ranks)
        saveMemory(out, m);
    out.integer(stragglerCheckedNs);
    out.integer(stragglerBehindStep);
    for (const RankMemory& m : ranks)
        out.integer(m.heldStep);
    slow.save(out);
    clock.save(out);
    out.integer(pausedSinceNs);
    out.integer(pausedUntilNs);
    for (const RankMemory& m : ranks)
        saveEnd(out, m);
    memory.save(out);
}

bool DetectorState::load(ByteDecoder& in, int version) {
    if (!window.load(in, version) || !incidents.load(in))
        return false;
    for (std::int64_t* v : {&firstNs, &runningNs})
        *v = clampTime(in.integer());
    stragglerCheckedStep = stepWithin(in.integer());
    for (std::int64_t* v : {&mismatchSinceNs, &oddSinceNs})
        *v = clampTime(in.integer());
    const bool death = in.boolean();
    configChecked = in.boolean();
    incidents.restoreSeen(death, in.boolean());
    bad.reset();
    if (in.boolean()) {
        bad.emplace();
        bad->step = stepWithin(in.integer());
        bad->sinceNs = clampTime(in.integer());
        for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
            const auto rank = static_cast<int>(in.below(static_cast<std::uint64_t>(world)));
            bad->ranks[rank] = in.below(NonFinite::Count);
        }
        if (bad->ranks.empty())
            in.fail(); // an incident names at least one of them
    }
    differingKeys = in.text();
    for (RankMemory& m : ranks)
        loadMemory(in, m);
    if (version < kVersionOfSlowRanks)
        return in.ok(); // such a state has no slow-rank test: it begins now
    stragglerCheckedNs = clampTime(in.integer());
    stragglerBehindStep = stepWithin(in.integer());
    for (RankMemory& m : ranks)
        m.heldStep = stepWithin(in.integer());
    if (!slow.load(in) || version < kVersionOfPauses)
        return in.ok();
    if (!clock.load(in))
        return false;
    for (std::int64_t* v : {&pausedSinceNs, &pausedUntilNs})
        *v = clampTime(in.integer());
    if (version < kVersionOfEnds)
        return in.ok();
    for (RankMemory& m : ranks)
        loadEnd(in, m);
    return memory.load(in);
}

} // namespace rankscope::diagnosis
