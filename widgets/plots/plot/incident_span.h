// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QtGlobal>

namespace rankscope::ui {

/// The part of the x axis that an incident covers.
struct IncidentSpan {
    qint64 id = 0;
    double lo = 0, hi = 0; ///< on the x axis
    QColor colour;         ///< of its severity
    bool open = false;

    friend bool operator==(const IncidentSpan&, const IncidentSpan&) = default;
};

} // namespace rankscope::ui
