// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/review/bars/view_history.h"

#include <QElapsedTimer>
#include <QObject>

#include <functional>

namespace rankscope::ui {

class FilterBar;
class PlotFeed;
class RankBoard;

/// The review page's filter of steps and choice of ranks, with a chip for each, and the history of earlier views. Board
/// and plots show the choice.
class FilterController final : public QObject {
    Q_OBJECT
public:
    /// The parent owns all three.
    FilterController(FilterBar* bar, RankBoard* board, PlotFeed* feed, QObject* parent);

    void clear(); ///< call it before another run is shown; nothing is emitted
    const std::optional<store::StepInterval>& filter() const { return m_filter; }
    const RankChoice& choice() const { return m_choice; }
    void setFilter(std::optional<store::StepInterval> steps);
    void zoomToFilter();
    void setSolo(int rank); ///< -1: all
    void changeChoice(const std::function<void(RankChoice&)>& change);
    void pushHistory(ViewHistory::ViewChange kind); ///< call it before the view changes
    void goBack(bool forward);
    void retranslate() { updateChips(); }

signals:
    void filterChanged();
    void axisWanted(rankscope::ui::CurveAxis axis); ///< the axis of the view being restored
    void message(const QString& text);

private:
    ViewState viewState() const;
    void updateChips();

    FilterBar* m_bar;
    RankBoard* m_board;
    PlotFeed* m_feed;
    std::optional<store::StepInterval> m_filter;
    RankChoice m_choice;
    ViewHistory m_history;
    QElapsedTimer m_clock;
    bool m_restoring = false; ///< an earlier view is being restored, which must not be recorded as a new one
};

} // namespace rankscope::ui
