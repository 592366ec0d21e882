// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/waits/wait_grid.h"

#include "core/base/values/result.h"
#include "core/store/read/run_reader.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/waits/wait_model.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>

namespace rankscope::ui {

using diagnosis::WaitMatrix;
using diagnosis::WaitSums;
using telemetry::Phase;

namespace {

struct WaitGridLabels {
    Q_DECLARE_TR_FUNCTIONS(WaitGridLabels)
};

bool passes(const WaitMatrix::PairKey& key, const WaitFilter& filter) {
    return filter.family.empty() || std::get<2>(key) == filter.family;
}

std::int64_t counted(const WaitSums& sums, const WaitFilter& filter) {
    return filter.phase ? sums.phaseNs[std::min(static_cast<std::size_t>(*filter.phase), diagnosis::kPhaseCount - 1)]
                        : sums.waitNs;
}

QString phaseWord(Phase phase) {
    return phase == Phase::None ? WaitGridLabels::tr("no phase") : phaseText(phase);
}

QString percentText(double part, double whole) {
    return QString::number(whole > 0 ? qRound(100 * part / whole) : 0);
}

QString duration(double ns) {
    return durationText(static_cast<std::int64_t>(std::llround(ns)));
}

template <class Key> std::vector<Key> dearestFirst(const std::map<Key, std::int64_t>& sums) {
    std::vector<Key> keys;
    for (const auto& [key, ns] : sums)
        if (ns > 0)
            keys.push_back(key);
    std::stable_sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) { return sums.at(a) > sums.at(b); });
    return keys;
}

} // namespace

WaitGrid gridOf(const WaitMatrix& matrix, int worldSize, const WaitFilter& filter) {
    WaitGrid grid;
    grid.ranks = std::max(worldSize, 0);
    grid.ns.resize(static_cast<std::size_t>(grid.ranks) * static_cast<std::size_t>(grid.ranks));
    for (const auto& [key, sums] : matrix.cells()) {
        const auto& [waiter, holder, family] = key;
        if (!passes(key, filter) || waiter < 0 || waiter >= grid.ranks || holder < 0 || holder >= grid.ranks)
            continue;
        auto& cell = grid.ns[static_cast<std::size_t>(waiter) * static_cast<std::size_t>(grid.ranks) +
                             static_cast<std::size_t>(holder)];
        cell += counted(sums, filter);
        grid.total += counted(sums, filter);
        grid.most = std::max(grid.most, cell);
    }
    return grid;
}

std::vector<std::string> waitFamilies(const WaitMatrix& matrix) {
    std::map<std::string, std::int64_t> sums;
    for (const auto& [key, cell] : matrix.cells())
        sums[std::get<2>(key)] += cell.waitNs;
    return dearestFirst(sums);
}

std::vector<Phase> waitPhases(const WaitMatrix& matrix) {
    std::map<Phase, std::int64_t> sums;
    const WaitSums total = matrix.total();
    for (std::size_t p = 0; p < diagnosis::kPhaseCount; ++p)
        sums[static_cast<Phase>(p)] = total.phaseNs[p];
    return dearestFirst(sums);
}

QStringList rankingSentences(const WaitMatrix& matrix, const WaitFilter& filter, int most) {
    WaitMatrix chosen;
    for (const auto& [key, sums] : matrix.cells())
        if (passes(key, filter))
            chosen.add(std::get<0>(key), std::get<1>(key), std::get<2>(key), sums);
    auto ranking = chosen.ranking();
    std::erase_if(ranking, [&](const auto& cost) { return counted(cost.sums, filter) <= 0; });
    std::stable_sort(ranking.begin(), ranking.end(),
                     [&](const auto& a, const auto& b) { return counted(a.sums, filter) > counted(b.sums, filter); });
    QStringList sentences;
    for (const auto& cost : ranking) {
        if (sentences.size() == most) {
            sentences << WaitGridLabels::tr("And %1 more ranks, with shorter waits.")
                             .arg(ranking.size() - static_cast<std::size_t>(most));
            break;
        }
        sentences << (filter.phase ? WaitGridLabels::tr(
                                         "Rank %1 kept the others waiting for %2 while it was in %3, mostly at %4.")
                                         .arg(QString::number(cost.rank), durationText(counted(cost.sums, filter)),
                                              phaseWord(*filter.phase), toQString(cost.family))
                                   : waitSentence(cost));
    }
    if (sentences.isEmpty())
        sentences << (filter == WaitFilter{} ? waitSentence(matrix)
                                             : WaitGridLabels::tr("No rank waited for another in this way."));
    return sentences;
}

