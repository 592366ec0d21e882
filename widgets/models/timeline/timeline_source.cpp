// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/timeline/timeline_source.h"

#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "widgets/models/timeline/span_merger.h"
#include "widgets/models/timeline/step_set.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace rankscope::ui {

using store::Metric;
using store::StepInterval;
using telemetry::Phase;

namespace {

Result<void> checkCancelled(const TimelineSource::Cancelled& cancelled) {
    return cancelled && cancelled() ? fail(Errc::Busy, "was cancelled") : Result<void>{};
}

/// Turns the rows of a part into lanes.
class LaneBuilder {
public:
    explicit LaneBuilder(TimelineReply& reply) : m_reply(reply) {
        const auto& request = reply.request;
        for (int rank = request.firstRank; rank <= request.lastRank; ++rank) {
            m_phases.emplace_back(request.nsPerPixel);
            m_collectives.emplace_back(request.nsPerPixel);
        }
        m_ofStep.resize(m_phases.size());
    }

    void take(const store::PhaseRow& row) {
        m_single.add(row.step);
        if (const auto lane = laneOf(row.rank); lane && touches(row.beginNs, row.endNs)) {
            m_phases[*lane].add(spanOf(row));
            ++m_reply.spans;
        }
    }

    void take(const store::CollectiveRow& row) {
        m_single.add(row.step);
        if (row.step != m_step)
            endStep();
        m_step = row.step;
        if (const auto lane = laneOf(row.rank); lane && touches(row.arrivedNs, row.doneNs)) {
            m_ofStep[*lane].push_back(spanOf(row, tagOf(row.tag)));
            ++m_reply.spans;
        }
    }

    void finish() {
        endStep();
        for (std::size_t i = 0; i < m_phases.size(); ++i) {
            TimelineLane& lane = m_reply.lanes[i];
            lane.phases = m_phases[i].takeSpans();
            lane.phaseColumns = m_phases[i].takeColumns();
            lane.collectives = m_collectives[i].takeSpans();
            lane.collectiveColumns = m_collectives[i].takeColumns();
            lane.rows = placeInRows(lane.collectives, TimelineSource::kMostRows);
        }
        m_reply.anySingle = m_reply.spans > 0;
    }

    void clear() {
        for (std::size_t i = 0; i < m_phases.size(); ++i) {
            m_phases[i] = m_collectives[i] = SpanMerger(m_reply.request.nsPerPixel);
            m_ofStep[i].clear();
        }
    }

    /// Returns whether all steps of a group have single spans.
    bool isSingle(std::int64_t first, std::int64_t last) const { return m_single.containsAll(first, last); }

private:
    std::optional<std::size_t> laneOf(int rank) const {
        const auto& request = m_reply.request;
        if (rank < request.firstRank || rank > request.lastRank)
            return std::nullopt;
        return static_cast<std::size_t>(rank - request.firstRank);
    }
    bool touches(std::int64_t begin, std::int64_t end) const {
        return end >= m_reply.request.fromNs && begin <= m_reply.request.toNs;
    }
    int tagOf(const std::string& name) {
        const auto [at, isNew] = m_tags.try_emplace(name, static_cast<int>(m_reply.tags.size()));
        if (isNew)
            m_reply.tags.push_back(name);
        return at->second;
    }
    /// Sorts the collectives of a step by time: its rows come by group and sequence.
    void endStep() {
        for (std::size_t i = 0; i < m_ofStep.size(); ++i) {
            auto& spans = m_ofStep[i];
            std::stable_sort(spans.begin(), spans.end(),
                             [](const TimelineSpan& a, const TimelineSpan& b) { return a.beginNs < b.beginNs; });
            for (const TimelineSpan& span : spans)
                m_collectives[i].add(span);
            spans.clear();
        }
    }

