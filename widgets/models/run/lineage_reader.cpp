// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run/lineage_reader.h"

#include "core/base/values/result.h"
#include "widgets/models/text/store_health_text.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <limits>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostKept = 64; ///< answers, for all metrics and a few widths of the window
constexpr int kMostChainRows = 100'000;
constexpr int kMostChainRanks = 4096; ///< run.json and the store are not trusted
constexpr std::size_t kMostChainIncidents = 2000;

struct LineageLabels {
    Q_DECLARE_TR_FUNCTIONS(RunLineage)
};

/// Returns whether the id can be the name of a folder next to the run's own, and of nothing else.
bool isName(const std::string& id) {
    return !id.empty() && id != "." && id != ".." && id.find('/') == std::string::npos &&
           id.find('\0') == std::string::npos;
}

bool stops(const LineageReader::CancelCheck& cancelled) {
    return cancelled && cancelled();
}

} // namespace

void LineageReader::stopAt(LineageProblem trouble, const std::string& id, const std::string& next,
                           const std::string& why) {
    m_trouble = trouble;
    m_troubleId = toQString(id);
    m_troubleNext = toQString(next);
    m_troubleWhy = toQString(why);
}

RunChainPtr LineageReader::read(const std::string& from, std::int64_t firstStep, const CancelCheck& cancelled) {
    if (m_firstStep == firstStep && m_from == from)
        return m_chain;
    m_firstStep = firstStep;
    m_from = from;
    m_parts.clear();
    m_open.clear();
    m_kept.clear();
    m_chain.reset();
    m_nextIncident = -1;
    m_skipped.clear();
    m_trouble = LineageProblem::None;
    std::string id = from, next = m_run.dir.filename().string();
    std::vector<std::string> seen{next};
    std::int64_t cut = firstStep;
    while (!id.empty() && cut > 0 && m_parts.size() < kMostParts && !stops(cancelled)) {
        if (std::find(seen.begin(), seen.end(), id) != seen.end())
            break; // circular: there is no earlier run
        seen.push_back(id);
        const std::size_t before = m_parts.size();
        std::string earlier;
        if (!add(id, next, cut, earlier))
            break;
        if (m_parts.size() > before) {
            cut = m_parts.back().firstStep;
            next = id;
        }
        id = std::move(earlier);
    }
    if (m_parts.empty())
        return m_chain;
    auto chain = std::make_shared<RunLineage>();
    chain->parts.assign(std::make_move_iterator(m_parts.rbegin()), std::make_move_iterator(m_parts.rend()));
    std::reverse(m_open.begin(), m_open.end());
    m_parts.clear();
    m_chain = std::move(chain);
    return m_chain;
}

/// Adds one more run, whose steps before `cut` count. False: the chain ends here.
bool LineageReader::add(const std::string& id, const std::string& next, std::int64_t cut, std::string& from) {
    ChainPart part;
    part.id = toQString(id);
    part.nextId = toQString(next);
    if (!isName(id)) {
        stopAt(LineageProblem::Missing, id, next);
        return false;
    }
    part.run.dir = m_run.dir.parent_path() / id;
    std::error_code ec;
    if (!std::filesystem::exists(part.run.dir, ec)) {
        stopAt(LineageProblem::Missing, id, next);
        return false;
    }
    const auto info = launch::recordedRunInfo(part.run);
    if (!info) {
        stopAt(LineageProblem::Unreadable, id, next, info.error().message());
        return false;
    }
    const store::RunMeta known{info->id, info->worldSize, info->startNs, info->startRealtimeNs, info->totalSteps};
    auto reader = store::RunReader::open(part.run.store(), &known);
    if (!reader) {
        stopAt(LineageProblem::Unreadable, id, next, reader.error().message());
        return false;
    }
    const auto ranks = reader->ranks();
    if (!ranks) {
        stopAt(LineageProblem::Unreadable, id, next, ranks.error().message());
        return false;
    }
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    Open open;
    for (const auto& rank : *ranks) {
        if (rank.firstStep >= 0)
            first = std::min(first, rank.firstStep);
        part.newestStep = std::max(part.newestStep, rank.lastStep);
        open.ranks = std::max(open.ranks, std::min(rank.rank + 1, kMostChainRanks));
    }
    from = info->resumedFrom;
    if (first >= cut) { // it ended before its first step, or all of its steps were discarded
        if (from.empty())
            stopAt(LineageProblem::NoSteps, id, next);
        m_skipped << part.id;
        return !from.empty();
    }
    part.skipped = std::exchange(m_skipped, {});
    part.firstStep = first;
    part.lastStep = std::min(part.newestStep, cut - 1);
    reader->enableSeriesCache();
    if (m_detail == Detail::All)
        readDetails(part, *reader, *info);
    open.reader.emplace(std::move(*reader));
    m_parts.push_back(std::move(part));
    m_open.push_back(std::move(open));
    return true;
}

/// Reads the details. Anything unreadable is left out; the store's condition reports it.
void LineageReader::readDetails(ChainPart& part, store::RunReader& reader, const launch::RunInfo& info) {
    readIncidents(part, reader, info);
    if (auto rows = reader.validations(-1, kMostChainRows)) {
        std::erase_if(*rows, [&](const auto& v) { return v.step > part.lastStep; });
        part.validations = std::move(*rows);
    }
    if (auto scalars = store::ScalarReader::open(part.run.store()))
        if (auto rows = scalars->checkpoints()) {
            std::erase_if(*rows, [&](const auto& c) { return c.step > part.lastStep; });
            part.checkpoints = std::move(*rows);
        }
    if (auto marks = launch::readMarks(part.run)) {
        std::erase_if(marks->annotations, [&](const auto& a) { return a.firstStep > part.lastStep; });
        part.annotations = std::move(marks->annotations);
        for (auto& annotation : part.annotations)
            annotation.lastStep = std::min(annotation.lastStep, part.lastStep);
    }
}