QStringList predictionSentences(const store::WaitReport& report) {
    const auto& p = report.replay;
    if (p.steps == 0 || report.worldSize < 2)
        return {};
    QStringList lines;
    const auto gain = [&](const QString& what, double takes, double gains) {
        return what.arg(duration(gains), percentText(gains, p.observedNs), duration(takes), duration(p.observedNs));
    };
    lines << gain(p.steps == 1
                      ? WaitGridLabels::tr("Balanced ranks would save up to %1 (%2 %): %3 instead of %4 for 1 step.")
                      : WaitGridLabels::tr("Balanced ranks would save up to %1 (%2 %): %3 instead of %4 for %5 steps.")
                            .replace(QLatin1String("%5"), countText(p.steps)),
                  p.balancedNs, p.gainBalancedNs());
    if (p.lengthSyncs > 0) {
        lines << gain(WaitGridLabels::tr("Without the length sync you would save %1 (%2 %): %3 instead of %4."),
                      p.withoutLengthSyncNs, p.gainWithoutLengthSyncNs());
        lines << WaitGridLabels::tr("On average a rank waited %1 in the length sync. Without it, the rest of this wait "
                                    "moves to later collectives.")
                     .arg(duration(p.lengthSyncWaitNs));
    }
    lines << WaitGridLabels::tr("Assumes that each rank's own work takes as long as it did. Ranks that share cores, or "
                                "a loader that barely keeps up, gain less.");
    if (p.skipped > 0)
        lines << WaitGridLabels::tr("%1 steps could not be replayed: records of a rank are missing.")
                     .arg(countText(p.skipped));
    return lines;
}

QString rangeSentence(const store::WaitReport& report, bool selected) {
    if (report.steps.count() == 0)
        return {};
    const QString steps =
        report.steps.count() == 1
            ? WaitGridLabels::tr("step %1").arg(countText(report.steps.first))
            : WaitGridLabels::tr("steps %1 to %2").arg(countText(report.steps.first), countText(report.steps.last));
    if (report.steps == report.run)
        return WaitGridLabels::tr("Whole run: %1").arg(steps);
    return (selected ? WaitGridLabels::tr("Selected: %1 of %2") : WaitGridLabels::tr("In view: %1 of %2"))
        .arg(steps, countText(report.run.last + 1));
}

QString estimateSentence(const store::WaitReport& report) {
    const WaitSums total = report.matrix.total();
    if (total.estimatedNs <= 0)
        return {};
    return WaitGridLabels::tr("%1 of %2 steps still have their individual collectives; for the rest (%3 % of all "
                              "waits), phases and blocking are estimated from the steps' sums.")
        .arg(countText(report.singleSteps), countText(report.steps.count()),
             percentText(static_cast<double>(total.estimatedNs), static_cast<double>(total.waitNs)));
}

QString gridAsText(const WaitGrid& grid, int mostRanks) {
    const auto seconds = [](std::int64_t ns) { return QString::number(static_cast<double>(ns) * 1e-9, 'f', 6); };
    QStringList lines;
    if (grid.ranks > mostRanks) {
        lines << QStringList{WaitGridLabels::tr("waiter"), WaitGridLabels::tr("holder"),
                             WaitGridLabels::tr("waited, s")}
                     .join(u'\t');
        for (int waiter = 0; waiter < grid.ranks; ++waiter)
            for (int holder = 0; holder < grid.ranks; ++holder)
                if (const auto ns = grid.at(waiter, holder); ns > 0)
                    lines << QStringLiteral("%1\t%2\t%3").arg(waiter).arg(holder).arg(seconds(ns));
        return lines.join(u'\n') + u'\n';
    }
    QStringList header{WaitGridLabels::tr("waiter \\ holder, s")};
    for (int holder = 0; holder < grid.ranks; ++holder)
        header << ranksText({holder});
    lines << header.join(u'\t');
    for (int waiter = 0; waiter < grid.ranks; ++waiter) {
        QStringList row{ranksText({waiter})};
        for (int holder = 0; holder < grid.ranks; ++holder)
            row << seconds(grid.at(waiter, holder));
        lines << row.join(u'\t');
    }
    return lines.join(u'\n') + u'\n';
}

Result<store::StepInterval> requestedSteps(store::RunReader& reader, const WaitsRequest& request) {
    if (request.byTime)
        return reader.stepsBetween(request.from, request.to);
    return store::StepInterval{request.from, request.to};
}

static Result<store::WaitReport> explain(const WaitsRequest& request, const std::function<bool()>& cancelled) {
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(request.store));
    RS_TRY_ASSIGN(const auto steps, requestedSteps(reader, request));
    return reader.explainWaits(steps, cancelled);
}

WaitsReplyPtr explainWaits(const WaitsRequest& request, const std::function<bool()>& cancelled) {
    auto reply = std::make_shared<WaitsReply>();
    reply->request = request;
    if (auto report = explain(request, cancelled))
        reply->report = std::move(*report);
    else
        reply->error = toQString(report.error().message());
    return reply;
}

} // namespace rankscope::ui
