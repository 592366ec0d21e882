// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/base/background_task.h"

#include <QThread>

#include <utility>

namespace rankscope::ui {

struct BackgroundTask::Thread {
    explicit Thread(const QString& name) {
        thread.setObjectName(name);
        worker.moveToThread(&thread);
    }
    QThread thread;
    QObject worker; ///< lives in the thread
};

BackgroundTask::BackgroundTask(const QString& threadName) : m_thread(std::make_shared<Thread>(threadName)) {
    setUp();
}

BackgroundTask::~BackgroundTask() {
    cancel();
    m_thread->thread.quit();
    m_thread->thread.wait();
}

void BackgroundTask::setUp() {
    m_delay.setSingleShot(true);
    connect(&m_delay, &QTimer::timeout, this, &BackgroundTask::send);
}

void BackgroundTask::cancel() {
    ++m_newest;
    m_delay.stop();
    m_waiting = 0;
}

void BackgroundTask::send() {
    if (!m_thread->thread.isRunning())
        m_thread->thread.start();
    ++m_waiting;
    const IsOld isOld = [this, number = m_newest.load()] { return number != m_newest; };
    QMetaObject::invokeMethod(&m_thread->worker, [this, isOld, work = std::exchange(m_next, {})] {
        if (isOld())
            return;
        tell(isOld, [this, answer = work(isOld)] {
            --m_waiting;
            answer();
        });
    });
}

void BackgroundTask::tell(const IsOld& isOld, std::function<void()> what) {
    QMetaObject::invokeMethod(this, [isOld, what = std::move(what)] {
        if (!isOld())
            what();
    });
}

} // namespace rankscope::ui
