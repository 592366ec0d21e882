// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/panel/run_filter.h"

#include "widgets/runs/panel/run_list_model.h"

#include <algorithm>

namespace rankscope::ui {

RunFilter::RunFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    sort(0);
}

void RunFilter::setArchivedShown(bool shown) {
    m_archived = shown;
    invalidateFilter();
}

void RunFilter::setOpened(const QString& chain, bool opened) {
    if (opened == m_opened.contains(chain))
        return;
    if (opened)
        m_opened.insert(chain);
    else
        m_opened.remove(chain);
    invalidate();
}

const RunListModel& RunFilter::runs() const {
    return *static_cast<const RunListModel*>(sourceModel());
}

const RunRow& RunFilter::runAt(int row) const {
    return runs().rows()[row];
}

bool RunFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const int leftHead = runs().chainRow(left.row()), rightHead = runs().chainRow(right.row());
    if (leftHead == rightHead)
        return left.row() < right.row();
    const bool a = runAt(leftHead).marks.favourite, b = runAt(rightHead).marks.favourite;
    return a != b ? a : leftHead < rightHead;
}

void RunFilter::setWords(const QString& words) {
    m_words = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

void RunFilter::setStates(StateFilter states) {
    m_states = states;
    invalidateFilter();
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const RunRow& run = runAt(row);
    if (!m_archived && run.marks.archived)
        return false;
    if (m_words.isEmpty() && m_states == StateFilter::All && run.isPart() &&
        !m_opened.contains(QString::fromStdString(run.chain)))
        return false;
    const bool live = run.isLive(), finished = run.info.state == launch::RunState::Finished;
    if ((m_states == StateFilter::Live && !live) || (m_states == StateFilter::Finished && !finished))
        return false;
    // it is not known how an imported run ended
    if (m_states == StateFilter::Ended && (live || finished || run.info.state == launch::RunState::Imported))
        return false;
    if (m_words.isEmpty())
        return true; // last, because matching the text takes longest
    const QString text = sourceModel()->index(row, 0, parent).data(RunListModel::SearchRole).toString();
    return std::all_of(m_words.begin(), m_words.end(),
                       [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

} // namespace rankscope::ui
