// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tables/incident_model.h"

#include "core/diagnosis/detector/detector.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/rank_status.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace rankscope::ui {

using diagnosis::CloseReason;
using diagnosis::Incident;

namespace {

bool sameRow(const Incident& a, const Incident& b) {
    return a.closed == b.closed && a.closedNs == b.closedNs && a.cause == b.cause && a.phase == b.phase &&
           a.holders == b.holders && a.waiters == b.waiters && a.step == b.step && a.evidence == b.evidence &&
           a.remedy.text == b.remedy.text && a.collective.sequence == b.collective.sequence &&
           a.collective.tag == b.collective.tag;
}

/// Returns the state whose shape marks an incident. A run that has finished has a tick, so no incident has one.
diagnosis::RankState markOf(CloseReason reason) {
    switch (reason) {
    case CloseReason::Open:
        return diagnosis::RankState::Holder;
    case CloseReason::Recovered:
        return diagnosis::RankState::Computing; // again
    case CloseReason::StoppedByUser:
        return diagnosis::RankState::Stopped;
    case CloseReason::RunEnded:
        break;
    }
    return diagnosis::RankState::Unknown;
}

} // namespace

const Incident* newestOpen(const std::vector<Incident>& incidents) {
    const auto newest = std::find_if(incidents.rbegin(), incidents.rend(),
                                     [](const Incident& in) { return in.closed == CloseReason::Open; });
    return newest == incidents.rend() ? nullptr : &*newest;
}

void IncidentModel::setIncidents(const std::vector<Incident>& incidents, std::int64_t nowNs, std::int64_t runStartNs,
                                 std::int64_t runStartRealtimeNs, std::int64_t fatalId) {
    if (std::exchange(m_fatalId, fatalId) != fatalId)
        tellChanged(0, rowCount() - 1);
    m_nowNs = nowNs;
    m_startNs = runStartNs;
    m_startRealtimeNs = runStartRealtimeNs;
    std::vector<Incident> next(incidents.rbegin(), incidents.rend());
    // old rows are removed, new ones are inserted at the top, the others change in place
    for (int row = static_cast<int>(m_rows.size()) - 1; row >= 0; --row) {
        const auto id = m_rows[static_cast<std::size_t>(row)].id;
        if (std::none_of(next.begin(), next.end(), [id](const Incident& in) { return in.id == id; })) {
            beginRemoveRows({}, row, row);
            m_rows.erase(m_rows.begin() + row);
            endRemoveRows();
        }
    }
    const auto added = next.size() - std::min(next.size(), m_rows.size());
    const bool ordered = std::equal(m_rows.begin(), m_rows.end(), next.begin() + static_cast<std::ptrdiff_t>(added),
                                    next.end(), [](const Incident& a, const Incident& b) { return a.id == b.id; });
    if (!ordered) {
        beginResetModel();
        m_rows = std::move(next);
        endResetModel();
        return;
    }
    if (added > 0) {
        beginInsertRows({}, 0, static_cast<int>(added) - 1);
        m_rows.insert(m_rows.begin(), next.begin(), next.begin() + static_cast<std::ptrdiff_t>(added));
        endInsertRows();
    }
    for (std::size_t i = added; i < next.size(); ++i) {
        const bool moving = next[i].closed == CloseReason::Open; // its duration grows
        if (!moving && sameRow(m_rows[i], next[i]))
            continue;
        m_rows[i] = std::move(next[i]);
        tellChanged(static_cast<int>(i), static_cast<int>(i));
    }
}

void IncidentModel::setOutdated(bool on) {
    if (std::exchange(m_outdated, on) != on)
        tellChanged(0, rowCount() - 1);
}

void IncidentModel::setNow(std::int64_t nowNs) {
    m_nowNs = nowNs;
    for (int row = 0; row < rowCount(); ++row)
        if (m_rows[static_cast<std::size_t>(row)].closed == CloseReason::Open)
            emit dataChanged(index(row, DurationColumn), index(row, DurationColumn));
}

