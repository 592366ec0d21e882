// SPDX-License-Identifier: Apache-2.0
// Two ranks train on speech: the loss falls and stays finite, and both have the same weights at the end.
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cmath>
#include <numeric>

using namespace rankscope;
using namespace rankscope::test;

static double meanOf(const std::vector<store::SeriesPoint>& points, std::size_t from, std::size_t n) {
    double sum = 0;
    for (std::size_t i = from; i < from + n; ++i)
        sum += points[i].mean;
    return sum / static_cast<double>(n);
}

class AcceptTraining : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void threeHundredSteps() {
        TestRun run;
        const Speech s = speech(run.dir());
        qInfo("speech: %s", s.real ? "real recordings" : "synthetic sample");
        RunOptions o;
        o.manifest = s.trainManifest;
        o.noiseManifest = s.noiseManifest;
        o.steps = 300;
        o.stallMinSeconds = 30;
        const Outcome outcome = run.launch(o, 800'000);
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        QCOMPARE(run.info().state, launch::RunState::Finished);

        auto reader = run.reader();
        const auto ranks = reader.ranks();
        QVERIFY(ranks && ranks->size() == 2);
        for (const auto& r : *ranks)
            QCOMPARE(r.lastStep, std::int64_t{299});
        QVERIFY((*ranks)[0].weightsHash != 0);
        QCOMPARE((*ranks)[0].weightsHash, (*ranks)[1].weightsHash);

        for (int rank = 0; rank < 2; ++rank) {
            const auto loss = run.series(store::Metric::Loss, rank);
            QCOMPARE(loss.size(), std::size_t{300});
            for (const auto& p : loss)
                QVERIFY(p.notFinite == 0 && std::isfinite(p.mean));
            const double first = meanOf(loss, 0, 20), last = meanOf(loss, 280, 20);
            qInfo("rank %d: loss %.3f -> %.3f", rank, first, last);
            QVERIFY2(last < 0.9 * first, qPrintable(QString("%1 -> %2").arg(first).arg(last)));
        }
    }
    void sameSeedSameLosses() {
        std::vector<double> losses[2];
        for (auto& of : losses) {
            TestRun run;
            RunOptions o;
            o.manifest = toneManifest(run.dir(), 16, {1.2, 2.0, 1.6});
            o.steps = 6;
            o.more << "+rankscope.seed=7";
            QCOMPARE(run.launch(o).exitCode, 0);
            for (const auto& p : run.series(store::Metric::Loss, 1))
                of.push_back(p.mean);
        }
        QCOMPARE(losses[0].size(), std::size_t{6});
        for (std::size_t i = 0; i < losses[0].size(); ++i)
            QVERIFY2(std::abs(losses[0][i] - losses[1][i]) < 1e-4, qPrintable(QString("step %1").arg(i)));
    }
    /// Without the sampler each rank trains on the whole set: 16 utterances are 8 batches of an epoch, where NeMo
    /// counts the 4 of one rank's share and lets the schedule end after half of the steps.
    void aScheduleByEpochsEndsWithTheRun() {
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 16, {1.2, 2.0, 1.6});
        o.steps = -1;
        o.more << "trainer.max_epochs=2"
               << "trainer.use_distributed_sampler=false"
               << "model.optim.lr=0.001"
               << "model.optim.sched={name: PolynomialDecayAnnealing, power: 1.0, min_lr: 0.0}";
        const Outcome outcome = run.launch(o);
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        for (int rank = 0; rank < 2; ++rank) {
            const auto rates = run.series(store::Metric::LearningRate, rank);
            QCOMPARE(rates.size(), std::size_t{16});
            for (std::size_t step = 0; step < rates.size(); ++step) {
                const double wanted = 0.001 * (1 - static_cast<double>(step) / 16);
                QVERIFY2(std::abs(rates[step].mean - wanted) < 1e-9,
                         qPrintable(QString("step %1: %2").arg(step).arg(rates[step].mean)));
            }
        }
    }
};

RANKSCOPE_CORE_TEST(AcceptTraining)
#include "tst_run_training.moc"
