// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/run_info_file.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace rankscope;
using namespace rankscope::launch;

class TestRunInfoFile : public QObject {
    Q_OBJECT

    static RunInfo infoOf(const RunPaths& run) {
        RunInfo info;
        info.id = run.dir.filename().string();
        info.worldSize = 1;
        info.startRealtimeNs = 1'700'000'000'000'000'000;
        return info;
    }

private Q_SLOTS:
    void theEndUsesTheReserve_data() {
        QTest::addColumn<bool>("replaced");
        QTest::newRow("in the reserve") << false;
        QTest::newRow("another program removed the reserve") << true;
    }
    void theEndUsesTheReserve() {
        QFETCH(bool, replaced);
        const QTemporaryDir dir;
        const RunPaths run{std::filesystem::path(dir.path().toStdString())};
        const auto reserved = run.dir / ".run.json.reserved";
        RunInfo info = infoOf(run);
        RunInfoFile file(run);
        QVERIFY(file.begin(info));
        QVERIFY(std::filesystem::exists(reserved));
        info.state = RunState::Running;
        QVERIFY(file.write(info));
        QVERIFY(std::filesystem::exists(reserved));
        if (replaced)
            std::filesystem::remove(reserved);
        info.state = RunState::Failed;
        info.cause = "rank 0 ended with SIGKILL";
        QVERIFY(file.write(info));
        QVERIFY(!file.isStale());
        QVERIFY(!std::filesystem::exists(reserved));
        const auto read = recordedRunInfo(run);
        QVERIFY(read);
        QCOMPARE(read->state, RunState::Failed);
        QCOMPARE(read->cause.english(), info.cause.english());
    }

    void anErrorLeavesTheFileStale() {
        const QTemporaryDir dir;
        const RunPaths run{std::filesystem::path(dir.path().toStdString()) / "run"};
        std::filesystem::create_directory(run.dir);
        const RunInfo info = infoOf(run);
        RunInfoFile file(run);
        QVERIFY(file.begin(info));
        const std::filesystem::path aside = run.dir.string() + ".aside";
        std::filesystem::rename(run.dir, aside);
        QVERIFY(!file.write(info));
        QVERIFY(file.isStale());
        std::filesystem::rename(aside, run.dir);
        QVERIFY(file.write(info));
        QVERIFY(!file.isStale());
    }
};

RANKSCOPE_CORE_TEST(TestRunInfoFile)
#include "tst_run_info_file.moc"
