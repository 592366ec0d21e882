// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/plots/axes/sample_reduction.h"

#include <QTest>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;

static Samples ramp(int n, double (*value)(int)) {
    std::vector<store::SeriesPoint> points;
    for (int i = 0; i < n; ++i) {
        store::SeriesPoint p;
        p.firstStep = p.lastStep = i;
        p.beginNs = i * 1'000'000'000LL;
        p.endNs = p.beginNs + 1'000'000'000;
        p.count = 1;
        p.min = p.mean = p.max = value(i);
        points.push_back(p);
    }
    return samplesFrom(points, CurveAxis::Step, 1);
}

class TestSeriesShape : public QObject {
    Q_OBJECT
private slots:
    void axisAndScale();
    void noSpikeIsLost();
    void fewPointsStayAsTheyAre();
    void smoothingConvergesWithoutBias();
    void smoothingCountsSteps();
    void gapsStay();
    void extentsSeeNeighbours();
    void bandSpansRanks();
    void aCurveIsContinued();
    void nearestSample();
};

void TestSeriesShape::axisAndScale() {
    store::SeriesPoint p;
    p.firstStep = 8;
    p.lastStep = 15;
    p.beginNs = 2'000'000'000;
    p.endNs = 4'000'000'000;
    p.count = 8;
    p.min = 1e9;
    p.mean = 2e9;
    p.max = 5e9;
    const auto steps = samplesFrom(std::span(&p, 1), CurveAxis::Step, 1e-9);
    QCOMPARE(steps[0].x, 11.5);
    QCOMPARE(steps[0].max, 5.0);
    QVERIFY(steps[0].isBucket());
    QCOMPARE(samplesFrom(std::span(&p, 1), CurveAxis::Time, 1e-9)[0].x, 3.0);
}

void TestSeriesShape::noSpikeIsLost() {
    const Samples samples = ramp(100'000, [](int i) { return i == 54'321 ? 1000.0 : std::sin(i * 0.01); });
    const Samples few = reduceToPixels(samples, {0, 99'999}, 500);
    QVERIFY(few.size() <= 501);
    double highest = 0, sum = 0;
    std::int64_t count = 0;
    for (const auto& s : few) {
        highest = std::max(highest, s.max);
        QVERIFY(s.min <= s.mean && s.mean <= s.max);
        sum += s.mean * static_cast<double>(s.count);
        count += s.count;
    }
    QCOMPARE(highest, 1000.0);
    QCOMPARE(count, std::int64_t{100'000});
    double exact = 0;
    for (const auto& s : samples)
        exact += s.mean;
    QVERIFY(std::abs(sum - exact) < 1e-6 * std::abs(exact) + 1e-6);
}

void TestSeriesShape::fewPointsStayAsTheyAre() {
    const Samples samples = ramp(50, [](int i) { return static_cast<double>(i); });
    const Samples same = reduceToPixels(samples, {0, 49}, 1000);
    QCOMPARE(same.size(), samples.size());
    for (std::size_t i = 0; i < same.size(); ++i)
        QCOMPARE(same[i].mean, samples[i].mean);
}

void TestSeriesShape::smoothingConvergesWithoutBias() {
    const Samples flat = ramp(30, [](int) { return 6.5; });
    for (const auto& s : smoothed(flat, 10))
        QVERIFY(std::abs(s.mean - 6.5) < 1e-12);
    const Samples jump = ramp(200, [](int i) { return i < 100 ? 0.0 : 1.0; });
    const Samples smooth = smoothed(jump, 10);
    QVERIFY(std::abs(smooth[109].mean - 0.5) < 0.01); // one half-life after the jump
    QVERIFY(smooth[199].mean > 0.99);
}

void TestSeriesShape::smoothingCountsSteps() {
    const Samples single = ramp(64, [](int i) { return i < 32 ? 0.0 : 1.0; });
    const Samples eights = reduceToPixels(single, {0, 64}, 8);
    QCOMPARE(eights.size(), std::size_t{8});
    QVERIFY(std::abs(smoothed(single, 10).back().mean - smoothed(eights, 10).back().mean) < 0.02);
}

void TestSeriesShape::gapsStay() {
    Samples samples = ramp(10, [](int i) { return i == 4 ? NAN : 1.0; });
    QVERIFY(samples[4].isGap());
    QVERIFY(smoothed(samples, 3)[4].isGap());
    QVERIFY(!smoothed(samples, 3)[5].isGap());
    QVERIFY(std::isfinite(extentOf(samples, {0, 9}).hi));
    QVERIFY(std::isfinite(reduceToPixels(samples, {0, 9}, 2)[0].mean));
}

void TestSeriesShape::extentsSeeNeighbours() {
    const Samples samples = ramp(100, [](int i) { return static_cast<double>(i); });
    const Extent extent = extentOf(samples, {10.2, 12.8});
    QCOMPARE(extent.lo, 10.0);
    QCOMPARE(extent.hi, 13.0);
    QVERIFY(!extentOf({}, {0, 1}).any);
    QCOMPARE(extentOf(samples, {0, 5}, true).lo, 1.0);
}

void TestSeriesShape::bandSpansRanks() {
    const Samples a = ramp(20, [](int i) { return static_cast<double>(i); });
    const Samples b = ramp(10, [](int i) { return i + 4.0; });
    const std::vector<const Samples*> both{&a, &b};
    const Samples band = bandAcross(both);
    QCOMPARE(band.size(), std::size_t{20});
    QCOMPARE(band[3].min, 3.0);
    QCOMPARE(band[3].max, 7.0);
    QCOMPARE(band[3].mean, 5.0);
    QCOMPARE(band[15].max, 15.0); // rank b has ended
}

void TestSeriesShape::aCurveIsContinued() {
    const Samples all = ramp(46, [](int i) { return static_cast<double>(i); });
    const Samples older(all.begin(), all.begin() + 42), window(all.begin() + 20, all.end());
    QCOMPARE(continued(older, window), all);
    QCOMPARE(continued(all, older), all); // what is older changes nothing
    QCOMPARE(continued(older, {}), older);
    QCOMPARE(continued(older, Samples(all.begin() + 42, all.end())), all);
    QCOMPARE(continued(older, Samples(all.begin() + 43, all.end())), older); // step 42 is missing between them
    QVERIFY(continued({}, window).empty());
}

void TestSeriesShape::nearestSample() {
    const Samples samples = ramp(10, [](int i) { return static_cast<double>(i); });
    QCOMPARE(nearest(samples, 3.4)->x, 3.0);
    QCOMPARE(nearest(samples, 3.6)->x, 4.0);
    QCOMPARE(nearest(samples, -9)->x, 0.0);
    QCOMPARE(nearest(samples, 99)->x, 9.0);
    QVERIFY(!nearest({}, 1));
    QCOMPARE(lastUntil(samples, 3.9)->x, 3.0);
    QCOMPARE(lastUntil(samples, 4)->x, 4.0);
    QCOMPARE(lastUntil(samples, 99)->x, 9.0);
    QVERIFY(!lastUntil(samples, -0.1));
}

RANKSCOPE_CORE_TEST(TestSeriesShape)
#include "tst_sample_reduction.moc"
