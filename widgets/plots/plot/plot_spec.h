// SPDX-License-Identifier: GPL-3.0-or-later
// Describes a plot's series and the incidents in it.
#pragma once

#include <QString>

#include <vector>

namespace rankscope::ui {

/// The part of the x axis that an incident covers.
struct IncidentSpan {
    qint64 id = 0;
    double lo = 0, hi = 0; ///< on the x axis
    bool open = false;
    double timeWidth = 0;       ///< its duration on the x axis, if all steps took equally long; 0: not known
    bool pause = false;         ///< It is a pause of the whole run, which no rank caused.
    std::vector<int> holders{}; ///< the ranks that held up the others

    friend bool operator==(const IncidentSpan&, const IncidentSpan&) = default;
};

struct PlotSpec {
    QString title;
    QString unit;          ///< fixed unit; empty for durations
    bool duration = false; ///< values are seconds: the unit follows the range
    bool fromZero = false; ///< the linear axis starts at 0
    bool whole = false;    ///< values are counts
    bool canBeLog = false;
    double logFloor = 1e-12; ///< lower values (a wait of 0) are drawn at the bottom of a log axis
};

} // namespace rankscope::ui
