// SPDX-License-Identifier: GPL-3.0-or-later
// The incidents of a run, newest first; the one that ended it before all others.
#pragma once

#include "core/diagnosis/model/incident.h"

#include <QAbstractTableModel>

#include <vector>

namespace rankscope::ui {

class IncidentModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        StateColumn,
        CauseColumn,
        HolderColumn,
        PhaseColumn,
        CollectiveColumn,
        SinceColumn,
        DurationColumn,
        StepColumn,
        ColumnCount
    };
    enum Role { IdRole = Qt::UserRole, OpenRole, SortRole, HolderRankRole, MarkRole };

    using QAbstractTableModel::QAbstractTableModel;

    /// `incidents` oldest first, as the store gives them. Rows change in ranges; selections survive. `fatalId`: of the
    /// one that ended the run; 0: none did.
    void setIncidents(const std::vector<diagnosis::Incident>& incidents, std::int64_t nowNs, std::int64_t runStartNs,
                      std::int64_t runStartRealtimeNs, std::int64_t fatalId = 0);
    /// The clock moved and nothing else: durations of open ones.
    void setNow(std::int64_t nowNs);
    const diagnosis::Incident* incident(int row) const;
    int rowOf(std::int64_t id) const;

    void retranslate(); ///< all texts changed with the language

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::int64_t lastedNs(const diagnosis::Incident& in) const;
    QString text(const diagnosis::Incident& in, int column) const;
    QVariant sortKey(const diagnosis::Incident& in, int column) const;

    std::vector<diagnosis::Incident> m_rows; ///< newest first
    std::int64_t m_fatalId = 0;
    std::int64_t m_nowNs = 0, m_startNs = 0, m_startRealtimeNs = 0;
};

} // namespace rankscope::ui
