// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSet>
#include <QSortFilterProxyModel>

namespace rankscope::ui {

class RunListModel;
struct RunRow;

/// Filters the runs of a RunListModel by words and by state; favourites come first, archived runs are left out.
class RunFilter final : public QSortFilterProxyModel {
    Q_OBJECT
public:
    enum class StateFilter { All, Live, Finished, Ended };
    explicit RunFilter(QObject* parent = nullptr);
    void setWords(const QString& words); ///< a run must contain all of them
    void setStates(StateFilter states);
    StateFilter states() const { return m_states; }
    void setArchivedShown(bool shown);
    bool archivedShown() const { return m_archived; }
    /// Opens or closes a chain. When it is open, the runs that its newest run was resumed from are listed below it.
    /// During a search for words, each run is listed separately.
    void setOpened(const QString& chain, bool opened);
    bool isOpened(const QString& chain) const { return m_opened.contains(chain); }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    const RunListModel& runs() const;
    const RunRow& runAt(int row) const;

    QStringList m_words;
    QSet<QString> m_opened;
    StateFilter m_states = StateFilter::All;
    bool m_archived = false;
};

} // namespace rankscope::ui
