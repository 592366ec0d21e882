// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about a span: in a tooltip, in the details, and as copied text. Pure.
#pragma once

#include "widgets/models/timeline/timeline_data.h"

#include <QList>
#include <QString>

namespace rankscope::ui {

struct TimelinePick;

/// A duration with four digits: "25.08 s", "12.35 ms", "850 ns".
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
inline constexpr char kCauseLink[] = "cause"; ///< to what the holder of a wait did meanwhile

QString pickTitle(const TimelinePick& pick);
QString pickTip(const TimelinePick& pick);
/// In the order in which they are shown; `detail` adds what is read of it.
QList<SpanFacts> pickFacts(const TimelinePick& pick, const SpanDetail* detail);
/// One row per rank: rank, arrived, waited, done, phase. The latest arrival is the holder's.
QList<QStringList> arrivalRows(const CollectiveDetail& detail);
QStringList arrivalHeader();
/// Facts and rows as text, tab-separated.
QString pickAsText(const TimelinePick& pick, const SpanDetail* detail);
/// "rank 1, data_wait, step 60"
QString causeText(int rank, const TimelineSpan& span);

} // namespace rankscope::ui
