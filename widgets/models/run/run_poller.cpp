// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run/run_poller.h"

#include "core/base/files/paths.h"
#include "core/base/values/clock.h"
#include "core/launch/recording/journal_drain.h"
#include "widgets/models/text/json_message.h"
#include "widgets/models/text/store_health_text.h"
#include "widgets/models/text/text_format.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QMutexLocker>

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace rankscope::ui {

namespace {
constexpr int kLivePeriodMs = 100; ///< boards, /proc, run.json
constexpr int kLookPeriodMs = 20;  ///< checks whether the supervisor committed: takes a few microseconds
constexpr int kEndingPeriodMs = 400;
constexpr int kRestPeriodMs = 2000; ///< for a run that has ended or is gone: checks whether its folder is there
constexpr int kEndingPolls = 3;     ///< the supervisor's last commit and run.json's last state come close together
} // namespace

RunPoller::RunPoller(launch::RunPaths run) : m_run(run), m_observer(std::move(run)) {}

void RunPoller::start() {
    m_timer = new QTimer(this);
    connect(m_timer, &QTimer::timeout, this, &RunPoller::look);
    m_timer->start(kLookPeriodMs);
    poll();
}

/// Reads commits immediately, everything else at its interval.
void RunPoller::look() {
    if (m_rests && !m_observer.movedAtRest() && !mayTryAgain())
        return;
    if (std::exchange(m_rests, false))
        m_timer->start(kLookPeriodMs);
    const bool due = m_sincePoll.elapsed() >= (m_quietPolls > 0 ? kEndingPeriodMs : kLivePeriodMs);
    if (due || m_observer.storeMoved())
        poll();
}

void RunPoller::refresh() {
    m_unsent = true;
    m_quietPolls = 0;
    m_rests = false;
    if (m_timer)
        m_timer->start(kLookPeriodMs);
}

void RunPoller::poll() {
    m_sincePoll.start();
    const RunView& view = m_observer.read(monotonicNs());
    if (m_observer.changed())
        m_unsent = true;
    // report that recovery ran and could not settle how the run ended: otherwise users would wait for more
    if (view.info.state == launch::RunState::Lost && view.goneRealtimeNs == 0 && m_recoveryTried && !m_recovery &&
        m_recoveryProblem.isEmpty())
        m_recoveryProblem = tr("How this run ended could not be determined; its logs may say more");
    if (m_unsent && !m_viewUnderway.exchange(true)) {
        auto copy = std::make_shared<RunView>(view);
        if (!m_recoveryProblem.isEmpty() && copy->goneRealtimeNs == 0)
            copy->problem += (copy->problem.isEmpty() ? QString() : QStringLiteral(" ")) + m_recoveryProblem;
        m_unsent = false;
        emit viewRead(copy);
    }
    const bool gone = view.goneRealtimeNs != 0;
    if (!gone && isToBeRecovered(view))
        recover();
    if (m_observer.known() && !m_observer.live())
        lowerPriority();
    if (m_observer.live() || m_recovery || m_unsent || m_observer.isCounting()) {
        m_quietPolls = 0;
    } else if (++m_quietPolls >= kEndingPolls) {
        m_rests = true;
        m_timer->start(kRestPeriodMs);
        if (!gone)
            m_observer.checkStore(); // everything requested is shown by now
        if (m_observer.foundDamage())
            refresh();
    }
}

/// Lowers the thread's priority: reading an ended run must not take a core from drawing frames. News of a live run is
/// as urgent as drawing.
void RunPoller::lowerPriority() {
    constexpr int kNice = 10;
    if (!std::exchange(m_givesWay, true) && ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice) != 0)
        qWarning("could not lower the priority of the thread that reads a run: %s", std::strerror(errno));
}

/// Returns whether recovery is needed. A run that ended while its disk was full still has data in its journals.
bool RunPoller::isToBeRecovered(const RunView& view) const {
    if (m_recovery || !m_observer.known() || m_observer.live() || (m_recoveryTried && !mayTryAgain()))
        return false;
    return view.info.state == launch::RunState::Lost || launch::hasJournals(m_run);
}