const Incident* IncidentModel::incident(int row) const {
    return row >= 0 && row < static_cast<int>(m_rows.size()) ? &m_rows[static_cast<std::size_t>(row)] : nullptr;
}

int IncidentModel::rowOf(std::int64_t id) const {
    const auto it = std::find_if(m_rows.begin(), m_rows.end(), [id](const Incident& in) { return in.id == id; });
    return it == m_rows.end() ? -1 : static_cast<int>(it - m_rows.begin());
}

std::int64_t IncidentModel::lastedNs(const Incident& in) const {
    return diagnosis::lastedNs(in, m_nowNs);
}

QString IncidentModel::text(const Incident& in, int column) const {
    switch (column) {
    case StateColumn:
        if (in.id != m_fatalId)
            return m_outdated && in.closed == CloseReason::Open ? tr("Last recorded as open")
                                                                : closeReasonText(in.closed);
        return in.cause == diagnosis::Cause::NotFinite || in.cause == diagnosis::Cause::EmptyBatch
                   ? tr("Ruined the run")
                   : tr("Ended the run");
    case CauseColumn:
        return causeText(in.cause);
    case HolderColumn:
        return ranksText(in.holders);
    case PhaseColumn:
        return phaseText(in.phase);
    case CollectiveColumn:
        return in.collective.known ? toQString(in.collective.tag) : QStringLiteral("–");
    case SinceColumn:
        return m_startRealtimeNs > 0 ? clockText(m_startRealtimeNs + (in.openedNs - m_startNs))
                                     : durationText(in.openedNs - m_startNs);
    case DurationColumn:
        return durationText(lastedNs(in));
    case StepColumn:
        return in.step >= 0 ? countText(in.step) : QString();
    default:
        return {};
    }
}

QVariant IncidentModel::sortKey(const Incident& in, int column) const {
    switch (column) {
    case StateColumn:
        return static_cast<int>(in.closed);
    case HolderColumn:
        return in.holders.empty() ? -1 : in.holders.front();
    case SinceColumn:
        return QVariant::fromValue<qint64>(in.id == m_fatalId ? std::numeric_limits<qint64>::max() : in.openedNs);
    case DurationColumn:
        return QVariant::fromValue<qint64>(lastedNs(in));
    case StepColumn:
        return QVariant::fromValue<qint64>(in.step);
    default:
        return text(in, column);
    }
}

QVariant IncidentModel::data(const QModelIndex& index, int role) const {
    const Incident* in = index.isValid() ? incident(index.row()) : nullptr;
    if (!in)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return text(*in, index.column());
    case Qt::TextAlignmentRole:
        return alignment(index.column());
    case Qt::ToolTipRole:
        return plainToolTip(toQString(diagnosis::sentence(*in, m_nowNs).text(currentLanguage())));
    case IdRole:
        return QVariant::fromValue<qint64>(in->id);
    case OpenRole:
        return in->closed == CloseReason::Open;
    case HolderRankRole:
        return in->holders.empty() ? -1 : in->holders.front();
    case MarkRole:
        return static_cast<int>(in->id == m_fatalId ? diagnosis::RankState::Dead : markOf(in->closed));
    case SortRole:
        return sortKey(*in, index.column());
    default:
        return {};
    }
}

std::span<const TableModel::Title> IncidentModel::titles() const {
    static constexpr Title kTitles[] = {{QT_TR_NOOP("State")},    {QT_TR_NOOP("Cause")},      {QT_TR_NOOP("Holder")},
                                        {QT_TR_NOOP("Phase")},    {QT_TR_NOOP("Collective")}, {QT_TR_NOOP("Since")},
                                        {QT_TR_NOOP("Duration")}, {QT_TR_NOOP("Step")}};
    return kTitles;
}

QVariant IncidentModel::alignment(int column) const {
    return QVariant::fromValue((column >= SinceColumn ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

} // namespace rankscope::ui
