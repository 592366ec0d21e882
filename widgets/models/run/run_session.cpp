// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run/run_session.h"

#include "widgets/models/run/run_poller.h"

#include <QCoreApplication>
#include <QThread>

#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

/// Threads whose session was closed while a query ran: the window does not wait for them, the program's end does.
std::set<QThread*>& endingThreads() {
    static std::set<QThread*> threads;
    return threads;
}

void joinEndingThreads() {
    for (auto* thread : std::exchange(endingThreads(), {})) {
        thread->wait();
        delete thread; // who would be told of its end is ending itself
    }
}

void endThread(QThread* thread) {
    thread->quit();
    static const bool registered = (qAddPostRoutine(joinEndingThreads), true);
    Q_UNUSED(registered);
    endingThreads().insert(thread);
    const auto forget = [thread] {
        if (endingThreads().erase(thread))
            thread->deleteLater();
    };
    QObject::connect(thread, &QThread::finished, qApp, forget);
    if (thread->isFinished())
        forget();
}

} // namespace

class RunSession::Worker {
public:
    explicit Worker(const launch::RunPaths& run) : m_thread(new QThread), m_poller(new RunPoller(run)) {
        m_thread->setObjectName(QStringLiteral("run-session"));
        m_poller->moveToThread(m_thread);
        QObject::connect(m_thread, &QThread::started, m_poller, &RunPoller::start);
        QObject::connect(m_thread, &QThread::finished, m_poller, &QObject::deleteLater);
    }
    ~Worker() {
        m_poller->disconnect();
        endThread(m_thread);
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void start() { m_thread->start(); }
    RunPoller* poller() const { return m_poller; }

private:
    QThread* m_thread;
    RunPoller* m_poller;
};

RunSession::RunSession(launch::RunPaths run, QObject* parent)
    : QObject(parent), m_run(std::move(run)), m_worker(std::make_unique<Worker>(m_run)) {
    RunView first;
    first.info.id = m_run.dir.filename().string();
    m_view = std::make_shared<const RunView>(std::move(first));
    auto* poller = m_worker->poller();
    connect(poller, &RunPoller::viewRead, this, [this, poller](const RunViewPtr& view) {
        poller->acknowledge();
        const bool rows = view->storeVersion != m_view->storeVersion;
        const bool steps = view->stepsVersion != m_view->stepsVersion;
        m_view = view;
        emit viewChanged();
        if (rows)
            emit storeChanged();
        if (steps)
            emit stepsChanged();
    });
    connect(poller, &RunPoller::seriesRead, this,
            [this](int tag, const SeriesReplyPtr& reply) { emit seriesReady(tag, *reply); });
    connect(poller, &RunPoller::notesRead, this, [this](const NotesPtr& notes) { emit notesReady(*notes); });
    connect(poller, &RunPoller::stacksRead, this,
            [this](qint64 incident, const StacksPtr& stacks) { emit stacksReady(incident, *stacks); });
    m_worker->start();
}

RunSession::~RunSession() = default;

void RunSession::requestSeries(int tag, const SeriesRequest& request) {
    m_worker->poller()->askSeries(tag, request);
}

void RunSession::refresh() {
    QMetaObject::invokeMethod(m_worker->poller(), &RunPoller::refresh, Qt::QueuedConnection);
}

void RunSession::requestNotes(std::int64_t afterId, int limit) {
    m_worker->poller()->askNotes(afterId, limit);
}

void RunSession::requestStacks(std::int64_t incident) {
    m_worker->poller()->askStacks(incident);
}

} // namespace rankscope::ui
