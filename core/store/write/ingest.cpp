// SPDX-License-Identifier: Apache-2.0
#include "core/store/write/ingest.h"

#include "core/base/values/result.h"
#include "core/telemetry/format/limits.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::store {

using namespace telemetry;

/// Times come from outside; those that pass are valid for every reader, and their differences cannot overflow.
bool Ingest::plausible(int rank, std::initializer_list<std::int64_t> times) {
    constexpr std::int64_t kLimit = std::int64_t{1} << 61;
    const bool fine = std::all_of(times.begin(), times.end(), [this](std::int64_t t) {
        return t > -kLimit && t < kLimit && t - m_startNs >= -kMostNs && t - m_startNs <= kMostNs;
    });
    if (!fine)
        m_round.count("implausible", rank, 1);
    return fine;
}

/// Returns the row that a record belongs to; null if it belongs to no step.
StepUpdate* Ingest::stepOf(int rank, const RecordHeader& header) {
    return header.step < 0 ? nullptr : &stepAt(rank, header.step);
}

StepUpdate& Ingest::stepAt(int rank, std::int64_t step) {
    Newest& newest = m_newest[static_cast<std::size_t>(rank)];
    if (!newest.delta || newest.step != step)
        newest = {step, &m_round.steps[{rank, step}]};
    return *newest.delta;
}

std::size_t Ingest::familyOf(int tag) {
    if (m_family.tag == tag)
        return m_family.index;
    const std::string_view family = tagFamily(m_tags.text(tag));
    auto& known = m_round.families;
    const auto at = std::find(known.begin(), known.end(), family);
    m_family = {tag, static_cast<std::size_t>(at - known.begin())};
    if (at == known.end())
        known.emplace_back(family);
    return m_family.index;
}

void Ingest::add(int rank, const AnyRecord& record) {
    if (!plausible(rank, {record.header().timeNs}))
        return;
    if (record.header().step >= kMaxStep || record.header().step < -1) {
        m_round.count("implausible", rank, 1);
        return;
    }
    if (const auto* anchor = record.as<AnchorRecord>())
        addAnchor(rank, *anchor);
    else if (const auto* batch = record.as<BatchRecord>())
        addBatch(rank, *batch);
    else if (const auto* phase = record.as<PhaseRecord>())
        addPhase(rank, *phase);
    else if (const auto* collective = record.as<CollectiveRecord>())
        addCollective(rank, *collective);
    else if (const auto* step = record.as<StepRecord>())
        addStep(rank, *step);
    else if (const auto* resource = record.as<ResourceRecord>())
        m_round.resources.emplace_back(rank, resource);
    else if (const auto* validation = record.as<ValidationRecord>())
        addValidation(rank, *validation);
    else if (const auto* check = record.as<CheckRecord>())
        m_round.checks.emplace_back(rank, check);
    else if (const auto* scalar = record.as<ScalarRecord>())
        addScalar(rank, *scalar);
    else if (const auto* group = record.as<GroupRecord>()) {
        m_round.groups.push_back(group);
        m_groups.add(*group);
    } else if (const auto* software = record.as<SoftwareRecord>())
        m_round.software.emplace_back(rank, software);
    else if (const auto* note = record.as<NoteRecord>())
        m_round.notes.emplace_back(rank, note);
    else if (const auto* end = record.as<EndRecord>()) {
        m_round.ends.emplace_back(rank, end);
        m_round.count("dropped", rank,
                      static_cast<std::int64_t>(std::min<std::uint64_t>(end->droppedRecords, INT64_MAX)));
        m_ranks[static_cast<std::size_t>(rank)].ended = true;
    }
}

void Ingest::addScalar(int rank, const ScalarRecord& record) {
    if (record.header.step >= 0 && !getText(record.name, sizeof record.name).empty())
        m_round.scalars.emplace_back(rank, &record);
    else
        m_round.count("implausible", rank, 1);
}

void Ingest::addValidation(int rank, const ValidationRecord& record) {
    if (plausible(rank, {record.beginNs, record.endNs}))
        m_round.validations.emplace_back(rank, &record);
}

