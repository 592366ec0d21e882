// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the incidents of a run, newest first; the one that ended it comes before all others.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "widgets/models/base/table_model.h"

#include <vector>

namespace rankscope::ui {

/// Returns the incident to report first if several are open; null: none is open. `incidents` oldest first.
const diagnosis::Incident* newestOpen(const std::vector<diagnosis::Incident>& incidents);

class IncidentModel final : public TableOf<std::vector<diagnosis::Incident>> {
    Q_OBJECT
public:
    enum IncidentColumn {
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
    enum IncidentRole { IdRole = Qt::UserRole, OpenRole, SortRole, HolderRankRole, MarkRole };

    using TableOf::TableOf;

    /// Sets the incidents, oldest first, as the store returns them. Rows change in ranges, so that selections survive.
    /// `fatalId`: id of the incident that ended the run; 0: none did.
    void setIncidents(const std::vector<diagnosis::Incident>& incidents, std::int64_t nowNs, std::int64_t runStartNs,
                      std::int64_t runStartRealtimeNs, std::int64_t fatalId = 0);
    /// `on`: the store lags, so that open incidents may be over; they are called open when last recorded.
    void setOutdated(bool on);
    /// Updates the durations of open incidents when only the clock has moved.
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

    bool m_outdated = false;
    std::int64_t m_fatalId = 0;
    std::int64_t m_nowNs = 0, m_startNs = 0, m_startRealtimeNs = 0;
};

} // namespace rankscope::ui
