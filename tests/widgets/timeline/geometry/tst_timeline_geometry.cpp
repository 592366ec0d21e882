// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/timeline/geometry/timeline_geometry.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace rankscope;
using namespace rankscope::ui;

class TestTimelineGeometry : public QObject {
    Q_OBJECT
private slots:
    void pixelAndTimeAreEachOthersInverse();
    void zoomKeepsWhatIsUnderTheCursor();
    void axisFromHoursToMicroseconds();
    void momentsHaveTheDigitsAskedFor();
    void lanesAndRows();
    void lanesGrowWithTheRoom();
    void stepNumbersAreRegular();
    void arrowsEndAtTheHoldersArrival();
    void arrowsOfManyRanksLieApart();
};

void TestTimelineGeometry::pixelAndTimeAreEachOthersInverse() {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        const double lo = std::uniform_real_distribution(0.0, 1e14)(random);
        const double width = std::pow(10.0, std::uniform_real_distribution(3.0, 14.0)(random));
        const TimeScale scale{{lo, lo + width}, 1200};
        const double x = std::uniform_real_distribution(-200.0, 1400.0)(random);
        QVERIFY2(std::abs(scale.x(scale.ns(x)) - x) < 0.02, qPrintable(QString::number(scale.x(scale.ns(x)) - x)));
    }
    const TimeScale scale{{1000, 2000}, 100};
    QCOMPARE(scale.x(1500), 50.0);
    QCOMPARE(scale.ns(25), 1250.0);
    QCOMPARE(scale.nsPerPixel(), 10.0);
}

void TestTimelineGeometry::zoomKeepsWhatIsUnderTheCursor() {
    PlotRange window{0, 3.6e12};
    const PlotRange limits = window;
    const double centre = 1.234567890123e12;
    for (int i = 0; i < 120; ++i) {
        const TimeScale before{window, 1000};
        const double x = before.x(centre);
        window = zoomed(window, centre, 0.8, limits, TimeScale::kShortestNs);
        const TimeScale after{window, 1000};
        QVERIFY(std::abs(after.x(centre) - x) < 0.5);
    }
    QVERIFY(std::abs(window.width() - TimeScale::kShortestNs) < 1); // the shortest window
}

void TestTimelineGeometry::axisFromHoursToMicroseconds() {
    for (double width = 2e3; width < 4e14; width *= 3.7)
        for (const double lo : {0.0, 1.23e9, 3.7e12 + 123'456'789}) {
            const auto axis = timeAxis({lo, lo + width}, 8);
            QVERIFY2(axis.ticks.size() >= 2 && axis.ticks.size() <= 8,
                     qPrintable(QStringLiteral("%1 ticks at %2").arg(axis.ticks.size()).arg(width)));
            QSet<QString> labels;
            for (const auto& tick : axis.ticks) {
                QVERIFY(tick.ns >= lo - 1 && tick.ns <= lo + width + 1);
                labels.insert(tick.label);
            }
            QCOMPARE(labels.size(), static_cast<qsizetype>(axis.ticks.size())); // no two are the same
        }
    const auto fine = timeAxis({3'723'000'000'000 + 500'000, 3'723'000'000'000 + 510'000}, 4);
    QCOMPARE(fine.base, QStringLiteral("1:02:03.000"));
    QCOMPARE(fine.ticks.front().label, QStringLiteral("+500 µs"));
    const auto middle = timeAxis({61e9, 61.16e9}, 4);
    QCOMPARE(middle.base, QStringLiteral("1:01"));
    QCOMPARE(middle.ticks[1].label, QStringLiteral("+50 ms"));
    const auto coarse = timeAxis({0, 7200e9}, 4);
    QVERIFY(coarse.base.isEmpty());
    QCOMPARE(coarse.ticks.back().label, QStringLiteral("2:00:00"));
}

