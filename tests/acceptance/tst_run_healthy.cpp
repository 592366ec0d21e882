// SPDX-License-Identifier: Apache-2.0
// A minute with heavy-tailed lengths from 1 to 20 s, validations, checkpoints and many epochs raises no incident.
// RANKSCOPE_HEALTHY_SECONDS sets another length: 600 and more before a release.
#include "core/diagnosis/evidence/incident_sentence.h"
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cmath>

using namespace rankscope;
using namespace rankscope::test;

class AcceptHealthy : public QObject {
    Q_OBJECT

public:
    /// By default, Qt Test ends a function after five minutes.
    static void initMain() { qputenv("QTEST_FUNCTION_TIMEOUT", "1500000"); }

private Q_SLOTS:
    void raisesNothing() {
        const int seconds = qEnvironmentVariable("RANKSCOPE_HEALTHY_SECONDS", "60").toInt();
        TestRun run;
        std::vector<double> lengths;
        for (int i = 0; i < 48; ++i)
            lengths.push_back(std::min(20.0, std::pow((48 - (i * 37) % 48) / 48.0, -0.9)));
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 48, lengths);
        o.steps = 1'000'000;
        o.stallMinSeconds = 2.0;                    // the default
        o.more << "model.train_ds.max_duration=21"; // the quickstart leaves out utterances longer than 15 s
        QVERIFY(run.start(o));
        QTRY_VERIFY_WITH_TIMEOUT(run.lastStep(0) >= 1, 120'000);
        QTest::qWait(seconds * 1000);
        QCOMPARE(ctl({"stop", QString::fromStdString(run.paths().dir.string())}).exitCode, 0);
        QCOMPARE(run.waitForEnd(60'000), 4);
        auto reader = run.reader();
        const auto incidents = reader.incidents();
        QVERIFY(incidents);
        for (const auto& in : *incidents)
            qWarning("%s", diagnosis::sentence(in, in.closedNs).english().c_str());
        qInfo("%lld steps", static_cast<long long>(run.lastStep(0) + 1));
        QVERIFY(incidents->empty());
        const auto frames = run.series(store::Metric::FramesMax, 0);
        double least = 1e9, most = 0;
        for (const auto& p : frames) {
            least = std::min(least, p.min);
            most = std::max(most, p.max);
        }
        QVERIFY2(least < 1500 && most > 1950, qPrintable(QString::number(most))); // the lengths really were unequal
        QVERIFY(run.lastStep(0) > seconds / 10);
    }
};

RANKSCOPE_CORE_TEST(AcceptHealthy)
#include "tst_run_healthy.moc"
