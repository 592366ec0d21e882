// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recording/deferred_recording.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace rankscope;
using namespace rankscope::launch;
using telemetry::NoteSeverity;

static constexpr std::int64_t kSecond = 1'000'000'000, kStart = 5'000 * kSecond;

class TestDeferredRecording : public QObject {
    Q_OBJECT

    /// A watched run of which nothing exists but its folder.
    struct WatchedRun {
        WatchedRun() {
            plan.run.dir = std::filesystem::path(dir.path().toStdString()) / "run";
            std::filesystem::create_directories(plan.run.dir / "ranks");
            info.id = "run";
            info.attached = true;
            info.startNs = kStart;
            info.startRealtimeNs = 1'700'000'000 * kSecond;
            plan.info = info;
        }
        const QTemporaryDir dir;
        PreparedLaunch plan;
        RunInfo info;
    };

private Q_SLOTS:
    void timeToJoin_data() {
        QTest::addColumn<bool>("watched");
        QTest::addColumn<double>("joinSeconds");
        QTest::addColumn<double>("elapsed");
        QTest::addColumn<double>("left");
        QTest::newRow("at the start") << true << 300.0 << 0.0 << 300.0;
        QTest::newRow("later") << true << 300.0 << 100.0 << 200.0;
        QTest::newRow("much later") << true << 300.0 << 1000.0 << 30.0;
        QTest::newRow("a short time") << true << 5.0 << 100.0 << 5.0;
        QTest::newRow("ranks of the supervisor") << false << 60.0 << 50.0 << 60.0;
    }
    void timeToJoin() {
        QFETCH(bool, watched);
        QFETCH(double, joinSeconds);
        QFETCH(double, elapsed);
        QFETCH(double, left);
        SupervisionSettings settings;
        settings.detector.joinSeconds = joinSeconds;
        const auto elapsedNs = static_cast<std::int64_t>(elapsed) * kSecond;
        QCOMPARE(settingsAfter(settings, watched, elapsedNs).detector.joinSeconds, left);
    }

    void notesAreKeptUntilTheNumberOfRanksIsKnown() {
        WatchedRun run;
        auto control = telemetry::ControlPage::create(run.plan.run.control());
        QVERIFY(control);
        RunMonitors monitors(run.plan, run.info);
        DeferredRecording recording(run.plan, monitors);
        recording.note(NoteSeverity::Warning, "early", kStart + 1);
        recording.openIfDue(run.info, *control, kStart + 2);
        QVERIFY(!recording);
        QVERIFY(!recording.store());
        QVERIFY(!std::filesystem::exists(run.plan.run.store()));

        run.info.worldSize = 2;
        recording.openIfDue(run.info, *control, kStart + 3);
        QVERIFY2(recording, recording.trouble().english().c_str());
        QVERIFY(recording.store());
        recording.note(NoteSeverity::Info, "later", kStart + 4);
        auto reader = store::RunReader::open(run.plan.run.store());
        QVERIFY(reader);
        const auto notes = reader->notes(0, 10);
        QVERIFY(notes);
        QCOMPARE(notes->size(), std::size_t{2});
        QCOMPARE(notes->front().text, std::string("early"));
        QCOMPARE(notes->front().severity, NoteSeverity::Warning);
        QCOMPARE(notes->front().timeNs, std::int64_t{3});
        QCOMPARE(notes->back().text, std::string("later"));
    }

    void aStoreThatCannotBeMadeIsTriedAgain() {
        WatchedRun run;
        run.info.worldSize = 1;
        auto control = telemetry::ControlPage::create(run.plan.run.control());
        QVERIFY(control);
        RunMonitors monitors(run.plan, run.info);
        DeferredRecording recording(run.plan, monitors);
        const std::filesystem::path aside = run.plan.run.dir.string() + ".aside";
        std::filesystem::rename(run.plan.run.dir, aside);
        recording.openIfDue(run.info, *control, kStart);
        QVERIFY(!recording);
        QVERIFY(!recording.trouble().empty());

        std::filesystem::rename(aside, run.plan.run.dir);
        recording.openIfDue(run.info, *control, kStart + kSecond / 4); // too early
        QVERIFY(!recording);
        recording.openIfDue(run.info, *control, kStart + kSecond);
        QVERIFY2(recording, recording.trouble().english().c_str());
        QVERIFY(recording.trouble().empty());
    }

    void nothingIsMadeInAFolderThatIsGone() {
        WatchedRun run;
        run.info.worldSize = 1;
        auto control = telemetry::ControlPage::create(run.plan.run.control());
        QVERIFY(control);
        RunMonitors monitors(run.plan, run.info);
        DeferredRecording recording(run.plan, monitors);
        recording.noteFolderGone("the run's folder was removed or renamed");
        recording.openIfDue(run.info, *control, kStart);
        QVERIFY(!recording);
        QVERIFY(recording.isFolderGone());
        QCOMPARE(recording.trouble().english(), std::string("the run's folder was removed or renamed"));
    }
};

RANKSCOPE_TEST(TestDeferredRecording)
#include "tst_deferred_recording.moc"
