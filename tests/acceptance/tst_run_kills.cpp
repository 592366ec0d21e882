// SPDX-License-Identifier: Apache-2.0
// kill -9 of the supervisor or a rank: all measurements are in the store, no process is left running, and the run's
// state is correct.
#include "core/base/process/process_identity.h"
#include "core/telemetry/board/board.h"
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <csignal>

using namespace rankscope;
using namespace rankscope::test;

class AcceptKills : public QObject {
    Q_OBJECT
private:
    static RunOptions longRun(TestRun& run) {
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 24, {1.0});
        o.steps = 100'000;
        return o;
    }
    static void noRankIsLeft(const launch::RunInfo& info) {
        QCOMPARE(info.rankPids.size(), std::size_t{2});
        for (std::size_t r = 0; r < info.rankPids.size(); ++r)
            QTRY_VERIFY_WITH_TIMEOUT(!isSameProcess(info.rankPids[r], info.rankStartTicks[r]), 5000);
    }

private Q_SLOTS:
    void supervisor() {
        TestRun run;
        QVERIFY(run.start(longRun(run)));
        QTRY_VERIFY_WITH_TIMEOUT(run.lastStep(0) >= 30, 120'000);
        const auto info = run.info();
        const std::int64_t stored = run.lastStep(0);
        QCOMPARE(info.supervisorPid, static_cast<int>(run.pid()));
        ::kill(static_cast<pid_t>(run.pid()), SIGKILL);
        run.waitForEnd(10'000);
        noRankIsLeft(info);
        QCOMPARE(run.info().state, launch::RunState::Lost);

        const Outcome shown = ctl({"show", QString::fromStdString(run.paths().dir.string())});
        QVERIFY2(shown.exitCode == 0, shown.err.constData());
        QCOMPARE(run.info().state, launch::RunState::Failed);
        QVERIFY2(QString::fromStdString(run.info().cause.english()).contains("supervisor"),
                 run.info().cause.english().c_str());
        // both ranks have every step up to the last exactly once
        for (int rank = 0; rank < 2; ++rank) {
            const auto loss = run.series(store::Metric::Loss, rank);
            QVERIFY(static_cast<std::int64_t>(loss.size()) > stored);
            for (std::size_t i = 0; i < loss.size(); ++i) {
                QCOMPARE(loss[i].firstStep, static_cast<std::int64_t>(i));
                QCOMPARE(loss[i].count, std::int64_t{1});
            }
        }
        auto before = run.series(store::Metric::WaitTotal, 0);
        QCOMPARE(ctl({"show", QString::fromStdString(run.paths().dir.string())}).exitCode, 0);
        auto after = run.series(store::Metric::WaitTotal, 0); // showing it again counts nothing twice
        QCOMPARE(after.size(), before.size());
        for (std::size_t i = 0; i < after.size(); ++i)
            QCOMPARE(after[i].mean, before[i].mean);
    }

    void rank() {
        TestRun run;
        QVERIFY(run.start(longRun(run)));
        QTRY_VERIFY_WITH_TIMEOUT(run.lastStep(1) >= 30, 120'000);
        const auto info = run.info();
        QElapsedTimer clock;
        clock.start();
        ::kill(info.rankPids[1], SIGKILL);
        QCOMPARE(run.waitForEnd(10'000), 3);
        QVERIFY2(clock.elapsed() < 3000, qPrintable(QString::number(clock.elapsed())));
        noRankIsLeft(info);
        QCOMPARE(run.info().state, launch::RunState::Failed);
        const auto incidents = run.incidents();
        QCOMPARE(incidents.size(), 1);
        QCOMPARE(incidents[0].toObject()["cause"].toString(), QString("dead"));
        QCOMPARE(incidents[0].toObject()["holders"].toArray(), QJsonArray{1});
        QVERIFY(run.lastStep(0) >= 30);
    }

    void stopIsCleanAndAllRanksLeaveAfterTheSameStep() {
        TestRun run;
        QVERIFY(run.start(longRun(run)));
        QTRY_VERIFY_WITH_TIMEOUT(run.lastStep(0) >= 20, 120'000);
        const auto info = run.info();
        QCOMPARE(ctl({"stop", QString::fromStdString(run.paths().dir.string())}).exitCode, 0);
        QCOMPARE(run.waitForEnd(30'000), 4);
        noRankIsLeft(info);
        QCOMPARE(run.info().state, launch::RunState::Stopped);
        QCOMPARE(run.lastStep(0), run.lastStep(1));
        auto reader = run.reader();
        const auto ranks = reader.ranks();
        QVERIFY(ranks);
        QVERIFY((*ranks)[0].weightsHash != 0);
        QCOMPARE((*ranks)[0].weightsHash, (*ranks)[1].weightsHash);
        QCOMPARE(run.incidents().size(), 0);
    }

    /// A signal ends a rank that has not loaded its libraries yet, for which the others wait at the rendezvous.
    void stopWhileARankHasNotJoined_data() {
        QTest::addColumn<int>("late");
        QTest::newRow("the rank where they meet") << 0;
        QTest::newRow("another rank") << 1;
    }
    void stopWhileARankHasNotJoined() {
        QFETCH(int, late);
        TestRun run;
        const QString slow = run.dir().filePath("slow_trainer");
        QFile file(slow);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n[ \"$RANK\" = " + QByteArray::number(late) +
                   " ] && exec sleep 120\nexec " RANKSCOPE_BIN_DIR "/rankscope-trainer \"$@\"\n");
        file.close();
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        const auto options = longRun(run);
        qputenv("RANKSCOPE_TRAINER", QFile::encodeName(slow));
        const bool started = run.start(options);
        qunsetenv("RANKSCOPE_TRAINER");
        QVERIFY(started);
        const auto joining = [&] {
            const auto board = telemetry::BoardReader::open(run.paths().board(1 - late));
            return board && board->snapshot().stage == telemetry::RankStage::Joining;
        };
        QTRY_VERIFY_WITH_TIMEOUT(joining(), 60'000);
        QElapsedTimer clock;
        clock.start();
        QCOMPARE(ctl({"stop", QString::fromStdString(run.paths().dir.string())}).exitCode, 0);
        QCOMPARE(run.waitForEnd(30'000), 4);
        QVERIFY2(clock.elapsed() < 8000, qPrintable(QString::number(clock.elapsed()))); // the grace time is 10 s
        noRankIsLeft(run.info());
        QCOMPARE(run.info().state, launch::RunState::Stopped);
        QCOMPARE(QString::fromStdString(run.info().cause.english()),
                 QString("stopped by the user before the first step"));
        QCOMPARE(run.incidents().size(), 0);
    }

    void detachedRunOutlivesItsLauncher() {
        TestRun run;
        auto args = run.launchArgs(longRun(run));
        args << "--detach"
             << "--json";
        const Outcome o = ctl(args, 30'000);
        QVERIFY2(o.exitCode == 0, o.err.constData());
        const QString path = QJsonDocument::fromJson(o.out).object()["path"].toString();
        QCOMPARE(path, QString::fromStdString(run.paths().dir.string()));
        QTRY_VERIFY_WITH_TIMEOUT(run.lastStep(0) >= 10, 120'000);
        const auto info = run.info();
        QCOMPARE(info.state, launch::RunState::Running);
        QCOMPARE(ctl({"stop", path, "--now"}).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(run.info().state, launch::RunState::Stopped, 10'000);
        noRankIsLeft(info);
    }
};

RANKSCOPE_CORE_TEST(AcceptKills)
#include "tst_run_kills.moc"
