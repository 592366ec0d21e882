// SPDX-License-Identifier: GPL-3.0-or-later
// Sends a desktop notification, once, when an incident of any run opens while the window is not active. A click on the
// notification opens that run.
#pragma once

#include "core/diagnosis/model/incident.h"

#include <QHash>
#include <QObject>

#include <vector>

class QWidget;

namespace rankscope::ui {

class Notifier final : public QObject {
    Q_OBJECT
public:
    explicit Notifier(QWidget* window);
    void setEnabled(bool on) { m_enabled = on; }
    /// Takes a run's incidents, all or only the open ones, each time that they are read. Those in the first call for a
    /// run are not reported.
    void see(const QString& dir, const QString& name, const std::vector<diagnosis::Incident>& incidents, qint64 nowNs);

signals:
    /// A notification was sent to the desktop.
    void notified(const QString& title, const QString& text);
    /// The user clicked on this run's notification.
    void openRequested(const QString& dir);

private slots:
    void actionInvoked(uint id, const QString& action);
    void closed(uint id, uint reason);

private:
    void notify(const QString& dir, const QString& title, const QString& text);

    QWidget* m_window;
    bool m_enabled = true, m_listening = false;
    QHash<QString, qint64> m_newest; ///< by run: newest incident seen so far
    QHash<uint, QString> m_shown;    ///< run by the desktop's notification id
};

} // namespace rankscope::ui
