// SPDX-License-Identifier: Apache-2.0
#include "core/plan/steps/step_schedule.h"
#include "core/trainer/loop/process/stop_request.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cstdint>
#include <limits>
#include <stdexcept>

Q_DECLARE_METATYPE(rankscope::config::TrainerConfig)

using namespace rankscope::plan;
using namespace rankscope::trainer;

class TestStepPlan : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyBatchIsAStep() {
        const StepSchedule plan{10, 1, -1, 3};
        QCOMPARE(plan.stepsPerEpoch(), std::int64_t{10});
        QCOMPARE(plan.totalSteps(), std::int64_t{30});
        QCOMPARE(plan.positionOf(17).step, std::int64_t{17});
    }

    void lastStepOfAnEpochTakesWhatIsLeft() {
        const StepSchedule plan{10, 4, -1, -1};
        QCOMPARE(plan.stepsPerEpoch(), std::int64_t{3});
        QCOMPARE(plan.batchesOf(0), 4);
        QCOMPARE(plan.batchesOf(2), 2);
        QCOMPARE(plan.totalSteps(), std::int64_t{0}); // no limit
    }

    void positionsAndFirstBatchesAgree() {
        for (const int accumulate : {1, 3, 4, 12}) {
            const StepSchedule plan{10, accumulate, -1, -1};
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

    void limitedEpochsKeepTheLoadersNumbers() {
        const StepSchedule plan{4, 2, -1, -1, 10}; // 4 of 10 batches, steps of 2
        QCOMPARE(plan.stepsPerEpoch(), std::int64_t{2});
        QCOMPARE(plan.firstBatchOf(2), std::int64_t{10});
        QCOMPARE(plan.firstBatchOf(3), std::int64_t{12});
        QCOMPARE(plan.positionOf(13).step, std::int64_t{3});
        QCOMPARE(plan.positionOf(4).step, std::int64_t{-1}); // prefetched, but never used
    }

    void validationIsDueAsLightningCounts_data() {
        QTest::addColumn<rankscope::config::TrainerConfig>("trainer");
        QTest::addColumn<QList<int>>("due"); ///< batches counted over the run, 10 per epoch
        rankscope::config::TrainerConfig c;
        QTest::newRow("each epoch") << c << QList<int>{9, 19, 29};
        c.valEveryShare = 0.25; // int(2.5) batches
        QTest::newRow("share") << c << QList<int>{1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29};
        c.valEveryShare = 0.01;
        c.valEveryNEpochs = 3;
        QTest::newRow("at least a batch, each third epoch") << c << QList<int>{20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
        c = {};
        c.valEveryBatches = 4;
        QTest::newRow("batches of the epoch") << c << QList<int>{3, 7, 13, 17, 23, 27};
        c.valEveryNEpochs = 0;
        c.valEveryBatches = 12;
        QTest::newRow("batches across epochs") << c << QList<int>{11, 23};
        c.limitVal.count = 0;
        QTest::newRow("never") << c << QList<int>{};
        c = {};
        c.valEveryShare = 0; // Lightning: at least one batch
        QTest::newRow("share of 0") << c << QList<int>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                                       15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
    }
    void validationIsDueAsLightningCounts() {
        QFETCH(rankscope::config::TrainerConfig, trainer);
        QFETCH(QList<int>, due);
        const ValidationPlan plan = *planValidation(trainer, 10, {5});
        QList<int> found;
        for (int batch = 0; batch < 30; ++batch)
            if (plan.dueAfter(batch / 10, batch % 10, 10))
                found << batch;
        QCOMPARE(found, due);
    }
    void validationLimits() {
        rankscope::config::TrainerConfig c;
        QCOMPARE(planValidation(c, 10, {5})->batches(), std::int64_t{5});
        QCOMPARE(planValidation(c, 10, {5})->sanityBatches(), std::int64_t{2});
        c.sanityValSteps = -1;
        c.limitVal.share = 0.5;
        QCOMPARE(planValidation(c, 10, {5})->batches(), std::int64_t{2});
        QCOMPARE(planValidation(c, 10, {5})->sanityBatches(), std::int64_t{2});
        c.limitVal.count = 1;
        QCOMPARE(planValidation(c, 10, {5})->batches(), std::int64_t{1});
        c.valEveryBatches = 11; // longer than the epoch it is counted in
        const auto refused = planValidation(c, 10, {5});
        QVERIFY(!refused);
        QCOMPARE(refused.error().where, std::string("trainer.val_check_interval"));
        c.limitVal.count = 0; // Lightning does not check the interval if there is no validation
        QCOMPARE(planValidation(c, 10, {5})->batches(), std::int64_t{0});
    }

    /// Each set's loader has its own limit and its own batches for the sanity check.
    void eachValidationSetHasItsOwnLimit() {
        rankscope::config::TrainerConfig c;
        c.limitVal.count = 3;
        const auto plan = planValidation(c, 10, {2, 5});
        QCOMPARE(plan->sets.size(), std::size_t{2});
        QCOMPARE(plan->sets[0].batches, std::int64_t{2});
        QCOMPARE(plan->sets[1].batches, std::int64_t{3});
        QCOMPARE(plan->sets[1].sanityBatches, std::int64_t{2});
        QCOMPARE(plan->batches(), std::int64_t{5});
        QCOMPARE(plan->sanityBatches(), std::int64_t{4});
    }

    /// Lightning: "You requested to check 0.001 of the `val_dataloader` but 0.001 * 4 < 1".
    void aShareOfLessThanABatchIsRefused() {
        rankscope::config::TrainerConfig c;
        c.limitVal.share = 0.001;
        const auto validation = planValidation(c, 10, {4});
        QVERIFY(!validation);
        QCOMPARE(validation.error().where, std::string("trainer.limit_val_batches"));
        QVERIFY2(validation.error().what.english().find("0.001 of 4 batches is less than one: give at least 0.25") == 0,
                 validation.error().what.english().c_str());
        c.limitVal.share = 0.25;
        QCOMPARE(planValidation(c, 10, {4})->batches(), std::int64_t{1});
        QVERIFY(!planValidation(c, 10, {4, 3})); // the smaller set has none
        c.limitVal.share = 0;                    // explicitly zero
        QCOMPARE(planValidation(c, 10, {4})->batches(), std::int64_t{0});
        c.limitTrain.share = 0.1;
        QCOMPARE(*rankscope::plan::trainingBatches(c, 10), std::int64_t{1});
        const auto training = rankscope::plan::trainingBatches(c, 9);
        QVERIFY(!training);
        QCOMPARE(training.error().where, std::string("trainer.limit_train_batches"));
        c.limitTrain.share = 0;
        QVERIFY(!rankscope::plan::trainingBatches(c, 9));
    }

    void timeIsCountedOverAllPartsOfARun() {
        constexpr std::int64_t second = 1'000'000'000;
        rankscope::config::TrainerConfig c;
        QVERIFY(!TimeLimit::of(c).set());
        QVERIFY(!TimeLimit::of(c).over(std::numeric_limits<std::int64_t>::max() / 2));
        c.maxTimeSeconds = 10;
        c.minSteps = 5;
        c.minEpochs = 2;
        TimeLimit limit = TimeLimit::of(c);
        limit.beganNs = 100 * second;
        QVERIFY(!limit.over(109 * second));
        QVERIFY(limit.over(110 * second));
        limit.elapsedBeforeNs = 7 * second; // before the run was resumed
        QVERIFY(!limit.over(102 * second));
        QVERIFY(limit.over(103 * second));
        QVERIFY(!limit.mayEnd(4, 2));
        QVERIFY(!limit.mayEnd(5, 1));
        QVERIFY(limit.mayEnd(5, 2));
        c.maxTimeSeconds = 1e300; // must not overflow
        QVERIFY(!TimeLimit::of(c).over(1000 * second));
    }

    void theNearerLimitCounts() {
        QCOMPARE((StepSchedule{10, 2, 7, 100}.totalSteps()), std::int64_t{7});
        QCOMPARE((StepSchedule{10, 2, 700, 2}.totalSteps()), std::int64_t{10});
        QCOMPARE((StepSchedule{10, 2, 700, -1}.totalSteps()), std::int64_t{700});
    }

    void stopsAtTheStepThatTheSupervisorNames() {
        constexpr std::int64_t kGoOn = std::numeric_limits<std::int64_t>::max(), second = 1'000'000'000;
        const StopRule led{true}, alone{false};
        QVERIFY(!led.leaves(5, kGoOn, 0, 100 * second));
        QVERIFY(!led.leaves(5, 6, 1 * second, 100 * second)); // the others still run step 5
        QVERIFY(led.leaves(6, 6, 0, 100 * second));
        QVERIFY(led.leaves(7, 6, 0, 100 * second));
        // a signal arrived, but no step is named yet: the supervisor gets some time to name one
        QVERIFY(!led.leaves(5, kGoOn, 10 * second, 19 * second));
        QVERIFY(led.leaves(5, kGoOn, 10 * second, 21 * second));
        QVERIFY(!alone.leaves(5, kGoOn, 0, 100 * second));
        QVERIFY(alone.leaves(5, kGoOn, 10 * second, 10 * second));
    }
};

RANKSCOPE_TEST(TestStepPlan)
#include "tst_step_schedule.moc"
