// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/panel/run_filter.h"

#include "widgets/runs/panel/run_list_model.h"

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

/// Of the newest run of its chain, where that is in the list.
int RunFilter::chainRow(const QModelIndex& index) const {
    if (!index.data(RunListModel::PartRole).toBool())
        return index.row();
    const QString chain = index.data(RunListModel::ChainRole).toString();
    for (int row = index.row() - 1; row >= 0; --row) // it is newer
        if (sourceModel()->index(row, 0).data(RunListModel::IdRole).toString() == chain)
            return row;
    return index.row();
}

bool RunFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const int leftHead = chainRow(left), rightHead = chainRow(right);
    if (leftHead == rightHead)
        return left.row() < right.row();
    const auto star = [this](int row) {
        return sourceModel()->index(row, 0).data(RunListModel::FavouriteRole).toBool();
    };
    const bool a = star(leftHead), b = star(rightHead);
    return a != b ? a : leftHead < rightHead;
}

void RunFilter::setWords(const QString& words) {
    m_words = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

void RunFilter::setStates(States states) {
    m_states = states;
    invalidateFilter();
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    if (!m_archived && index.data(RunListModel::ArchivedRole).toBool())
        return false;
    if (m_words.isEmpty() && m_states == States::All && index.data(RunListModel::PartRole).toBool() &&
        !m_opened.contains(index.data(RunListModel::ChainRole).toString()))
        return false;
    const bool live = index.data(RunListModel::LiveRole).toBool();
    const auto state = static_cast<launch::RunState>(index.data(RunListModel::StateRole).toInt());
    if (m_states == States::Live && !live)
        return false;
    if (m_states == States::Finished && state != launch::RunState::Finished)
        return false;
    // how an imported run ended nobody knows
    if (m_states == States::Ended &&
        (live || state == launch::RunState::Finished || state == launch::RunState::Imported))
        return false;
    const QString text = index.data(RunListModel::SearchRole).toString();
    for (const QString& word : m_words)
        if (!text.contains(word, Qt::CaseInsensitive))
            return false;
    return true;
}

} // namespace rankscope::ui
