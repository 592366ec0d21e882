// SPDX-License-Identifier: Apache-2.0
#include "core/store/figures/range_figures.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

/// Four utterances that make up this share of the computed frames.
static AnyRecord batch(std::int64_t step, std::int64_t longest, double padding) {
    telemetry::BatchRecord record;
    record.header.step = step;
    record.header.timeNs = kStartNs + step * 1'000'000'000;
    record.size = 4;
    record.framesMax = longest;
    record.framesSum = std::llround(static_cast<double>(4 * longest) * (1 - padding));
    record.paddedFrames = 4 * longest;
    record.paddingShare = padding;
    return AnyRecord::of(record);
}

class TestRangeFigures : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    std::filesystem::path file() const { return m_dir->filePath("run.sqlite").toStdString(); }
    void write(const std::vector<AnyRecord>& rank0, const std::vector<AnyRecord>& rank1) const {
        auto store = RunWriter::open(file(), meta(2));
        QVERIFY(store);
        commit(*store, 0, rank0);
        commit(*store, 1, rank1);
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void onlyTheStepsOfTheRangeCount() {
        std::vector<AnyRecord> rank0, rank1;
        for (std::int64_t step = 0; step < 10; ++step) {
            rank0.push_back(batch(step, 100 * step + 4, step == 2 ? 0.5 : 0));
            rank0.push_back(stepRecord(step, static_cast<double>(10 - step)));
            rank1.push_back(stepRecord(step, step == 4 ? std::nan("") : 5));
        }
        write(rank0, rank1);
        auto reader = take(RunReader::open(file()));
        const auto figures = take(readRangeFigures(reader, {2, 5}));
        QCOMPARE(figures.waits.steps, (StepInterval{2, 5}));
        QCOMPARE(figures.ranks.size(), std::size_t(2));
        const auto& first = figures.ranks[0];
        QCOMPARE(first.steps, 4);
        QCOMPARE(first.meanLoss, 6.5);
        QCOMPARE(first.leastLoss, 5.0);
        QCOMPARE(first.mostLoss, 8.0);
        QCOMPARE(first.stepNs, 900'000'000.0);
        QCOMPARE(first.stepsPerSecond(), 1 / 0.9);
        QCOMPARE(first.longestFrames, 504.0);
        QCOMPARE(first.paddingShare, 1 - (0.5 * 204 + 304 + 404 + 504) / (204 + 304 + 404 + 504));
        const auto& second = figures.ranks[1];
        QCOMPARE(second.steps, 4); // the step with the NaN as well
        QCOMPARE(second.meanLoss, 5.0);
        QVERIFY(std::isnan(second.longestFrames) && std::isnan(second.paddingShare));
        QCOMPARE(figures.incidents, 0);
    }
    void manySteps() {
        std::vector<AnyRecord> records;
        for (std::int64_t step = 0; step < 20'000; ++step)
            records.push_back(stepRecord(step, step == 19'999 ? 7 : 1));
        write(records, {records.begin(), records.begin() + 5});
        auto reader = take(RunReader::open(file()));
        const auto figures = take(readRangeFigures(reader, {0, INT64_MAX}));
        QCOMPARE(figures.ranks[0].steps, 20'000);
        QCOMPARE(figures.ranks[0].mostLoss, 7.0);
        QCOMPARE(figures.ranks[1].steps, 5);
        QVERIFY(take(readRangeFigures(reader, {30'000, 40'000})).ranks.empty());
        const auto cancelled = readRangeFigures(reader, {0, INT64_MAX}, [] { return true; });
        QVERIFY(!cancelled && cancelled.error().code == Errc::Busy);
    }
};

RANKSCOPE_CORE_TEST(TestRangeFigures)
#include "tst_range_figures.moc"
