// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/risks/risk_rules.h"
#include "widgets/theme/theme.h"

#include <QPixmap>

#include <optional>

namespace rankscope::ui {

/// How serious a problem or risk is. Each severity has one shape, colour and word in tree, text, cards, lists and
/// details; the shapes differ from those of rank states, and no rank's line has these colours.
enum class Severity { Note, Caution, Danger, Error };

Severity severityOf(config::Problem::Severity severity);
Severity severityOf(config::RiskSeverity severity);
Severity severityOf(const config::Risk& risk);

/// A circle, a diamond, a triangle, a disc with a cross.
void drawMark(QPainter& painter, const QRectF& square, Severity severity);
QPixmap markPixmap(Severity severity); ///< 16 x 16
QPixmap tickPixmap();                  ///< nothing is wrong
QColor markColor(Severity severity);   ///< also of text
QString severityWord(Severity severity);

} // namespace rankscope::ui
