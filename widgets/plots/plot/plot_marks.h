// SPDX-License-Identifier: GPL-3.0-or-later
// Marks at steps: annotations as flags, checkpoints and validations as signs on the axis. Also shows the filter's
// interval by dimming the rest of the plot.
#pragma once

#include "widgets/plots/axes/plot_range.h"

#include <QString>
#include <qcustomplot.h>

#include <optional>
#include <vector>

namespace rankscope::ui {

struct PlotMark {
    enum class PlotMarkKind { Annotation, Checkpoint, Validation };
    PlotMarkKind kind = PlotMarkKind::Annotation;
    qint64 id = 0;         ///< of an annotation
    double lo = 0, hi = 0; ///< on the x axis; equal: a point
    QString text;          ///< its tooltip
    friend bool operator==(const PlotMark&, const PlotMark&) = default;
};

class MarksItem final : public QCPAbstractItem {
public:
    explicit MarksItem(QCustomPlot* plot);
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    std::vector<PlotMark> marks;
    std::optional<PlotRange> filter;
    bool showFlags = false, showAxisMarks = false;

    /// Returns the mark under a pixel; null if there is none.
    const PlotMark* at(const QPointF& pixel) const;
    /// Returns whether a mark of this kind is in sight.
    bool shows(PlotMark::PlotMarkKind kind) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    QPointF place(const PlotMark& mark) const;
    bool isShown(const PlotMark& mark) const;
    void drawFilter(QCPPainter* painter) const;
    void drawFlag(QCPPainter* painter, const PlotMark& mark) const;
};

} // namespace rankscope::ui
