// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/run_row.h"

#include <QCoreApplication>

#include <algorithm>
#include <bit>

namespace rankscope::ui {

RunStatus RunRow::now() const {
    if (!figures)
        return RunStatus::of(info, {});
    return RunStatus::of(info, figures->open, behindSinceNs);
}

QString RunRow::name() const {
    return QString::fromStdString(!marks.title.empty() ? marks.title
                                  : !info.name.empty() ? info.name
                                                       : paths.dir.filename().string());
}

QString RunRow::changesLine(ChangeOrder order) const {
    // a run equal to the oldest of its name has nothing to show, unless it was launched to be changed
    const bool told = changes && (!changes->empty() || !info.relaunchedFrom.empty());
    return told ? changesText(*changes, order) : QString();
}

QString RunRow::changesTip() const {
    const QString line = changesLine();
    return line.isEmpty() ? line
                          : QCoreApplication::translate("RunChanges", "%1\nagainst %2", "changes, a run's id")
                                .arg(line, QString::fromStdString(origin));
}

std::int64_t RunRow::lastedNs(std::int64_t nowNs) const {
    const std::int64_t end = info.endRealtimeNs > 0 ? info.endRealtimeNs : isLive() ? nowNs : 0;
    return info.startRealtimeNs > 0 && end >= info.startRealtimeNs ? end - info.startRealtimeNs : -1;
}

RunTotals RunRow::totals(std::int64_t nowNs) const {
    RunTotals all = earlier;
    all.add(lastedNs(nowNs), figures.get());
    return all;
}

bool RunRow::isPinned() const {
    return std::any_of(marks.tags.begin(), marks.tags.end(), isBaselineTag);
}

bool isBaselineTag(const std::string& tag) {
    return QString::fromStdString(tag).compare(QLatin1String("baseline"), Qt::CaseInsensitive) == 0;
}

std::vector<std::string> RunRow::tags() const {
    std::vector<std::string> all = info.tags;
    for (const auto& tag : marks.tags)
        if (std::find(all.begin(), all.end(), tag) == all.end())
            all.push_back(tag);
    return all;
}

RunChanges changesOf(const RunRow& from, const RunRow& to) {
    RunChanges changes = changesBetween(*from.settings, *to.settings);
    tellRanks(from.info.worldSize, to.info.worldSize, &changes);
    return changes;
}

bool sameShown(const RunRow& a, const RunRow& b) {
    if (a.revision != b.revision)
        return false;
    const bool sameRun = a.paths.dir.native() == b.paths.dir.native(); // much faster than part by part
    if (!sameRun || a.revision != 0)
        return sameRun;
    return a.info.name == b.info.name && a.info.state == b.info.state && a.info.worldSize == b.info.worldSize &&
           a.info.totalSteps == b.info.totalSteps && a.info.startRealtimeNs == b.info.startRealtimeNs &&
           a.info.endRealtimeNs == b.info.endRealtimeNs && a.info.cause == b.info.cause && a.info.tags == b.info.tags &&
           a.problem == b.problem && a.lastStep == b.lastStep && a.figures == b.figures && a.settings == b.settings &&
           a.marks == b.marks && a.changes == b.changes && a.chain == b.chain && a.parts == b.parts &&
           a.earlier == b.earlier && a.behindSinceNs == b.behindSinceNs &&
           std::bit_cast<std::uint64_t>(a.lastLoss) == std::bit_cast<std::uint64_t>(b.lastLoss);
}

} // namespace rankscope::ui
