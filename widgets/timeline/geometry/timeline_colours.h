// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of phases and collectives: muted ones without blue, which is for selection, and distinct also for the
// colour-blind, on light and dark.
#pragma once

#include "core/telemetry/format/records.h"

#include <QColor>

#include <array>
#include <cstddef>

namespace rankscope::ui {

/// From this much time in view on, the lanes show only where a rank works, waits, and waits for data.
inline constexpr double kOverviewNs = 10e9;

struct TimelineColours {
    static constexpr auto kKinds = static_cast<std::size_t>(telemetry::Phase::Count);

    std::array<QColor, kKinds> phases;
    bool overview = false; ///< all phases of work have one colour
    QColor lane;           ///< background of a lane
    QColor transfer;       ///< of a collective, once all have arrived
    QColor waiting;        ///< background of its waiting part
    QColor waitingHatch;   ///< lines over it
    QColor unknownWait;    ///< a collective that not all ranks have reached
    QColor step;           ///< a step whose phases are not known
    QColor longest;        ///< line at the top of a sum in which a step took much longer

    QColor of(telemetry::Phase phase) const;
    /// Returns the phases' shares, in an overview with those of work added up as Phase::Forward.
    std::array<float, kKinds> joined(const std::array<float, kKinds>& shares) const;
    /// Returns the theme's colours for this much time in view.
    static TimelineColours ofTheme(double nsInView = 0);
};

} // namespace rankscope::ui
