// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/run_filter.h"

#include "widgets/runs/run_list_model.h"

namespace rankscope::ui {

RunFilter::RunFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    sort(0);
}

void RunFilter::setArchivedShown(bool shown) {
    m_archived = shown;
    invalidateFilter();
}

bool RunFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const bool a = left.data(RunListModel::FavouriteRole).toBool(),
               b = right.data(RunListModel::FavouriteRole).toBool();
    return a != b ? a : left.row() < right.row();
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
