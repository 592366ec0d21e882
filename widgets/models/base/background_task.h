// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include <atomic>
#include <functional>
#include <memory>

namespace rankscope::ui {

/// Work on a thread of its own, with the answers in the thread of this object. The thread starts with the first work.
class BackgroundTask final : public QObject {
public:
    using IsOld = std::function<bool()>; ///< Any thread: nobody waits for the answer any more.

    explicit BackgroundTask(const QString& threadName);
    /// Takes turns with another task on that one's thread. Tasks that share a thread end together, and what any of them
    /// has under way is to be cancelled first.
    explicit BackgroundTask(const BackgroundTask* sharing) : m_thread(sharing->m_thread) { setUp(); }
    /// Waits for what is under way, which is to look soon whether it is old.
    ~BackgroundTask() override;

    /// Calls `take` with what `read(isOld)` returned on the thread, unless something newer is asked for first. It
    /// begins when nothing newer came for `delayMs`.
    template <class Read, class Take> void ask(Read read, Take take, int delayMs = 0) {
        cancel();
        m_next = workOf(std::move(read), std::move(take));
        if (delayMs > 0)
            m_delay.start(delayMs);
        else
            send();
    }
    /// As ask(), after what was asked for before, which is answered as well.
    template <class Read, class Take> void add(Read read, Take take) {
        m_next = workOf(std::move(read), std::move(take));
        send();
    }
    /// For the thread: calls `what` in the thread of this object, unless it is old by then.
    void tell(const IsOld& isOld, std::function<void()> what);
    /// What is under way is not answered.
    void cancel();
    bool isBusy() const { return m_waiting > 0 || m_delay.isActive(); }

private:
    struct Thread;
    using Work = std::function<std::function<void()>(const IsOld&)>; ///< returns what is to be done with the answer

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
    int m_waiting = 0; ///< for answers
};

} // namespace rankscope::ui