void LineageReader::readIncidents(ChainPart& part, store::RunReader& reader, const launch::RunInfo& info) {
    auto incidents = reader.incidents();
    if (!incidents)
        return;
    const std::int64_t start = reader.meta().startNs;
    const std::int64_t end = start + std::max<std::int64_t>(0, info.endRealtimeNs - info.startRealtimeNs);
    if (incidents->size() > kMostChainIncidents) // keep the newest ones
        incidents->erase(incidents->begin(), incidents->end() - static_cast<std::ptrdiff_t>(kMostChainIncidents));
    for (auto& in : *incidents) {
        ChainIncident one;
        one.knownNs = std::max(end, in.openedNs);
        const bool open = in.closed == diagnosis::CloseReason::Open;
        auto steps = reader.stepsBetween(in.openedNs - start, (open ? one.knownNs : in.closedNs) - start);
        store::StepInterval covered = steps ? *steps : store::StepInterval{};
        const bool inside = in.step >= covered.first && in.step <= covered.last;
        if (diagnosis::isOfOneStep(in) || (in.step >= 0 && !inside && (covered.count() == 0 || !in.straggler)))
            covered = {in.step, in.step}; // or its step never ended, and so has no time
        one.steps = {std::max(covered.first, part.firstStep), std::min(covered.last, part.lastStep)};
        if (covered.count() == 0 || one.steps.count() == 0)
            continue; // in discarded steps
        one.id = m_nextIncident--;
        one.found = std::move(in);
        part.incidents.push_back(std::move(one));
    }
}

QString LineageReader::problem() const {
    QStringList said;
    if (m_trouble == LineageProblem::Missing)
        said << LineageLabels::tr(
                    "Run %1, from which %2 was resumed, is no longer in the same runs folder: its steps and "
                    "earlier ones are not shown.")
                    .arg(m_troubleId, m_troubleNext);
    if (m_trouble == LineageProblem::Unreadable)
        said << LineageLabels::tr(
                    "Run %1, from which %2 was resumed, cannot be read: its steps and earlier ones are not shown. %3")
                    .arg(m_troubleId, m_troubleNext, m_troubleWhy);
    if (m_trouble == LineageProblem::NoSteps)
        said << LineageLabels::tr("Run %1, from which %2 was resumed, has no step from before that.")
                    .arg(m_troubleId, m_troubleNext);
    for (std::size_t i = 0; m_chain && i < m_open.size(); ++i) {
        const Open& open = m_open[i];
        open.told = open.reader->condition();
        if (!open.told.sound())
            said << LineageLabels::tr("Run %1 came before this one. %2")
                        .arg(m_chain->parts[i].id, storeConditionText(open.told, m_chain->parts[i].run.store()));
    }
    return said.join(QLatin1Char('\n'));
}

bool LineageReader::foundDamage() const {
    return std::any_of(m_open.begin(), m_open.end(),
                       [](const Open& open) { return !(open.reader->condition() == open.told); });
}

/// Reopens a store that was written to, or moved away and back.
Result<void> LineageReader::reopen(std::size_t part) {
    Open& open = m_open[part];
    if (!open.reader->outdated())
        return {};
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(m_chain->parts[part].run.store(), &open.reader->meta()));
    reader.enableSeriesCache();
    open.reader.emplace(std::move(reader));
    m_kept.clear();
    return {};
}

Result<std::vector<std::vector<store::SeriesPoint>>> LineageReader::series(store::Metric metric, std::int64_t first,
                                                                           std::int64_t last, int maxPoints,
                                                                           const CancelCheck& cancelled) {
    std::vector<std::vector<store::SeriesPoint>> ranks;
    if (!m_chain)
        return ranks;
    first = std::max(first, m_chain->firstStep());
    last = std::min(last, m_chain->parts.back().lastStep);
    for (std::size_t i = 0; i < m_open.size(); ++i)
        RS_TRY(reopen(i));
    if (m_kept.size() > kMostKept)
        m_kept.clear();
    Kept& kept = m_kept[{metric, maxPoints}];
    if (kept.first == first && kept.last == last)
        return kept.ranks;
    for (std::size_t i = 0; i < m_open.size(); ++i) {
        const ChainPart& part = m_chain->parts[i];
        const std::int64_t from = std::max(first, part.firstStep), to = std::min(last, part.lastStep);
        if (from > to)
            continue;
        ranks.resize(std::max(ranks.size(), static_cast<std::size_t>(m_open[i].ranks)));
        for (int rank = 0; rank < m_open[i].ranks; ++rank) {
            if (stops(cancelled))
                return ranks;
            RS_TRY_ASSIGN(auto points, m_open[i].reader->series(metric, rank, from, to, maxPoints));
            auto& into = ranks[static_cast<std::size_t>(rank)];
            into.insert(into.end(), points.begin(), points.end());
        }
    }
    kept = {first, last, ranks};
    return ranks;
}

} // namespace rankscope::ui
