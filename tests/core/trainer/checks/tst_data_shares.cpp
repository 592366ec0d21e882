// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checks/data_shares.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope::trainer;
using rankscope::telemetry::CheckStatus;

namespace {

std::vector<std::int32_t> sumOf(const std::vector<EpochShard>& shares) {
    std::vector<std::int32_t> sum = utterancePresence(shares.front());
    for (std::size_t r = 1; r < shares.size(); ++r) {
        const auto more = utterancePresence(shares[r]);
        for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] += more[i];
    }
    return sum;
}

CheckResult judged(const std::vector<EpochShard>& shares) {
    const auto sum = sumOf(shares);
    return checkShards(shares.front(), sum, static_cast<int>(shares.size()), [&](std::int64_t row) {
        std::vector<int> ranks;
        for (std::size_t r = 0; r < shares.size(); ++r)
            if (std::find(shares[r].rows.begin(), shares[r].rows.end(), row) != shares[r].rows.end())
                ranks.push_back(static_cast<int>(r));
        return ranks;
    });
}

} // namespace

class TestShares : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyUtteranceOnce() {
        const auto result = judged({{{0, 2, 4}, 6, 0, 0, ""}, {{1, 3, 5}, 6, 0, 0, ""}});
        QVERIFY(result == CheckResult::passed("shards", "6 utterances on 2 ranks, none twice, none lost"));
    }
    void fillingUpIsAllowed() {
        const auto result = judged({{{0, 2, 4}, 5, 1, 0, ""}, {{1, 3, 0}, 5, 1, 0, ""}});
        QCOMPARE(result.status, CheckStatus::Passed);
        QVERIFY(result.text.find("1 of them twice") != std::string::npos);
    }
    void theSameShareTwice() {
        const auto result = judged({{{0, 2, 4}, 6, 1, 0, ""}, {{0, 2, 4}, 6, 1, 0, ""}});
        QVERIFY(result.status == CheckStatus::Failed && result.stops);
        QVERIFY2(QString::fromStdString(result.text)
                     .startsWith("3 of 6 utterances are on more than one rank, the first is row 0 on rank 0, 1"),
                 result.text.c_str());
    }
    void lostOnes() {
        const auto result = judged({{{0, 2}, 6, 0, 1, ""}, {{1, 3}, 6, 0, 1, ""}});
        QVERIFY(result.status == CheckStatus::Failed && result.stops);
        QVERIFY2(QString::fromStdString(result.text).startsWith("2 of 6 utterances are on no rank, the first is row 4"),
                 result.text.c_str());
        QCOMPARE(judged({{{0, 2, 4}, 6, 0, 1, ""}, {{1, 3}, 6, 0, 1, ""}}).status, CheckStatus::Passed); // drop_last
    }
    void repetitionsWithinARankAreItsOwn() { // tarred sets repeat utterances to fill a small share
        const auto result = judged({{{0, 1, 0}, 5, 0, 0, ""}, {{2, 3, 4}, 5, 0, 0, ""}});
        QCOMPARE(result.status, CheckStatus::Passed);
    }
    void rowsOutsideTheSetAreNotCounted() {
        QCOMPARE(utterancePresence({{-1, 7, 1}, 3, 0, 0, ""}), (std::vector<std::int32_t>{0, 1, 0}));
    }
};

RANKSCOPE_TEST(TestShares)
#include "tst_data_shares.moc"
