// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>

namespace rankscope::ui {

/// Runs by words and by state.
class RunFilter final : public QSortFilterProxyModel {
    Q_OBJECT
public:
    enum class States { All, Live, Finished, Ended };
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setWords(const QString& words); ///< all of them must be found
    void setStates(States states);
    States states() const { return m_states; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList m_words;
    States m_states = States::All;
};

} // namespace rankscope::ui
