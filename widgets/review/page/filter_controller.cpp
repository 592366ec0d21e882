// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/filter_controller.h"

#include "widgets/models/text/text_format.h"
#include "widgets/review/bars/filter_bar.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/review/page/plot_feed.h"

#include <QScopedValueRollback>

namespace rankscope::ui {

namespace {
constexpr int kNamedRanks = 6; ///< in a chip; of more ranks, only the number

QString rankList(const std::set<int>& ranks) {
    QStringList names;
    for (const int rank : ranks)
        names << QString::number(rank);
    return names.join(QStringLiteral(", "));
}
} // namespace

FilterController::FilterController(FilterBar* bar, RankBoard* board, PlotFeed* feed, QObject* parent)
    : QObject(parent), m_bar(bar), m_board(board), m_feed(feed) {
    m_clock.start();
    connect(bar, &FilterBar::clicked, this, [this](int kind) {
        if (kind == FilterBar::Steps)
            zoomToFilter();
    });
    connect(bar, &FilterBar::removed, this, [this](int kind) {
        if (kind == FilterBar::Steps)
            setFilter(std::nullopt);
        else if (kind == FilterBar::Solo)
            setSolo(-1);
        else
            changeChoice([](RankChoice& c) { c.muted.clear(); });
    });
    connect(board, &RankBoard::soloClicked, this, [this](int rank) { setSolo(m_choice.solo == rank ? -1 : rank); });
    connect(board, &RankBoard::muteClicked, this,
            [this](int rank) { changeChoice([rank](RankChoice& c) { c.toggleMute(rank); }); });
    connect(board, &RankBoard::pinClicked, this,
            [this](int rank) { changeChoice([rank](RankChoice& c) { c.togglePin(rank); }); });
}

void FilterController::clear() {
    m_choice = {};
    m_filter.reset();
    m_history.clear();
    m_board->setChoice({});
    updateChips();
}

ViewState FilterController::viewState() const {
    const SharedAxisController& controller = m_feed->controller();
    return {controller.window(), controller.axis(), m_filter, m_choice};
}

void FilterController::pushHistory(ViewHistory::ViewChange kind) {
    if (!m_restoring && m_feed->isWindowDrawn())
        m_history.note(kind, viewState(), m_clock.elapsed());
}

void FilterController::goBack(bool forward) {
    const auto state = forward ? m_history.forward(viewState()) : m_history.back(viewState());
    if (!state)
        return emit message(forward ? tr("There is no later view") : tr("There is no earlier view"));
    const QScopedValueRollback restoring(m_restoring, true);
    emit axisWanted(state->axis);
    changeChoice([&](RankChoice& c) { c = state->choice; });
    setFilter(state->filter);
    m_feed->controller().show(state->window);
}

void FilterController::setFilter(std::optional<store::StepInterval> steps) {
    if (steps == m_filter)
        return;
    pushHistory(ViewHistory::ViewChange::Filter);
    m_filter = steps;
    updateChips();
    emit filterChanged();
}

void FilterController::zoomToFilter() {
    if (m_filter)
        m_feed->controller().showSteps(m_filter->first, m_filter->last);
}

void FilterController::changeChoice(const std::function<void(RankChoice&)>& change) {
    RankChoice next = m_choice;
    change(next);
    if (next == m_choice)
        return;
    pushHistory(ViewHistory::ViewChange::Ranks);
    m_choice = next;
    updateChips();
    m_board->setChoice(m_choice);
    m_feed->setChoice(m_choice);
}

void FilterController::setSolo(int rank) {
    changeChoice([rank](RankChoice& c) { c.solo = rank; });
}

void FilterController::updateChips() {
    QList<FilterBar::Chip> chips;
    if (m_filter)
        chips << FilterBar::Chip{FilterBar::Steps,
                                 m_filter->first == m_filter->last
                                     ? tr("step %1").arg(countText(m_filter->first))
                                     : tr("steps %1 to %2").arg(countText(m_filter->first), countText(m_filter->last)),
                                 tr("The waits and statistics below count only these steps. Click to zoom to them.")};
    if (m_choice.solo >= 0)
        chips << FilterBar::Chip{FilterBar::Solo, tr("rank %1 only").arg(m_choice.solo),
                                 tr("The other ranks are not drawn")};
    if (!m_choice.muted.empty() && m_choice.solo < 0)
        chips << FilterBar::Chip{FilterBar::Muted,
                                 std::ssize(m_choice.muted) <= kNamedRanks
                                     ? tr("without rank %1").arg(rankList(m_choice.muted))
                                     : tr("without %n rank(s)", nullptr, static_cast<int>(m_choice.muted.size())),
                                 tr("Muted ranks are not drawn as lines")};
    m_bar->setChips(chips);
}

} // namespace rankscope::ui
