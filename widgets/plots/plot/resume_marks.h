// SPDX-License-Identifier: GPL-3.0-or-later
// Where a run was resumed from another one: a thin line across the plot, with a label on the uppermost one.
#pragma once

#include <QString>
#include <qcustomplot.h>

#include <vector>

namespace rankscope::ui {

struct RunJoint {
    double x = 0;      ///< between the last step of the one and the first of the other
    QString label;     ///< "resumed from 4f1c"
    QString text;      ///< its tooltip
    QString runBefore; ///< whose values stand left of it, as a readout names it: "run 4f1c"
    friend bool operator==(const RunJoint&, const RunJoint&) = default;
};

class JointsItem final : public QCPAbstractItem {
public:
    explicit JointsItem(QCustomPlot* plot);
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    std::vector<RunJoint> joints; ///< ascending
    bool showLabels = false;

    /// The joint whose line or label lies under a pixel, or null.
    const RunJoint* at(const QPointF& pixel) const;
    /// Of an earlier run, which one; else empty.
    QString runAt(double x) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    struct Placed {
        const RunJoint* joint;
        double x;
        QRectF label; ///< null: there is no room for it
    };
    std::vector<Placed> placed() const;
    QFont labelFont() const;
};

} // namespace rankscope::ui
