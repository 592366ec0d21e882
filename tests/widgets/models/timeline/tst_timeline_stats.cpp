// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics and the summary of a part of a run, compared with sums that the test computes.
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/models/tables/stats_model.h"
#include "widgets/models/timeline/duration_digest.h"
#include "widgets/models/timeline/timeline_stats.h"
#include "widgets/models/timeline/timeline_summary.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include <cmath>
#include <random>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using telemetry::Phase;
using test::SyntheticRun;
using test::timelineStep;

class TestTimelineStats : public QObject {
    Q_OBJECT
private slots:
    void fewDurationsAreExact();
    void manyDurationsAreWithinAHalfPercent();
    void phasesAndWaitsOfAPart();
    void spansAreCutAtTheEdges();
    void thinnedStepsCountWithTheirSums();
    void emptyPartAndCalledOff();
    void tableSortsAndWritesCsv();
    void summaryTellsWaitingAndStepTime();

private:
    static const StatsRow* rowOf(const TimelineStats& stats, Phase phase, int rank) {
        for (const StatsRow& row : stats.rows)
            if (!row.wait && row.phase == phase && row.rank == rank)
                return &row;
        return nullptr;
    }
    static const StatsRow* waitOf(const TimelineStats& stats, const char* family, int rank) {
        for (const StatsRow& row : stats.rows)
            if (row.wait && row.family == family && row.rank == rank)
                return &row;
        return nullptr;
    }
    static TimelineStats read(const SyntheticRun& run, std::int64_t fromNs, std::int64_t toNs) {
        auto reader = store::RunReader::open(run.paths().store());
        if (!reader)
            return {};
        auto stats = readStats(*reader, {run.paths().store(), fromNs, toNs}, {});
        return stats ? *stats : TimelineStats{};
    }
};

void TestTimelineStats::fewDurationsAreExact() {
    DurationDigest digest;
    QCOMPARE(digest.quantile(0.5), 0);
    for (std::int64_t ns = 100; ns >= 1; --ns)
        digest.add(ns * 1'000'003);
    QCOMPARE(digest.count(), 100);
    QCOMPARE(digest.sumNs(), 5050 * 1'000'003LL);
    QCOMPARE(digest.quantile(0.5), 50 * 1'000'003LL);
    QCOMPARE(digest.quantile(0.95), 95 * 1'000'003LL);
    QCOMPARE(digest.quantile(1), digest.maxNs());
    QCOMPARE(digest.quantile(0), 1'000'003);
}

