// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/step_plan.h"
#include "core/trainer/loop/stop_request.h"

#include <QTest>

#include <cstdint>
#include <limits>

using namespace rankscope::trainer;

class TestStepPlan : public QObject {
    Q_OBJECT
private slots:
    void everyBatchIsAStep() {
        const StepPlan plan{10, 1, -1, 3};
        QCOMPARE(plan.stepsPerEpoch(), std::int64_t{10});
        QCOMPARE(plan.totalSteps(), std::int64_t{30});
        QCOMPARE(plan.positionOf(17).step, std::int64_t{17});
    }

    void lastStepOfAnEpochTakesWhatIsLeft() {
        const StepPlan plan{10, 4, -1, -1};
        QCOMPARE(plan.stepsPerEpoch(), std::int64_t{3});
        QCOMPARE(plan.batchesOf(0), 4);
        QCOMPARE(plan.batchesOf(2), 2);
        QCOMPARE(plan.totalSteps(), std::int64_t{0}); // no limit
    }

    void positionsAndFirstBatchesAgree() {
        for (const int accumulate : {1, 3, 4, 12}) {
            const StepPlan plan{10, accumulate, -1, -1};
            std::int64_t batch = 0;
            for (std::int64_t step = 0; step < 3 * plan.stepsPerEpoch(); ++step) {
                QCOMPARE(plan.firstBatchOf(step), batch);
                const int batches = plan.batchesOf(step % plan.stepsPerEpoch());
                for (int micro = 0; micro < batches; ++micro, ++batch) {
                    QCOMPARE(plan.positionOf(batch).step, step);
                    QCOMPARE(plan.positionOf(batch).micro, micro);
                }
            }
            QCOMPARE(batch, std::int64_t{30});
        }
    }

    void theNearerLimitCounts() {
        QCOMPARE((StepPlan{10, 2, 7, 100}.totalSteps()), std::int64_t{7});
        QCOMPARE((StepPlan{10, 2, 700, 2}.totalSteps()), std::int64_t{10});
        QCOMPARE((StepPlan{10, 2, 700, -1}.totalSteps()), std::int64_t{700});
    }

    void stopsAtTheStepThatTheSupervisorNames() {
        constexpr std::int64_t kGoOn = std::numeric_limits<std::int64_t>::max(), second = 1'000'000'000;
        const StopRule led{true}, alone{false};
        QVERIFY(!led.leaves(5, kGoOn, 0, 100 * second));
        QVERIFY(!led.leaves(5, 6, 1 * second, 100 * second)); // the others still run step 5
        QVERIFY(led.leaves(6, 6, 0, 100 * second));
        QVERIFY(led.leaves(7, 6, 0, 100 * second));
        // signalled, but no step is named: the supervisor is given a moment to name one
        QVERIFY(!led.leaves(5, kGoOn, 10 * second, 11 * second));
        QVERIFY(led.leaves(5, kGoOn, 10 * second, 13 * second));
        QVERIFY(!alone.leaves(5, kGoOn, 0, 100 * second));
        QVERIFY(alone.leaves(5, kGoOn, 10 * second, 10 * second));
    }
};

QTEST_APPLESS_MAIN(TestStepPlan)
#include "tst_step_plan.moc"
