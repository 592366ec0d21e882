// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/run_creation.h"
#include "core/launch/run/run_folder.h"
#include "core/telemetry/format/limits.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace rankscope;
using namespace rankscope::launch;

class TestRunCreation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWrongClockIsRefused_data() {
        QTest::addColumn<qint64>("realtimeNs");
        QTest::newRow("1969") << qint64(-60'000'000'000);
        QTest::newRow("2200") << qint64(7'258'118'400'000'000'000);
        QTest::newRow("just too late") << qint64(telemetry::kLatestRealtimeNs + 1);
    }
    /// Every command would take such a run for damaged, even `stop`.
    void aWrongClockIsRefused() {
        QFETCH(qint64, realtimeNs);
        const QTemporaryDir dir;
        const auto runs = std::filesystem::path(dir.path().toStdString()) / "runs";
        PreparedLaunch plan;
        plan.run.dir = runs / "20260101-000000-x-0001";
        RunInfo info;
        info.command = {"true"};
        info.startRealtimeNs = realtimeNs;
        for (const auto& create : {createRunFolder, adoptRunFolder}) {
            const auto lock = create(plan, info);
            QVERIFY(!lock);
            QCOMPARE(lock.error().code, Errc::BadInput);
            QVERIFY2(lock.error().message().find("clock is wrong") != std::string::npos,
                     lock.error().message().c_str());
            QVERIFY(!std::filesystem::exists(runs)); // nothing was written
        }
        info.startRealtimeNs = telemetry::kLatestRealtimeNs;
        QVERIFY(createRunFolder(plan, info));
        QVERIFY(readRunInfo(plan.run));
    }
};

RANKSCOPE_TEST(TestRunCreation)
#include "tst_run_creation.moc"
