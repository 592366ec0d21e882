// SPDX-License-Identifier: Apache-2.0
// kill -9 of the real window while the run that it launched is training: the run is not affected and loses no step, and
// the next window shows it.
#include "core/base/process/process_identity.h"
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QIODevice>
#include <QImage>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTest>

#include <csignal>

using namespace rankscope;
using namespace rankscope::test;

class AcceptWindow : public QObject {
    Q_OBJECT
private:
    static QProcessEnvironment headless(const TestRun& run) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        for (const char* place : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
            environment.insert(place, run.runsDir() + "/../" + place);
        return environment;
    }
    /// Returns the recipe as a user would have it on disk: the window takes a file and no overrides.
    static QString recipe(TestRun& run) {
        QFile base(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml");
        if (!base.open(QIODevice::ReadOnly))
            return {};
        QByteArray text = base.readAll();
        if (!text.contains("max_steps: 400"))
            return {};
        text.replace("max_steps: 400", "max_steps: 100000");
        QFile out(run.dir().filePath("window.yaml"));
        if (!out.open(QIODevice::WriteOnly))
            return {};
        out.write(text);
        return out.fileName();
    }

private Q_SLOTS:
    void killedWindowLeavesTheRunAlone() {
        TestRun run;
        const QString config = recipe(run);
        QVERIFY2(!config.isEmpty(), "configs/quickstart.yaml is not what this test expects");
        QVERIFY2(QFile::exists(RANKSCOPE_SOURCE_DIR "/resources/sample/data/train.json"),
                 "run resources/sample/make.sh");
        QProcess window;
        window.setProcessEnvironment(headless(run));
        window.setWorkingDirectory(RANKSCOPE_SOURCE_DIR);
        window.start(RANKSCOPE_BIN_DIR "/rankscope", {"--launch", config, "--runs", run.runsDir()});
        QVERIFY(window.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(run.lastStep(1) >= 10, 120'000);
        QCOMPARE(window.state(), QProcess::Running);

        const std::int64_t before = run.lastStep(0);
        window.kill(); // SIGKILL
        QVERIFY(window.waitForFinished(5000));
        QCOMPARE(window.exitStatus(), QProcess::CrashExit);
        QTRY_VERIFY_WITH_TIMEOUT(run.lastStep(0) >= before + 20, 60'000);
        const auto info = run.info();
        QCOMPARE(info.state, launch::RunState::Running);
        QVERIFY(isSameProcess(info.supervisorPid, info.supervisorStartTicks));
        for (int rank = 0; rank < 2; ++rank) { // every step exactly once, including those before the kill
            const auto loss = run.series(store::Metric::Loss, rank);
            for (std::size_t i = 0; i < loss.size(); ++i) {
                QCOMPARE(loss[i].firstStep, static_cast<std::int64_t>(i));
                QCOMPARE(loss[i].count, std::int64_t{1});
            }
        }

        const QString picture = run.dir().filePath("again.png"), dir = QString::fromStdString(run.paths().dir.string());
        QProcess again;
        again.setProcessEnvironment(headless(run));
        again.start(RANKSCOPE_BIN_DIR "/rankscope", {"--screenshot", picture, "--run", dir});
        QVERIFY(again.waitForFinished(60'000));
        QCOMPARE(again.exitCode(), 0);
        QCOMPARE(QImage(picture).size(), QSize(1440, 900));

        QCOMPARE(ctl({"stop", dir}).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(run.info().state, launch::RunState::Stopped, 20'000);
        for (std::size_t r = 0; r < info.rankPids.size(); ++r)
            QTRY_VERIFY_WITH_TIMEOUT(!isSameProcess(info.rankPids[r], info.rankStartTicks[r]), 5000);
    }
};

RANKSCOPE_CORE_TEST(AcceptWindow)
#include "tst_run_window.moc"
