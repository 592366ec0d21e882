// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/loop/sync_step.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cmath>

class TestSyncStep : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void twoRanksEqualOneOnTheJoinedBatch() {
        const auto step = rankscope::test::compareStep();
        QCOMPARE(QString::fromStdString(step.problem), QString());
        qInfo("masked frames of each half: %lld; loss %.7f, two ranks' mean %.7f; worst gradient %.3g of its tolerance "
              "(%s), %.3g without SyncBatchNorm; running statistics %.2g; weights within 1e-4: %.4f %%",
              step.maskedFrames, step.jointLoss, step.averagedLoss, step.worstGradient, step.worstGradientName.c_str(),
              step.worstWithoutSync, step.worstStatistic, 100 * step.weightsWithin);
        QVERIFY(std::abs(step.jointLoss - step.averagedLoss) <= 1e-4);
        QVERIFY(step.worstGradient <= 1);
        QVERIFY(step.worstStatistic <= 1e-4);
        QVERIFY(step.weightsWithin >= 0.99);
        QVERIFY(step.ranksEqual);
        QVERIFY(step.worstWithoutSync >
                10); // the comparison would notice ranks that keep their statistics to themselves
    }
};

RANKSCOPE_CORE_TEST(TestSyncStep)
#include "tst_sync_step.moc"