RunPoller::Room RunPoller::room() const {
    std::error_code ec;
    const auto space = std::filesystem::space(m_run.dir, ec);
    return {::access(m_run.dir.c_str(), W_OK) == 0, ec ? 0 : space.available};
}

/// Returns whether the obstacle to bringing the run up to date has changed since the last attempt.
bool RunPoller::mayTryAgain() const {
    constexpr std::uint64_t kMoreBytes = 256 << 10;
    if (m_recovery || m_recoveryProblem.isEmpty() || !m_recoveryTried)
        return false;
    const Room now = room();
    return (now.writable && !m_triedWith.writable) || now.freeBytes >= m_triedWith.freeBytes + kMoreBytes;
}

void RunPoller::recover() {
    m_recoveryTried = true;
    m_triedWith = room();
    const auto program = findProgram("rankscopectl");
    if (!program)
        return recovered(toQString(program.error().message()));
    m_recovery = new QProcess(this);
    m_recovery->setStandardInputFile(QProcess::nullDevice());
    connect(m_recovery, &QProcess::finished, this, &RunPoller::recoveryEnded);
    connect(m_recovery, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            recovered(tr("rankscopectl show: %1").arg(m_recovery->errorString()));
    });
    m_recovery->start(toQString(program->string()),
                      {QStringLiteral("show"), toQString(m_run.dir.string()), QStringLiteral("--json")});
}

void RunPoller::recoveryEnded(int exitCode, QProcess::ExitStatus status) {
    if (status != QProcess::NormalExit || exitCode != 0) {
        const QString said = QString::fromUtf8(m_recovery->readAllStandardError().left(2000)).trimmed();
        return recovered(tr("rankscopectl show: %1").arg(said.isEmpty() ? tr("exit code %1").arg(exitCode) : said));
    }
    const QJsonObject shown = QJsonDocument::fromJson(m_recovery->readAllStandardOutput()).object();
    const QJsonObject missing = shown[QLatin1String("not_current")].toObject();
    if (missing.isEmpty())
        return recovered({});
    recovered(notCurrentText({missing[QLatin1String("reason")].toString(), messageText(messageIn(missing, "why")),
                              missing[QLatin1String("in_journals")].toBool(),
                              missing[QLatin1String("in_the_way")].toString()}));
}

void RunPoller::recovered(const QString& problem) {
    if (m_recovery)
        std::exchange(m_recovery, nullptr)->deleteLater();
    m_recoveryProblem = problem;
    refresh();
}

void RunPoller::ask(const std::function<void()>& note) {
    {
        const QMutexLocker lock(&m_mutex);
        note();
    }
    QMetaObject::invokeMethod(this, &RunPoller::serve, Qt::QueuedConnection);
}

void RunPoller::requestSeries(int tag, const SeriesRequest& request) {
    ask([&] { m_series[tag] = request; });
}

void RunPoller::requestNotes(std::int64_t afterId, int limit) {
    ask([&] { m_notes[afterId] = limit; });
}

void RunPoller::requestStacks(std::int64_t incident) {
    ask([&] { m_stacks.insert(incident); });
}

/// Serves one request per turn, so that a queue of them cannot delay polling.
void RunPoller::serve() {
    QMutexLocker lock(&m_mutex);
    if (!m_series.empty()) {
        const auto node = m_series.extract(m_series.begin());
        lock.unlock();
        emit seriesRead(node.key(), std::make_shared<const SeriesReply>(m_observer.series(node.mapped())));
        if (m_observer.foundDamage())
            refresh(); // the view also reports it
    } else if (!m_notes.empty()) {
        const auto node = m_notes.extract(m_notes.begin());
        lock.unlock();
        auto notes = std::make_shared<const std::vector<store::Note>>(m_observer.notes(node.key(), node.mapped()));
        emit notesRead(notes);
    } else if (!m_stacks.empty()) {
        const std::int64_t incident = m_stacks.extract(m_stacks.begin()).value();
        lock.unlock();
        emit stacksRead(incident, std::make_shared<const std::vector<store::StackRow>>(m_observer.stacks(incident)));
    }
}

} // namespace rankscope::ui
