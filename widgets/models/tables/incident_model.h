// SPDX-License-Identifier: GPL-3.0-or-later
// The incidents of a run, newest first; the one that ended it before all others.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "widgets/models/base/table_model.h"

#include <vector>

namespace rankscope::ui {

/// The incident that is told first while several are open; null: none is open. `incidents` oldest first.
const diagnosis::Incident* newestOpen(const std::vector<diagnosis::Incident>& incidents);

class IncidentModel final : public TableOf<std::vector<diagnosis::Incident>> {
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

    using TableOf::TableOf;

    /// `incidents` oldest first, as the store gives them. Rows change in ranges; selections survive. `fatalId`: of the
    /// one that ended the run; 0: none did.
    void setIncidents(const std::vector<diagnosis::Incident>& incidents, std::int64_t nowNs, std::int64_t runStartNs,
                      std::int64_t runStartRealtimeNs, std::int64_t fatalId = 0);
    /// The clock moved and nothing else: durations of open ones.
    void setNow(std::int64_t nowNs);
    const diagnosis::Incident* incident(int row) const;
    int rowOf(std::int64_t id) const;

    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::span<const Title> titles() const override;
    QVariant alignment(int column) const override;
    std::int64_t lastedNs(const diagnosis::Incident& in) const;
    QString text(const diagnosis::Incident& in, int column) const;
    QVariant sortKey(const diagnosis::Incident& in, int column) const;

    std::int64_t m_fatalId = 0;
    std::int64_t m_nowNs = 0, m_startNs = 0, m_startRealtimeNs = 0;
};

} // namespace rankscope::ui