void TestTimelineStats::manyDurationsAreWithinAHalfPercent() {
    std::mt19937_64 random(7);
    std::vector<std::int64_t> all;
    DurationDigest digest;
    std::int64_t sum = 0;
    for (int i = 0; i < 50'000; ++i) {
        const auto ns = static_cast<std::int64_t>(std::exp(std::normal_distribution(14.0, 3.0)(random)));
        all.push_back(ns);
        sum += ns;
        digest.add(ns);
    }
    std::sort(all.begin(), all.end());
    QCOMPARE(digest.count(), 50'000);
    QCOMPARE(digest.sumNs(), sum);
    QCOMPARE(digest.maxNs(), all.back());
    for (const double share : {0.01, 0.25, 0.5, 0.9, 0.95, 0.999}) {
        const auto exact = static_cast<double>(all[static_cast<std::size_t>(std::ceil(share * 50'000)) - 1]);
        const auto found = static_cast<double>(digest.quantile(share));
        QVERIFY2(std::abs(found - exact) <= 0.005 * exact + 1,
                 qPrintable(QStringLiteral("p%1: %2 for %3").arg(share).arg(found).arg(exact)));
    }
}

void TestTimelineStats::phasesAndWaitsOfAPart() {
    SyntheticRun run(3, RunState::Finished, 100);
    run.addSteps(100, timelineStep);
    run.finishStore();
    const std::int64_t from = run.stepBegin(40) - run.info().startNs, to = run.stepBegin(50) - run.info().startNs;
    const TimelineStats stats = read(run, from + 1, to - 1); // the neighbouring steps are not in the range
    QCOMPARE(stats.steps, 10);
    QCOMPARE(stats.summedSteps, 0);
    const auto* forward = rowOf(stats, Phase::Forward, 2);
    QVERIFY(forward);
    QCOMPARE(forward->count, 10);
    QCOMPARE(forward->sumNs, 300'000'000);
    QCOMPARE(forward->medianNs, 30'000'000);
    QCOMPARE(forward->maxNs, 30'000'000);
    QVERIFY(std::abs(forward->share - 3e8 / static_cast<double>(to - 2 - from)) < 1e-9);
    const auto* all = rowOf(stats, Phase::Forward, StatsRow::kAllRanks);
    QVERIFY(all && all->count == 30 && all->sumNs == 900'000'000);
    QVERIFY(std::abs(all->share - forward->share) < 1e-9); // the same on each rank
    // rank 1 is late in two of ten steps: visible in the 95th percentile, not in the median
    const auto* data = rowOf(stats, Phase::DataWait, 1);
    QVERIFY(data);
    QCOMPARE(data->medianNs, 10'000'000);
    QCOMPARE(data->p95Ns, 10'000'000 + test::kLateNs);
    QCOMPARE(data->sumNs, 100'000'000 + 2 * test::kLateNs - 1); // the range cuts off the first nanosecond
    QCOMPARE(data->longestRank, 1);
    QVERIFY(data->longest.step == 40 || data->longest.step == 45);
    const auto* wait = waitOf(stats, "gradient", 0);
    QVERIFY(wait);
    QCOMPARE(wait->count, 2);
    QCOMPARE(wait->sumNs, 2 * test::kLateNs);
    QVERIFY(!waitOf(stats, "gradient", 1)); // the holder does not wait
    QCOMPARE(waitOf(stats, "gradient", StatsRow::kAllRanks)->sumNs, 4 * test::kLateNs);
}

void TestTimelineStats::spansAreCutAtTheEdges() {
    SyntheticRun run(1, RunState::Finished, 10);
    run.addSteps(10, timelineStep);
    run.finishStore();
    const std::int64_t step = run.stepBegin(4) - run.info().startNs;
    // forward takes the time from 10 to 40 ms
    const TimelineStats stats = read(run, step + 25'000'000, step + 45'000'000);
    const auto* forward = rowOf(stats, Phase::Forward, 0);
    QVERIFY(forward);
    QCOMPARE(forward->count, 1);
    QCOMPARE(forward->sumNs, 15'000'000);
    QVERIFY(std::abs(forward->share - 0.75) < 1e-9);
    QCOMPARE(forward->longest.lengthNs(), 30'000'000); // the link leads to the whole span
    QVERIFY(!rowOf(stats, Phase::DataWait, 0));
}

void TestTimelineStats::thinnedStepsCountWithTheirSums() {
    store::Retention retention;
    retention.newestSteps = 20;
    SyntheticRun run(2, RunState::Finished, 200, retention);
    for (int i = 0; i < 20; ++i)
        run.addSteps(10, timelineStep);
    run.finishStore();
    const TimelineStats stats = read(run, 0, run.stepBegin(199) - run.info().startNs + SyntheticRun::kStepNs);
    QCOMPARE(stats.steps, 200);
    QVERIFY2(stats.summedSteps > 100 && stats.summedSteps <= 180, qPrintable(QString::number(stats.summedSteps)));
    const auto* forward = rowOf(stats, Phase::Forward, 0);
    QVERIFY(forward);
    QCOMPARE(forward->count, 200); // one per step, whether it is kept individually or not
    QCOMPARE(forward->sumNs, 200 * 30'000'000LL);
    QCOMPARE(rowOf(stats, Phase::ToDevice, 0)->sumNs, 200 * 8 * 5'000LL);
    QCOMPARE(waitOf(stats, "gradient", 0)->sumNs, 39 * test::kLateNs + 3'000'000'000LL);
}

void TestTimelineStats::emptyPartAndCalledOff() {
    SyntheticRun run(2, RunState::Finished, 400);
    run.addSteps(400, timelineStep);
    run.finishStore();
    QVERIFY(read(run, -2'000'000'000, -1'000'000'000).rows.empty());
    auto reader = store::RunReader::open(run.paths().store());
    QVERIFY(reader);
    std::vector<double> told;
    const StatsRequest all{run.paths().store(), 0, run.stepBegin(399) - run.info().startNs};
    const auto whole = readStats(*reader, all, [&](double share) {
        told.push_back(share);
        return true;
    });
    QVERIFY(whole && !told.empty() && std::is_sorted(told.begin(), told.end()) && told.back() <= 1);
    const auto stopped = readStats(*reader, all, [](double) { return false; });
    QVERIFY(!stopped && stopped.error().code == Errc::Busy);
}

void TestTimelineStats::tableSortsAndWritesCsv() {
    StatsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    StatsRow row;
    row.phase = Phase::Forward;
    row.rank = 1;
    row.count = 1200;
    row.sumNs = 2'500'000'000;
    row.meanNs = row.medianNs = row.p95Ns = 2'083'333;
    row.maxNs = 5'000'000;
    row.share = 0.125;
    StatsRow wait = row;
    wait.wait = true;
    wait.family = "odd,\"name";
    wait.rank = StatsRow::kAllRanks;
    model.setRows({row, wait});
    model.setRows({row});
    model.setRows({row, wait});
    QCOMPARE(model.index(0, StatsModel::CountColumn).data().toString(), QStringLiteral("1,200"));
    QCOMPARE(model.index(0, StatsModel::ShareColumn).data().toString(), QStringLiteral("12.5 %"));
    QCOMPARE(model.index(0, StatsModel::SumColumn).data(StatsModel::SortRole).toLongLong(), 2'500'000'000);
    QCOMPARE(model.csvLine(0), QStringLiteral("phase,forward,1,1200,2.500000000,0.002083333,0.002083333,0.002083333,"
                                              "0.005000000,0.125000\r\n"));
    QVERIFY(model.csvLine(1).startsWith(QStringLiteral("wait,\"odd,\"\"name\",all,1200,")));
}

void TestTimelineStats::summaryTellsWaitingAndStepTime() {
    SyntheticRun run(2, RunState::Finished, 100);
    run.addSteps(100, timelineStep);
    run.finishStore();
    auto reader = store::RunReader::open(run.paths().store());
    QVERIFY(reader);
    const std::int64_t stall = run.stepBegin(60) - run.info().startNs;
    const std::int64_t end = run.stepBegin(99) - run.info().startNs + SyntheticRun::kStepNs;
    const auto summary = readSummary(*reader, {run.paths().store(), 0, end, 400}, {});
    QVERIFY(summary);
    QCOMPARE(summary->columns.size(), std::size_t{400});
    const auto at = [&](std::int64_t ns) {
        return summary->columns[static_cast<std::size_t>(static_cast<double>(ns) / summary->columnNs())];
    };
    const auto held = at(stall + 1'500'000'000), usual = at(run.stepBegin(12) - run.info().startNs + 50'000'000);
    QVERIFY2(held.longestStepNs > 2'900'000'000, qPrintable(QString::number(held.longestStepNs)));
    QVERIFY(usual.longestStepNs > 0 && usual.longestStepNs < 200'000'000);
    QCOMPARE(held.firstStep, 60);
    QCOMPARE(usual.firstStep, 12);
    QVERIFY2(held.data > 0.3F && held.data <= 1, qPrintable(QString::number(static_cast<double>(held.data))));
    // a part without steps has no summary
    SummaryBuilder empty({{}, 0, 1000, 10});
    empty.add({}, {}, {});
    for (const auto& column : empty.take().columns)
        QVERIFY(column.blocked < 0 && column.longestStepNs == 0);
    const auto stopped = readSummary(*reader, {run.paths().store(), 0, end, 400}, [] { return true; });
    QVERIFY(!stopped && stopped.error().code == Errc::Busy);
}

RANKSCOPE_CORE_TEST(TestTimelineStats)
#include "tst_timeline_stats.moc"
