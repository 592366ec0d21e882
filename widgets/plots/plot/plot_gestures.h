// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/plots/axes/plot_range.h"

#include <QObject>
#include <QPointF>

#include <functional>
#include <optional>

class QContextMenuEvent;
class QCustomPlot;
class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace rankscope::ui {

class PlotFrameItem;
class ResumeMarksItem;
class MarksItem;
class PlotYAxis;
class ReadoutItem;

/// Mouse and keys of a plot. Its title moves it, a drag pans, Shift and drag brushes a filter, Ctrl and drag a window,
/// and the wheel zooms. Gestures on the y axis are handled by PlotYAxis.
class PlotGestures final : public QObject {
    Q_OBJECT
public:
    enum class TitleDrag { Over, Drop, Cancel };
    Q_ENUM(TitleDrag)
    /// The parts of the plot that react to the mouse; the plot owns them.
    struct PlotParts {
        PlotFrameItem* frame;
        MarksItem* marks;
        ResumeMarksItem* joints;
        ReadoutItem* readout;
        PlotYAxis* y;
    };

    /// `range` is the part of the x axis that the plot shows or is about to show; it must outlive this object.
    PlotGestures(QCustomPlot* plot, const PlotParts& parts, const PlotRange& range);

    /// Sets the function that returns an incident's sentence; it is called when the pointer is on the incident's mark.
    void setSpanText(std::function<QString(qint64 id)> text) { m_spanText = std::move(text); }

    // Events of the plot.
    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release(QMouseEvent* event);
    void doubleClick(QMouseEvent* event);
    void wheel(QWheelEvent* event);
    void leave();
    void contextMenu(QContextMenuEvent* event);
    bool key(QKeyEvent* event); ///< returns whether the key was used

signals:
    void zoomed(double centre, double factor);
    void panned(double delta);                                                        ///< in x
    void brushed(rankscope::ui::PlotRange range);                                     ///< Shift and drag: a new filter
    void boxed(rankscope::ui::PlotRange range);                                       ///< Ctrl and drag: a new window
    void menuRequested(QPoint globalPos, std::optional<double> x, qint64 annotation); ///< annotation 0: none there
    void annotationClicked(qint64 id);
    void moveRequested(int by); ///< -1: up
    /// The title is being dragged to another place, was dropped there, or the drag was cancelled.
    void titleDragged(QPoint globalPos, rankscope::ui::PlotGestures::TitleDrag phase);
    void removeRequested();
    void reset();
    void hovered(std::optional<double> x);
    void incidentClicked(qint64 id);

private:
    enum class PlotDrag { None, Pan, Brush, Box, Title };

    void hover(QPointF at);
    bool onTitle(QPointF at) const;
    void dragTitle(QMouseEvent* event);
    void showGrip(bool on);
    PlotRange draggedRange(QPointF to) const;

    QCustomPlot* m_plot;
    PlotParts m_parts;
    const PlotRange& m_range;
    std::function<QString(qint64)> m_spanText;
    PlotDrag m_drag = PlotDrag::None;
    QPointF m_dragFrom;
    bool m_titleMoves = false; ///< dragged too far for a click
};

} // namespace rankscope::ui
