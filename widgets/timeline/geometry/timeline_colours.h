// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of phases and collectives: muted ones without blue, which is for selection, and distinct also for the
// colour-blind, on light and dark.
#pragma once

#include "core/telemetry/format/records.h"

#include <QColor>

#include <array>
#include <cstddef>

namespace rankscope::ui {

struct TimelineColours {
    std::array<QColor, static_cast<std::size_t>(telemetry::Phase::Count)> phases;
    QColor lane;         ///< background of a lane
    QColor transfer;     ///< of a collective, once all have arrived
    QColor waiting;      ///< background of its waiting part
    QColor waitingHatch; ///< lines over it
    QColor unknownWait;  ///< a collective that not all ranks have reached
    QColor step;         ///< a step whose phases are not known
    QColor longest;      ///< line at the top of a sum in which a step took much longer

    QColor of(telemetry::Phase phase) const;
    static TimelineColours ofTheme();
};

} // namespace rankscope::ui
