// SPDX-License-Identifier: GPL-3.0-or-later
// Places of steps on an axis of samples, compared with counting the samples one by one.
#include "tests/support/test_runner.h"
#include "tests/widgets/synthetic_run.h"
#include "widgets/models/curves/curve_axis.h"
#include "widgets/models/run/run_observer.h"

#include <QTest>

#include <rapidcheck.h>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;
using store::SeriesPoint;

namespace {

SeriesPoint bucket(std::int64_t first, const std::vector<int>& sizes) {
    SeriesPoint point;
    point.firstStep = first;
    point.lastStep = first + std::ssize(sizes) - 1;
    point.count = std::ssize(sizes);
    for (const int size : sizes)
        point.mean += static_cast<double>(size) / static_cast<double>(sizes.size());
    return point;
}

/// Returns points of `grain` steps each.
std::vector<SeriesPoint> pointsOf(const std::vector<int>& sizes, std::size_t grain) {
    std::vector<SeriesPoint> points;
    for (std::size_t i = 0; i < sizes.size(); i += grain)
        points.push_back(bucket(static_cast<std::int64_t>(i),
                                {sizes.begin() + static_cast<std::ptrdiff_t>(i),
                                 sizes.begin() + static_cast<std::ptrdiff_t>(std::min(i + grain, sizes.size()))}));
    return points;
}

} // namespace

class TestCurveAxis : public QObject {
    Q_OBJECT

private slots:
    void countsWhatBruteForceCounts() {
        QVERIFY(rc::check("steps of random batches", [] {
            const auto steps = static_cast<std::size_t>(*rc::gen::inRange(1, 200));
            std::vector<std::vector<int>> sizes;
            std::vector<std::vector<SeriesPoint>> fine, coarse;
            for (int r = 0, ranks = *rc::gen::inRange(1, 5); r < ranks; ++r) {
                sizes.push_back(*rc::gen::container<std::vector<int>>(steps, rc::gen::inRange(0, 40)));
                fine.push_back(pointsOf(sizes.back(), 1));
                coarse.push_back(pointsOf(sizes.back(), 16));
            }
            const SampleAxis exact(fine), rough(coarse);
            double sum = 0, before = -1;
            SampleAxis::Walk walk(exact);
            for (std::size_t s = 0; s < steps; ++s) {
                for (const auto& rank : sizes)
                    sum += rank[s];
                const auto step = static_cast<double>(s);
                RC_ASSERT(std::abs(exact.at(step) - sum) < 1e-6);
                RC_ASSERT(walk.at(step) == exact.at(step));
                if ((s + 1) % 16 == 0) // exact where a bucket ends
                    RC_ASSERT(std::abs(rough.at(step) - sum) < 1e-6);
                RC_ASSERT(rough.at(step) >= before); // never backwards
                before = rough.at(step);
                if (exact.at(step) > exact.at(step - 1))
                    RC_ASSERT(std::abs(exact.stepAt(exact.at(step)) - step) < 1e-6);
            }
            RC_ASSERT(std::abs(exact.total() - sum) < 1e-6 && std::abs(rough.total() - sum) < 1e-6);
        }));
    }

    void refinedWhereItIsAsked() {
        std::vector<int> sizes;
        for (int s = 0; s < 160; ++s)
            sizes.push_back(1 + s * s % 23);
        const std::vector<std::vector<SeriesPoint>> coarse{pointsOf(sizes, 16)}, fine{pointsOf(sizes, 1)};
        const SampleAxis rough(coarse), exact(fine);
        const auto [after, last] = rough.around(40, 50);
        QCOMPARE(after, 31.0);
        QCOMPARE(last, 63.0);
        std::vector<SeriesPoint> part(fine[0].begin() + 32, fine[0].begin() + 64);
        const std::vector<std::vector<SeriesPoint>> parts{part};
        const SampleAxis both = rough.refined(SampleAxis(parts), after, last);
        for (int s = 0; s < 160; ++s) {
            const bool inside = s >= 31 && s <= 63;
            QVERIFY(std::abs(both.at(s) - (inside ? exact : rough).at(s)) < 1e-6);
        }
        QVERIFY(std::abs(rough.at(40) - exact.at(40)) > 0.5); // otherwise the test proves nothing
        QVERIFY(SampleAxis().isEmpty());
        QCOMPARE(SampleAxis().at(5), 0.0);
    }

    void whatTheStoreAnswers() {
        test::SyntheticRun run(2, launch::RunState::Running, 3000);
        const auto batch = [](int rank, std::int64_t step) {
            return rank == 0 ? 3 : 1 + static_cast<int>(step * 7 % 31);
        };
        run.addSteps(3000, [&](int rank, std::int64_t step) {
            test::RankStep s;
            s.loss = static_cast<double>(step);
            s.batch = batch(rank, step);
            return s;
        });
        run.finishStore();
        run.setState(launch::RunState::Finished);
        std::vector<double> seen;
        double sum = 0;
        for (std::int64_t step = 0; step < 3000; ++step)
            seen.push_back(sum += batch(0, step) + batch(1, step));
        RunObserver observer(run.paths());
        QVERIFY(observer.read(1).hasBatchSizes);
        SeriesRequest request;
        request.metrics = {store::Metric::Loss};
        request.axis = CurveAxis::SampleCount;
        request.from = static_cast<std::int64_t>(seen[1500]);
        request.to = static_cast<std::int64_t>(seen[1540]);
        const SeriesReply reply = observer.series(request);
        QCOMPARE(reply.error, QString());
        QVERIFY(reply.samples);
        QVERIFY(std::abs(reply.samples->total() - sum) < 1e-6);
        const auto& points = reply.points[0][0];
        QVERIFY(points.front().firstStep <= 1500 && points.front().firstStep >= 1495);
        QVERIFY(points.back().lastStep >= 1540 && points.back().lastStep <= 1545);
        for (int step = 1500; step <= 1540; ++step)
            QVERIFY2(std::abs(reply.samples->at(step) - seen[static_cast<std::size_t>(step)]) < 1e-6,
                     qPrintable(QString::number(step)));
    }
};

RANKSCOPE_CORE_TEST(TestCurveAxis)
#include "tst_curve_axis.moc"
