// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of phases and collectives: each phase has its own, always the same, apart for the colour-blind too (Paul
// Tol's muted scheme), on light and dark.
#pragma once

#include "core/telemetry/format/records.h"

#include <QColor>

#include <array>
#include <cstddef>

namespace rankscope::ui {

struct TimelineColours {
    std::array<QColor, static_cast<std::size_t>(telemetry::Phase::Count)> phases;
    QColor lane;         ///< ground of a lane where there is nothing
    QColor transfer;     ///< of a collective, once all have arrived
    QColor waiting;      ///< ground of its waiting part
    QColor waitingHatch; ///< lines over it
    QColor unknownWait;  ///< a collective that not all ranks have reached
    QColor step;         ///< a step of which no phases are known

    QColor of(telemetry::Phase phase) const;
    static TimelineColours ofTheme();
};

/// Black or white, whichever reads better on it.
QColor textOn(const QColor& ground);

} // namespace rankscope::ui
