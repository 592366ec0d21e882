// SPDX-License-Identifier: GPL-3.0-or-later
// Owns the log feed and its thread.
#pragma once

#include "widgets/models/logs/log_feed.h"

#include <QThread>

#include <functional>

namespace rankscope::ui {

class LogThread {
public:
    LogThread();
    ~LogThread();
    LogThread(const LogThread&) = delete;
    LogThread& operator=(const LogThread&) = delete;

    LogFeed* feed() const { return m_feed; }
    /// Runs `work` in the feed's thread, in order.
    void post(std::function<void(LogFeed&)> work);

private:
    QThread m_thread;
    LogFeed* m_feed;
};

} // namespace rankscope::ui
