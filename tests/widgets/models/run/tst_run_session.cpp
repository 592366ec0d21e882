// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/launch/recording/journal_drain.h"
#include "core/launch/recovery/run_recovery.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/board/control_page.h"
#include "core/telemetry/journal/journal_writer.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/synthetic_run.h"
#include "widgets/models/run/run_session.h"

#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace rankscope;
using namespace rankscope::ui;
using diagnosis::RankState;
using launch::RunState;
using test::RankStep;
using test::SyntheticRun;

/// Waits for a view that satisfies `wanted`.
template <class Wanted> static bool waitFor(RunSession& session, Wanted wanted) {
    return QTest::qWaitFor([&] { return session.view().nowNs != 0 && wanted(session.view()); }, 10'000);
}

/// A child process that can be stopped and killed.
struct Child {
    pid_t pid = ::fork();
    Child() {
        if (pid == 0)
            for (;;)
                ::pause();
    }
    ~Child() {
        if (pid > 0) {
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
        }
    }
};

class TestRunSession : public QObject {
    Q_OBJECT
private slots:
    void endedRun();
    void failedRunNamesTheDeadRank();
    void liveRunFollowsBoardsProcessesAndStore();
    void aLaggingStoreDoesNotHoldTheCountOfStepsBack();
    void seriesEqualTheStore();
    void newestRequestWins();
    void noRunJson();
    void damagedRunJson();
    void damagedStore();
    void lostRunIsBroughtUpToDate();
    void lostRunWithoutTheProgram();
    void journalsAreTakenInWhenThereIsRoom();
    void whatAnotherProgramStoresIsSeen();
    void closingAtOnceIsSafe();
};

void TestRunSession::endedRun() {
    SyntheticRun run(2, RunState::Running, 50);
    run.addSteps(50, [](int rank, std::int64_t step) {
        RankStep described{7.0 - 0.01 * static_cast<double>(step)};
        described.lateNs = rank == 1 && step == 20 ? 3'000'000'000 : 0;
        // says how long the thread was blocked; a gradient bucket without that counts as overlapped
        telemetry::CollectiveRecord sync;
        sync.group = 1;
        sync.sequence = static_cast<std::uint64_t>(step);
        sync.arrivedNs = sync.startedNs = 10'000'000 + described.lateNs;
        sync.doneNs = 11'000'000 + (step == 20 ? 3'000'000'000 : 0);
        sync.exposedNs = sync.doneNs - sync.arrivedNs;
        telemetry::putText(sync.tag, sizeof sync.tag, "sync_batchnorm");
        described.collectives.push_back(sync);
        return described;
    });
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 20, 3'000'000'000);
    run.addEnds(telemetry::EndCause::Finished);
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    QVERIFY(waitFor(session, [](const RunView& v) { return v.storeVersion > 0; }));
    const RunView& view = session.view();
    QVERIFY2(view.problem.isEmpty(), qPrintable(view.problem));
    QCOMPARE(view.step, std::int64_t{49});
    QCOMPARE(view.ranks.size(), std::size_t{2});
    QCOMPARE(view.ranks[1].status.state, RankState::Finished);
    QCOMPARE(view.ranks[1].status.words.english(), std::string("50 steps"));
    QCOMPARE(view.incidents.size(), std::size_t{1});
    QVERIFY2(std::abs(view.stepsPerSecond - 50 / 8.0) < 0.1, qPrintable(QString::number(view.stepsPerSecond)));
    QVERIFY(waitFor(session, [](const RunView& v) { return v.lost.steps == 50; }));
    QCOMPARE(session.view().lost.lostNs, 1.5e9); // rank 0 waited 3 s, rank 1 never
    QCOMPARE(session.view().lost.lastedNs, 50 * SyntheticRun::kStepNs + 3'000'000'000);
    QCOMPARE(view.nowNs, run.info().startNs + (run.info().endRealtimeNs - run.info().startRealtimeNs));
    // nothing changes any more: no further views
    QTest::qWait(1500);
    QSignalSpy views(&session, &RunSession::viewChanged);
    QTest::qWait(1000);
    QCOMPARE(views.size(), 0);
}

void TestRunSession::failedRunNamesTheDeadRank() {
    SyntheticRun run(3, RunState::Running);
    run.addSteps(5, [](int, std::int64_t) { return RankStep{}; });
    run.addIncident(1, diagnosis::Cause::Dead, 2, 5, 1'000'000'000);
    run.finishStore();
    run.setState(RunState::Failed, "Rank 2 was ended by SIGKILL");
    RunSession session(run.paths());
    QVERIFY(waitFor(session, [](const RunView& v) { return v.storeVersion > 0; }));
    QCOMPARE(session.view().ranks[2].status.state, RankState::Dead);
    QVERIFY(session.view().ranks[0].status.state != RankState::Dead);
    QCOMPARE(session.view().ranks[2].step, std::int64_t{5}); // as its status says, although it did not finish that step
    QCOMPARE(session.view().ranks[0].step, std::int64_t{4});
    QCOMPARE(session.view().info.cause.english(), std::string("Rank 2 was ended by SIGKILL"));
}

void TestRunSession::liveRunFollowsBoardsProcessesAndStore() {
    Child child;
    SyntheticRun run(1, RunState::Running);
    auto board = telemetry::BoardWriter::create(run.paths().board(0));
    QVERIFY(board);
    auto info = run.info();
    info.rankPids = {static_cast<int>(child.pid)};
    info.rankStartTicks = {processStat(child.pid)->startTicks};
    QVERIFY(launch::writeRunInfo(run.paths(), info));
    board->identify(0, 1, 7, "cpu", 100);
    board->stage(telemetry::RankStage::Running);
    board->step(3, 0);
    board->phase(telemetry::Phase::Backward, monotonicNs());

    RunSession session(run.paths());
    QSignalSpy rows(&session, &RunSession::storeChanged);
    const auto state = [](const RunView& v) { return v.ranks.empty() ? RankState::Unknown : v.ranks[0].status.state; };
    QVERIFY(waitFor(session, [&](const RunView& v) { return state(v) == RankState::Computing; }));
    QCOMPARE(session.view().ranks[0].step, std::int64_t{3});
    QCOMPARE(session.view().ranks[0].status.words.english(), std::string("backward"));
    board->step(4, 0);
    QVERIFY(waitFor(session, [](const RunView& v) { return v.ranks[0].step == 4; }));
    const auto before = rows.size();
    run.addSteps(5, [](int, std::int64_t) { return RankStep{}; });
    QVERIFY(waitFor(session, [](const RunView& v) { return v.step == 4; }));
    QVERIFY(rows.size() > before);

    ::kill(child.pid, SIGSTOP);
    QVERIFY(waitFor(session, [&](const RunView& v) { return state(v) == RankState::Stopped; }));
    ::kill(child.pid, SIGCONT);
    QVERIFY(waitFor(session, [&](const RunView& v) { return state(v) == RankState::Computing; }));
    ::kill(child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
    child.pid = 0;
    QVERIFY(waitFor(session, [&](const RunView& v) { return state(v) == RankState::Dead; }));
    run.setState(RunState::Failed, "it died");
    QVERIFY(waitFor(session, [](const RunView& v) { return v.info.state == RunState::Failed; }));
}

void TestRunSession::aLaggingStoreDoesNotHoldTheCountOfStepsBack() {
    Child children[2];
    SyntheticRun run(2, RunState::Running);
    auto control = telemetry::ControlPage::create(run.paths().control());
    QVERIFY(control && control->publishStored(monotonicNs()));
    std::vector<telemetry::BoardWriter> boards;
    auto info = run.info();
    info.rankPids.clear();
    info.rankStartTicks.clear();
    for (int r = 0; r < 2; ++r) {
        auto board = telemetry::BoardWriter::create(run.paths().board(r));
        QVERIFY(board);
        info.rankPids.push_back(static_cast<int>(children[r].pid));
        info.rankStartTicks.push_back(processStat(children[r].pid)->startTicks);
        board->identify(r, 2, 7, "cpu", 100);
        board->stage(telemetry::RankStage::Running);
        board->step(3, 0);
        boards.push_back(std::move(*board));
    }
    QVERIFY(launch::writeRunInfo(run.paths(), info));
    run.addSteps(5, [](int, std::int64_t) { return RankStep{}; });
    RunSession session(run.paths());
    QVERIFY(waitFor(session, [](const RunView& v) { return v.step == 4 && !v.lag; }));
    QVERIFY(control->publishStoreError(monotonicNs(), "run.sqlite: database or disk is full"));
    boards[0].step(41, 0);
    boards[1].step(40, 0);
    QVERIFY(waitFor(session, [](const RunView& v) { return v.lag && v.step == 39; })); // rank 1 works on step 40
    QVERIFY(control->publishStoreError(0, {}));
    QVERIFY(control->publishStored(monotonicNs()));
    QVERIFY(waitFor(session, [](const RunView& v) { return !v.lag && v.step == 4; }));
}

void TestRunSession::seriesEqualTheStore() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(40, [](int rank, std::int64_t step) {
        return RankStep{static_cast<double>(step) + rank * 0.5, 300 + 10 * step,
                        rank == 1 && step == 30 ? 500'000'000 : 0};
    });
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    QVERIFY(waitFor(session, [](const RunView& v) { return v.storeVersion > 0; }));
    std::optional<SeriesReply> reply;
    connect(&session, &RunSession::seriesReady, this, [&](int tag, const SeriesReply& r) {
        if (tag == 3)
            reply = r;
    });
    session.requestSeries(3, {{store::Metric::Loss, store::Metric::WaitTotal}, CurveAxis::Step, 0, 100, 1000});
    QVERIFY(QTest::qWaitFor([&] { return reply.has_value(); }, 10'000));
    QVERIFY(reply->error.isEmpty());
    QCOMPARE(reply->lastStep, std::int64_t{39});
    QCOMPARE(reply->points.size(), std::size_t{2});
    QCOMPARE(reply->points[0][1].size(), std::size_t{40});
    QCOMPARE(reply->points[0][1][7].mean, 7.5);
    QCOMPARE(reply->points[1][0][30].max, 5e8); // rank 0 waited for rank 1
    QCOMPARE(reply->points[1][1][30].max, 0.0);
    reply.reset();
    session.requestSeries(3, {{store::Metric::Loss}, CurveAxis::Time, 0, 1'000'000'000, 1000});
    QVERIFY(QTest::qWaitFor([&] { return reply.has_value(); }, 10'000));
    QVERIFY(reply->points[0][0].size() >= 10 && reply->points[0][0].size() <= 12);
}

void TestRunSession::newestRequestWins() {
    SyntheticRun run(1, RunState::Running);
    run.addSteps(10, [](int, std::int64_t) { return RankStep{}; });
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    QVERIFY(waitFor(session, [](const RunView& v) { return v.storeVersion > 0; }));
    QList<std::int64_t> answered;
    connect(&session, &RunSession::seriesReady, this,
            [&](int, const SeriesReply& r) { answered.append(r.request.to); });
    for (int to = 1; to <= 200; ++to)
        session.requestSeries(1, {{store::Metric::Loss}, CurveAxis::Step, 0, to, 100});
    QVERIFY(QTest::qWaitFor([&] { return !answered.isEmpty() && answered.last() == 200; }, 10'000));
    QVERIFY2(answered.size() < 200, "waiting requests must be replaced");
}

void TestRunSession::noRunJson() {
    QTemporaryDir dir;
    RunSession session(launch::RunPaths{dir.path().toStdString()});
    QVERIFY(waitFor(session, [](const RunView& v) { return v.problem.contains(QStringLiteral("run.json")); }));
    QVERIFY(session.view().ranks.empty());
}

void TestRunSession::damagedRunJson() {
    SyntheticRun run(1, RunState::Finished);
    QFile file(QString::fromStdString(run.paths().runJson().string()));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("{\"format\": 1, \"name\": 3");
    file.close();
    RunSession session(run.paths());
    QVERIFY(waitFor(session, [](const RunView& v) { return v.problem.contains(QStringLiteral("run.json")); }));
    run.setState(RunState::Finished); // fixed: noticed without reopening
    QVERIFY(waitFor(session, [](const RunView& v) { return v.problem.isEmpty(); }));
}

void TestRunSession::damagedStore() {
    SyntheticRun run(2, RunState::Running);
    run.finishStore();
    run.setState(RunState::Finished);
    std::filesystem::remove(run.paths().store().string() + "-wal");
    QFile file(QString::fromStdString(run.paths().store().string()));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(QByteArray(10'000, '\x5a'));
    file.close();
    RunSession session(run.paths());
    QVERIFY(waitFor(session, [](const RunView& v) { return v.problem.contains(QStringLiteral("run.sqlite")); }));
    QCOMPARE(session.view().ranks.size(), std::size_t{2});
    QSignalSpy answers(&session, &RunSession::seriesReady);
    session.requestSeries(1, {{store::Metric::Loss}, CurveAxis::Step, 0, 10, 100});
    QVERIFY(answers.wait(5000));
    QVERIFY(!answers[0][1].value<SeriesReply>().error.isEmpty());
}

/// Makes a run without a supervisor: run.json says it is live, but its supervisor's process no longer exists.
static void orphan(const SyntheticRun& run) {
    auto info = run.info();
    info.supervisorStartTicks += 1;
    QVERIFY(launch::writeRunInfo(run.paths(), info));
}

void TestRunSession::lostRunIsBroughtUpToDate() {
    SyntheticRun run(1, RunState::Running);
    run.addSteps(3, [](int, std::int64_t) { return RankStep{}; });
    run.finishStore();
    orphan(run);
    // replaces the command line: records its arguments, then ends the run as the real one would
    QTemporaryDir dir;
    const QString program = dir.filePath(QStringLiteral("rankscopectl"));
    const QString calls = dir.filePath(QStringLiteral("calls"));
    QFile script(program);
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write(QStringLiteral("#!/bin/sh\necho \"$@\" >> '%1'\nsed -i 's/\"running\"/\"failed\"/' \"$2/run.json\"\n")
                     .arg(calls)
                     .toUtf8());
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    qputenv("RANKSCOPECTL", program.toUtf8());
    RunSession session(run.paths());
    QVERIFY(waitFor(session, [](const RunView& v) { return v.info.state == RunState::Failed; }));
    qunsetenv("RANKSCOPECTL");
    QFile log(calls);
    QVERIFY(log.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(log.readAll()),
             QStringLiteral("show %1 --json\n").arg(QString::fromStdString(run.paths().dir.string())));
    QVERIFY2(session.view().problem.isEmpty(), qPrintable(session.view().problem));
}

void TestRunSession::lostRunWithoutTheProgram() {
    SyntheticRun run(1, RunState::Running);
    run.addSteps(3, [](int, std::int64_t) { return RankStep{}; });
    run.finishStore();
    orphan(run);
    qputenv("RANKSCOPECTL", "/nowhere/rankscopectl");
    RunSession session(run.paths());
    QVERIFY(waitFor(session, [](const RunView& v) { return !v.problem.isEmpty(); }));
    qunsetenv("RANKSCOPECTL");
    QCOMPARE(session.view().info.state, RunState::Lost);
    QVERIFY(session.view().problem.contains(QStringLiteral("/nowhere/rankscopectl")));
    QCOMPARE(session.view().step, std::int64_t{2}); // the data that exists is shown
}

/// Leaves measurements of an ended run's ranks that are not in the store.
static void leaveJournals(const SyntheticRun& run, int steps) {
    auto journal = telemetry::JournalWriter::create(run.paths().rank(0));
    QVERIFY(journal);
    for (int s = 0; s < steps; ++s) {
        telemetry::StepRecord step;
        step.header.step = s;
        step.beginNs = run.info().startNs + s * SyntheticRun::kStepNs;
        step.endNs = step.beginNs + SyntheticRun::kStepNs;
        QVERIFY(journal->append(step));
    }
}

/// The run ended on a full disk. Once there is room, the window brings it up to date by itself.
void TestRunSession::journalsAreTakenInWhenThereIsRoom() {
    SyntheticRun run(1, RunState::Running);
    run.finishStore();
    run.setState(RunState::Stopped, "stopped by the user");
    leaveJournals(run, 7);
    QTemporaryDir dir;
    const QString program = dir.filePath(QStringLiteral("rankscopectl")), full = dir.filePath(QStringLiteral("full"));
    QFile filled(full);
    QVERIFY(filled.open(QIODevice::WriteOnly) && filled.write(QByteArray(64 << 20, 'x')) == 64 << 20);
    filled.close();
    QFile script(program); // as the command line does on a full disk
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write(QStringLiteral("#!/bin/sh\n[ -e '%1' ] || exec '%2' \"$@\"\n"
                                "echo '{\"not_current\": {\"reason\": \"no_space\", \"in_journals\": true}}'\n")
                     .arg(full, QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"))
                     .toUtf8());
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    qputenv("RANKSCOPECTL", program.toUtf8());
    RunSession session(run.paths());
    QVERIFY(waitFor(session,
                    [](const RunView& v) { return v.problem.contains(QStringLiteral("only in their journals")); }));
    QVERIFY2(session.view().problem.contains(QStringLiteral("disk is full")), qPrintable(session.view().problem));
    QCOMPARE(session.view().step, std::int64_t{-1});
    QTest::qWait(2'500); // nothing has changed: the session is idle
    QVERIFY(launch::hasJournals(run.paths()));
    QVERIFY(filled.remove());
    QVERIFY(waitFor(session, [](const RunView& v) { return v.step == 6 && v.problem.isEmpty(); }));
    qunsetenv("RANKSCOPECTL");
    QVERIFY(!launch::hasJournals(run.paths()));
}

/// As with `rankscopectl show` in a terminal while the window shows an ended run.
void TestRunSession::whatAnotherProgramStoresIsSeen() {
    SyntheticRun run(1, RunState::Running);
    run.finishStore();
    run.setState(RunState::Stopped, "stopped by the user");
    RunSession session(run.paths());
    QVERIFY(waitFor(session, [](const RunView& v) { return v.storeVersion > 0; }));
    QTest::qWait(2'500); // until the session is idle
    leaveJournals(run, 7);
    QVERIFY(launch::recover(run.paths()));
    QVERIFY(waitFor(session, [](const RunView& v) { return v.step == 6; }));
}

void TestRunSession::closingAtOnceIsSafe() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(10, [](int, std::int64_t) { return RankStep{}; });
    for (int i = 0; i < 30; ++i) {
        RunSession session(run.paths());
        session.requestSeries(1, {{store::Metric::Loss}, CurveAxis::Step, 0, 100, 100});
        if (i % 3 == 0)
            QTest::qWait(5);
    }
    QTest::qWait(50);
}

RANKSCOPE_CORE_TEST(TestRunSession)
#include "tst_run_session.moc"
