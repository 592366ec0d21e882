// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/axes/plot_style.h"
#include "widgets/plots/axes/plot_ticker.h"
#include "widgets/plots/axes/plot_y_axis.h"
#include "widgets/plots/axes/sample_reduction.h"
#include "widgets/plots/curves/curve_smoothing.h"
#include "widgets/plots/curves/ongoing_marks.h"
#include "widgets/plots/curves/rank_curves.h"
#include "widgets/plots/curves/unwatched_bands.h"
#include "widgets/plots/plot/plot_background.h"
#include "widgets/plots/plot/plot_gestures.h"
#include "widgets/plots/plot/plot_marks.h"
#include "widgets/plots/plot/plot_signs.h"
#include "widgets/plots/plot/plot_spec.h"
#include "widgets/plots/plot/resume_marks.h"

#include <qcustomplot.h>

#include <optional>
#include <utility>
#include <vector>

namespace rankscope::ui {

class ReadoutItem;
struct ReadoutCell;

/// A plot with a curve for each rank. It draws what it is given and reports gestures; range, data and choice of ranks
/// are set from outside, so that several plots stay linked.
class RankPlot final : public QCustomPlot {
    Q_OBJECT
public:
    static constexpr int kMaxLines = 8; ///< with more ranks, a band and a few lines

    explicit RankPlot(PlotSpec spec, QWidget* parent = nullptr);

    const PlotSpec& spec() const { return m_spec; }
    bool logScale() const { return m_log; }
    const std::vector<PlotMark>& marks() const { return m_marks->marks; }
    std::optional<PlotRange> filter() const { return m_marks->filter; }
    PlotRange range() const { return m_range; }
    void setTitle(const QString& title, const QString& unit);
    void setTop(bool top); ///< the uppermost plot shows the flags
    void setMarks(std::vector<PlotMark> marks) { set(m_marks->marks, std::move(marks)); }
    void setJoints(std::vector<ResumeMark> joints) { set(m_joints->joints, std::move(joints)); }
    const std::vector<ResumeMark>& joints() const { return m_joints->joints; }
    /// Dims the plot outside the range.
    void setFilter(std::optional<PlotRange> range) { set(m_marks->filter, range); }
    /// Sets the series by rank, in the plot's unit (seconds for durations).
    void setSeries(std::vector<Samples> ranks);
    const std::vector<Samples>& series() const { return m_series; }
    /// Sets one sparse curve of the whole run, in the same unit (the validation loss); empty: none.
    void setReference(QString name, Samples samples);
    /// Sets values of steps in progress, which are not in a series yet, in the plot's unit.
    void setOpenValues(std::vector<OngoingValue> values) { set(m_open, std::move(values)); }
    const std::vector<OngoingValue>& openValues() const { return m_open; }
    bool hasValues() const; ///< anywhere, not only in the range
    /// Sets the ranges of the x axis in which no supervisor watched the ranks.
    void setUnwatched(std::vector<PlotRange> ranges);
    const std::vector<PlotRange>& unwatched() const { return m_unwatched->ranges; }
    /// Sets the text that is shown if the series have no value.
    void setNothingText(const QString& text) { set(m_nothingText, text); }
    void setRange(PlotRange range) { set(m_range, range); }
    void setAxis(CurveAxis axis) { set(m_axis, axis); }
    void setLogScale(bool on) { set(m_log, on && m_spec.canBeLog); }
    void setSmoothing(bool on) { set(m_smooth, on); }
    void setSmoothingHalfLife(double steps);
    /// Sets the ranks that are drawn as lines; the band, if there is one, includes the other ranks.
    void setLines(std::vector<int> ranks, bool band);
    void setSpans(QList<IncidentSpan> spans, qint64 selected);
    const QList<IncidentSpan>& spans() const { return m_spans; }
    void setPinned(bool pinned) { set(m_frame->pinned, pinned); } ///< shows a pin in the title
    PlotYAxis* y() const { return m_y; }
    PlotGestures* gestures() const { return m_gestures; }
    void setBottom(bool bottom); ///< shows the x axis's labels and the marks
    void setCrosshair(std::optional<double> x, bool withBox);
    std::optional<double> crosshair() const;

    /// Returns whether all that was set is on the canvas.
    bool isDrawn() const { return !m_rebuildPosted && !m_replotPending; }
    /// Returns the data area's width, computed from the widget's size and so correct even before the first replot.
    int plotWidth() const { return std::max(1, width() - plotLeftMargin(font()) - kPlotRightMargin); }
    int plotHeight() const;
    QString unitText() const;
    QColor lineColour(int rank) const;
    const QCPGraph* line(int rank) const;     ///< null: it is not drawn as a line
    const RankCurves* curves(int rank) const; ///< null: it is not drawn as a line
    const BandCurves& band() const { return *m_band; }
    const QCPGraph* reference() const { return m_referenceCurve->line(); }
    PlotSigns signs() const; ///< those that are in sight

protected:
    void mousePressEvent(QMouseEvent* event) override { m_gestures->press(event); }
    void mouseMoveEvent(QMouseEvent* event) override { m_gestures->move(event); }
    void mouseReleaseEvent(QMouseEvent* event) override { m_gestures->release(event); }
    void mouseDoubleClickEvent(QMouseEvent* event) override { m_gestures->doubleClick(event); }
    void wheelEvent(QWheelEvent* event) override { m_gestures->wheel(event); }
    void leaveEvent(QEvent*) override { m_gestures->leave(); }
    void contextMenuEvent(QContextMenuEvent* event) override { m_gestures->contextMenu(event); }
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// Sets a member and redraws the plot, unless it has that value already.
    template <class T> void set(T& member, T value) {
        if (value == member)
            return;
        member = std::move(value);
        rebuildLater();
    }
    void applyTheme();
    void applyMargins();
    void applyTicks();
    void rebuild(); ///< graphs and y range from series, range and switches; at most once per event loop turn
    void rebuildLater();
    void fitY();
    void showOpenEnds();
    void showNothing();
    std::vector<PlotYAxis::AxisCurve> drawnCurves() const;
    void showCuts();
    bool isDrawnAsLine(int rank) const;
    void fillReadout();
    QString spokenReadout() const;
    QString valueText(const Sample& sample) const;
    std::optional<ReadoutCell> referenceCell(const Sample& at) const;

    PlotSpec m_spec;
    std::vector<Samples> m_series;
    std::vector<Samples> m_shown; ///< bucketed to pixels
    std::vector<OngoingValue> m_open;
    OngoingMarks* m_openEnds = nullptr;
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
    CurveCanvas* m_canvas = nullptr;
    PlotFrameItem* m_frame = nullptr;
    PlotYAxis* m_y = nullptr;
    PlotGestures* m_gestures = nullptr;
    CurveSmoothing m_smoothing;
    MarksItem* m_marks = nullptr;
    ResumeMarksItem* m_joints = nullptr;
    UnwatchedBands* m_unwatched = nullptr;
    ReadoutItem* m_readout = nullptr;
    QSharedPointer<PlotTicker> m_xTicker, m_yTicker;
    bool m_withBox = false, m_rebuildPosted = false, m_replotPending = false;
    bool m_resized = false; ///< resized since the last drawing
};

} // namespace rankscope::ui
