// SPDX-License-Identifier: GPL-3.0-or-later
// Polls a live run in the session's thread, serves series and notes, and has `rankscopectl show` bring a run up to date
// if its supervisor is gone or the store had no room for its journals: again once there is room.
#pragma once

#include "widgets/models/run/run_observer.h"

#include <QElapsedTimer>
#include <QMutex>
#include <QObject>
#include <QProcess>
#include <QTimer>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace rankscope::ui {

using StacksPtr = std::shared_ptr<const std::vector<store::StackRow>>;
using NotesPtr = std::shared_ptr<const std::vector<store::Note>>;

class RunPoller final : public QObject {
    Q_OBJECT
public:
    explicit RunPoller(launch::RunPaths run);

    /// From any thread: requests a series; a newer request with the same tag replaces one that is waiting.
    void requestSeries(int tag, const SeriesRequest& request);
    void requestNotes(std::int64_t afterId, int limit);
    void requestStacks(std::int64_t incident);
    /// From any thread: says that the last view arrived. Newer ones are held back until then, so that a busy window
    /// gets only one.
    void acknowledge() { m_viewUnderway = false; }

public slots:
    void start();
    void refresh();

signals:
    void viewRead(const rankscope::ui::RunViewPtr& view);
    void seriesRead(int tag, const rankscope::ui::SeriesReplyPtr& reply);
    void notesRead(const rankscope::ui::NotesPtr& notes);
    void stacksRead(qint64 incident, const rankscope::ui::StacksPtr& stacks);

private:
    void ask(const std::function<void()>& note);
    void look();
    void poll();
    void serve();
    void lowerPriority();
    bool isToBeRecovered(const RunView& view) const;
    bool mayTryAgain() const;
    void recover();
    void recoveryEnded(int exitCode, QProcess::ExitStatus status);
    void recovered(const QString& problem);

    launch::RunPaths m_run;
    RunObserver m_observer;
    QTimer* m_timer = nullptr; ///< created in the thread
    QProcess* m_recovery = nullptr;
    bool m_recoveryTried = false;
    QString m_recoveryProblem;
    /// State of the run's folder when recovery was tried.
    struct Room {
        bool writable = false;
        std::uint64_t freeBytes = 0;
    } m_triedWith;
    Room room() const;
    QElapsedTimer m_sincePoll;
    bool m_givesWay = false;
    int m_quietPolls = 0; ///< polls since the run ended
    bool m_unsent = false;
    bool m_rests = false; ///< only checks its folder
    std::atomic<bool> m_viewUnderway{false};

    QMutex m_mutex;
    std::map<int, SeriesRequest> m_series;
    std::map<std::int64_t, int> m_notes;
    std::set<std::int64_t> m_stacks; ///< by incident
};

} // namespace rankscope::ui
