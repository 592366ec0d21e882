// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a Chrome trace on its own thread; one at a time.
#pragma once

#include "core/store/waits/wait_report.h"

#include <QObject>
#include <QString>
#include <QThread>

#include <atomic>
#include <filesystem>

namespace rankscope::ui {

class TraceJob final : public QObject {
    Q_OBJECT
public:
    explicit TraceJob(QObject* parent = nullptr);
    ~TraceJob() override;

    /// Writes the steps that touch [fromNs, toNs], since the run's start. Returns false if a trace is being written.
    bool start(const std::filesystem::path& store, const QString& file, std::int64_t fromNs, std::int64_t toNs);
    void cancel() { m_cancelled = true; }

signals:
    void progress(qint64 events);
    /// `problem` is empty if the file was written. If it was cancelled, there is no file.
    void finished(const QString& file, const QString& problem, bool cancelled);

private:
    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
    std::atomic<bool> m_cancelled{false};
    bool m_running = false;
};

} // namespace rankscope::ui
