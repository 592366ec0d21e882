// SPDX-License-Identifier: GPL-3.0-or-later
// Ongoing values: a wait or a phase that has not ended yet. A dashed line leads from the last point of the rank to
// a hollow dot at the value so far.
#pragma once

#include <qcustomplot.h>

#include <optional>
#include <vector>

namespace rankscope::ui {

/// An ongoing value in the plot's unit.
struct OngoingValue {
    int rank = 0;
    double x = 0, y = 0;
    friend bool operator==(const OngoingValue&, const OngoingValue&) = default;
};

class OngoingMarks final : public QCPAbstractItem {
public:
    struct OngoingMark {
        std::optional<QPointF> from; ///< the rank's last point, if it has one
        QPointF to;
        QPen pen;
    };

    explicit OngoingMarks(QCustomPlot* plot) : QCPAbstractItem(plot) { setClipToAxisRect(false); }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    std::vector<OngoingMark> ends; ///< in plot coordinates

protected:
    void draw(QCPPainter* painter) override;
};

} // namespace rankscope::ui
