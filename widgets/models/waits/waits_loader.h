// SPDX-License-Identifier: GPL-3.0-or-later
// Explains the waits of a part of a run, on a thread of its own with a reader of its own: a long run takes seconds, and
// the session goes on meanwhile. Only the newest request is answered.
#pragma once

#include "core/store/waits/wait_report.h"

#include <QObject>
#include <QString>
#include <QThread>
#include <QTimer>

#include <atomic>
#include <filesystem>
#include <memory>

namespace rankscope::ui {

struct WaitsRequest {
    std::filesystem::path store;
    bool byTime = false;
    std::int64_t from = 0, to = 0; ///< steps, or ns since the run's start
    friend bool operator==(const WaitsRequest&, const WaitsRequest&) = default;
};
struct WaitsReply {
    WaitsRequest request;
    store::WaitReport report;
    QString error;
};
using WaitsReplyPtr = std::shared_ptr<const WaitsReply>;

class WaitsLoader final : public QObject {
    Q_OBJECT
public:
    explicit WaitsLoader(QObject* parent = nullptr);
    ~WaitsLoader() override;

    /// Answered by explained() unless a newer one comes first; waits until brushing pauses for `delayMs`.
    void request(const WaitsRequest& request, int delayMs = 200);
    /// What is under way is not answered.
    void cancel();
    bool isBusy() const { return m_busy; }

signals:
    void explained(const rankscope::ui::WaitsReplyPtr& reply);

private:
    void send();

    QThread m_thread;
    QObject* m_worker; ///< lives in m_thread
    QTimer m_delay;
    WaitsRequest m_next;
    std::atomic<quint64> m_newest{0};
    bool m_busy = false;
};

} // namespace rankscope::ui
