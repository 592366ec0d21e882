// SPDX-License-Identifier: GPL-3.0-or-later
// The list of a run's incidents with evidence and remedy.
#pragma once

#include "widgets/models/view/run_view.h"

#include <QWidget>

#include <memory>

namespace rankscope::ui {

class RunSession;

class IncidentPage : public QWidget {
    Q_OBJECT
public:
    explicit IncidentPage(QWidget* parent = nullptr);
    ~IncidentPage() override;
    void setSession(RunSession* session);
public slots:
    void select(qint64 incidentId);
    void selectCause(const QString& cause); ///< the newest incident with this cause, if the run has one

signals:
    void remedyRequested(const QString& key, const QString& value);
    void jumpRequested(qint64 step);

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace rankscope::ui
