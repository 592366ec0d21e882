// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/timeline/timeline_data.h"

#include "core/base/values/result.h"
#include "widgets/models/text/text_format.h"

#include <QRegularExpression>

#include <algorithm>

namespace rankscope::ui {

TimelineSpan spanOf(const store::PhaseRow& row) {
    TimelineSpan span;
    span.beginNs = row.beginNs;
    span.endNs = std::max(row.endNs, row.beginNs);
    span.step = row.step;
    span.phase = row.phase;
    return span;
}

TimelineSpan spanOf(const store::CollectiveRow& row, int tag) {
    TimelineSpan span;
    span.collective = true;
    span.beginNs = row.arrivedNs;
    span.endNs = std::max(row.doneNs, row.arrivedNs);
    span.step = row.step;
    span.phase = row.phase;
    span.op = row.op;
    span.tag = tag;
    span.holder = row.holder;
    span.group = row.group;
    span.sequence = row.sequence;
    span.count = row.count;
    span.waitNs = row.waitNs;
    span.exposedNs = row.exposedNs;
    return span;
}

const TimelineLane* TimelineReply::lane(int rank) const {
    const auto at = std::lower_bound(lanes.begin(), lanes.end(), rank,
                                     [](const TimelineLane& lane, int wanted) { return lane.rank < wanted; });
    return at != lanes.end() && at->rank == rank ? &*at : nullptr;
}

QString TimelineReply::tag(const TimelineSpan& span) const {
    const bool known = span.tag >= 0 && span.tag < static_cast<int>(tags.size());
    const std::string& name = known ? tags[static_cast<std::size_t>(span.tag)] : std::string();
    return name.empty() ? toQString(telemetry::opName(span.op)) : toQString(name);
}

TimelineQuery parseTimelineQuery(const QString& text) {
    TimelineQuery query;
    QStringList rest;
    const QStringList words = text.toLower().split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts);
    for (qsizetype i = 0; i < words.size(); ++i) {
        bool number = false;
        const qint64 next = i + 1 < words.size() ? words[i + 1].toLongLong(&number) : 0;
        const bool rank = words[i] == QLatin1String("rank"), step = words[i] == QLatin1String("step");
        if ((rank || step) && number && next >= 0) {
            if (rank)
                query.rank = static_cast<int>(std::min<qint64>(next, INT32_MAX));
            else
                query.step = next;
            ++i;
            continue;
        }
        const qint64 alone = words[i].toLongLong(&number);
        if (number && alone >= 0)
            query.step = alone;
        else
            rest << words[i];
    }
    query.text = rest.join(u' ').toStdString();
    return query;
}

Result<store::StepInterval> stepsAround(store::RunReader& run, std::int64_t fromNs, std::int64_t toNs) {
    RS_TRY_ASSIGN(const auto before, run.stepsBetween(INT64_MIN / 2, fromNs));
    RS_TRY_ASSIGN(const auto touching, run.stepsBetween(fromNs, toNs));
    const std::int64_t low = before.count() ? before.last : -1;
    if (touching.count() == 0)
        return store::StepInterval{low - 1, low + 1};
    return store::StepInterval{std::min(touching.first, low) - 1, std::max(touching.last, low) + 1};
}

} // namespace rankscope::ui
