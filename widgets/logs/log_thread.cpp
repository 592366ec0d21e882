// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/logs/log_thread.h"

namespace rankscope::ui {

LogThread::LogThread() : m_feed(new LogFeed) {
    m_thread.setObjectName(QStringLiteral("log-feed"));
    m_feed->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, m_feed, &QObject::deleteLater);
    m_thread.start();
}

LogThread::~LogThread() {
    m_thread.quit();
    m_thread.wait(); // when the window closes; no call of the feed takes long
}

void LogThread::post(std::function<void(LogFeed&)> work) {
    QMetaObject::invokeMethod(
        m_feed, [feed = m_feed, work = std::move(work)] { work(*feed); }, Qt::QueuedConnection);
}

} // namespace rankscope::ui