void Ingest::addAnchor(int rank, const AnchorRecord& record) {
    m_round.anchors.emplace_back(rank, &record);
    RankProgress& state = m_ranks[static_cast<std::size_t>(rank)];
    state.ended = false;
    if (std::exchange(state.anchorNs, record.monotonicNs) != record.monotonicNs)
        m_joiner.forget(rank); // it was started again; otherwise the same process says more about itself
}

void Ingest::addBatch(int rank, const BatchRecord& record) {
    m_round.count("skipped_files", rank, std::max(record.skippedFiles, 0)); // each file counts once per epoch
    StepUpdate* step = stepOf(rank, record.header);
    if (!step)
        return;
    const std::int64_t at = record.header.timeNs - m_startNs;
    step->spans(at, at);
    const auto setKnown = [step](Metric metric, std::int64_t value) {
        if (value >= 0)
            step->set(metric, static_cast<double>(value));
    };
    setKnown(Metric::BatchSize, record.size);
    setKnown(Metric::FramesMin, record.framesMin);
    if (record.size > 0 && record.framesSum >= 0)
        step->set(Metric::FramesMean, static_cast<double>(record.framesSum) / record.size);
    setKnown(Metric::FramesMax, record.framesMax);
    setKnown(Metric::SamplesMax, record.samplesMax);
    if (!std::isnan(record.paddingShare))
        step->set(Metric::PaddingShare, record.paddingShare);
}

void Ingest::addPhase(int rank, const PhaseRecord& record) {
    if (!plausible(rank, {record.beginNs, record.endNs}))
        return;
    m_round.phases.emplace_back(rank, &record);
    StepUpdate* step = stepOf(rank, record.header);
    const auto metric = phaseMetric(record.phase);
    if (!step || !metric)
        return;
    step->spans(record.beginNs - m_startNs, record.endNs - m_startNs);
    step->add(*metric, static_cast<double>(std::max<std::int64_t>(record.endNs - record.beginNs, 0)));
}

void Ingest::addStep(int rank, const StepRecord& record) {
    StepUpdate* step = stepOf(rank, record.header);
    if (!step || !plausible(rank, {record.beginNs, record.endNs, record.exposedGradientNs}))
        return;
    step->complete = true;
    step->epoch = record.epoch;
    step->flags |= record.flags;
    step->spans(record.beginNs - m_startNs, record.endNs - m_startNs);
    const auto setKnown = [step](Metric metric, double value) {
        if (!std::isnan(value))
            step->set(metric, value);
    };
    setKnown(Metric::Loss, record.loss); // NaN without the flag: not known
    if (record.flags & 1)
        step->markNotFinite(Metric::Loss);
    setKnown(Metric::LearningRate, record.learningRate);
    if (record.flags & 2)
        step->markNotFinite(Metric::GradientNorm);
    setKnown(Metric::GradientNorm, record.gradientNorm);
    if (record.maskedFrames >= 0)
        step->set(Metric::MaskedFrames, static_cast<double>(record.maskedFrames));
    setKnown(Metric::SamplesPerSecond, record.samplesPerSecond);
    step->set(Metric::StepTime, static_cast<double>(record.endNs - record.beginNs));
    step->add(Metric::ExposedWait, static_cast<double>(std::max<std::int64_t>(record.exposedGradientNs, 0)));

    RankProgress& state = m_ranks[static_cast<std::size_t>(rank)];
    const std::int64_t at = record.header.step;
    state.firstStep = state.firstStep < 0 ? at : std::min(state.firstStep, at);
    if (at >= state.lastStep) {
        state.lastStep = at;
        state.lastNs = record.endNs - m_startNs;
        state.lastLoss = record.loss;
    }
}

