// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/run_lister.h"

#include "widgets/runs/scan/runs_folder_scanner.h"

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>

namespace rankscope::ui {

namespace fs = std::filesystem;

/// At most a twentieth of the time is spent on looking, whatever the number of runs, but no change is missed for longer
/// than kLongestMs.
static constexpr qint64 kShareOfTime = 20, kLongestMs = 5000;

class RunLister::Worker final : public QObject {
public:
    Worker(RunLister* owner, const fs::path& dir, const fs::path& kept) : m_owner(owner), m_scan(dir, kept) {}

    void start(int intervalMs) {
        m_timer = new QTimer(this);
        m_timer->setSingleShot(true);
        connect(m_timer, &QTimer::timeout, this, [this, intervalMs] {
            QElapsedTimer lasted;
            lasted.start();
            poll();
            const qint64 longest = std::max<qint64>(intervalMs, kLongestMs);
            m_timer->start(static_cast<int>(std::clamp<qint64>(kShareOfTime * lasted.elapsed(), intervalMs, longest)));
        });
        m_timer->start(0);
    }

    void alsoList(const fs::path& run) { m_scan.alsoList(run); }

    void poll() {
        const auto changed = m_scan.list([this] { publish(); });
        if (!changed) {
            if (!m_failed)
                emit m_owner->failed(QString::fromStdString(changed.error().message()));
            m_failed = true;
            return;
        }
        m_failed = false;
        if (*changed || !m_published)
            publish();
        m_scan.fill([this] { publish(); }, [] { return QThread::currentThread()->isInterruptionRequested(); });
        if (!m_filled)
            emit m_owner->filled();
        m_filled = true;
    }

private:
    void publish() {
        m_published = true;
        emit m_owner->listed(m_scan.rows());
    }

    RunLister* m_owner;
    RunScan m_scan;
    QTimer* m_timer = nullptr;
    bool m_published = false, m_filled = false, m_failed = false;
};

RunLister::RunLister(fs::path runsDir, QObject* parent, const fs::path& kept)
    : QObject(parent), m_runsDir(std::move(runsDir)) {
    qRegisterMetaType<QList<RunRow>>("QList<rankscope::ui::RunRow>");
    m_thread.setObjectName(QStringLiteral("runs"));
    m_worker = new Worker(this, m_runsDir, kept);
    m_worker->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
}

RunLister::~RunLister() {
    if (!m_started) {
        delete m_worker; // its thread never ran, so nothing else deletes it
        return;
    }
    m_thread.requestInterruption();
    m_thread.quit();
    m_thread.wait();
}

void RunLister::start(int intervalMs) {
    m_started = true;
    m_thread.start(QThread::LowPriority);
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, intervalMs] { worker->start(intervalMs); });
}

void RunLister::alsoList(const fs::path& run) {
    QMetaObject::invokeMethod(m_worker, [worker = m_worker, run] { worker->alsoList(run); });
}

void RunLister::refresh() {
    QMetaObject::invokeMethod(m_worker, [worker = m_worker] { worker->poll(); });
}

} // namespace rankscope::ui