void TestTimelineGeometry::momentsHaveTheDigitsAskedFor() {
    QCOMPARE(momentText(3'723'123'456'789.0, 1), QStringLiteral("1:02:03.123456789"));
    QCOMPARE(momentText(3'723'123'456'789.0, 1e6), QStringLiteral("1:02:03.123"));
    QCOMPARE(momentText(3'723'123'456'789.0, 1e9), QStringLiteral("1:02:03"));
    QCOMPARE(momentText(5e6, 1e6), QStringLiteral("0:00.005"));
    QCOMPARE(momentText(-1.5e9, 1e8), QStringLiteral("−0:01.5"));
}

void TestTimelineGeometry::lanesAndRows() {
    for (const LaneLayout& layout : {LaneLayout::of(2), LaneLayout::of(8), LaneLayout::of(1024)}) {
        int phases = 0, collectives = 0;
        for (int y = -5; y < 3 * layout.height() + 5; ++y) {
            const auto hit = laneAt(y, layout, 3);
            QCOMPARE(hit.rank, y < 0 || y >= 3 * layout.height() ? -1 : y / layout.height());
            phases += hit.part == LanePart::Phases;
            collectives += hit.part == LanePart::Collectives;
        }
        QCOMPARE(phases, 3 * layout.phases);
        QCOMPARE(collectives, 3 * layout.collectives);
        for (int rows = 1; rows <= 3; ++rows)
            for (int row = 0; row < rows; ++row) {
                QVERIFY(layout.rowHeight(row, rows) >= 1);
                QVERIFY(layout.rowTop(row, rows) + layout.rowHeight(row, rows) <=
                        layout.collectiveTop() + layout.collectives);
            }
    }
}

void TestTimelineGeometry::lanesGrowWithTheRoom() {
    QCOMPARE(LaneLayout::of(2, 100).height(), LaneLayout::of(2).height());
    QCOMPARE(LaneLayout::of(2, 240).height(), 120);
    QCOMPARE(LaneLayout::of(2, 640).height(), 320);
    QCOMPARE(LaneLayout::of(3, 640).height(), 213);
    QCOMPARE(LaneLayout::of(1, 640).height(), 320);
    QCOMPARE(LaneLayout::of(2, 900).height(), LaneLayout::kTallest);
    QCOMPARE(LaneLayout::of(8, 640).height(), 80);
    QCOMPARE(LaneLayout::of(64, 640).height(), LaneLayout::of(64).height());
    for (int height = 20; height < 2000; height += 7)
        for (const int ranks : {1, 2, 5, 16, 17, 64, 1024}) {
            const LaneLayout layout = LaneLayout::of(ranks, height);
            QVERIFY(layout.height() >= LaneLayout::of(ranks).height());
            QVERIFY(layout.height() == LaneLayout::of(ranks).height() || layout.height() * ranks <= height);
            QVERIFY(layout.phases >= 11 && layout.collectives >= 7 && layout.top > 0 && layout.bottom > 0);
        }
}

void TestTimelineGeometry::stepNumbersAreRegular() {
    std::mt19937 random(3);
    for (const double stepMs : {3.0, 40.0, 98.0, 700.0}) {
        std::vector<store::SeriesPoint> steps;
        std::int64_t at = 0;
        for (std::int64_t step = 0; step < 400; ++step) {
            store::SeriesPoint point;
            point.firstStep = point.lastStep = step;
            point.beginNs = at;
            // lengths differ by up to a third; one step is a stall
            const double ms = step == 60 ? 25'000 : stepMs * std::uniform_real_distribution(0.85, 1.15)(random);
            at += static_cast<std::int64_t>(ms * 1e6);
            point.endNs = at;
            steps.push_back(point);
        }
        for (const double share : {1.0, 0.3, 0.05}) {
            const double hi = static_cast<double>(at), width = share * hi;
            const TimeScale scale{{hi - width, hi}, 1200};
            const auto marks = stepMarks(steps, scale, 50);
            QVERIFY(!marks.empty());
            for (std::size_t i = 1; i < marks.size(); ++i) {
                QCOMPARE(marks[i].step - marks[i - 1].step, marks[1].step - marks[0].step);
                QVERIFY(marks[i].x - marks[i - 1].x >= 35);
            }
        }
    }
    // one step fills the view: its number is shown
    store::SeriesPoint one;
    one.firstStep = one.lastStep = 7;
    one.endNs = 1'000'000'000;
    const auto alone = stepMarks(std::vector{one}, {{4e8, 5e8}, 1000}, 50);
    QCOMPARE(alone.size(), std::size_t{1});
    QCOMPARE(alone.front().step, 7);
    QCOMPARE(alone.front().x, 0.0);
    QVERIFY(stepMarks({}, {{0, 1e9}, 1000}, 50).empty());
}

