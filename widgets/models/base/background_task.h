// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include <atomic>
#include <functional>
#include <memory>

namespace rankscope::ui {

/// Runs work on a separate thread and delivers the answers in the thread of this object. The first work starts the
/// thread.
class BackgroundTask final : public QObject {
public:
    using IsOld = std::function<bool()>; ///< Any thread: true once the answer is no longer wanted.

    explicit BackgroundTask(const QString& threadName);
    /// Shares the thread of another task and takes turns with it. Tasks that share a thread end together; cancel the
    /// work of all of them first.
    explicit BackgroundTask(const BackgroundTask* sharing) : m_thread(sharing->m_thread) { setUp(); }
    /// Waits for the work in progress, which should check often whether it is old.
    ~BackgroundTask() override;

    /// Runs `read(isOld)` on the thread and calls `take` with its result, unless something newer is requested first.
    /// The work starts once no newer request has arrived for `delayMs`.
    template <class Read, class Take> void ask(Read read, Take take, int delayMs = 0) {
        cancel();
        m_next = workOf(std::move(read), std::move(take));
        if (delayMs > 0)
            m_delay.start(delayMs);
        else
            send();
    }
    /// Like ask(), but runs after the earlier requests, which are answered as well.
    template <class Read, class Take> void add(Read read, Take take) {
        m_next = workOf(std::move(read), std::move(take));
        send();
    }
    /// Called by the work: calls `what` in the thread of this object, unless it is old by then.
    void tell(const IsOld& isOld, std::function<void()> what);
    /// Drops the answer of the work in progress.
    void cancel();
    bool isBusy() const { return m_waiting > 0 || m_delay.isActive(); }

private:
    struct Thread;
    using Work = std::function<std::function<void()>(const IsOld&)>; ///< returns the function that handles the answer

    template <class Read, class Take> static Work workOf(Read read, Take take) {
        return [read = std::move(read), take = std::move(take)](const IsOld& isOld) {
            return [take, reply = read(isOld)] { take(reply); };
        };
    }
    void setUp();
    void send();

    std::shared_ptr<Thread> m_thread;
    QTimer m_delay;
    Work m_next;
    std::atomic<quint64> m_newest{0};
    int m_waiting = 0; ///< requests that are not answered yet
};

} // namespace rankscope::ui
