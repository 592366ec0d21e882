// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/runs_page/curves/run_curve.h"

using namespace rankscope::ui;

namespace {

Samples curve(std::initializer_list<std::pair<double, double>> points) {
    Samples samples;
    for (const auto& [x, y] : points) {
        Sample s;
        s.x = x;
        s.min = y - 1;
        s.mean = y;
        s.max = y + 1;
        s.count = 4;
        s.firstStep = s.lastStep = static_cast<std::int64_t>(x);
        samples.push_back(s);
    }
    return samples;
}

Samples meanOf(std::initializer_list<const Samples*> runs) {
    return meanOverRuns(std::span(runs.begin(), runs.size()));
}

} // namespace

class GroupCurveTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void meanAndRangeOfTheRuns() {
        const Samples a = curve({{0, 2}, {1, 4}}), b = curve({{0, 4}, {1, 8}});
        const Samples mean = meanOf({&a, &b});
        QCOMPARE(mean.size(), std::size_t{2});
        QCOMPARE(mean[1].x, 1.0);
        QCOMPARE(mean[1].mean, 6.0);
        QCOMPARE(mean[1].min, 4.0); // over the runs, not over their steps
        QCOMPARE(mean[1].max, 8.0);
        QCOMPARE(mean[1].count, std::int64_t{2});
        QCOMPARE(mean[1].firstStep, std::int64_t{1});
    }

    /// A run that ended early has no value after its end and does not count toward the mean there.
    void runsEndAtDifferentSteps() {
        const Samples a = curve({{0, 2}, {10, 2}}), b = curve({{0, 4}, {10, 4}, {20, 4}});
        const Samples mean = meanOf({&a, &b});
        QCOMPARE(mean.back().x, 20.0);
        QCOMPARE(mean.back().mean, 4.0);
        QCOMPARE(mean.back().count, std::int64_t{1});
        QCOMPARE(mean[1].count, std::int64_t{2});
    }

    void runsAreLinesBetweenTheirValues() {
        const Samples a = curve({{0, 0}, {10, 10}}), b = curve({{4, 100}});
        const Samples mean = meanOf({&a, &b});
        QCOMPARE(mean.size(), std::size_t{3});
        QCOMPARE(mean[1].x, 4.0);
        QCOMPARE(mean[1].min, 4.0);
        QCOMPARE(mean[1].mean, 52.0);
    }

    void gapsAreNotBridged() {
        Samples a = curve({{0, 1}, {1, 1}, {2, 1}});
        a[1].count = 0;
        a[1].notFinite = 1;
        const Samples b = curve({{0, 3}, {0.5, 3}, {2, 3}});
        const Samples mean = meanOf({&a, &b});
        QCOMPARE(mean.size(), std::size_t{4});
        QCOMPARE(mean[1].mean, 3.0); // x = 0.5
        QCOMPARE(mean[1].count, std::int64_t{1});
        QCOMPARE(mean[2].notFinite, std::int64_t{1}); // x = 1
        QCOMPARE(mean[2].mean, 3.0);
        QCOMPARE(mean[3].mean, 2.0);
        QVERIFY(meanOf({&a})[1].isGap());
    }

    void longCurvesAreThinned() {
        Samples a;
        for (int i = 0; i < 30'000; ++i)
            a.push_back(curve({{static_cast<double>(i), 5}}).front());
        const Samples empty, mean = meanOf({&empty, &a});
        QCOMPARE(mean.size(), kMostGroupPoints);
        QCOMPARE(mean.front().x, 0.0);
        QCOMPARE(mean.back().x, 29'999.0);
        QCOMPARE(mean[4000].mean, 5.0);
        QVERIFY(meanOf({}).empty());
        QVERIFY(meanOf({&empty}).empty());
    }
};

RANKSCOPE_TEST(GroupCurveTest)
#include "tst_run_curve.moc"