    TimelineReply& m_reply;
    std::vector<SpanMerger> m_phases, m_collectives;
    std::vector<std::vector<TimelineSpan>> m_ofStep; ///< collectives of the step being read
    std::int64_t m_step = INT64_MIN;
    StepSet m_single;
    std::unordered_map<std::string, int> m_tags;
};

Result<void> readSingles(store::RunReader& run, StepInterval steps, LaneBuilder& builder,
                         const TimelineSource::Cancelled& cancelled, TimelineReply& reply) {
    std::int64_t rows = 0;
    const auto check = [&]() -> Result<void> {
        if (++rows > TimelineSource::kMostSpans) {
            reply.tooMany = true;
            return fail(Errc::Unsupported, "too many spans");
        }
        return rows % 4096 == 0 ? checkCancelled(cancelled) : Result<void>{};
    };
    auto taken = run.eachPhase(steps, [&](const store::PhaseRow& row) {
        builder.take(row);
        return check();
    });
    if (taken)
        taken = run.eachCollective(steps, [&](const store::CollectiveRow& row) {
            builder.take(row);
            return check();
        });
    return taken || reply.tooMany ? Result<void>{} : taken;
}

Result<void> readSums(store::RunReader& run, StepInterval steps, const LaneBuilder& builder, int points,
                      const TimelineSource::Cancelled& cancelled, TimelineReply& reply) {
    for (TimelineLane& lane : reply.lanes) {
        RS_TRY(checkCancelled(cancelled));
        SumSeries series;
        RS_TRY_ASSIGN(auto times, run.series(Metric::StepTime, lane.rank, steps.first, steps.last, points));
        lane.steps = times;
        const auto isSummed = [&](const store::SeriesPoint& p) {
            return reply.tooMany || !builder.isSingle(p.firstStep, p.lastStep);
        };
        if (std::none_of(times.begin(), times.end(), isSummed))
            continue;
        series.stepTime = std::move(times);
        for (std::size_t p = 0; p <= kPhaseCount; ++p) {
            const auto metric = p == kPhaseCount ? Metric::ExposedWait : store::phaseMetric(static_cast<Phase>(p));
            if (!metric)
                continue;
            RS_TRY_ASSIGN(auto read, run.series(*metric, lane.rank, steps.first, steps.last, points));
            (p == kPhaseCount ? series.exposed : series.phases[p]) = std::move(read);
        }
        lane.sums = sumsOf(series);
        if (!reply.tooMany)
            std::erase_if(lane.sums, [&](const TimelineSum& s) { return builder.isSingle(s.firstStep, s.lastStep); });
        reply.anySums |= !lane.sums.empty();
    }
    return {};
}

/// Returns how many steps of a rank an interval contains; those of an import may be far apart.
Result<std::int64_t> stepCount(store::RunReader& run, int rank, StepInterval steps) {
    RS_TRY_ASSIGN(const auto points, run.series(Metric::StepTime, rank, steps.first, steps.last, 64));
    return std::accumulate(points.begin(), points.end(), std::int64_t{0},
                           [](std::int64_t sum, const store::SeriesPoint& p) { return sum + p.count; });
}

/// Returns when the run's newest step, or a phase after it, ended.
Result<std::int64_t> lastOf(store::RunReader& run) {
    RS_TRY_ASSIGN(const auto ranks, run.ranks());
    std::int64_t lastNs = 0, lastStep = -1;
    for (const auto& rank : ranks) {
        lastNs = std::max(lastNs, rank.lastNs);
        lastStep = std::max(lastStep, rank.lastStep);
    }
    RS_TRY_ASSIGN(const auto phases, run.phases(lastStep, INT64_MAX, 20'000));
    for (const auto& phase : phases)
        lastNs = std::max(lastNs, phase.endNs);
    return lastNs;
}

} // namespace

Result<store::RunReader*> TimelineSource::reader(const std::filesystem::path& store) {
    if (!m_reader || m_store != store) {
        m_reader.reset();
        RS_TRY_ASSIGN(m_reader, store::RunReader::open(store));
        m_store = store;
    }
    return &*m_reader;
}

Result<TimelineReply> TimelineSource::read(const TimelineRequest& request, const Cancelled& cancelled) {
    const std::int64_t began = monotonicNs();
    RS_TRY_ASSIGN(store::RunReader* const run, reader(request.store));
    TimelineReply reply;
    reply.request = request;
    const int worldSize = std::max(run->meta().worldSize, 1);
    reply.request.firstRank = std::clamp(request.firstRank, 0, worldSize - 1);
    reply.request.lastRank = std::clamp(request.lastRank, reply.request.firstRank, worldSize - 1);
    for (int rank = reply.request.firstRank; rank <= reply.request.lastRank; ++rank) {
        reply.lanes.emplace_back();
        reply.lanes.back().rank = rank;
    }
    RS_TRY_ASSIGN(reply.lastNs, lastOf(*run));
    RS_TRY_ASSIGN(reply.singleFrom, run->singleStepsFrom());
    RS_TRY_ASSIGN(const auto steps, stepsAround(*run, request.fromNs, request.toNs));
    reply.steps = steps;
    const auto most = std::max<std::int64_t>(kMostRankSteps / worldSize, 8);
    if (steps.count() > most) {
        RS_TRY_ASSIGN(const auto count, stepCount(*run, reply.request.firstRank, steps));
        reply.tooMany = count > most;
    }
    LaneBuilder builder(reply);
    if (!reply.tooMany)
        RS_TRY(readSingles(*run, steps, builder, cancelled, reply));
    if (reply.tooMany) { // also if reading met too many rows: showing only a part would mislead
        reply.spans = 0;
        builder.clear();
    }
    builder.finish();
    const std::int64_t pixels = (request.toNs - request.fromNs) / std::max<std::int64_t>(request.nsPerPixel, 1);
    const int points = static_cast<int>(std::clamp<std::int64_t>(pixels / 2, 64, 2000));
    RS_TRY(readSums(*run, steps, builder, points, cancelled, reply));
    reply.readNs = monotonicNs() - began;
    return reply;
}

Result<CollectiveDetail> TimelineSource::collective(const std::filesystem::path& store, const TimelineSpan& span) {
    RS_TRY_ASSIGN(store::RunReader* const run, reader(store));
    CollectiveDetail detail{span.step, span.group, span.sequence, {}, {}};
    // a rank may have been a step behind or ahead
    RS_TRY(run->eachCollective({span.step - 1, span.step + 1}, [&](const store::CollectiveRow& row) -> Result<void> {
        if (row.group == span.group && row.sequence == span.sequence)
            detail.ranks.push_back(row);
        return {};
    }));
    std::stable_sort(detail.ranks.begin(), detail.ranks.end(),
                     [](const auto& a, const auto& b) { return a.arrivedNs < b.arrivedNs; });
    return detail;
}

Result<SpanDetail> TimelineSource::detail(const std::filesystem::path& store, int rank, const TimelineSpan& span) {
    SpanDetail detail;
    detail.rank = rank;
    detail.span = span;
    RS_TRY_ASSIGN(store::RunReader* const run, reader(store));
    if (span.step >= 0) {
        RS_TRY(run->eachStep(rank, {span.step, span.step}, [&](const store::StepRow& row) -> Result<void> {
            detail.step = row;
            return {};
        }));
    }
    if (!span.collective)
        return detail;
    RS_TRY_ASSIGN(detail.collective, collective(store, span));
    if (span.waitNs <= 0 || span.holder < 0 || span.holder == rank)
        return detail;
    // what the holder did for most of the wait; it may have been a step behind
    std::int64_t most = 0;
    RS_TRY(run->eachPhase({span.step - 1, span.step + 1}, [&](const store::PhaseRow& row) -> Result<void> {
        const std::int64_t both = std::min(row.endNs, span.beginNs + span.waitNs) - std::max(row.beginNs, span.beginNs);
        if (row.rank == span.holder && both > most) {
            most = both;
            detail.cause = spanOf(row);
        }
        return {};
    }));
    return detail;
}

Result<TimelineSummary> TimelineSource::summary(const SummaryRequest& request, const Cancelled& cancelled) {
    RS_TRY_ASSIGN(store::RunReader* const run, reader(request.store));
    return readSummary(*run, request, cancelled);
}

Result<void> TimelineSource::searchSpans(store::RunReader& run, const TimelineQuery& query, const Cancelled& cancelled,
                                         TimelineHits& into) {
    const StepInterval steps = query.step ? StepInterval{*query.step, *query.step} : StepInterval{-1, INT64_MAX};
    std::array<bool, kPhaseCount> wanted{};
    for (std::size_t p = 1; p < kPhaseCount; ++p)
        wanted[p] = telemetry::phaseName(static_cast<Phase>(p)).find(query.text) != std::string_view::npos;
    std::int64_t rows = 0;
    const auto hit = [&](int rank, const TimelineSpan& span, const std::string& tag) {
        if (into.hits.size() < kMostHits)
            into.hits.push_back({rank, false, span, tag});
        else
            into.more = true;
    };
    const auto go = [&] { return ++rows % 4096 == 0 ? checkCancelled(cancelled) : Result<void>{}; };
    if (std::find(wanted.begin(), wanted.end(), true) != wanted.end()) {
        auto phases = run.eachPhase(steps, [&](const store::PhaseRow& row) {
            if (wanted[static_cast<std::size_t>(row.phase)] && (!query.rank || row.rank == *query.rank))
                hit(row.rank, spanOf(row), {});
            return go();
        });
        if (!phases)
            return phases;
    }
    std::unordered_map<std::string, bool> tags;
    return run.eachCollective(steps, [&](const store::CollectiveRow& row) {
        if (query.rank && row.rank != *query.rank)
            return go();
        const auto [at, isNew] = tags.try_emplace(row.tag, false);
        if (isNew) {
            std::string small = row.tag;
            std::transform(small.begin(), small.end(), small.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
            at->second = small.find(query.text) != std::string::npos;
        }
        if (at->second || telemetry::opName(row.op).find(query.text) != std::string_view::npos)
            hit(row.rank, spanOf(row, -1), row.tag);
        return go();
    });
}

Result<TimelineHits> TimelineSource::search(const std::filesystem::path& store, const TimelineQuery& query,
                                            const Cancelled& cancelled) {
    RS_TRY_ASSIGN(store::RunReader* const run, reader(store));
    TimelineHits found;
    found.query = query;
    if (!query.text.empty()) {
        RS_TRY(searchSpans(*run, query, cancelled, found));
    } else {
        RS_TRY_ASSIGN(const auto ranks, run->ranks());
        for (const auto& rank : ranks) {
            if (query.rank && rank.rank != *query.rank)
                continue;
            RS_TRY_ASSIGN(const auto times, run->series(Metric::StepTime, rank.rank, query.step.value_or(0),
                                                        query.step.value_or(INT64_MAX / 2), 1));
            if (times.empty())
                continue;
            TimelineHit hit{rank.rank, true, {}, {}};
            hit.span.step = query.step.value_or(-1);
            hit.span.beginNs = times.front().beginNs;
            hit.span.endNs = times.back().endNs;
            found.hits.push_back(hit);
        }
    }
    std::stable_sort(found.hits.begin(), found.hits.end(),
                     [](const TimelineHit& a, const TimelineHit& b) { return a.span.beginNs < b.span.beginNs; });
    return found;
}

} // namespace rankscope::ui
