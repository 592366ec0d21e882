// SPDX-License-Identifier: GPL-3.0-or-later
// The page's layout, saved from one start to the next: its plots from top to bottom, hidden panes, switches.
#pragma once

#include "widgets/models/curves/curve_axis.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <array>

namespace rankscope::ui {

struct ReviewLayout {
    enum ReviewPane {
        BoardPane,
        OverviewPane,
        WhoWaitsPane,
        CheckpointsPane,
        StatisticsPane,
        AnnotationsPane,
        PaneCount
    };
    static constexpr int kVersion = 2, kMostPlots = 16;

    struct Plot {
        QString series; ///< PlotSeries::key()
        bool log = false, ignoresOutliers = false, pinned = false;
        friend bool operator==(const Plot&, const Plot&) = default;
    };

    std::array<bool, PaneCount> shown{true, true, false, false, false, false};
    QList<Plot> plots{{QStringLiteral("loss")}, {QStringLiteral("frames_max")}, {QStringLiteral("wait_ns")}};
    QList<int> plotHeights;
    bool smooth = false, log = false;
    bool withEarlierRuns = true; ///< show the runs before a resumed one
    double smoothHalfLife = 12;  ///< steps
    CurveAxis axis = CurveAxis::Step;

    QByteArray toBytes() const;
    /// Reads a saved layout; missing values keep their defaults. A layout without a version had three plots, which
    /// could be hidden.
    static ReviewLayout fromBytes(const QByteArray& bytes);
    friend bool operator==(const ReviewLayout&, const ReviewLayout&) = default;
};

} // namespace rankscope::ui
