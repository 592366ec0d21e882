// SPDX-License-Identifier: Apache-2.0
// Signals to a single rank, as a memory guard, a scheduler or an administrator sends them: all ranks leave together,
// and the sender is reported.
#include "core/base/values/clock.h"
#include "core/launch/run/launch_spec.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <set>

using namespace rankscope;
using namespace rankscope::test;
using launch::RunState;

class TestAsked : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> w;

    static int wait(QProcess& process, int ms = 30'000) {
        return process.waitForFinished(ms) && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    }
    std::unique_ptr<QProcess> started(int ranks, const QString& target = "steps=100000 ms=5") {
        w->setTarget(target);
        auto process = w->start({"--ranks", QString::number(ranks)});
        return QTest::qWaitFor([&] { return w->runsAt(20); }, 30'000) ? std::move(process) : nullptr;
    }
    static QString self() {
        QFile comm(QStringLiteral("/proc/self/comm"));
        return comm.open(QIODevice::ReadOnly) ? QString::fromUtf8(comm.readAll()).trimmed() : QString();
    }
    /// Returns every rank's last step.
    std::set<std::int64_t> lastSteps() const {
        std::set<std::int64_t> steps;
        if (auto reader = store::RunReader::open(w->run().store()))
            for (const auto& rank : reader->ranks().value_or(std::vector<store::RankSummary>{}))
                steps.insert(rank.lastStep);
        return steps;
    }
    QString shown() const { return w->ctl({"show", QString::fromStdString(w->run().dir.string())}).out; }

private Q_SLOTS:
    void init() { w = std::make_unique<Workplace>(); }

    void allLeaveTogether_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("rank");
        QTest::addColumn<int>("signal");
        for (const int ranks : {2, 3, 6})
            for (int rank = 0; rank < ranks; ++rank)
                QTest::addRow("SIGTERM to rank %d of %d", rank, ranks) << ranks << rank << SIGTERM;
        for (const int s : {SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU})
            QTest::addRow("SIG%s to rank 1 of 3", sigabbrev_np(s)) << 3 << 1 << s;
    }
    void allLeaveTogether() {
        QFETCH(int, ranks);
        QFETCH(int, rank);
        QFETCH(int, signal);
        auto process = started(ranks);
        QVERIFY(process);
        const auto info = w->info();
        QElapsedTimer clock;
        clock.start();
        QCOMPARE(::kill(info.rankPids.at(static_cast<std::size_t>(rank)), signal), 0);
        QCOMPARE(wait(*process), int(launch::kStopped));
        QVERIFY2(clock.elapsed() < 3000, qPrintable(QString("%1 ms").arg(clock.elapsed())));
        QVERIFY(!w->anyRankLives(info));

        const QString name = QStringLiteral("SIG") + sigabbrev_np(signal);
        const QString who = QString("rank %1 was asked to leave by %2 from %3 (process %4 of ")
                                .arg(rank)
                                .arg(name, self())
                                .arg(::getpid());
        const auto after = w->info();
        const QString cause = QString::fromStdString(after.cause.english());
        QCOMPARE(after.state, RunState::Stopped);
        QVERIFY2(cause.startsWith("stopped after ") && cause.contains(who), qPrintable(cause));
        QVERIFY2(!cause.contains("killed"), qPrintable(cause));
        QCOMPARE(lastSteps().size(), std::size_t{1});

        const auto incidents = w->incidents();
        QCOMPARE(incidents.size(), 1);
        const auto incident = incidents[0].toObject();
        QCOMPARE(incident["cause"].toString(), QString("asked_to_leave"));
        QCOMPARE(incident["holders"].toArray(), QJsonArray{rank});
        QCOMPARE(incident["closed"].toString(), QString("run_ended"));
        const auto evidence = incident["evidence"].toObject();
        QCOMPARE(evidence["signal_name"].toString(), name);
        QCOMPARE(evidence["sender_pid"].toInt(), int(::getpid()));
        QCOMPARE(evidence["sender_uid"].toInt(), int(::getuid()));
        QCOMPARE(evidence["sender_program"].toString(), self());
        const QString sentence = incident["sentence"].toString();
        QVERIFY2(sentence.contains(QString("ank %1 was asked to leave").arg(rank)), qPrintable(sentence));
        QVERIFY2(incident["remedy"].toObject()["text"].toString().contains("--resume"), qPrintable(sentence));
        const QString show = shown();
        QVERIFY2(show.contains(who), qPrintable(show));
        const QString diagnosed = w->ctl({"diagnose", "last", "--runs", w->runsDir()}).out;
        QVERIFY2(diagnosed.contains("open at end of run") && !diagnosed.contains("run_ended"), qPrintable(diagnosed));
    }
    /// systemd and some schedulers signal all processes of a job: then the run was stopped, not a single rank.
    void allProcessesOfAJob() {
        auto process = started(3);
        QVERIFY(process);
        for (const int pid : w->info().rankPids)
            QCOMPARE(::kill(pid, SIGTERM), 0);
        QCOMPARE(::kill(pid_t(process->processId()), SIGTERM), 0);
        QCOMPARE(wait(*process), int(launch::kStopped));
        QVERIFY2(w->info().cause.english().find("stopped by the user after") == 0, w->info().cause.english().c_str());
        QCOMPARE(w->incidents().size(), 0);
        QCOMPARE(lastSteps().size(), std::size_t{1});
    }
    void allRanksWithoutTheirSupervisor() {
        auto process = started(3);
        QVERIFY(process);
        for (const int pid : w->info().rankPids)
            QCOMPARE(::kill(pid, SIGUSR1), 0);
        QCOMPARE(wait(*process), int(launch::kStopped));
        const QString cause = QString::fromStdString(w->info().cause.english());
        QVERIFY2(cause.contains("ranks 0, 1, 2 were asked to leave by SIGUSR1"), qPrintable(cause));
        QCOMPARE(w->incidents().size(), 1);
    }
    void aStopByTheUserIsNoIncident() {
        auto process = started(2);
        QVERIFY(process);
        QCOMPARE(::kill(pid_t(process->processId()), SIGTERM), 0);
        QCOMPARE(wait(*process), int(launch::kStopped));
        QCOMPARE(w->incidents().size(), 0);
    }
    /// A rank that never reaches the end of its step is killed after the grace time; the request is still the cause.
    void oneThatDoesNotLeave() {
        auto process = started(2, "steps=100000 ms=5 do=deaf rank=0 at=30");
        QVERIFY(process);
        QCOMPARE(::kill(w->info().rankPids.at(1), SIGTERM), 0);
        QCOMPARE(wait(*process), int(launch::kStopped));
        const QString cause = QString::fromStdString(w->info().cause.english());
        QVERIFY2(cause.contains("rank 1 was asked to leave by SIGTERM"), qPrintable(cause));
        QVERIFY2(cause.endsWith("ranks 0, 1 had to be killed"), qPrintable(cause));
        QCOMPARE(w->incidents().size(), 1);
    }
    /// The step to stop at cannot be written: this is reported, and retried until it succeeds.
    void aControlPageThatCannotBeWritten() {
        auto process = started(2);
        QVERIFY(process);
        const auto pid = pid_t(process->processId());
        rlimit before{};
        QCOMPARE(::prlimit(pid, RLIMIT_FSIZE, nullptr, &before), 0);
        const rlimit none{0, before.rlim_max};
        QCOMPARE(::prlimit(pid, RLIMIT_FSIZE, &none, nullptr), 0);
        QCOMPARE(::kill(pid, SIGTERM), 0);
        QByteArray said;
        QVERIFY2(QTest::qWaitFor(
                     [&] {
                         said += process->readAllStandardOutput() + process->readAllStandardError();
                         return said.contains("request to stop cannot be sent");
                     },
                     2500),
                 said.constData());
        QVERIFY2(said.contains("control"), said.constData());
        QCOMPARE(::prlimit(pid, RLIMIT_FSIZE, &before, nullptr), 0);
        QCOMPARE(wait(*process), int(launch::kStopped));
        const QString cause = QString::fromStdString(w->info().cause.english());
        QVERIFY2(cause.startsWith("stopped by the user after") && !cause.contains("killed"), qPrintable(cause));
        QCOMPARE(lastSteps().size(), std::size_t{1});
    }
};

RANKSCOPE_CORE_TEST(TestAsked)
#include "tst_asked.moc"