void Ingest::addCollective(int rank, const CollectiveRecord& record) {
    if (!plausible(rank, {record.arrivedNs, record.startedNs, record.doneNs, record.exposedNs}))
        return;
    const std::string_view tag = getText(record.tag, sizeof record.tag);
    CollectiveInsert row{rank, m_tags.id(tag), record.header.step, &record};
    if (StepUpdate* step = stepOf(rank, record.header)) {
        step->spans(record.arrivedNs - m_startNs, record.arrivedNs - m_startNs);
        // the time blocked by gradients is in the step's own record, once for all buckets
        if (record.exposedNs > 0 && waitMetric(tag) != Metric::WaitGradient)
            step->add(Metric::ExposedWait, static_cast<double>(record.exposedNs));
    }
    m_round.collectives.push_back(row);
    const int size = m_groups.sizeOf(record.group, static_cast<int>(m_ranks.size()));
    if (!canJoin(record.op, size) || !m_groups.contains(record.group, rank))
        return;
    const Arrival arrival{true,
                          record.arrivedNs,
                          record.header.step,
                          row.tag,
                          m_round.collectives.size() - 1,
                          waitLimit(record.op, record.group, tag, record.exposedNs, record.doneNs - record.arrivedNs),
                          blockedNs(tag, record.exposedNs, record.doneNs - record.arrivedNs)};
    const WaitJoiner::JoinKey key{record.group, record.sequence};
    if (const auto joined = m_joiner.add(key, rank, arrival, size))
        join(key, *joined);
    m_round.count("unjoined", rank, static_cast<std::int64_t>(m_joiner.takeDroppedCount()));
}

void Ingest::join(WaitJoiner::JoinKey key, const std::vector<Arrival>& arrivals) {
    std::vector<int> members;
    std::vector<std::int64_t> arrivedNs;
    for (std::size_t r = 0; r < arrivals.size(); ++r)
        if (arrivals[r].present) {
            members.push_back(static_cast<int>(r));
            arrivedNs.push_back(arrivals[r].arrivedNs);
        }
    const diagnosis::ArrivalWaits waits = diagnosis::computeWaits(arrivedNs);
    const int holder = members[static_cast<std::size_t>(waits.holder)];
    for (std::size_t member = 0; member < members.size(); ++member) {
        const int rank = members[member];
        const Arrival& arrival = arrivals[static_cast<std::size_t>(rank)];
        const std::int64_t waitNs = std::min(waits.waitNs[member], arrival.mostNs);
        const std::int64_t beginNs = arrival.arrivedNs - m_startNs;
        if (arrival.row == Arrival::kStored) {
            m_round.waitUpdates.push_back({arrival.step, key.first, key.second, rank, holder, waitNs});
        } else {
            m_round.collectives[arrival.row].waitNs = waitNs;
            m_round.collectives[arrival.row].holder = holder;
        }
        StepUpdate* step = arrival.step < 0 ? nullptr : &stepAt(rank, arrival.step);
        const Metric metric = waitMetric(m_tags.text(arrival.tag));
        if (step)
            step->spans(beginNs, beginNs + waitNs);
        if (waitNs > 0)
            (step ? step->joined : m_round.joinedEarly[rank])
                .add({{beginNs, beginNs + waitNs}, arrival.blockedNs, key.first, key.second},
                     {holder, arrival.tag, metric});
        else if (step) // record that it did not wait: 0 is not the same as unknown
            step->add(Metric::WaitTotal, 0), step->add(metric, 0);
    }
}

Result<void> Ingest::addWaits(WaitCounter& counter) {
    for (auto& [rank, waits] : m_round.joinedEarly)
        RS_TRY(
            counter.add(rank, -1, std::move(waits), [this, waiter = rank](const WaitCharge& to, std::int64_t moreNs) {
                addWait(waiter, to.holder, moreNs);
            }));
    for (auto& [key, delta] : m_round.steps) {
        if (delta.joined.waits.empty())
            continue;
        const auto change = [this, &step = delta, at = key](const WaitCharge& to, std::int64_t moreNs) {
            addWait(at.first, to.holder, moreNs);
            step.add(Metric::WaitTotal, static_cast<double>(moreNs));
            step.add(to.metric, static_cast<double>(moreNs));
            m_round.pairs.push_back(
                {at.second, at.first, to.holder, familyOf(to.tag), {moreNs, to.countedNs < 0 ? 1 : 0}});
        };
        RS_TRY(counter.add(key.first, key.second, std::move(delta.joined), change));
    }
    return {};
}

void Ingest::addWait(int waiter, int holder, std::int64_t moreNs) {
    m_ranks[static_cast<std::size_t>(waiter)].waitedNs += moreNs;
    m_ranks[static_cast<std::size_t>(holder)].heldNs += moreNs;
}

} // namespace rankscope::store
