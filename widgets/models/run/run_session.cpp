// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run/run_session.h"

#include "widgets/models/run/run_poller.h"

#include <QCoreApplication>
#include <QThread>

#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

/// Threads whose session was closed during a query. The window does not wait for them, but the program does on exit.
std::set<QThread*>& endingThreads() {
    static std::set<QThread*> threads;
    return threads;
}

void joinEndingThreads() {
    for (auto* thread : std::exchange(endingThreads(), {})) {
        thread->wait();
        delete thread; // no signal: the receiver is being destroyed
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

RunSession::RunSession(launch::RunPaths run, QObject* parent)
    : QObject(parent), m_run(std::move(run)), m_thread(new QThread), m_poller(new RunPoller(m_run)) {
    m_thread->setObjectName(QStringLiteral("run-session"));
    m_poller->moveToThread(m_thread);
    connect(m_thread, &QThread::started, m_poller, &RunPoller::start);
    connect(m_thread, &QThread::finished, m_poller, &QObject::deleteLater);
    RunView first;
    first.info.id = m_run.dir.filename().string();
    m_view = std::make_shared<const RunView>(std::move(first));
    connect(m_poller, &RunPoller::viewRead, this, [this](const RunViewPtr& view) {
        m_poller->acknowledge();
        const bool rows = view->storeVersion != m_view->storeVersion;
        const bool steps = view->stepsVersion != m_view->stepsVersion;
        m_view = view;
        emit viewChanged();
        if (rows)
            emit storeChanged();
        if (steps)
            emit stepsChanged();
    });
    connect(m_poller, &RunPoller::seriesRead, this,
            [this](int tag, const SeriesReplyPtr& reply) { emit seriesReady(tag, *reply); });
    connect(m_poller, &RunPoller::notesRead, this, [this](const NotesPtr& notes) { emit notesReady(*notes); });
    connect(m_poller, &RunPoller::stacksRead, this,
            [this](qint64 incident, const StacksPtr& stacks) { emit stacksReady(incident, *stacks); });
    m_thread->start();
}

RunSession::~RunSession() {
    m_poller->disconnect();
    endThread(m_thread);
}

void RunSession::requestSeries(int tag, const SeriesRequest& request) {
    m_poller->requestSeries(tag, request);
}

void RunSession::refresh() {
    QMetaObject::invokeMethod(m_poller, &RunPoller::refresh, Qt::QueuedConnection);
}

void RunSession::requestNotes(std::int64_t afterId, int limit) {
    m_poller->requestNotes(afterId, limit);
}

void RunSession::requestStacks(std::int64_t incident) {
    m_poller->requestStacks(incident);
}

} // namespace rankscope::ui
