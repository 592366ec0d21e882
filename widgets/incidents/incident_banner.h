// SPDX-License-Identifier: GPL-3.0-or-later
// One sentence under the header while an incident is open: rank, collective, phase, cause, since when; the remedy's
// button.
#pragma once

#include "core/diagnosis/model/incident.h"

#include <QFrame>

#include <memory>

namespace rankscope::ui {

class IncidentBanner : public QFrame {
    Q_OBJECT
public:
    explicit IncidentBanner(QWidget* parent = nullptr);
    ~IncidentBanner() override;
    /// Shows the newest open one (with "+2" when there are more); hides when none is open. nowNs monotonic.
    void setIncidents(const std::vector<diagnosis::Incident>& incidents, std::int64_t nowNs, bool live);
    /// The store is behind the ranks: shown first, and no remedy is offered for what may be over. Empty: it is not.
    /// Takes effect with the next setIncidents().
    void setLag(const QString& text);
    /// That the run was asked for: an incident that is one of them says so. Before setIncidents().
    void setFaults(const std::vector<std::string>& faults);
    QString text() const;

signals:
    void remedyRequested(const QString& key, const QString& value); ///< the configure page applies it
    void detailRequested(qint64 incidentId);

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void retranslate();
    void showLag(const diagnosis::Incident* newest);

    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace rankscope::ui
