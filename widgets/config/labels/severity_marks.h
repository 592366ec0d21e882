// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/risks/risk_rules.h"
#include "widgets/theme/theme.h"

#include <QPixmap>

#include <optional>

namespace rankscope::ui {

/// How serious a problem or risk is. Each severity has its own shape, colour and word, the same in the tree, text,
/// cards, lists and details. The shapes differ from those of rank states, and no rank's line has these colours.
enum class MarkSeverity { Note, Caution, Danger, Error };

MarkSeverity severityOf(config::Problem::Severity severity);
MarkSeverity severityOf(config::RiskSeverity severity);
MarkSeverity severityOf(const config::Risk& risk);

/// Draws the mark of a severity: a circle, a diamond, a triangle, or a disc with a cross.
void drawMark(QPainter& painter, const QRectF& square, MarkSeverity severity);
QPixmap markPixmap(MarkSeverity severity); ///< 16 x 16
QPixmap tickPixmap();                      ///< no problem found
QColor markColor(MarkSeverity severity);   ///< also used for text
QString severityWord(MarkSeverity severity);

} // namespace rankscope::ui
