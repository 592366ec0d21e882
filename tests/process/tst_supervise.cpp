// SPDX-License-Identifier: Apache-2.0
// Runs that end: well, badly, and because the user stops them.
#include "core/base/files/file.h"
#include "core/base/values/clock.h"
#include "core/config/effective/read_recipe.h"
#include "core/launch/run/launch_spec.h"
#include "core/store/sqlite/sqlite.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

using namespace rankscope;
using namespace rankscope::test;
using launch::RunState;

/// A control group for this test, of cgroup version 1 or 2.
class Freezer {
public:
    Freezer() {
        for (const char* root : {"/sys/fs/cgroup/freezer", "/sys/fs/cgroup"}) {
            m_dir = QStringLiteral("%1/rankscope-test-%2").arg(QLatin1String(root)).arg(::getpid());
            if (QDir().mkdir(m_dir) &&
                (QFile::exists(m_dir + "/freezer.state") || QFile::exists(m_dir + "/cgroup.freeze")))
                return;
            QDir().rmdir(m_dir);
        }
        m_dir.clear();
    }
    ~Freezer() { QDir().rmdir(m_dir); }
    bool take(qint64 pid) const { return !m_dir.isEmpty() && write("cgroup.procs", QByteArray::number(pid)); }
    bool set(bool frozen) const {
        return QFile::exists(m_dir + "/cgroup.freeze") ? write("cgroup.freeze", frozen ? "1" : "0")
                                                       : write("freezer.state", frozen ? "FROZEN" : "THAWED");
    }

private:
    bool write(const char* name, const QByteArray& text) const {
        QFile file(m_dir + '/' + QLatin1String(name));
        return file.open(QIODevice::WriteOnly | QIODevice::Unbuffered) && file.write(text) == text.size();
    }
    QString m_dir;
};

class TestSupervise : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> w;

    void everythingIsStored() const {
        for (int r = 0; r < 2; ++r) {
            const auto counted = w->appended(r);
            const auto stored = w->counter("records", r) + w->counter("malformed", r);
            // a rank that was killed between appending a record and counting it has one more in its journal
            QVERIFY2(counted.done <= stored && stored <= counted.begun,
                     qPrintable(QString("rank %1: %2 appended, %3 stored").arg(r).arg(counted.done).arg(stored)));
            QVERIFY(counted.done > 0);
        }
    }
    static int wait(QProcess& process, int ms = 30'000) {
        return process.waitForFinished(ms) && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    }

