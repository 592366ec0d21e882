// SPDX-License-Identifier: GPL-3.0-or-later
// Filters and their chips, the choice of ranks, and the way back to what was shown before.
#include "widgets/models/text/text_format.h"
#include "widgets/review/page/review_impl.h"

#include <QScopedValueRollback>

namespace rankscope::ui {

namespace {
constexpr int kNamedRanks = 6; ///< in a chip; of more their number

QString rankList(const std::set<int>& ranks) {
    QStringList names;
    for (const int rank : ranks)
        names << QString::number(rank);
    return names.join(QStringLiteral(", "));
}
} // namespace

ViewState ReviewPage::Impl::viewState() const {
    ViewState state{controller.window(), controller.axis(), {}, choice};
    if (filter)
        state.filter = {filter->first, filter->last};
    return state;
}

void ReviewPage::Impl::noteView(ViewHistory::Kind kind) {
    if (!m_restoring && !m_linked && session && windowDrawn)
        history.note(kind, viewState(), m_clock.elapsed());
}

void ReviewPage::Impl::goBack(bool forward) {
    const auto state = forward ? history.forward(viewState()) : history.back(viewState());
    if (!state) {
        emit page->message(forward ? ReviewPage::tr("There is no later view")
                                   : ReviewPage::tr("There is no earlier view"));
        return;
    }
    const QScopedValueRollback restoring(m_restoring, true);
    setAxis(state->axis);
    choice = state->choice;
    updateLines();
    setFilter(state->filter ? std::optional(store::StepInterval{state->filter->first, state->filter->second})
                            : std::nullopt);
    controller.show(state->window);
}

void ReviewPage::Impl::showLinked(qint64 fromNs, qint64 toNs) {
    const QScopedValueRollback linked(m_linked, true);
    controller.showLinkedTime(fromNs, toNs);
}

void ReviewPage::Impl::setFilter(std::optional<store::StepInterval> steps) {
    const bool same = steps.has_value() == filter.has_value() &&
                      (!steps || (steps->first == filter->first && steps->last == filter->last));
    if (same)
        return;
    noteView(ViewHistory::Kind::Filter);
    filter = steps;
    applyFilter();
    askWaits();
    emit page->filterChanged(filter ? filter->first : -1, filter ? filter->last : -1);
}

void ReviewPage::Impl::applyFilter() {
    std::optional<PlotRange> range;
    if (filter)
        range = PlotRange{controller.placeOf(static_cast<double>(filter->first) - 0.5),
                          controller.placeOf(static_cast<double>(filter->last) + 0.5)};
    for (const PlotPane& pane : panes)
        pane.plot->setFilter(range);
    strip->setFilter(range);
    updateChips();
}

void ReviewPage::Impl::updateChips() {
    QList<FilterBar::Chip> chips;
    if (filter)
        chips << FilterBar::Chip{
            FilterBar::Steps,
            filter->first == filter->last
                ? ReviewPage::tr("step %1").arg(countText(filter->first))
                : ReviewPage::tr("steps %1 to %2").arg(countText(filter->first), countText(filter->last)),
            ReviewPage::tr("Who waits for whom counts these steps alone. A click zooms to them.")};
    if (choice.solo >= 0)
        chips << FilterBar::Chip{FilterBar::Solo, ReviewPage::tr("rank %1 only").arg(choice.solo),
                                 ReviewPage::tr("The other ranks are not drawn")};
    if (!choice.muted.empty() && choice.solo < 0)
        chips << FilterBar::Chip{
            FilterBar::Muted,
            std::ssize(choice.muted) <= kNamedRanks
                ? ReviewPage::tr("without rank %1").arg(rankList(choice.muted))
                : ReviewPage::tr("without %n rank(s)", nullptr, static_cast<int>(choice.muted.size())),
            ReviewPage::tr("Muted ranks are not drawn as lines")};
    filters->setChips(chips);
}

void ReviewPage::Impl::changeChoice(const std::function<void(RankChoice&)>& change) {
    RankChoice next = choice;
    change(next);
    if (next == choice)
        return;
    noteView(ViewHistory::Kind::Ranks);
    choice = next;
    updateLines();
    updateChips();
}

void ReviewPage::Impl::setSolo(int rank) {
    changeChoice([rank](RankChoice& c) { c.solo = rank; });
}

void ReviewPage::Impl::tellWindow() {
    if (!session || !controller.hasSteps())
        return;
    emit page->rangeChanged(controller.window(), controller.axis());
    const PlotRange seconds = controller.secondsOfWindow();
    if (seconds == m_told || seconds.width() <= 0) // the steps' times are not known yet
        return;
    m_told = seconds;
    if (!m_linked)
        emit page->windowChanged(seconds.lo, seconds.hi);
}

} // namespace rankscope::ui
