// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/model/recipe_filter.h"

#include "widgets/config/model/recipe_model.h"

#include <algorithm>

namespace rankscope::ui {

RecipeFilter::RecipeFilter(QObject* parent) : QSortFilterProxyModel(parent) {
    setRecursiveFilteringEnabled(true);
}

void RecipeFilter::setWords(const QString& words) {
    m_words = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

void RecipeFilter::setOnlyDifferent(bool on) {
    m_onlyDifferent = on;
    invalidateFilter();
}

void RecipeFilter::setOnlyRanks(bool on) {
    m_onlyRanks = on;
    invalidateFilter();
}

bool RecipeFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (!isFiltering())
        return true;
    const QModelIndex index = sourceModel()->index(row, 0, parent);
    if (!index.data(RecipeModel::LeafRole).toBool())
        return false; // recursive filtering keeps sections whose rows are accepted
    // a ??? that has no value yet is an error, but not a difference
    const bool open = index.siblingAtColumn(RecipeModel::Yours).data().toString() == QLatin1String("???");
    const bool wrong = !open && !index.data(RecipeModel::ErrorRole).toString().isEmpty();
    if (m_onlyDifferent && !wrong && !index.data(RecipeModel::DiffersRole).toBool())
        return false;
    if (m_onlyRanks && !index.data(RecipeModel::RanksRole).toBool())
        return false;
    const QString text = index.data(RecipeModel::SearchRole).toString();
    return std::ranges::all_of(m_words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

QModelIndex RecipeFilter::firstMatch() const {
    QModelIndex first;
    const auto search = [&](const auto& self, const QModelIndex& section) -> QModelIndex {
        for (int row = 0; row < rowCount(section); ++row) {
            const QModelIndex at = index(row, 0, section);
            if (!at.data(RecipeModel::LeafRole).toBool()) {
                if (const QModelIndex named = self(self, at); named.isValid())
                    return named;
                continue;
            }
            if (!first.isValid())
                first = at;
            if (at.data(RecipeModel::LineRole).toInt() > 0)
                return at;
        }
        return {};
    };
    const QModelIndex named = search(search, {});
    return named.isValid() ? named : first;
}

} // namespace rankscope::ui
