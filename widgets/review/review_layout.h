// SPDX-License-Identifier: GPL-3.0-or-later
// What the page keeps from one start to the next: hidden panes, heights, switches.
#pragma once

#include <QByteArray>
#include <QList>

#include <array>

namespace rankscope::ui {

struct ReviewLayout {
    enum Pane { BoardPane, LossPane, LengthPane, WaitPane, OverviewPane, WhoWaitsPane, PaneCount };

    std::array<bool, PaneCount> shown{true, true, true, true, true, false};
    QList<int> plotHeights;
    bool smooth = false, log = false, time = false;

    QByteArray toBytes() const;
    /// What is missing or of another version keeps its default.
    static ReviewLayout fromBytes(const QByteArray& bytes);
    friend bool operator==(const ReviewLayout&, const ReviewLayout&) = default;
};

} // namespace rankscope::ui
