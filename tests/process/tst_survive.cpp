// SPDX-License-Identifier: Apache-2.0
// The supervisor is killed: no orphan is left, no measurement is lost, and the run's state is correct.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"
#include "core/launch/recording/journal_drain.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_lock.h"
#include "core/store/sqlite/sqlite.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

#include <unistd.h>

#include <algorithm>
#include <csignal>

using namespace rankscope;
using namespace rankscope::test;
using launch::RunState;

class TestSurvive : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> w;

    launch::RunInfo startAndKill(std::int64_t atStep) {
        auto process = w->start();
        const bool reached =
            QTest::qWaitFor([&] { return w->info().state == RunState::Running && w->reachesStep(atStep); }, 20'000);
        const auto info = w->info();
        process->kill();
        process->waitForFinished(10'000);
        return reached ? info : launch::RunInfo{};
    }
    QString runPath() const { return QString::fromStdString(w->run().dir.string()); }
    void everythingIsStored() const {
        for (int r = 0; r < 2; ++r) {
            const auto counted = w->appended(r);
            const auto stored = w->counter("records", r);
            QVERIFY2(counted.done <= stored && stored <= counted.begun,
                     qPrintable(QString("rank %1: %2 appended, %3 stored").arg(r).arg(counted.done).arg(stored)));
        }
    }

private Q_SLOTS:
    void init() {
        w = std::make_unique<Workplace>();
        w->setTarget("steps=100000 ms=1");
    }

    void noOrphanAndNoLoss() {
        const auto info = startAndKill(200);
        QCOMPARE(info.state, RunState::Running);
        QTRY_VERIFY_WITH_TIMEOUT(!w->anyRankLives(info), 5'000);
        QCOMPARE(w->info().state, RunState::Lost);
        const auto list = w->ctl({"list", "--runs", w->runsDir()});
        QVERIFY2(list.out.contains("lost"), qPrintable(list.out));

        for (int again = 0; again < 2; ++again) {
            const auto o = w->ctl({"show", runPath(), "--json"});
            QVERIFY2(o.exitCode == 0, qPrintable(o.err));
            const auto shown = QJsonDocument::fromJson(o.out.toUtf8()).object();
            QCOMPARE(shown["state"].toString(), QString("failed"));
            QVERIFY(shown["cause"].toString().contains("supervisor was lost"));
            QVERIFY(shown["steps"].toInt() >= 200);
            everythingIsStored();
        }
    }
    /// SQLite merges the killed writer's log into the file: the store is as complete as before.
    void aLookWithAnotherProgramDoesNoHarm() {
        startAndKill(200);
        const auto store = w->run().store();
        QVERIFY(std::filesystem::file_size(store.string() + "-wal") > 0);
        {
            const auto other = store::Database::open(store, store::OpenMode::ReadWrite);
            QVERIFY(other && other->scalar("SELECT count(*) FROM step").value() > 0);
        }
        QVERIFY(!std::filesystem::exists(store.string() + "-wal"));
        const auto o = w->ctl({"show", runPath()});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(w->info().state, RunState::Failed);
        everythingIsStored();
    }
    /// Like containers of one pod: the same host name, but different process numbers.
    void seenFromAnotherProcessNamespace() {
        const QStringList into =
            QStringList{"--pid", "--fork", "--mount-proc"} + (::geteuid() == 0 ? QStringList{} : QStringList{"-Ur"});
        if (QProcess::execute("unshare", into + QStringList{"true"}) != 0)
            QSKIP("no process namespace to be had here");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(50), 20'000);
        const auto there = [&](const QStringList& args) {
            QProcess p;
            p.start("unshare", into + QStringList{QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl")} + args);
            const bool ended = p.waitForFinished(8'000);
            return Outcome{ended ? p.exitCode() : -1, QString::fromUtf8(p.readAllStandardOutput()),
                           QString::fromUtf8(p.readAllStandardError())};
        };
        const auto stopped = there({"stop", runPath()});
        QCOMPARE(stopped.exitCode, int(launch::kBadInput));
        QVERIFY2(stopped.err.contains("another container"), qPrintable(stopped.err));
        const auto shown = there({"show", runPath(), "--json"});
        QVERIFY2(shown.exitCode == 0, qPrintable(shown.err));
        QCOMPARE(QJsonDocument::fromJson(shown.out.toUtf8()).object()["state"].toString(), QString("running"));
        QVERIFY(there({"list", "--runs", w->runsDir()}).out.contains("running"));
        QCOMPARE(w->info().state, RunState::Running);
        ::kill(pid_t(process->processId()), SIGQUIT);
        QVERIFY(process->waitForFinished(10'000));
        everythingIsStored();
    }
    /// A backup of a live run is not live, and nothing that is done to it affects the run.
    void aCopyOfALiveRunIsNone() {
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(50), 20'000);
        const QString original = runPath(), copies = w->path("copies"), copy = copies + "/backup";
        QVERIFY(QDir().mkpath(copies));
        QCOMPARE(QProcess::execute("cp", {"-r", original, copy}), 0);
        const auto list = w->ctl({"list", "--runs", copies});
        QVERIFY2(list.out.contains("lost") && list.out.contains("is a copy"), qPrintable(list.out));
        for (const QStringList& how : {QStringList{}, QStringList{"--no-wait"}, QStringList{"--now"}}) {
            const auto asked = w->ctl(QStringList{"stop", copy} + how);
            QCOMPARE(asked.exitCode, int(launch::kBadInput));
            QVERIFY2(asked.err.contains("is a copy") && asked.err.contains("nothing was stopped"),
                     qPrintable(asked.err));
        }
        const auto shown = w->ctl({"show", copy, "--json"});
        QVERIFY2(shown.exitCode == 0, qPrintable(shown.err));
        const auto json = QJsonDocument::fromJson(shown.out.toUtf8()).object();
        QCOMPARE(json["state"].toString(), QString("failed"));
        QVERIFY2(json["cause"].toString().contains("is a copy"), qPrintable(json["cause"].toString()));
        QVERIFY(json["not_current"].isNull() && json["steps"].toInt() >= 50);
        QVERIFY(w->ctl({"stop", copy}).out.contains("already ended"));
        QCOMPARE(w->info().state, RunState::Running);
        const auto step = w->appended(0).done;
        QTRY_VERIFY(w->appended(0).done > step);
        ::kill(pid_t(process->processId()), SIGTERM);
        QVERIFY(process->waitForFinished(10'000));
        QCOMPARE(w->info().state, RunState::Stopped);
        everythingIsStored();
    }
    void aLiveRunWithoutItsRunJsonCanBeStopped_data() {
        QTest::addColumn<bool>("removed");
        QTest::newRow("removed") << true;
        QTest::newRow("damaged") << false;
    }
    /// The lock shows that the run is live, and which process supervises it.
    void aLiveRunWithoutItsRunJsonCanBeStopped() {
        QFETCH(bool, removed);
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(50), 20'000);
        const QString run = runPath(), pid = QString("process %1").arg(process->processId());
        const auto file = w->run().runJson();
        if (removed)
            std::filesystem::remove(file);
        else
            QVERIFY(writeFileAtomic(file, "{"));
        const auto list = w->ctl({"list", "--runs", w->runsDir()});
        QVERIFY2(list.out.contains("damaged") && list.out.contains(pid), qPrintable(list.out));
        const auto shown = w->ctl({"show", run});
        QCOMPARE(shown.exitCode, int(launch::kBadInput));
        QVERIFY2(shown.err.contains(pid), qPrintable(shown.err));
        const auto stopped = w->ctl({"stop", run});
        QVERIFY2(stopped.exitCode == 0, qPrintable(stopped.err));
        QVERIFY2(stopped.out.startsWith("stopped"), qPrintable(stopped.out));
        QVERIFY(process->waitForFinished(10'000));
        everythingIsStored();
    }
    void aStoreThatIsTakenAwayIsNoticed_data() {
        QTest::addColumn<bool>("replaced");
        QTest::newRow("removed") << false;
        QTest::newRow("replaced") << true;
    }
    /// From then on, everything stays in the journals. At the end, the store is written again with its earlier contents
    /// if its name is free.
    void aStoreThatIsTakenAwayIsNoticed() {
        QFETCH(bool, replaced);
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(50), 20'000);
        const auto store = w->run().store();
        if (replaced)
            std::filesystem::rename(w->file("letter", "a letter").toStdString(), store);
        else
            std::filesystem::remove(store);
        QTest::qWait(1'000);
        ::kill(pid_t(process->processId()), SIGTERM);
        QVERIFY(process->waitForFinished(20'000));
        QCOMPARE(process->exitCode(), int(launch::kStopped));
        const QByteArray said = process->readAllStandardError();
        QVERIFY2(said.contains(replaced ? "was replaced" : "was removed"), said.constData());
        QCOMPARE(launch::hasJournals(w->run()), replaced);
        const auto o = w->ctl({"show", runPath()});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(w->info().state, RunState::Stopped);
        QCOMPARE(launch::hasJournals(w->run()), replaced);
        if (replaced) {
            QCOMPARE(readFile(store).value_or(""), std::string("a letter"));
            QVERIFY2(o.out.contains("out of the folder"), qPrintable(o.out));
            std::filesystem::rename(store, w->run().dir / "letter");
            const auto again = w->ctl({"show", runPath(), "--json"});
            QVERIFY2(again.exitCode == 0, qPrintable(again.err));
            QVERIFY(QJsonDocument::fromJson(again.out.toUtf8()).object()["steps"].toInt() > 50);
            QVERIFY(!launch::hasJournals(w->run()));
        }
        everythingIsStored();
    }
    /// Another program overwrote the store's log: once the log is moved away, the journals are stored.
    void aLogThatWasOverwrittenIsMadeUpForByTheJournals() {
        startAndKill(200);
        const auto log = w->run().store().string() + "-wal";
        auto bytes = readFile(log);
        QVERIFY(bytes && bytes->size() > 40'000);
        std::fill(bytes->begin() + 9'000, bytes->begin() + 20'000, 'x');
        QVERIFY(writeFileAtomic(log, *bytes));
        const auto o = w->ctl({"show", runPath()});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(w->info().state, RunState::Lost);
        QVERIFY2(o.out.contains("move run.sqlite-wal out of the folder"), qPrintable(o.out));
        std::filesystem::rename(log, w->run().dir / "damaged-log");
        const auto again = w->ctl({"show", runPath()});
        QVERIFY2(again.exitCode == 0, qPrintable(again.err));
        QCOMPARE(w->info().state, RunState::Failed);
        everythingIsStored();
    }
    /// Only the journals are left: a new store is made from them.
    void killedAfterItsStoreWasRemoved() {
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(50), 20'000);
        std::filesystem::remove(w->run().store());
        QTest::qWait(500);
        process->kill();
        process->waitForFinished(10'000);
        const auto o = w->ctl({"show", runPath(), "--json"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(w->info().state, RunState::Failed);
        QVERIFY(QJsonDocument::fromJson(o.out.toUtf8()).object()["steps"].toInt() > 50);
        QVERIFY(!launch::hasJournals(w->run()));
    }
    void twoShowsAtOnce() {
        startAndKill(100);
        QProcess a, b;
        for (QProcess* p : {&a, &b})
            p->start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), {"show", runPath()});
        for (QProcess* p : {&a, &b}) {
            QVERIFY(p->waitForFinished(30'000));
            QCOMPARE(p->exitCode(), 0);
            QVERIFY(p->readAllStandardOutput().contains("failed"));
        }
        everythingIsStored();
    }
    void anIncidentThatWasOpenIsClosed() {
        w->setTarget("steps=100000 do=stall seconds=600 at=10");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && !w->incidents().isEmpty(), 20'000);
        process->kill();
        process->waitForFinished(10'000);
        const auto incidents = w->incidents();
        QCOMPARE(incidents.size(), 1);
        QVERIFY(!incidents[0].toObject()["closed_s"].isNull());
        const auto again = w->ctl({"diagnose", runPath(), "--replay"});
        QVERIFY2(again.exitCode == 0, qPrintable(again.out + again.err));
    }
    void killedBeforeAnyRankJoined() {
        w->setTarget("steps=1000 do=stall at=0 seconds=600 rank=-1");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(!w->run().dir.empty() && w->info().rankPids.size() == 2, 20'000);
        const auto info = w->info();
        process->kill();
        process->waitForFinished(10'000);
        QTRY_VERIFY_WITH_TIMEOUT(!w->anyRankLives(info), 5'000);
        const auto o = w->ctl({"show", runPath()});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QVERIFY2(o.out.contains("no step was recorded"), qPrintable(o.out));
        QVERIFY2(!o.out.contains("lasted 0") && !o.out.contains("runs for"), qPrintable(o.out));
    }
    void stopOfALostRunBringsItUpToDate() {
        startAndKill(50);
        const auto o = w->ctl({"stop", runPath()});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(w->info().state, RunState::Failed);
        everythingIsStored();
    }
    void showLeavesALiveRunAlone() {
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(50), 20'000);
        for (int i = 0; i < 3; ++i) {
            const auto o = w->ctl({"show", runPath(), "--json"});
            QVERIFY2(o.exitCode == 0, qPrintable(o.err));
            QCOMPARE(QJsonDocument::fromJson(o.out.toUtf8()).object()["state"].toString(), QString("running"));
        }
        QVERIFY(launch::RunLock::holder(w->run().lock()) == launch::RunLock::LockHolder::Supervisor);
        ::kill(pid_t(process->processId()), SIGQUIT);
        QVERIFY(process->waitForFinished(10'000));
        everythingIsStored();
    }
    void detached() {
        const auto o = w->launch({"--detach", "--json"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const auto told = QJsonDocument::fromJson(o.out.toUtf8()).object();
        QCOMPARE(told["path"].toString(), runPath());
        QCOMPARE(told["id"].toString().toStdString(), w->info().id);
        const auto info = w->info();
        QVERIFY(launch::isLive(info.state));
        QVERIFY(::getsid(info.supervisorPid) != ::getsid(0));
        QTRY_VERIFY_WITH_TIMEOUT(w->reachesStep(20), 20'000);
        const auto stopped = w->ctl({"stop", runPath()});
        QVERIFY2(stopped.exitCode == 0, qPrintable(stopped.err));
        QVERIFY2(stopped.out.startsWith("stopped"), qPrintable(stopped.out));
        QCOMPARE(w->info().exitCode, int(launch::kStopped));
        QTRY_VERIFY(!isSameProcess(info.supervisorPid, info.supervisorStartTicks));
        everythingIsStored();
        QFile log(QString::fromStdString((w->run().dir / "supervisor.log").string()));
        QVERIFY(log.open(QIODevice::ReadOnly));
        const QByteArray first = log.readLine(); // it begins with a time, so that it can be merged with the ranks' logs
        const QRegularExpression stamp(QStringLiteral("^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} \\S"));
        QVERIFY2(stamp.match(QString::fromUtf8(first)).hasMatch(), first.constData());
        const auto again = w->ctl({"stop", runPath()});
        QCOMPARE(again.exitCode, 0);
        QVERIFY(again.out.contains("already ended"));
    }
    /// A script can use the printed path, whatever bytes it holds.
    void aPathThatIsNotUtf8IsPrintedUnchanged() {
        QProcess shell;
        shell.setProcessEnvironment(w->environment());
        shell.setWorkingDirectory(QFileInfo(w->config()).absolutePath());
        const QString script =
            QStringLiteral("d=$(printf '%s\\377' \"$2\")\n"
                           "run=$(\"$1\" launch \"$3\" --runs \"$d\" --detach) || exit 11\n"
                           "\"$1\" stop \"$run\" > /dev/null || exit 12\n"
                           "case $run in \"$d\"/*) test -f \"$run/run.json\" || exit 13 ;; *) exit 14 ;; esac\n"
                           "rm -rf \"$d\" || { sleep 1; rm -rf \"$d\"; }"); // Qt cannot remove it
        shell.start("sh", {"-c", script, "sh", QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), w->path("runs"),
                           w->config()});
        QVERIFY(shell.waitForFinished(60'000));
        QVERIFY2(shell.exitCode() == 0, qPrintable(QString::number(shell.exitCode()) + ": " +
                                                   QString::fromUtf8(shell.readAllStandardError())));
    }
    void detachedAndStoppedNow() {
        w->setTarget("steps=100000 do=deaf at=3");
        QCOMPARE(w->launch({"--detach", "rankscope.stop_grace_s=600"}).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(w->reachesStep(3), 20'000);
        const auto stopped = w->ctl({"stop", runPath(), "--now"}, 15'000);
        QVERIFY2(stopped.exitCode == 0, qPrintable(stopped.err));
        QCOMPARE(w->info().state, RunState::Stopped);
    }
    void whoseFolderIsGoneEnds_data() {
        QTest::addColumn<bool>("removed");
        QTest::newRow("removed") << true;
        QTest::newRow("renamed") << false;
    }
    void whoseFolderIsGoneEnds() {
        QFETCH(bool, removed);
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(20), 20'000);
        const auto info = w->info();
        const auto folder = w->run().dir;
        std::error_code ec;
        if (removed)
            std::filesystem::remove_all(folder, ec);
        else
            std::filesystem::rename(folder, folder.string() + "-elsewhere", ec);
        QVERIFY2(!ec, ec.message().c_str());
        QVERIFY(process->waitForFinished(10'000));
        QCOMPARE(process->exitCode(), int(launch::kRankFailed));
        const QByteArray said = process->readAllStandardError();
        QVERIFY2(said.contains("removed or renamed"), said.constData());
        QVERIFY(!w->anyRankLives(info));
    }
    void aRunThatCanBeSeenHasAWholeStore() {
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(!w->run().dir.empty(), 20'000);
        const auto opened = store::RunReader::open(w->run().store());
        QVERIFY2(opened.has_value(), opened ? "" : opened.error().message().c_str());
        process->kill();
        process->waitForFinished(10'000);
    }
    void detachedErrorsAreShown() {
        w->file("notafolder", "");
        const auto o = w->ctl({"launch", w->config(), "--runs", w->path("notafolder") + "/runs", "--detach"});
        QCOMPARE(o.exitCode, int(launch::kBadInput));
        QVERIFY2(o.err.contains("notafolder"), qPrintable(o.err));
        QVERIFY(o.out.isEmpty());
    }
};

RANKSCOPE_CORE_TEST(TestSurvive)
#include "tst_survive.moc"
