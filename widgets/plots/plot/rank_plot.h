// SPDX-License-Identifier: GPL-3.0-or-later
// One plot over ranks. It draws what it is given and reports gestures; range, data and rank choice come from outside,
// so that several plots stay linked.
#pragma once

#include "widgets/plots/curves/curve_smoothing.h"
#include "widgets/plots/curves/open_value_marks.h"
#include "widgets/plots/plot/plot_background.h"
#include "widgets/plots/plot/plot_marks.h"
#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/plot/plot_spec.h"
#include "widgets/plots/axes/plot_style.h"
#include "widgets/plots/axes/plot_ticker.h"
#include "widgets/plots/axes/plot_y_axis.h"
#include "widgets/plots/curves/rank_curves.h"
#include "widgets/plots/plot/resume_marks.h"
#include "widgets/plots/axes/sample_reduction.h"

#include <qcustomplot.h>

#include <functional>
#include <optional>
#include <vector>

namespace rankscope::ui {

class ReadoutItem;
struct ReadoutCell;

class RankPlot final : public QCustomPlot {
    Q_OBJECT
public:
    static constexpr int kMaxLines = 8; ///< beyond, a band and a few lines
    enum class TitleDrag { Over, Drop, Cancel };
    Q_ENUM(TitleDrag)

    explicit RankPlot(PlotSpec spec, QWidget* parent = nullptr);

    const PlotSpec& spec() const { return m_spec; }
    bool logScale() const { return m_log; }
    const std::vector<PlotMark>& marks() const { return m_marks->marks; }
    std::optional<PlotRange> filter() const { return m_marks->filter; }
    PlotRange range() const { return m_range; }
    void setTitle(const QString& title, const QString& unit);
    void setTop(bool top); ///< flags stand on the uppermost plot
    void setMarks(std::vector<PlotMark> marks);
    void setJoints(std::vector<RunJoint> joints);
    const std::vector<RunJoint>& joints() const { return m_joints->joints; }
    void setFilter(std::optional<PlotRange> filter); ///< dims what lies beside it
    /// In the plot's unit (seconds for durations), by rank.
    void setSeries(std::vector<Samples> ranks);
    const std::vector<Samples>& series() const { return m_series; }
    /// One curve of the whole run, sparse and of the same unit (the validation loss); empty: none.
    void setReference(QString name, Samples samples);
    /// What goes on and is in no series yet, in the plot's unit.
    void setOpenValues(std::vector<OpenValue> values);
    const std::vector<OpenValue>& openValues() const { return m_open; }
    /// What is said where the series have no value.
    void setNothingText(const QString& text);
    QString shownNothing() const { return m_frame->nothing; } ///< empty: there are values
    void setRange(PlotRange range);
    void setAxis(CurveAxis axis);
    void setLogScale(bool on);
    void setSmoothing(bool on);
    void setSmoothingHalfLife(double steps);
    /// Which ranks are drawn as lines; with a band, the others count for it.
    void setLines(std::vector<int> ranks, bool band);
    void setSpans(QList<IncidentSpan> spans, qint64 selected);
    const QList<IncidentSpan>& spans() const { return m_spans; }
    /// The sentence of an incident, asked for when its mark is pointed at.
    void setSpanText(std::function<QString(qint64 id)> text) { m_spanText = std::move(text); }
    void setPinned(bool pinned); ///< shows it
    PlotYAxis* y() const { return m_y; }
    void setBottom(bool bottom); ///< shows the x axis's labels and the marks
    void setCrosshair(std::optional<double> x, bool withBox);
    std::optional<double> crosshair() const;

    /// What it was given is on its canvas.
    bool isDrawn() const { return !m_rebuildPosted && !m_replotPending; }
    /// Of the data area, by the widget's size: right also before the first replot.
    int plotWidth() const { return std::max(1, width() - plotLeftMargin(font()) - kPlotRightMargin); }
    int plotHeight() const;
    QString unitText() const;
    QColor lineColour(int rank) const;
    const QCPGraph* line(int rank) const; ///< null: it is not drawn as a line
    const QCPGraph* envelope(int rank) const;
    const QCPGraph* unsmoothed(int rank) const; ///< faint behind the line; without points: it is not smoothed
    const BandCurves& band() const { return *m_band; }
    const QCPGraph* reference() const { return m_referenceCurve->line(); }

signals:
    void zoomed(double centre, double factor);
    void panned(double delta);                                                        ///< in x
    void brushed(rankscope::ui::PlotRange range);                                     ///< Shift and drag: as a filter
    void boxed(rankscope::ui::PlotRange range);                                       ///< Ctrl and drag: as the window
    void menuRequested(QPoint globalPos, std::optional<double> x, qint64 annotation); ///< annotation 0: none there
    void annotationClicked(qint64 id);
    void moveRequested(int by); ///< -1: up
    /// Its title is being dragged to another place, was dropped there, or not after all.
    void titleDragged(QPoint globalPos, rankscope::ui::RankPlot::TitleDrag phase);
    void removeRequested();
    void reset();
    void hovered(std::optional<double> x);
    void incidentClicked(qint64 id);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    enum class Drag { None, Pan, Brush, Box, Title };

    bool onTitle(QPointF at) const { return at.y() < axisRect()->top(); }
    void dragTitle(QMouseEvent* event);
    void showGrip(bool on);

    void applyTheme();
    void applyMargins();
    void applyTicks();
    void rebuild(); ///< graphs and y range from series, range and switches; at most once per event loop turn
    void rebuildLater();
    void fitY();
    void showOpenEnds();
    void showNothing();
    std::vector<PlotYAxis::Curve> drawnCurves() const;
    void showCuts();
    bool isDrawnAsLine(int rank) const;
    void fillReadout();
    QString spokenReadout() const;
    const RankCurves* curves(int rank) const;
    QString valueText(const Sample& sample) const;
    std::optional<ReadoutCell> referenceCell(const Sample& at) const;

    PlotSpec m_spec;
    std::vector<Samples> m_series;
    std::vector<Samples> m_shown; ///< bucketed to pixels
    std::vector<OpenValue> m_open;
    OpenEnds* m_openEnds = nullptr;
    std::vector<RankCurves> m_curves;
    std::unique_ptr<BandCurves> m_band;
    QString m_referenceName, m_nothingText;
    Samples m_reference;
    std::unique_ptr<ReferenceCurve> m_referenceCurve;
    std::vector<int> m_lines;
    bool m_withBand = false;
    PlotRange m_range{0, 1};
    CurveAxis m_axis = CurveAxis::Step;
    bool m_log = false, m_smooth = false, m_bottom = false;
    double m_floor = 0;
    QList<IncidentSpan> m_spans;
    std::function<QString(qint64)> m_spanText;
    CurveCanvas* m_canvas = nullptr;
    FrameItem* m_frame = nullptr;
    PlotYAxis* m_y = nullptr;
    CurveSmoothing m_smoothing;
    MarksItem* m_marks = nullptr;
    JointsItem* m_joints = nullptr;
    ReadoutItem* m_readout = nullptr;
    QSharedPointer<PlotTicker> m_xTicker, m_yTicker;
    Drag m_drag = Drag::None;
    QPointF m_dragFrom;
    bool m_titleMoves = false; ///< it was dragged far enough to be no click
    bool m_withBox = false, m_rebuildPosted = false, m_replotPending = false;
    bool m_resized = false; ///< and not drawn since
};

} // namespace rankscope::ui
