// SPDX-License-Identifier: Apache-2.0
// Hold-ups that consist of several waits or several steps: which of them are counted together.
#include "core/diagnosis/evidence/incident_sentence.h"
#include "tests/core/diagnosis/simulated_fleet.h"
#include "tests/core/diagnosis/simulated_run.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cmath>
#include <map>

using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace {
const std::vector<int> kRank1{1};
}

class TestHoldUps : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// If the rank is slow again in the next step, it is the same incident; if a normal step comes between, it is
    /// another.
    void holdUpsInARow() {
        SimulatedRun run(2, {}, [](int rank, std::int64_t s) {
            Work w;
            if (rank == 1 && ((s >= 30 && s < 34) || s == 36))
                w.loadNs = 4 * kSecond;
            return w;
        });
        run.runFor(60 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[0].evidence.holdUps.value_or(1), std::int64_t{4});
        QCOMPARE(all[0].step, std::int64_t{33});
        QCOMPARE(all[0].closed, CloseReason::Recovered);
        QVERIFY(std::abs(static_cast<double>(all[0].closedNs - all[0].openedNs) * 1e-9 - 16.5) < 1.0);
        QVERIFY(!all[1].evidence.holdUps);
        QCOMPARE(all[1].step, std::int64_t{36});
    }
    /// A rank that holds up the others in one step and is held up in the next gives two incidents.
    void turnsAreNoRow() {
        SimulatedRun run(2, {}, [](int rank, std::int64_t s) {
            Work w;
            if ((rank == 1 && s == 30) || (rank == 0 && s == 31))
                w.loadNs = 4 * kSecond;
            return w;
        });
        run.runFor(40 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[0].holders, std::vector<int>{1});
        QCOMPARE(all[1].holders, std::vector<int>{0});
        for (const Incident& in : all) {
            QVERIFY(!in.evidence.holdUps);
            QVERIFY(std::abs(static_cast<double>(in.closedNs - in.openedNs) * 1e-9 - 4.0) < 0.3);
        }
    }

    /// The others already wait in the next step while rank 0 ends this one. If it is slow in the next step too, that
    /// does not extend the hold-up.
    void theNextStepOfOneThatSaved() {
        SimulatedRun run(3, {}, [](int rank, std::int64_t s) {
            Work w;
            if (rank == 0 && s == 30)
                w.checkpointNs = 6 * kSecond;
            if (rank == 0 && s == 31)
                w.forwardNs = 900 * kMs;
            return w;
        });
        run.runFor(40 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::Checkpoint);
        QCOMPARE(all.front().phase, Phase::Checkpoint);
    }

    /// A checkpoint and a long step, each shorter than a stall, are not a stall together; two waits in one step are.
    void savingIsNotAddedToTheStep_data() {
        QTest::addColumn<int>("checkpointMs");
        QTest::addColumn<int>("forwardMs");
        QTest::addColumn<int>("incidents");
        QTest::newRow("both short") << 1500 << 1500 << 0;
        QTest::newRow("a long forward") << 1500 << 2800 << 1;
        QTest::newRow("forward alone") << 0 << 2800 << 1;
    }
    void savingIsNotAddedToTheStep() {
        QFETCH(int, checkpointMs);
        QFETCH(int, forwardMs);
        QFETCH(int, incidents);
        SimulatedRun run(3, {}, [=](int rank, std::int64_t s) {
            Work w;
            if (rank == 0 && s == 30)
                w.checkpointNs = checkpointMs * kMs;
            if (rank == 0 && s == 31)
                w.forwardNs = forwardMs * kMs; // two parts, each ending in a collective
            return w;
        });
        run.runFor(40 * kSecond);
        QCOMPARE(run.incidents().size(), static_cast<std::size_t>(incidents));
        for (const Incident& in : run.incidents())
            QCOMPARE(in.phase, Phase::Forward);
    }

    /// All ranks had entered, and some left before the stop. In whatever order the others leave afterwards, it is one
    /// rank and one cause.
    void stoppedInsideACollective_data() {
        QTest::addColumn<int>("world");
        for (const int world : {2, 3, 6, 8})
            QTest::addRow("%d ranks", world) << world;
    }
    void stoppedInsideACollective() {
        QFETCH(int, world);
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            FleetOptions options;
            options.world = world;
            options.seed = seed;
            options.checkpointEvery = options.validateEvery = 0;
            const int rank = static_cast<int>(seed) % world;
            SimulatedFleet fleet(options, {{FleetFault::StoppedInside, rank, 40, 9}});
            Detector detector(world, {});
            std::map<std::int64_t, Incident> incidents;
            for (int i = 0; i < 800; ++i)
                for (const Transition& t : detector.advance(fleet.tick()))
                    incidents[t.incident.id] = t.incident;
            std::string all;
            for (const auto& [id, in] : incidents)
                all += sentence(in, fleet.nowNs()).english() + "\n";
            QVERIFY2(incidents.size() == 1, (std::to_string(seed) + ": " + all).c_str());
            const Incident& in = incidents.begin()->second;
            QCOMPARE(in.cause, Cause::Stopped);
            QCOMPARE(in.holders, std::vector<int>{rank});
            QCOMPARE(in.waiters.size(), static_cast<std::size_t>(world - 1));
            QCOMPARE(in.closed, CloseReason::Recovered);
        }
    }

    void longBatchThatWaitsInManyShortCollectives() {
        // 16 layers, each wait shorter than the threshold: only their sum over the step exceeds it
        SimulatedRun run(2, {}, [](int r, std::int64_t s) {
            Work w;
            w.layerSyncs = 16;
            if (r == 1 && s == 50) {
                w.forwardNs = 6 * kSecond;
                w.frames = 9000;
            }
            return w;
        });
        run.runFor(30 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::LongBatch);
        QCOMPARE(all.front().holders, kRank1);
        QCOMPARE(all.front().step, std::int64_t{50});
        QCOMPARE(all.front().remedy.key, std::string("model.train_ds.max_duration"));
        QCOMPARE(all.front().closed, CloseReason::Recovered);
    }
};

RANKSCOPE_TEST(TestHoldUps)
#include "tst_hold_ups.moc"
