// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace rankscope::ui {

struct PlotSpec {
    QString title;
    QString unit;          ///< fixed unit; empty for durations
    bool duration = false; ///< values are seconds: the unit follows the range
    bool fromZero = false; ///< the linear axis starts at 0
    bool whole = false;    ///< values are counts
    bool canBeLog = false;
    double logFloor = 1e-12; ///< what is below (a wait of 0) is drawn at the foot of a log axis
};

} // namespace rankscope::ui
