// SPDX-License-Identifier: GPL-3.0-or-later
// Shape, colour and word of a problem or a risk, the same in tree, text, lists and details.
#pragma once

#include "core/config/rules.h"
#include "widgets/theme/theme.h"

#include <QPixmap>

#include <utility>

namespace rankscope::ui {

using Mark = std::pair<diagnosis::RankState, QColor>;

Mark markOf(config::Problem::Severity severity);
Mark markOf(config::RiskSeverity severity);
QPixmap markPixmap(const Mark& mark); ///< 16 x 16
QString severityWord(config::Problem::Severity severity);
QString severityWord(config::RiskSeverity severity);

} // namespace rankscope::ui
