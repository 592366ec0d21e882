// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix waiter x holder, compared with sums of its cells.
#include "tests/support/test_runner.h"
#include "widgets/models/waits/wait_grid.h"

#include <QTest>

#include <random>

using namespace rankscope;
using namespace rankscope::ui;
using diagnosis::WaitMatrix;
using diagnosis::WaitSums;
using telemetry::Phase;

namespace {

WaitSums sums(std::int64_t dataWait, std::int64_t forward) {
    WaitSums s;
    s.waitNs = dataWait + forward;
    s.blockedNs = s.waitNs;
    s.collectives = 1;
    s.phaseNs[static_cast<std::size_t>(Phase::DataWait)] = dataWait;
    s.phaseNs[static_cast<std::size_t>(Phase::Forward)] = forward;
    return s;
}

} // namespace

class TestWaitGrid : public QObject {
    Q_OBJECT
private slots:
    void addsUpAsByHand();
    void filters();
    void damageIsLeftOut();
    void rankingInSentences();
    void predictions();
    void asText();
};

void TestWaitGrid::addsUpAsByHand() {
    std::mt19937 random(5);
    constexpr int kRanks = 7;
    const std::array<std::string, 3> families{"gradient", "metrics", "sync_max_audio_length"};
    WaitMatrix matrix;
    std::array<std::array<std::array<std::int64_t, 3>, kRanks>, kRanks> byHand{}; // all, data_wait, gradient
    for (int i = 0; i < 500; ++i) {
        const int waiter = static_cast<int>(random() % kRanks), holder = static_cast<int>(random() % kRanks);
        const auto& family = families[random() % 3];
        const auto s = sums(random() % 1000, random() % 1000);
        matrix.add(waiter, holder, family, s);
        auto& cell = byHand[static_cast<std::size_t>(waiter)][static_cast<std::size_t>(holder)];
        cell[0] += s.waitNs;
        cell[1] += s.phaseNs[static_cast<std::size_t>(Phase::DataWait)];
        cell[2] += family == "gradient" ? s.waitNs : 0;
    }
    const std::array<WaitFilter, 3> filters{WaitFilter{}, WaitFilter{Phase::DataWait, {}},
                                            WaitFilter{std::nullopt, "gradient"}};
    for (std::size_t f = 0; f < filters.size(); ++f) {
        const auto grid = gridOf(matrix, kRanks, filters[f]);
        std::int64_t total = 0, most = 0;
        for (int waiter = 0; waiter < kRanks; ++waiter)
            for (int holder = 0; holder < kRanks; ++holder) {
                const auto wanted = byHand[static_cast<std::size_t>(waiter)][static_cast<std::size_t>(holder)][f];
                QCOMPARE(grid.at(waiter, holder), wanted);
                total += wanted;
                most = std::max(most, wanted);
            }
        QCOMPARE(grid.total, total);
        QCOMPARE(grid.most, most);
    }
    QCOMPARE(gridOf(matrix, kRanks, {}).total, matrix.total().waitNs);
}

void TestWaitGrid::filters() {
    WaitMatrix matrix;
    matrix.add(0, 1, "gradient", sums(100, 50));
    matrix.add(2, 1, "metrics", sums(0, 500));
    QCOMPARE(waitFamilies(matrix), (std::vector<std::string>{"metrics", "gradient"}));
    QCOMPARE(waitPhases(matrix), (std::vector<Phase>{Phase::Forward, Phase::DataWait}));
    QCOMPARE(gridOf(matrix, 3, {Phase::DataWait, "metrics"}).total, 0);
    QCOMPARE(gridOf(matrix, 3, {Phase::Forward, "gradient"}).at(0, 1), 50);
}

void TestWaitGrid::damageIsLeftOut() {
    WaitMatrix matrix;
    matrix.add(0, 9, "gradient", sums(100, 0));
    matrix.add(-1, 0, "gradient", sums(100, 0));
    QCOMPARE(gridOf(matrix, 2, {}).total, 0);
    QCOMPARE(gridOf(matrix, 0, {}).ranks, 0);
    QCOMPARE(gridOf(matrix, -3, {}).ranks, 0);
}

