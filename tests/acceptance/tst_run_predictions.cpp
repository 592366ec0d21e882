// SPDX-License-Identifier: Apache-2.0
// Tests the predictions of `waits`: trains without the length sync, and with the work balanced over the ranks.
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::test;

namespace {

constexpr int kFirst = 6, kLast = 21; ///< steps that are compared; the first ones warm up
constexpr int kSteps = kLast - kFirst + 1;
constexpr double kTolerance = 0.15; ///< of the run's time: two runs on a shared machine differ by some percent

/// Returns `faults[step % 2]` for every step from kFirst on.
QString alternating(const QStringList (&faults)[2]) {
    QStringList all;
    for (int step = kFirst; step <= kLast; ++step)
        for (const QString& fault : faults[step % 2])
            all << QString("{%1, step: %2}").arg(fault).arg(step);
    return "[" + all.join(", ") + "]";
}

diagnosis::WhatIfResult replayOf(const TestRun& run) {
    auto reader = run.reader();
    const auto report = reader.explainWaits({kFirst, kLast});
    if (!report)
        throw std::runtime_error(report.error().message());
    return report->replay;
}

double seconds(double ns) {
    return ns * 1e-9;
}

} // namespace

// Uses layer norm, so that only length sync and gradients synchronize the ranks: batch norm's buffers would be
// broadcast before each forward.
class AcceptPredictions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withoutTheLengthSync() {
        // In turns, one rank reads slowly while the other has a long batch. With the sync, the long batch begins only
        // when the slow reader has arrived; without it, both overlap. A fast machine takes 0.2 s for such a batch, so
        // a fixed time is added after the sync: there must be something to predict on any machine
        const QStringList faults[2] = {
            {"kind: data_loading, rank: 0, seconds: 1.3", "kind: long_batch, rank: 1, seconds: 60",
             "kind: slow_compute, rank: 1, place: subsampling, seconds: 0.6"},
            {"kind: data_loading, rank: 1, seconds: 1.3", "kind: long_batch, rank: 0, seconds: 60",
             "kind: slow_compute, rank: 0, place: subsampling, seconds: 0.6"}};
        diagnosis::WhatIfResult result[2];
        for (const bool sync : {true, false}) {
            TestRun run;
            RunOptions o;
            o.manifest = toneManifest(run.dir(), 24, {1.5});
            o.workers = 0;
            o.steps = kLast + 1;
            o.stallMinSeconds = 10;
            o.faults = alternating(faults);
            o.more << "trainer.sync_batchnorm=false"
                   << "model.encoder.conv_norm_type=layer_norm"
                   << QString("model.encoder.sync_max_audio_length=%1").arg(sync ? "true" : "false");
            const Outcome outcome = run.launch(o);
            QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
            result[sync] = replayOf(run);
            QCOMPARE(result[sync].steps, std::int64_t{kSteps});
        }
        const auto& with = result[true];
        const auto& without = result[false];
        qInfo("with the sync %.2f s, predicted without %.2f s, measured without %.2f s; waited in it %.2f s",
              seconds(with.observedNs), seconds(with.withoutLengthSyncNs), seconds(without.observedNs),
              seconds(with.lengthSyncWaitNs));
        QCOMPARE(with.lengthSyncs, std::int64_t{kSteps});
        QCOMPARE(without.lengthSyncs, std::int64_t{0});
        QVERIFY(with.gainWithoutLengthSyncNs() > 0.15 * with.observedNs); // there is something to predict
        QVERIFY(std::abs(with.withoutLengthSyncNs - without.observedNs) < kTolerance * with.observedNs);
    }
    void waitsThatOnlyMove() {
        // Only one rank is slow, and only before the sync: without it, the other rank waits just as long for the
        // gradients
        diagnosis::WhatIfResult result[2];
        for (const bool sync : {true, false}) {
            TestRun run;
            RunOptions o;
            o.manifest = toneManifest(run.dir(), 24, {1.5});
            o.workers = 0;
            o.steps = kLast + 1;
            o.stallMinSeconds = 10;
            o.faults =
                QString("[{kind: data_loading, rank: 1, step: %1, steps: %2, seconds: 0.3}]").arg(kFirst).arg(kSteps);
            o.more << "trainer.sync_batchnorm=false"
                   << "model.encoder.conv_norm_type=layer_norm"
                   << QString("model.encoder.sync_max_audio_length=%1").arg(sync ? "true" : "false");
            const Outcome outcome = run.launch(o);
            QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
            result[sync] = replayOf(run);
        }
        const auto& with = result[true];
        qInfo("with the sync %.2f s, predicted without %.2f s, measured without %.2f s; waited in it %.2f s",
              seconds(with.observedNs), seconds(with.withoutLengthSyncNs), seconds(result[false].observedNs),
              seconds(with.lengthSyncWaitNs));
        QVERIFY(seconds(with.lengthSyncWaitNs) > 0.9 * kSteps * 0.3 / 2); // mean of the waiting rank and the holder
        QVERIFY(with.gainWithoutLengthSyncNs() < 0.1 * with.observedNs);
        QVERIFY(std::abs(with.withoutLengthSyncNs - result[false].observedNs) < kTolerance * with.observedNs);
    }
    void balanced() {
        const QStringList uneven[2] = {{"kind: slow_compute, rank: 0, seconds: 0.3"},
                                       {"kind: slow_compute, rank: 1, seconds: 0.3"}};
        const QStringList even[2] = {
            {"kind: slow_compute, rank: 0, seconds: 0.15", "kind: slow_compute, rank: 1, seconds: 0.15"},
            {"kind: slow_compute, rank: 0, seconds: 0.15", "kind: slow_compute, rank: 1, seconds: 0.15"}};
        diagnosis::WhatIfResult result[2];
        for (const bool balanced : {false, true}) {
            TestRun run;
            RunOptions o;
            o.manifest = toneManifest(run.dir(), 24, {1.5}); // the same length for all
            o.steps = kLast + 1;
            o.stallMinSeconds = 10;
            o.faults = alternating(balanced ? even : uneven);
            const Outcome outcome = run.launch(o);
            QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
            result[balanced] = replayOf(run);
        }
        qInfo("uneven %.2f s, predicted balanced %.2f s, measured balanced %.2f s", seconds(result[false].observedNs),
              seconds(result[false].balancedNs), seconds(result[true].observedNs));
        QVERIFY(result[false].gainBalancedNs() > 0.2 * result[false].observedNs);
        QVERIFY(std::abs(result[false].balancedNs - result[true].observedNs) < kTolerance * result[false].observedNs);
    }
};

RANKSCOPE_CORE_TEST(AcceptPredictions)
#include "tst_run_predictions.moc"
