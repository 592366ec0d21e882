// SPDX-License-Identifier: GPL-3.0-or-later
// Tells the desktop of an incident that opens while nobody looks at the window.
#pragma once

#include "widgets/models/run_view.h"

#include <QObject>

class QWidget;

namespace rankscope::ui {

class Notifier final : public QObject {
    Q_OBJECT
public:
    explicit Notifier(QWidget* window);
    void setEnabled(bool on) { m_enabled = on; }
    /// Each view of the open run; what the first one holds is no news. A closed run is forgotten with forget().
    void see(const RunView& view);
    void forget() { m_newest = -1; }

signals:
    /// Sent to the desktop now.
    void notified(const QString& title, const QString& text);

private:
    void notify(const QString& title, const QString& text);

    QWidget* m_window;
    bool m_enabled = true;
    std::int64_t m_newest = -1; ///< incident that was seen; -1: no view yet
};

} // namespace rankscope::ui
