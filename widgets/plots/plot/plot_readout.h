// SPDX-License-Identifier: GPL-3.0-or-later
// The crosshair: a line at the hovered step and a small box with the values of all ranks at that step.
#pragma once

#include <QList>
#include <QPen>
#include <QString>
#include <qcustomplot.h>

#include <optional>

namespace rankscope::ui {

struct ReadoutCell {
    QString name; ///< "rank 3"
    QString value;
    QPen pen;
    std::optional<double> y; ///< position of the dot; none: no dot
};

/// Columns and size of the box: as few columns as the height allows.
struct ReadoutLayout {
    int rows = 0, columns = 0;
    QSizeF size;
};
ReadoutLayout layoutReadout(int cells, double cellWidth, double rowHeight, double headerWidth, double maxHeight);

class ReadoutItem final : public QCPAbstractItem {
public:
    explicit ReadoutItem(QCustomPlot* plot);
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    std::optional<double> x;
    QString header; ///< "step 412, 1 min 12 s"
    QList<ReadoutCell> cells;
    bool showBox = true;

protected:
    void draw(QCPPainter* painter) override;

private:
    void drawBox(QCPPainter* painter, double px) const;
};

} // namespace rankscope::ui