void TestTimelineGeometry::arrowsOfManyRanksLieApart() {
    TimelineReply reply;
    for (int rank = 0; rank < 8; ++rank) {
        TimelineSpan span;
        span.collective = true;
        span.beginNs = 1000;
        span.endNs = 9500;
        span.waitNs = 8000;
        span.holder = 0;
        span.sequence = 7;
        reply.lanes.emplace_back();
        reply.lanes.back().rank = rank;
        reply.lanes.back().collectives.push_back(span);
    }
    // a wait is 800 pixels wide in one and 16 in the other
    const TimeScale wide{{0, 10'000}, 1000}, narrow{{0, 100'000}, 200};
    const auto arrows = arrowsOf(reply, wide, 14, 100);
    QCOMPARE(arrows.size(), std::size_t{7});
    for (std::size_t i = 0; i < arrows.size(); ++i) {
        QCOMPARE(arrows[i].waiter, static_cast<int>(i) + 1);
        QVERIFY(i == 0 ||
                wide.x(static_cast<double>(arrows[i - 1].toNs)) - wide.x(static_cast<double>(arrows[i].toNs)) > 5);
    }
    QCOMPARE(arrows.front().toNs, 9000);
    for (const auto& arrow : arrowsOf(reply, narrow, 14, 100)) // no arrow leaves its wait
        QVERIFY(arrow.toNs > 1000 && arrow.fromNs >= 1000 - 8 * 500);
}

void TestTimelineGeometry::arrowsEndAtTheHoldersArrival() {
    TimelineReply reply;
    const std::array<std::int64_t, 4> arrived{1000, 9000, 3000, 8990};
    for (int rank = 0; rank < 4; ++rank) {
        TimelineSpan span;
        span.collective = true;
        span.beginNs = arrived[static_cast<std::size_t>(rank)];
        span.endNs = 9500;
        span.waitNs = 9000 - span.beginNs;
        span.holder = 1;
        span.sequence = 7;
        reply.lanes.emplace_back();
        reply.lanes.back().rank = rank;
        reply.lanes.back().collectives.push_back(span);
    }
    const TimeScale scale{{0, 10'000}, 1000}; // 10 ns per pixel
    auto arrows = arrowsOf(reply, scale, 14, 100);
    QCOMPARE(arrows.size(), std::size_t{2}); // neither the holder's own wait nor the one of a pixel
    for (const auto& arrow : arrows) {
        QCOMPARE(arrow.holder, 1);
        QCOMPARE(arrow.toNs, 9000);
        QVERIFY(arrow.waiter == 0 || arrow.waiter == 2);
        QVERIFY(arrow.fromNs >= arrived[static_cast<std::size_t>(arrow.waiter)] && arrow.fromNs < arrow.toNs);
    }
    arrows = arrowsOf(reply, scale, 14, 1);
    QCOMPARE(arrows.size(), std::size_t{1});
    QCOMPARE(arrows.front().waiter, 0);                              // the longest wait
    QVERIFY(arrowsOf(reply, {{9200, 9500}, 1000}, 14, 100).empty()); // the waits ended before
    QVERIFY(arrowsOf(reply, {{0, 1e9}, 1000}, 14, 100).empty());     // too small to be seen
}

RANKSCOPE_CORE_TEST(TestTimelineGeometry)
#include "tst_timeline_geometry.moc"
