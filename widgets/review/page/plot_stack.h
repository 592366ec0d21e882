// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/panes/review_layout.h"
#include "widgets/review/series/plot_series.h"

#include <QScrollArea>

#include <vector>

class QSplitter;

namespace rankscope::ui {

/// Arranges the plots of the review page from top to bottom: their choice, order, heights and look. Pinned plots stay
/// above all others. Their content is set from outside.
class PlotStack final : public QScrollArea {
    Q_OBJECT
public:
    struct Pane {
        PlotSeries series;
        RankPlot* plot = nullptr;
        bool log = false, pinned = false;
        int unfoldedHeight = 0; ///< 0: it is not folded
    };

    explicit PlotStack(QWidget* parent = nullptr);

    const std::vector<Pane>& panes() const { return m_panes; }
    const Pane* paneOf(const RankPlot* plot) const; ///< null if it was removed
    QList<RankPlot*> plots() const;
    bool has(const PlotSeries& series) const;
    int plotsWidth() const;
    bool isDrawn() const; ///< whether all visible plots are drawn
    /// Returns false, and says why by message(), if the series is shown already or there is no room.
    bool addPlot(const PlotSeries& series);
    void removePlot(RankPlot* plot);
    void movePlot(RankPlot* plot, int by);
    /// Returns where a plot would be after movePlot(), as an index into panes().
    qsizetype placeAfterMove(const RankPlot* plot, int by) const;
    void setPinned(RankPlot* plot, bool on);
    /// Leaves a plot only the height of its title and a line of text, as long as it has nothing to show.
    void setFolded(RankPlot* plot, bool on);

    bool logScale() const { return m_log; }
    void setLogScale(bool on); ///< for all plots, including those added later
    void setPlotLog(RankPlot* plot, bool on);
    bool smoothing() const { return m_smooth; }
    void setSmoothing(bool on);
    void setSmoothingHalfLife(double steps);
    bool ignoresOutliers() const; ///< whether at least one plot does
    void setIgnoreOutliers(bool on);
    void setPlotIgnoresOutliers(RankPlot* plot, bool on);

    void saveTo(ReviewLayout& layout) const;
    void restore(const ReviewLayout& layout);

signals:
    void added(rankscope::ui::RankPlot* plot, const rankscope::ui::PlotSeries& series);
    void removed(rankscope::ui::RankPlot* plot); ///< it will be deleted soon
    void changed();                              ///< plots were added, removed or moved
    void outliersChanged();
    void resized();
    void message(const QString& text);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    std::vector<Pane>::iterator find(const RankPlot* plot);
    RankPlot* makePane(const PlotSeries& series, bool logScale);
    void updateEnds();
    void movePlotTo(const RankPlot* plot, qsizetype to);
    QList<bool> pinnedPlots() const;
    void dragPlot(const RankPlot* plot, QPoint globalPos, PlotGestures::TitleDrag phase);
    qsizetype gapAt(QPoint globalPos) const;
    void markGap(qsizetype gap);

    std::vector<Pane> m_panes;
    QSplitter* m_splitter;
    QWidget* m_insertion = nullptr; ///< marks where a dragged plot would go
    bool m_log = false, m_smooth = false;
    double m_halfLife = CurveSmoothing::kUsualHalfLife;
};

} // namespace rankscope::ui
