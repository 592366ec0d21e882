// SPDX-License-Identifier: GPL-3.0-or-later
// Outliers, peaks beyond the range, zooming and moving in y.
#include "tests/support/test_runner.h"
#include "widgets/plots/axes/plot_y_axis.h"
#include "widgets/plots/curves/curve_smoothing.h"

#include <QTest>

#include <cmath>

using namespace rankscope::ui;

namespace {

Samples curve(const std::vector<double>& values) {
    Samples samples;
    for (std::size_t i = 0; i < values.size(); ++i) {
        Sample s;
        s.x = static_cast<double>(i);
        s.firstStep = s.lastStep = static_cast<std::int64_t>(i);
        s.min = s.mean = s.max = values[i];
        s.count = std::isnan(values[i]) ? 0 : 1;
        samples.push_back(s);
    }
    return samples;
}

Extent typical(const std::vector<Samples>& curves, PlotRange window, bool log = false) {
    std::vector<const Samples*> all;
    for (const auto& c : curves)
        all.push_back(&c);
    return typicalExtent(all, window, log);
}

std::vector<double> waves(int n) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i)
        values.push_back(1 + 0.1 * std::sin(i));
    return values;
}

} // namespace

class TestYFit : public QObject {
    Q_OBJECT

private slots:
    void aPeakIsLeftOut() {
        auto values = waves(100);
        values[40] = 50;
        const Extent most = typical({curve(values)}, {0, 99});
        QVERIFY(most.any);
        QVERIFY(most.hi < 1.2 && most.lo > 0.8);
        values[70] = -9;
        QVERIFY(typical({curve(values)}, {0, 99}).lo > 0.8);
        QCOMPARE(typical({curve(values)}, {35, 44}).hi < 1.2, true); // ten values
        QCOMPARE(typical({curve(values)}, {38, 42}).hi, 50.0);       // among five values, none is an outlier
    }
    void withoutOutliersAllOfItCounts() {
        const auto values = waves(200);
        const Extent most = typical({curve(values)}, {0, 199});
        QCOMPARE(most.hi, *std::max_element(values.begin(), values.end()));
        QCOMPARE(most.lo, *std::min_element(values.begin(), values.end()));
        const Extent zeros = typical({curve(std::vector<double>(50, 0.0))}, {0, 49});
        QVERIFY(zeros.any);
        QCOMPARE(zeros.hi, 0.0);
    }
    void aPeakAboveConstantValues() {
        std::vector<double> values(60, 4.0);
        values[10] = 400;
        QCOMPARE(typical({curve(values)}, {0, 59}).hi, 4.0);
        values.assign(60, 0.0); // no usual size can be derived
        values[10] = 5;
        QCOMPARE(typical({curve(values)}, {0, 59}).hi, 5.0);
    }
    void onALogScaleFactorsCount() {
        std::vector<double> values;
        for (int i = 0; i < 100; ++i)
            values.push_back(std::pow(10.0, i % 3));
        values[50] = 1000; // as far from 100 as 100 is from 10
        QCOMPARE(typical({curve(values)}, {0, 99}, true).hi, 1000.0);
        values[50] = 1e9;
        QCOMPARE(typical({curve(values)}, {0, 99}, true).hi, 100.0);
        values[51] = 0; // has no place on a log scale
        QCOMPARE(typical({curve(values)}, {0, 99}, true).lo, 1.0);
    }
    void bucketsAndGaps() {
        auto samples = curve(waves(100));
        samples[30].max = 80;
        samples[31].count = 0;
        samples[31].min = samples[31].mean = samples[31].max = std::nan("");
        const std::vector<const Samples*> one{&samples};
        QVERIFY(typicalExtent(one, {0, 99}, false).hi < 1.2);
        QVERIFY(!typical({curve({})}, {0, 99}).any);
        QVERIFY(!typical({curve(waves(20))}, {50, 60}).any);
    }
    void oneMarkForEachStretchBeyond() {
        const auto peaks = cutPeaks(curve({1, 5, 9, 6, 1, -4, 1, 7}), {0, 7}, {0, 4});
        QCOMPARE(peaks.size(), std::size_t(3));
        QCOMPARE(peaks[0], (CutPeak{2, 9, true}));
        QCOMPARE(peaks[1], (CutPeak{5, -4, false}));
        QCOMPARE(peaks[2], (CutPeak{7, 7, true}));
        QCOMPARE(cutPeaks(curve({1, 5, 9, 6, 1}), {3, 4}, {0, 4}).size(), std::size_t(1));
        QVERIFY(cutPeaks(curve({1, 2, 3}), {0, 2}, {1, 3}).empty());
    }
    void zoomKeepsWhatLiesUnderThePointer() {
        const PlotRange in = zoomedY({0, 10}, 4, 0.5, false);
        QCOMPARE(in, (PlotRange{2, 7}));
        const PlotRange log = zoomedY({1, 10'000}, 100, 0.5, true);
        QVERIFY(std::abs(log.lo - 10) < 1e-9 && std::abs(log.hi - 1000) < 1e-6);
        PlotRange range{0.5, 2};
        for (int i = 0; i < 500; ++i)
            range = zoomedY(range, 1, 0.5, false);
        QVERIFY(range.width() > 0);
        for (int i = 0; i < 500; ++i)
            range = zoomedY(range, 1, 2, false);
        QVERIFY(std::isfinite(range.lo) && std::isfinite(range.hi));
        for (int i = 0; i < 500; ++i)
            range = zoomedY({std::max(range.lo, 1e-9), range.hi}, 1, 2, true);
        QVERIFY(range.lo > 0 && std::isfinite(range.hi));
    }
    void moving() {
        QCOMPARE(movedY({0, 10}, 4, 6, false), (PlotRange{-2, 8}));
        const PlotRange log = movedY({1, 100}, 10, 1, true);
        QVERIFY(std::abs(log.lo - 10) < 1e-9 && std::abs(log.hi - 1000) < 1e-9);
    }
    void sliderAndHalfLife() {
        double before = 0;
        for (int i = 0; i <= CurveSmoothing::kPositions; ++i) {
            const double steps = CurveSmoothing::halfLifeAt(i);
            QVERIFY(steps >= before && steps == std::round(steps));
            before = steps;
        }
        QCOMPARE(CurveSmoothing::halfLifeAt(0), CurveSmoothing::kLeastHalfLife);
        QCOMPARE(before, CurveSmoothing::kMostHalfLife);
        for (const int i : {30, 55, 80, 100})
            QCOMPARE(CurveSmoothing::positionOf(CurveSmoothing::halfLifeAt(i)), i);
    }
    void smoothedOncePerSeries() {
        CurveSmoothing smoothing;
        auto values = waves(100);
        values[50] = 9;
        const Samples series = curve(values);
        const Samples& first = smoothing.of(1, series);
        QCOMPARE(smoothing.of(1, curve({})).data(), first.data()); // kept until forget()
        const double weak = first[50].mean;
        QVERIFY(smoothing.setHalfLife(40));
        QVERIFY(!smoothing.setHalfLife(40));
        QVERIFY(smoothing.of(1, series)[50].mean < weak);
        smoothing.forget();
        QVERIFY(smoothing.of(1, curve({})).empty());
        // a part of the earlier curve is smoothed as the whole was
        smoothing.forget();
        const double whole = smoothing.of(1, series)[60].mean;
        smoothing.forget();
        const Samples part(series.begin() + 55, series.begin() + 70);
        QCOMPARE(smoothing.of(1, part).size(), std::size_t(15));
        QVERIFY(std::abs(smoothing.of(1, part)[5].mean - whole) < 1e-12);
        smoothing.clear();
        QVERIFY(std::abs(smoothing.of(1, part)[5].mean - whole) > 1e-3);
        smoothing.setHalfLife(std::nan(""));
        QCOMPARE(smoothing.halfLife(), CurveSmoothing::kUsualHalfLife);
    }
};

RANKSCOPE_CORE_TEST(TestYFit)
#include "tst_y_fit.moc"