void TestWaitGrid::rankingInSentences() {
    WaitMatrix matrix;
    matrix.add(0, 1, "gradient", sums(3'000'000'000, 1'000'000'000));
    matrix.add(2, 1, "gradient", sums(3'000'000'000, 1'000'000'000));
    matrix.add(1, 0, "metrics", sums(0, 2'000'000'000));
    matrix.add(1, 2, "metrics", sums(0, 1'000'000'000));
    auto lines = rankingSentences(matrix, {}, 10);
    QCOMPARE(lines.size(), 3);
    QVERIFY2(lines[0].startsWith(QLatin1String("Rank 1 kept the others waiting for 8.0 s (8.0 s of it blocking), 75 % "
                                               "of it while in data_wait, mostly at gradient")),
             qPrintable(lines[0]));
    QVERIFY(lines[1].startsWith(QLatin1String("Rank 0")) && lines[2].startsWith(QLatin1String("Rank 2")));
    lines = rankingSentences(matrix, {}, 1);
    QCOMPARE(lines.size(), 2);
    QVERIFY(lines[1].contains(QLatin1String("2 more ranks")));
    lines = rankingSentences(matrix, {Phase::Forward, {}}, 10); // ranks 0 and 1: 2 s each in this phase
    QVERIFY2(lines[0].contains(QLatin1String("2.0 s while it was in forward")), qPrintable(lines[0]));
    QCOMPARE(rankingSentences(matrix, {std::nullopt, "metrics"}, 10).size(), 2);
    QCOMPARE(rankingSentences({}, {}, 10),
             QStringList{QStringLiteral("No waits between ranks were recorded in these steps.")});
    QCOMPARE(rankingSentences(matrix, {Phase::Checkpoint, {}}, 10),
             QStringList{QStringLiteral("No rank waited for another in this way.")});
}

void TestWaitGrid::predictions() {
    store::WaitReport report;
    report.worldSize = 2;
    QVERIFY(predictionSentences(report).isEmpty());
    report.replay.steps = 40;
    report.replay.observedNs = 10e9;
    report.replay.balancedNs = 8e9;
    auto text = predictionSentences(report).join(u'\n');
    QVERIFY2(text.startsWith(
                 QLatin1String("Balanced ranks would save up to 2.0 s (20 %): 8.0 s instead of 10.0 s for 40 steps.")),
             qPrintable(text));
    QVERIFY(!text.contains(QLatin1String("length sync")));
    QVERIFY(text.contains(QLatin1String("Assumes that")));
    report.replay.lengthSyncs = 40;
    report.replay.withoutLengthSyncNs = 9e9;
    report.replay.skipped = 3;
    text = predictionSentences(report).join(u'\n');
    QVERIFY2(
        text.contains(QLatin1String("Without the length sync you would save 1.0 s (10 %): 9.0 s instead of 10.0 s.")),
        qPrintable(text));
    QVERIFY(text.contains(QLatin1String("3 steps could not be replayed")));
    report.worldSize = 1;
    QVERIFY(predictionSentences(report).isEmpty());
    QVERIFY(estimateSentence(report).isEmpty());
    auto estimated = sums(100, 0);
    estimated.estimatedNs = 25;
    report.steps = {0, 99};
    report.singleSteps = 40;
    report.matrix.add(0, 1, "gradient", estimated);
    QVERIFY(estimateSentence(report).contains(QLatin1String("40 of 100 steps")));
    QVERIFY(estimateSentence(report).contains(QLatin1String("25 %")));
}

void TestWaitGrid::asText() {
    WaitMatrix matrix;
    matrix.add(0, 1, "gradient", sums(1'500'000'000, 0));
    const auto lines = gridAsText(gridOf(matrix, 2, {})).split(u'\n');
    QCOMPARE(lines[0], QStringLiteral("waiter \\ holder, s\trank 0\trank 1"));
    QCOMPARE(lines[1], QStringLiteral("rank 0\t0.000000\t1.500000"));
    QCOMPARE(lines[2], QStringLiteral("rank 1\t0.000000\t0.000000"));
    const auto pairs = gridAsText(gridOf(matrix, 200, {})).split(u'\n');
    QCOMPARE(pairs[1], QStringLiteral("0\t1\t1.500000"));
    QCOMPARE(pairs.size(), 3);
}

RANKSCOPE_CORE_TEST(TestWaitGrid)
#include "tst_wait_grid.moc"
