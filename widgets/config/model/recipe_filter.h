// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>

namespace rankscope::ui {

/// Filters the rows of the recipe. A section stays as long as a row below it stays.
class RecipeFilter final : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RecipeFilter(QObject* parent = nullptr);
    void setWords(const QString& words);
    void setOnlyDifferent(bool on);
    void setOnlyRanks(bool on); ///< only keys that affect the ranks
    bool isFiltering() const { return !m_words.isEmpty() || m_onlyDifferent || m_onlyRanks; }
    /// Returns the first key that is written in the recipe, else the first key; invalid: there is none.
    QModelIndex firstMatch() const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList m_words;
    bool m_onlyDifferent = false, m_onlyRanks = false;
};

} // namespace rankscope::ui