private Q_SLOTS:
    void init() { w = std::make_unique<Workplace>(); }

    void toTheEnd() {
        const auto o = w->launch();
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const auto info = w->info();
        QCOMPARE(info.state, RunState::Finished);
        QCOMPARE(info.worldSize, 2);
        QVERIFY(info.endRealtimeNs > info.startRealtimeNs);
        QVERIFY(info.id.find("-target-") != std::string::npos);
        everythingIsStored();
        auto reader = store::RunReader::open(w->run().store());
        QVERIFY(reader);
        const auto ranks = reader->ranks().value();
        QCOMPARE(ranks.size(), std::size_t(2));
        for (const auto& rank : ranks) {
            QCOMPARE(rank.lastStep, std::int64_t(29));
            QVERIFY(rank.ended);
        }
        QCOMPARE(w->incidents().size(), 0);
        QVERIFY(o.out.contains(QString::fromStdString(w->run().dir.string())));
        QVERIFY(o.out.contains("last loss"));
    }
    void theFolderHoldsWhatWasLaunched() {
        QCOMPARE(w->launch({"trainer.max_steps=17"}).exitCode, 0);
        const auto run = w->run();
        QFile original(w->config());
        QVERIFY(original.open(QIODevice::ReadOnly));
        QCOMPARE(QByteArray::fromStdString(readFile(run.config()).value()), original.readAll());
        QVERIFY(readFile(run.effective()).value().find("max_steps: 17") != std::string::npos);
        QCOMPARE(w->info().totalSteps, std::int64_t(17));
        using std::filesystem::perms;
        QCOMPARE(std::filesystem::status(run.dir).permissions(), perms::owner_all);
        QCOMPARE(std::filesystem::status(run.runJson()).permissions(), perms(0600));
        QCOMPARE(std::filesystem::status(run.log(0)).permissions(), perms(0600));
        QVERIFY(!std::filesystem::exists(run.rank(0) / "journal.000000")); // everything is in the store
    }

    void aUmaskTakesNothingFromTheOwner() {
        const auto process = w->start({}, [] { ::umask(0777); });
        QCOMPARE(wait(*process), 0);
        using std::filesystem::perms;
        const auto run = w->run();
        for (const auto& folder : {run.dir.parent_path(), run.dir, run.rank(0)})
            QCOMPARE(std::filesystem::status(folder).permissions(), perms::owner_all);
        QCOMPARE(std::filesystem::status(run.runJson()).permissions(), perms(0600));
    }

    void aRankDies_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("cause");
        QTest::newRow("killed, peer waits for ever") << "do=kill"
                                                     << "rank 1 ended with SIGKILL at step 10 while in forward";
        QTest::newRow("killed, peer notices") << "do=kill peers=notice"
                                              << "rank 1 ended with SIGKILL at step 10";
        QTest::newRow("crashed") << "do=crash"
                                 << "rank 1 ended with SIGSEGV at step 10";
        QTest::newRow("exit code, peer notices") << "do=exit code=7 peers=notice"
                                                 << "rank 1 ended with exit code 7 at step 10";
        QTest::newRow("its last line") << "do=exit"
                                       << "out of luck";
        QTest::newRow("its own words") << "do=fails"
                                       << "utt_7.wav: no samples";
        QTest::newRow("all at once") << "do=exit rank=-1 code=9"
                                     << "ended with exit code 9";
        QTest::newRow("before it joined") << "do=never_joins"
                                          << "rank 1 ended with exit code 7 before its first step";
        QTest::newRow("leaves without a word") << "do=silent"
                                               << "rank 1 left at step 29";
    }
    void aRankDies() {
        QFETCH(QString, target);
        QFETCH(QString, cause);
        w->setTarget(target);
        const auto o = w->launch({}, 30'000);
        QCOMPARE(o.exitCode, int(launch::kRankFailed));
        const auto info = w->info();
        QCOMPARE(info.state, RunState::Failed);
        QVERIFY2(info.cause.english().find(cause.toStdString()) != std::string::npos, info.cause.english().c_str());
        QVERIFY(info.cause.english().find('\033') == std::string::npos);
        QVERIFY(!w->anyRankLives(info));
        QVERIFY(o.out.contains(cause));
    }
    void deathIsAnIncidentOfTheRightRank() {
        w->setTarget("do=kill peers=notice");
        QCOMPARE(w->launch().exitCode, int(launch::kRankFailed));
        const auto incidents = w->incidents();
        QCOMPARE(incidents.size(), 1);
        QCOMPARE(incidents[0].toObject()["cause"].toString(), QString("dead"));
        QCOMPARE(incidents[0].toObject()["holders"].toArray(), QJsonArray{1});
        everythingIsStored();
    }
    /// Measures from the death to the supervisor's exit; the peer waits forever and does not react to SIGTERM.
    void overWithinTwoSecondsOfADeath() {
        w->setTarget("steps=100000");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(5), 20'000);
        const auto info = w->info();
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(::kill(info.rankPids.at(1), SIGKILL), 0);
        QCOMPARE(wait(*process), int(launch::kRankFailed));
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(w->info().cause.english().find("rank 1 ended with SIGKILL at step ") == 0);
        QVERIFY(!w->anyRankLives(info));
    }
    void differentWeightsAreAFailure() {
        w->setTarget("do=diverges");
        QCOMPARE(w->launch().exitCode, int(launch::kRankFailed));
        QVERIFY(w->info().cause.english().find("different weights") != std::string::npos);
    }

    void stop_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGHUP") << SIGHUP;
    }
    void stop() {
        QFETCH(int, signal);
        w->setTarget("steps=100000 ms=2");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(20), 20'000);
        QCOMPARE(::kill(pid_t(process->processId()), signal), 0);
        QCOMPARE(wait(*process), int(launch::kStopped));
        const auto info = w->info();
        QCOMPARE(info.state, RunState::Stopped);
        QVERIFY2(info.cause.english().find("had to be") == std::string::npos,
                 info.cause.english().c_str()); // no rank was left in a collective
        everythingIsStored();
        auto reader = store::RunReader::open(w->run().store());
        const auto ranks = reader->ranks().value();
        QCOMPARE(ranks[0].lastStep, ranks[1].lastStep);
        QVERIFY(w->incidents().isEmpty());
    }
    void stopOfADeafRankTakesTheGraceTime() {
        w->setTarget("steps=100000 do=deaf at=10");
        auto process = w->start({"rankscope.stop_grace_s=1"});
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(10), 20'000);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(::kill(pid_t(process->processId()), SIGTERM), 0);
        QCOMPARE(wait(*process), int(launch::kStopped));
        QVERIFY(timer.elapsed() >= 900);
        const auto info = w->info();
        QVERIFY2(info.cause.english().find("had to be killed") != std::string::npos, info.cause.english().c_str());
        QVERIFY(!w->anyRankLives(info));
    }
    void theSecondSignalEndsItAtOnce_data() {
        QTest::addColumn<bool>("quit");
        QTest::newRow("a second SIGTERM") << false;
        QTest::newRow("SIGQUIT") << true;
    }
    void theSecondSignalEndsItAtOnce() {
        QFETCH(bool, quit);
        w->setTarget("steps=100000 do=deaf at=10");
        auto process = w->start({"rankscope.stop_grace_s=600"});
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(10), 20'000);
        const auto pid = pid_t(process->processId());
        QCOMPARE(::kill(pid, quit ? SIGQUIT : SIGTERM), 0);
        if (!quit) {
            QTRY_COMPARE(w->info().state, RunState::Stopping);
            QCOMPARE(::kill(pid, SIGTERM), 0);
        }
        QCOMPARE(wait(*process, 10'000), int(launch::kStopped));
        QVERIFY(!w->anyRankLives(w->info()));
    }
    /// Two terminals, two windows, or a script that requests a stop and then waits: none of them asked to kill ranks.
    void severalStopsAreOne() {
        w->setTarget("steps=100000 ms=1500");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(1), 20'000);
        const QString run = QString::fromStdString(w->run().dir.string());
        for (int i = 0; i < 3; ++i) {
            const auto asked = w->ctl({"stop", run, "--no-wait"});
            QVERIFY2(asked.exitCode == 0, qPrintable(asked.err));
        }
        const auto stopped = w->ctl({"stop", run});
        QVERIFY2(stopped.exitCode == 0, qPrintable(stopped.err));
        QCOMPARE(wait(*process), int(launch::kStopped));
        QVERIFY2(w->info().cause.english().find("stopped by the user after") == 0 &&
                     w->info().cause.english().find("had to be") == std::string::npos,
                 w->info().cause.english().c_str());
    }
    void aStoppedRankCanBeStoppedForGood() {
        w->setTarget("steps=100000 do=stop_itself at=10");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(10), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(!w->incidents().isEmpty(), 10'000);
        QCOMPARE(w->incidents()[0].toObject()["cause"].toString(), QString("stopped"));
        QCOMPARE(::kill(pid_t(process->processId()), SIGTERM), 0);
        QCOMPARE(wait(*process), int(launch::kStopped));
        QVERIFY2(w->info().cause.english().find("had to be") == std::string::npos, w->info().cause.english().c_str());
    }
    void theStoppedFaultIsWokenAfterItsTime() {
        w->setTarget("do=stop_itself at=10");
        const auto o = w->launch({"rankscope.faults=[{kind: stopped, rank: 1, step: 10, seconds: 1.5}]"}, 30'000);
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(w->info().faults.size(), std::size_t(1));
        const auto incidents = w->incidents();
        QCOMPARE(incidents.size(), 1);
        const auto incident = incidents[0].toObject();
        QCOMPARE(incident["cause"].toString(), QString("stopped"));
        QVERIFY(incident["closed_s"].toDouble() - incident["opened_s"].toDouble() >= 1.4);
    }
    /// The effective recipe, run.json and the first note name the faults of both the recipe and the command line.
    void faultsOfTheCommandLine() {
        w->setTarget("");
        const auto o =
            w->launch({"rankscope.faults=[{kind: long_batch, rank: 0, step: 5, seconds: 30}]", "--fault",
                       "slow_compute:rank=1,step=7,seconds=0.5,layer=0", "--fault", "stopped:rank=1,step=9"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const std::vector<std::string> asked{"long_batch on rank 0 at step 5, 30 s",
                                             "slow_compute on rank 1 at step 7, 0.5 s, layer 0",
                                             "stopped on rank 1 at step 9, 5 s"};
        QCOMPARE(w->info().faults, asked);
        const auto text = readFile(w->run().effective());
        QVERIFY(text);
        const auto recipe = config::readRecipe(*text, "effective.yaml");
        QVERIFY2(recipe, recipe ? "" : recipe.error().message().c_str());
        QCOMPARE(recipe->rankscope.faults.size(), std::size_t(3));
        QCOMPARE(recipe->rankscope.faults[1].layer, 0);
        QCOMPARE(recipe->rankscope.faults[2].kind, std::string("stopped"));
        auto reader = store::RunReader::open(w->run().store());
        QVERIFY(reader);
        const auto notes = reader->notes(0, 1);
        QVERIFY(notes && !notes->empty());
        for (const auto& fault : asked)
            QVERIFY2(notes->front().text.find(fault) != std::string::npos, notes->front().text.c_str());
    }
    void aStallIsSeenAndClears() {
        w->setTarget("do=stall at=10 seconds=1.5");
        const auto o = w->launch();
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const auto incidents = w->incidents();
        QCOMPARE(incidents.size(), 1);
        const auto incident = incidents[0].toObject();
        QCOMPARE(incident["cause"].toString(), QString("data_loading"));
        QCOMPARE(incident["phase"].toString(), QString("data_wait"));
        QCOMPARE(incident["holders"].toArray(), QJsonArray{1});
        QCOMPARE(incident["waiters"].toArray(), QJsonArray{0});
        QCOMPARE(incident["collective"].toObject()["tag"].toString(), QString("gradient:0"));
        QVERIFY(incident["closed_s"].toDouble() > incident["opened_s"].toDouble());
        QVERIFY2(o.err.contains("utt_0412.flac"), qPrintable(o.err)); // while the stall lasted
    }
    void aFloodIsStoredWhole() {
        w->setTarget("do=flood at=10 records=60000");
        const auto o = w->launch();
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        everythingIsStored();
    }
    void liesDoNotTakeTheSupervisorWithThem() {
        w->setTarget("do=lie at=10");
        const auto o = w->launch();
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        everythingIsStored();
        QCOMPARE(w->ctl({"show", QString::fromStdString(w->run().dir.string()), "--json"}).exitCode, 0);
    }

    // what a supervisor inherits, and signals and locks from outside

    /// Some daemons, CI agents and Python programs pass on an ignored SIGCHLD: ends of children are not reported then.
    void whereChildrenAreIgnored() {
        auto process = w->start({}, [] { ::signal(SIGCHLD, SIG_IGN); });
        QCOMPARE(wait(*process), 0);
        QCOMPARE(w->info().state, RunState::Finished);
        everythingIsStored();
    }
    void whatWasIgnoredStaysIgnored_data() {
        QTest::addColumn<int>("signal");
        QTest::addColumn<QStringList>("how");
        QTest::newRow("nohup") << SIGHUP << QStringList{};
        QTest::newRow("a script's &") << SIGINT << QStringList{"--now"};
    }
    void whatWasIgnoredStaysIgnored() {
        QFETCH(int, signal);
        QFETCH(QStringList, how);
        w->setTarget("steps=100000 ms=2");
        auto process = w->start({}, [signal] {
            ::signal(signal, SIG_IGN);
            ::signal(SIGQUIT, SIG_IGN); // as a shell without job control does
        });
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(20), 20'000);
        QCOMPARE(::kill(pid_t(process->processId()), signal), 0);
        QTest::qWait(700);
        QCOMPARE(w->info().state, RunState::Running);
        const auto o = w->ctl(QStringList{"stop", QString::fromStdString(w->run().dir.string())} + how);
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(wait(*process), int(launch::kStopped));
    }
    /// SLURM's --signal: the last checkpoint must be written, however often the warning arrives, and whatever signal it
    /// is.
    void aBatchSystemsWarningStopsIt() {
        w->setTarget("steps=100000 ms=2");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(20), 20'000);
        const auto pid = pid_t(process->processId()); // 0 once it has ended
        for (const int signal : {SIGIO, SIGRTMIN + 3, SIGXCPU, SIGUSR1, SIGUSR2, SIGUSR1}) {
            ::kill(pid, signal);
            QTest::qWait(20);
        }
        QCOMPARE(wait(*process), int(launch::kStopped));
        QVERIFY2(w->info().cause.english().find("had to be") == std::string::npos, w->info().cause.english().c_str());
        everythingIsStored();
    }
    /// Ctrl-Z: the ranks continue, and the supervisor receives nothing until it is resumed.
    void aStoppedSupervisorIsSaidAndCanBeEnded() {
        w->setTarget("steps=100000 ms=2");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(20), 20'000);
        const QString run = QString::fromStdString(w->run().dir.string());
        QCOMPARE(::kill(pid_t(process->processId()), SIGSTOP), 0);
        QTRY_COMPARE(w->info().supervisor, launch::SupervisorLife::Stopped);
        const auto asked = w->ctl({"stop", run}, 10'000);
        QCOMPARE(asked.exitCode, int(launch::kBadInput));
        QVERIFY2(asked.err.contains("is stopped") && asked.err.contains("--now"), qPrintable(asked.err));
        const auto list = w->ctl({"list", "--runs", w->runsDir()});
        QVERIFY2(list.out.contains("running") && list.out.contains("supervisor is stopped"), qPrintable(list.out));
        const auto ended = w->ctl({"stop", run, "--now"}, 15'000);
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.err));
        QCOMPARE(wait(*process), int(launch::kStopped));
        QVERIFY(!w->anyRankLives(w->info()));
    }
    /// Frozen as by `docker pause`: it does not show as a stopped process, and receives nothing.
    void aFrozenSupervisorIsSaid() {
        w->setTarget("steps=100000 ms=2");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(20), 20'000);
        const Freezer freezer;
        if (!freezer.take(process->processId()))
            QSKIP("no control group that freezes is to be had here");
        const QString run = QString::fromStdString(w->run().dir.string());
        QVERIFY(freezer.set(true));
        const auto asked = w->ctl({"stop", run}, 40'000);
        QVERIFY(freezer.set(false));
        QCOMPARE(asked.exitCode, int(launch::kBadInput));
        QVERIFY2(asked.err.contains("does not answer"), qPrintable(asked.err));
        QCOMPARE(wait(*process), int(launch::kStopped)); // the request was kept
    }
    /// Another program has the store's lock: the boards alone say that the ranks were stopped, not that they finished.
    void stoppedWhileTheStoreTakesNothing() {
        w->setTarget("steps=100000 ms=2");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(20), 20'000);
        auto held = store::Database::open(w->run().store(), store::OpenMode::ReadWrite);
        QVERIFY(held);
        QVERIFY(QTest::qWaitFor([&] { return held->execute("BEGIN IMMEDIATE").has_value(); }, 20'000));
        QCOMPARE(::kill(pid_t(process->processId()), SIGTERM), 0);
        QCOMPARE(wait(*process, 90'000), int(launch::kStopped));
        QCOMPARE(w->info().state, RunState::Stopped);
        QVERIFY2(w->info().cause.english().find("stopped by the user") == 0, w->info().cause.english().c_str());
        QVERIFY(held->execute("ROLLBACK"));
        held = tl::unexpected(Error{}); // closes it
        QCOMPARE(w->ctl({"show", QString::fromStdString(w->run().dir.string())}).exitCode, 0);
        QCOMPARE(w->info().state, RunState::Stopped);
        everythingIsStored();
    }
    /// In a shell inside torchrun, these variables say that another process serves the rendezvous.
    void torchrunsOwnVariablesAreNotHandedOn() {
        w->setTarget("steps=100000 ms=2");
        qputenv("TORCHELASTIC_USE_AGENT_STORE", "True");
        auto process = w->start();
        qunsetenv("TORCHELASTIC_USE_AGENT_STORE");
        QTRY_VERIFY_WITH_TIMEOUT(w->runsAt(5), 20'000);
        const auto environment = readFile("/proc/" + std::to_string(w->info().rankPids.at(0)) + "/environ");
        QVERIFY(environment && environment->find("MASTER_PORT=") != std::string::npos);
        QVERIFY(environment->find("TORCHELASTIC") == std::string::npos);
        ::kill(pid_t(process->processId()), SIGQUIT);
        QCOMPARE(wait(*process), int(launch::kStopped));
    }
    void ctrlCReachesTheSupervisorAlone() {
        w->setTarget("steps=100000");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(5), 20'000);
        for (const int pid : w->info().rankPids)
            QCOMPARE(::getpgid(pid), pid);
        ::kill(pid_t(process->processId()), SIGQUIT);
        QCOMPARE(wait(*process), int(launch::kStopped));
    }
};

RANKSCOPE_CORE_TEST(TestSupervise)
#include "tst_supervise.moc"
