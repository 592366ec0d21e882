// SPDX-License-Identifier: GPL-3.0-or-later
// Texts about a span for the tool tip, for the details and for copying. Pure functions.
#pragma once

#include "widgets/models/timeline/timeline_data.h"

#include <QList>
#include <QString>

namespace rankscope::ui {

struct TimelinePick;

/// Returns a duration with four digits: "25.08 s", "12.35 ms", "850 ns".
QString spanDuration(std::int64_t ns);

struct SpanFact {
    QString name, value;
    QString link; ///< not empty: the value is a link to it
};
struct SpanFacts {
    QString title;
    QList<SpanFact> facts;
    void add(const QString& name, const QString& value, const QString& link = {}) { facts.append({name, value, link}); }
};
inline constexpr char kCauseLink[] = "cause"; ///< link to what the holder of a wait did meanwhile

QString pickTitle(const TimelinePick& pick);
QString pickTip(const TimelinePick& pick);
/// Returns the facts in the order in which they are shown; `detail` adds the data that was read.
QList<SpanFacts> pickFacts(const TimelinePick& pick, const SpanDetail* detail);
/// Returns one row per rank: rank, arrived, waited, done, phase. The latest arrival is the holder's.
QList<QStringList> arrivalRows(const CollectiveDetail& detail);
QStringList arrivalHeader();
/// Returns facts and rows as tab-separated text.
QString pickAsText(const TimelinePick& pick, const SpanDetail* detail);
/// Returns "rank 1, data_wait, step 60".
QString causeText(int rank, const TimelineSpan& span);

} // namespace rankscope::ui
