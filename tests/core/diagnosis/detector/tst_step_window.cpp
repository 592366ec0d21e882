// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/statistics/step_window.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope::diagnosis;
using namespace rankscope::telemetry;

static AnyRecord collective(std::int64_t step, std::uint64_t sequence, std::int64_t arrived, Phase phase) {
    CollectiveRecord c;
    c.header.step = step;
    c.sequence = sequence;
    c.arrivedNs = arrived;
    c.phase = phase;
    return AnyRecord::of(c);
}

class TestStepWindow : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void chargesTheLatestArrival() {
        StepWindow w(3, 20);
        w.add(0, collective(7, 0, 1000, Phase::Forward));
        w.add(2, collective(7, 0, 1400, Phase::DataWait));
        QVERIFY(!w.find(2, 7)); // not all ranks are there yet
        w.add(1, collective(7, 0, 1100, Phase::Forward));
        QCOMPARE(w.find(2, 7)->heldNs, 400);
        QCOMPARE(w.find(0, 7)->waitedNs, 400);
        QCOMPARE(w.find(1, 7)->waitedNs, 300);
        QCOMPARE(w.find(2, 7)->waitedNs, 0);
        QCOMPARE(w.find(1, 7)->waitInNs[static_cast<std::size_t>(Phase::Forward)], 300);
    }
    /// Gradients overlap with backward: of the waits for them, only the last one blocks.
    void whatBlocked() {
        StepWindow w(2, 20);
        const auto bucket = [](std::uint64_t sequence, std::int64_t arrived) {
            CollectiveRecord c;
            c.header.step = 7;
            c.sequence = sequence;
            c.arrivedNs = arrived;
            c.phase = Phase::Backward;
            putText(c.tag, sizeof c.tag, "gradient:" + std::to_string(sequence));
            return AnyRecord::of(c);
        };
        w.add(0, collective(7, 0, 1000, Phase::Forward));
        w.add(1, collective(7, 0, 1100, Phase::Forward));
        for (const int r : {0, 1})
            for (const std::uint64_t b : {1, 2, 3})
                w.add(r, bucket(b, 1100 + static_cast<std::int64_t>(b) * (r == 0 ? 100 : 200)));
        for (const int r : {0, 1}) {
            StepRecord s;
            s.header.step = 7;
            s.beginNs = 900;
            s.endNs = 1800;
            w.add(r, AnyRecord::of(s));
        }
        QCOMPARE(w.find(0, 7)->blockedNs, 100);
        QCOMPARE(w.find(0, 7)->gradientWaitNs, 300);
        QCOMPARE(w.find(0, 7)->workNs(), 500);
        QCOMPARE(w.find(1, 7)->workNs(), 900);
    }
    /// Two ranks left the previous collective only when the stopped one continued: neither of them held up the third.
    void aStopIsNotChargedToTheOthers() {
        StepWindow w(3, 20);
        w.sawStopped(0, 9000);
        w.add(0, collective(7, 1, 9010, Phase::Forward));
        w.add(1, collective(7, 1, 9020, Phase::Forward));
        w.add(2, collective(7, 1, 1000, Phase::Forward));
        QCOMPARE(w.find(1, 7)->heldNs, 20);
        QCOMPARE(w.othersStoppedUntil(1), 9000);
        QCOMPARE(w.othersStoppedUntil(0), 0);
    }
    void ownTimeLeavesOutWaits() {
        RankStep s;
        s.phaseNs[3] = 500;
        s.waitInNs[3] = 400;
        QCOMPARE(s.ownNs(3), 100);
        s.waitInNs[3] = 900;
        QCOMPARE(s.ownNs(3), 0);
    }
    void neverGrowsWithoutBound() {
        StepWindow w(2, 10);
        for (int i = 0; i < 200'000; ++i)
            w.add(0, collective(i, static_cast<std::uint64_t>(i), i, Phase::Forward)); // rank 1 never arrives
        QVERIFY(w.find(0, 0) == nullptr);
        w.add(1, collective(199'999, 199'999, 200'000, Phase::Forward));
        QCOMPARE(w.find(1, 199'999)->heldNs, 1);
    }
    void ignoresRanksAndPhasesThatCannotBe() {
        StepWindow w(2, 10);
        w.add(-1, collective(0, 0, 5, Phase::Forward));
        w.add(9, collective(0, 0, 5, Phase::Forward));
        w.add(0, collective(0, 0, 5, static_cast<Phase>(200)));
        PhaseRecord p;
        p.phase = static_cast<Phase>(99);
        p.header.step = 0;
        w.add(0, AnyRecord::of(p));
        QCOMPARE(w.find(0, 0)->heldNs, 0);
    }
    void typicalStepIsTheMedian() {
        StepWindow w(1, 10);
        QCOMPARE(w.typicalStepNs(), 0);
        for (int i = 0; i < 9; ++i) {
            StepRecord s;
            s.header.step = i;
            s.endNs = i == 4 ? 1'000'000 : 100 + i;
            w.add(0, AnyRecord::of(s));
        }
        QVERIFY(w.typicalStepNs() >= 100 && w.typicalStepNs() < 110);
    }
};

RANKSCOPE_TEST(TestStepWindow)
#include "tst_step_window.moc"
