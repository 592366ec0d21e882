// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diagnosis/model/incident.h"
#include "widgets/models/failure/remedy_offer.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace rankscope::ui {

class ClampedLabel;

/// Shows one sentence under the header while an incident is open (rank, collective, phase, cause and start), and the
/// remedy's button.
class IncidentBanner : public QFrame {
    Q_OBJECT
public:
    explicit IncidentBanner(QWidget* parent = nullptr);
    /// Shows the newest open incident (with "+2" if there are more); hides if none is open. `nowNs` is monotonic.
    void setIncidents(const std::vector<diagnosis::Incident>& incidents, std::int64_t nowNs, bool live);
    /// Sets the text saying that the store lags behind the ranks; empty: it does not. The text is shown first, and no
    /// remedy is offered, because the incident may be over. Takes effect with the next setIncidents().
    void setLag(const QString& text);
    /// Sets the faults that the run was asked to inject: an incident caused by one says so. Call it before
    /// setIncidents().
    void setFaults(const std::vector<std::string>& faults);
    /// Sets whether the run is a program of the user's: what is offered then is an override for its command.
    void setWatched(bool watched) { m_watched = watched; }

signals:
    void remedyRequested(const QString& key, const QString& value); ///< the configure page applies it
    void detailRequested(qint64 incidentId);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void retranslate();
    void showLag(const diagnosis::Incident* newest);

    class MarkWidget;
    MarkWidget* m_mark;
    ClampedLabel* m_sentence;
    QLabel *m_more, *m_injected;
    QPushButton *m_remedy, *m_details;
    std::vector<diagnosis::Incident> m_all; ///< the open incidents as last set
    std::vector<std::string> m_faults;
    bool m_watched = false;
    OfferedRemedy m_offered;
    std::int64_t m_nowNs = 0;
    QString m_lag;
    diagnosis::Incident m_shown;
};

} // namespace rankscope::ui
