// SPDX-License-Identifier: GPL-3.0-or-later
// Turns a dry run into lines of label and value, in the window's language.
#pragma once

#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/plan/plan_request.h"

#include <QList>
#include <QString>

namespace rankscope::ui {

struct PlanLine {
    /// Command: can be copied. Measured: a value that can be measured.
    enum class PlanLineKind { Section, Value, Problem, Command, Measured } kind = PlanLineKind::Value;
    QString label, value, detail;                  ///< detail: the tool tip
    MarkSeverity severity = MarkSeverity::Caution; ///< of a Problem
};

QList<PlanLine> planLines(const PlanRequest& run);
/// Returns the main figures to show next to the Launch button, most important first; those that do not fit are left out
/// from the end.
QStringList planFacts(const PlanRequest& run);
/// Returns what prevents a launch, in one short line; empty: nothing.
QString obstacleSummary(const PlanRequest& run);
MarkSeverity obstacleSeverity(const PlanRequest& run);
/// Returns "2 all-reduces, 8 B per step; can hang" for one of the decisive settings; empty: nothing is known.
QString costText(const CollectiveCost& cost, bool canHang);
QString shortCostText(const CollectiveCost& cost, bool canHang); ///< without words that the context makes clear

QString bytesText(qint64 bytes);
QString countShort(qint64 n); ///< 1.2 M
QString secondsText(double seconds);

} // namespace rankscope::ui
