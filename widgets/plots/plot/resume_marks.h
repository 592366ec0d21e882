// SPDX-License-Identifier: GPL-3.0-or-later
// Marks where a run was resumed from another one: a thin line across the plots, with a label on the uppermost plot.
#pragma once

#include <QString>
#include <qcustomplot.h>

#include <vector>

namespace rankscope::ui {

struct ResumeMark {
    double x = 0;      ///< between the last step of the earlier run and the first of the later one
    QString label;     ///< "resumed from 4f1c"
    QString text;      ///< its tooltip
    QString runBefore; ///< the run to its left, as named in a readout: "run 4f1c"
    friend bool operator==(const ResumeMark&, const ResumeMark&) = default;
};

class ResumeMarksItem final : public QCPAbstractItem {
public:
    explicit ResumeMarksItem(QCustomPlot* plot);
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    std::vector<ResumeMark> joints; ///< ascending
    bool showLabels = false;

    /// Returns the joint whose line or label is under a pixel; null if there is none.
    const ResumeMark* at(const QPointF& pixel) const;
    /// Returns the earlier run that x belongs to; empty for the run itself.
    QString runAt(double x) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    struct Placed {
        const ResumeMark* joint;
        double x;
        QRectF label; ///< null: no room for it
    };
    std::vector<Placed> placed() const;
    QFont labelFont() const;
};

} // namespace rankscope::ui
