// SPDX-License-Identifier: GPL-3.0-or-later
// Tells the desktop of an incident that opens while nobody looks at the window, once, of whichever run. A click on what
// the desktop shows opens that run.
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
    /// A run's incidents, all or those that are open, each time that they are read. What the first call for a run holds
    /// is no news.
    void see(const QString& dir, const QString& name, const std::vector<diagnosis::Incident>& incidents, qint64 nowNs);

signals:
    /// Sent to the desktop now.
    void notified(const QString& title, const QString& text);
    /// The user clicked on what the desktop shows of this run.
    void openRequested(const QString& dir);

private slots:
    void actionInvoked(uint id, const QString& action);
    void closed(uint id, uint reason);

private:
    void notify(const QString& dir, const QString& title, const QString& text);

    QWidget* m_window;
    bool m_enabled = true, m_listening = false;
    QHash<QString, qint64> m_newest; ///< by run: the newest incident that was seen
    QHash<uint, QString> m_shown;    ///< the desktop's number: the run
};

} // namespace rankscope::ui
