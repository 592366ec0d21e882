// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the statistics of a part of a run, on a thread of its own with a reader of its own. Only the newest request is
// answered; an older one stops.
#pragma once

#include "widgets/models/timeline/timeline_stats.h"

#include <QObject>
#include <QThread>
#include <QTimer>

#include <atomic>

namespace rankscope::ui {

class StatsLoader final : public QObject {
    Q_OBJECT
public:
    explicit StatsLoader(QObject* parent = nullptr);
    ~StatsLoader() override;

    /// Answered by read() unless a newer one comes first; waits until brushing pauses for `delayMs`.
    void request(const StatsRequest& request, int delayMs = 120);
    /// What is under way is not answered.
    void cancel();
    bool isBusy() const { return m_busy; }

signals:
    void progress(double share); ///< 0 … 1, at most 20 times a second
    void read(const rankscope::ui::TimelineStatsPtr& stats);

private:
    void send();

    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
    QTimer m_delay;
    StatsRequest m_next;
    std::atomic<quint64> m_newest{0};
    bool m_busy = false;
};

} // namespace rankscope::ui
