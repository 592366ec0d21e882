// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checks/rank_figures.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope::trainer;
using rankscope::telemetry::CheckStatus;

namespace {

FirstBatch good() {
    return {{2, 80, 312}, "cpu", "cpu", 2, 80, {49'920, 32'000}, {312, 200}, 160, 0};
}

CheckResult resultOf(const FirstBatch& batch, const std::string& name) {
    for (const auto& result : checkFirstBatch(batch))
        if (result.name == name)
            return result;
    return CheckResult::skipped(name, "there is none");
}

} // namespace

class TestFirstBatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aGoodOne() {
        const auto results = checkFirstBatch(good());
        QCOMPARE(results.size(), std::size_t{3});
        for (const auto& result : results)
            QVERIFY2(result.status == CheckStatus::Passed, result.text.c_str());
        QCOMPARE(results[0].text, std::string("[2, 80, 312] on cpu"));
        QCOMPARE(results[1].text, std::string("2 utterances of 200 to 312 frames"));
    }

    void whatIsWrongWithShapeAndDevice() {
        auto batch = good();
        batch.device = "cuda:1";
        QCOMPARE(resultOf(batch, "first_batch").status, CheckStatus::Failed);
        batch = good();
        batch.features = 64;
        QVERIFY(resultOf(batch, "first_batch").text.find("features is 64") != std::string::npos);
        batch = good();
        batch.configuredSize = 1;
        QCOMPARE(resultOf(batch, "first_batch").status, CheckStatus::Failed);
        batch.configuredSize = 0; // buckets have their own sizes
        QCOMPARE(resultOf(batch, "first_batch").status, CheckStatus::Passed);
        batch.shape[0] = 0;
        QCOMPARE(resultOf(batch, "first_batch").status, CheckStatus::Failed);
    }

    void whatIsWrongWithLengths() {
        auto batch = good();
        batch.lengths[1] = 313;
        QVERIFY(resultOf(batch, "batch_lengths").text.find("utterance 1 has 313 frames") != std::string::npos);
        batch.lengths[1] = 0;
        QCOMPARE(resultOf(batch, "batch_lengths").status, CheckStatus::Failed);
        batch.lengths[1] = 150;
        QVERIFY(resultOf(batch, "batch_lengths").text.find("its 32000 samples make 200") != std::string::npos);
        batch.lengths[1] = 201;
        QCOMPARE(resultOf(batch, "batch_lengths").status, CheckStatus::Passed);
        batch.lengths.pop_back();
        QCOMPARE(resultOf(batch, "batch_lengths").status, CheckStatus::Failed);
    }

    void notFiniteInput() {
        auto batch = good();
        batch.notFinite = 3;
        const auto result = resultOf(batch, "finite_input");
        QVERIFY(result.status == CheckStatus::Failed && !result.stops);
        QVERIFY(result.text.starts_with("3 values"));
    }

    void lengthsMayDifferBetweenRanks() {
        auto other = good();
        other.shape[2] = 290;
        const std::vector<RankFigures> all{{0, figuresOf(good()), "a", "cpu", "", 0},
                                           {1, figuresOf(other), "a", "cpu", "", 0}};
        const auto result = compareFirstBatches(all);
        QVERIFY(result == CheckResult::passed("first_batch", "[2, 80, 312] on rank 0 and [2, 80, 290] on rank 1, cpu"));
    }

    void sizesAndDevicesMayNot() {
        auto other = good();
        other.shape[0] = 1;
        const std::vector<RankFigures> all{{0, figuresOf(good()), "a", "cpu", "", 0},
                                           {1, figuresOf(other), "a", "cpu", "", 0}};
        const auto result = compareFirstBatches(all);
        QVERIFY(result.status == CheckStatus::Failed && !result.stops);
        QVERIFY2(result.text == "batch size is 2 on rank 0 and 1 on rank 1", result.text.c_str());
        QCOMPARE(compareFirstBatches({}).status, CheckStatus::Skipped);
    }
};

RANKSCOPE_TEST(TestFirstBatch)
#include "tst_first_batch.moc"
