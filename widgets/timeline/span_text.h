// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about a span: in a tooltip, in the details, and as copied text. Pure.
#pragma once

#include "widgets/models/timeline_data.h"

#include <QList>
#include <QPair>
#include <QString>

namespace rankscope::ui {

struct TimelinePick;

/// A duration with as many digits as the clock gives: "1.234567 s", "12.345 ms", "850 ns".
QString exactDuration(std::int64_t ns);

QString pickTitle(const TimelinePick& pick);
QString pickTip(const TimelinePick& pick);
/// Name and value, in the order in which they are shown.
QList<QPair<QString, QString>> pickFacts(const TimelinePick& pick);
/// One row per rank: rank, arrived, waited, done, phase. The latest arrival is the holder's.
QList<QStringList> arrivalRows(const CollectiveDetail& detail);
QStringList arrivalHeader();
/// Facts and rows as text, tab-separated.
QString pickAsText(const TimelinePick& pick, const CollectiveDetail* detail);

} // namespace rankscope::ui
