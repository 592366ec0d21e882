// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/axes/ticks.h"
#include "widgets/plots/curves/step_time_table.h"
#include "widgets/plots/overview/overview_strip.h"
#include "widgets/plots/plot/plot_readout.h"
#include "widgets/review/board/rank_board_layout.h"
#include "widgets/review/board/rank_choice.h"
#include "widgets/review/panes/review_layout.h"

#include <QTest>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;

class TestPlotGeometry : public QObject {
    Q_OBJECT
private slots:
    void zoomKeepsWhatIsUnderTheCursor();
    void zoomStopsAtLimits();
    void panStopsAtLimits();
    void followKeepsWidth();
    void ticksAreRoundAndFew_data();
    void ticksAreRoundAndFew();
    void integerTicksHaveNoFractions();
    void timeTicksUseClockSteps();
    void logTicksAreDecades();
    void labels();
    void durationUnits();
    void brushParts();
    void brushDrag();
    void narrowWindowCanBeTaken();
    void stepClock();
    void readoutTakesColumns();
    void boardWraps();
    void boardHitTest();
    void choiceOfLines();
    void layoutRoundTrip();
};

void TestPlotGeometry::zoomKeepsWhatIsUnderTheCursor() {
    const PlotRange all{0, 1000}, window{200, 600};
    const PlotRange in = zoomed(window, 300, 0.5, all, 4);
    QCOMPARE(in.width(), 200.0);
    QCOMPARE((300 - in.lo) / in.width(), (300 - window.lo) / window.width());
    const PlotRange out = zoomed(in, 300, 2, all, 4);
    QVERIFY(std::abs(out.lo - window.lo) < 1e-9 && std::abs(out.hi - window.hi) < 1e-9);
}

void TestPlotGeometry::zoomStopsAtLimits() {
    const PlotRange all{0, 1000};
    QCOMPARE(zoomed({200, 600}, 300, 100, all, 4), all);
    PlotRange window = all;
    for (int i = 0; i < 100; ++i)
        window = zoomed(window, 500, 0.5, all, 4);
    QVERIFY(std::abs(window.width() - 4) < 1e-9);
    QVERIFY(window.contains(500));
    // a run shorter than the smallest window is shown whole
    QCOMPARE(zoomed({0, 2}, 1, 0.5, {0, 2}, 4), (PlotRange{0, 2}));
}

void TestPlotGeometry::panStopsAtLimits() {
    const PlotRange all{0, 1000};
    QCOMPARE(panned({200, 600}, 100, all), (PlotRange{300, 700}));
    QCOMPARE(panned({200, 600}, 900, all), (PlotRange{600, 1000}));
    QCOMPARE(panned({200, 600}, -900, all), (PlotRange{0, 400}));
}

void TestPlotGeometry::followKeepsWidth() {
    QCOMPARE(following({0, 100}, {0, 350}), (PlotRange{250, 350}));
    QCOMPARE(following({0, 100}, {0, 40}), (PlotRange{0, 40}));
}

void TestPlotGeometry::ticksAreRoundAndFew_data() {
    QTest::addColumn<double>("lo");
    QTest::addColumn<double>("hi");
    QTest::newRow("unit") << 0.0 << 1.0;
    QTest::newRow("loss") << 5.83 << 7.12;
    QTest::newRow("long run") << -0.5 << 480000.5;
    QTest::newRow("negative") << -3.2 << 4.4;
    QTest::newRow("narrow") << 1.00001 << 1.00009;
    QTest::newRow("tiny") << 0.0 << 3e-7;
}

void TestPlotGeometry::ticksAreRoundAndFew() {
    QFETCH(double, lo);
    QFETCH(double, hi);
    for (int most = 2; most <= 6; ++most) {
        const Ticks ticks = niceTicks(lo, hi, most);
        QVERIFY(ticks.at.size() <= static_cast<std::size_t>(most));
        QVERIFY2(ticks.at.size() >= 2, qPrintable(QString::number(ticks.at.size())));
        const double mantissa = ticks.step / std::pow(10, std::floor(std::log10(ticks.step) + 1e-9));
        QVERIFY(most < 4 || std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 ||
                std::abs(mantissa - 5) < 1e-6);
        for (const double at : ticks.at)
            QVERIFY(at >= lo - ticks.step * 1e-6 && at <= hi + ticks.step * 1e-6);
    }
}

void TestPlotGeometry::integerTicksHaveNoFractions() {
    for (const double at : niceTicks(-0.5, 3.5, 6, true).at)
        QCOMPARE(at, std::round(at));
    QCOMPARE(niceTicks(-0.5, 0.5, 6, true).at, std::vector<double>{0}); // a run of one step
    QCOMPARE(niceTicks(41.5, 42.5, 6, true).at, std::vector<double>{42});
    QVERIFY(niceTicks(41.6, 41.9, 6, true).at.empty());
    QVERIFY(niceTicks(0, 0, 6).at.empty());
    QVERIFY(niceTicks(0, NAN, 6).at.empty());
}

void TestPlotGeometry::timeTicksUseClockSteps() {
    const Ticks minutes = timeTicks(0, 310, 6);
    QCOMPARE(minutes.step, 60.0);
    QCOMPARE(minutes.at.size(), std::size_t{6});
    QVERIFY(timeTicks(0, 200000, 6).at.size() <= 6);
    QVERIFY(timeTicks(10.0, 10.4, 6).at.size() >= 2);
}

void TestPlotGeometry::logTicksAreDecades() {
    const Ticks ticks = logTicks(2e-5, 3, 6);
    QVERIFY(ticks.at.size() >= 2 && ticks.at.size() <= 6);
    for (const double at : ticks.at)
        QVERIFY(std::abs(std::log10(at) - std::round(std::log10(at))) < 1e-9);
    QVERIFY(logTicks(5.8, 6.4, 6).at.size() >= 2); // less than a decade: round values
    QVERIFY(logTicks(1e-12, 1e12, 6).at.size() <= 6);
}

void TestPlotGeometry::labels() {
    QCOMPARE(tickLabel(0.25, 0.05), QStringLiteral("0.25"));
    QCOMPARE(tickLabel(0.5, 0.05), QStringLiteral("0.50"));
    QCOMPARE(tickLabel(12000, 2000), QStringLiteral("12,000"));
    QCOMPARE(tickLabel(-3, 1), QStringLiteral("\u22123"));
    QCOMPARE(tickLabel(0.001, 0), QStringLiteral("0.001"));
    QCOMPARE(timeLabel(45, 100), QStringLiteral("45"));
    QCOMPARE(timeLabel(95, 1000), QStringLiteral("1:35"));
    QCOMPARE(timeLabel(3725, 9000), QStringLiteral("1:02:05"));
}

void TestPlotGeometry::durationUnits() {
    QCOMPARE(QByteArray(durationUnit(3.2).name), QByteArray("s"));
    QCOMPARE(QByteArray(durationUnit(0.48).name), QByteArray("ms"));
    QCOMPARE(durationUnit(0.48).perSecond, 1e3);
    QCOMPARE(QByteArray(durationUnit(2e-5).name), QByteArray("µs"));
}

void TestPlotGeometry::brushParts() {
    const BrushGeometry g{100, 900, {0, 800}, {200, 400}};
    using BrushPart = BrushGeometry::BrushPart;
    QCOMPARE(g.toPixel(200), 300.0);
    QCOMPARE(g.toX(500), 400.0);
    QCOMPARE(g.partAt(302), BrushPart::Left);
    QCOMPARE(g.partAt(499), BrushPart::Right);
    QCOMPARE(g.partAt(400), BrushPart::Window);
    QCOMPARE(g.partAt(700), BrushPart::Outside);
    QCOMPARE(g.partAt(20), BrushPart::None);
    const BrushGeometry all{100, 900, {0, 800}, {0, 800}};
    QCOMPARE(all.partAt(400), BrushPart::Outside); // nothing to move: a drag brushes a window
}

void TestPlotGeometry::brushDrag() {
    const BrushGeometry g{100, 900, {0, 800}, {200, 400}};
    using BrushPart = BrushGeometry::BrushPart;
    QCOMPARE(g.dragged(BrushPart::Window, g.window, 400, 450, 4), (PlotRange{250, 450}));
    QCOMPARE(g.dragged(BrushPart::Window, g.window, 400, 2000, 4), (PlotRange{600, 800}));
    QCOMPARE(g.dragged(BrushPart::Left, g.window, 300, 200, 4), (PlotRange{100, 400}));
    QCOMPARE(g.dragged(BrushPart::Right, g.window, 500, 600, 4), (PlotRange{200, 500}));
    QCOMPARE(g.dragged(BrushPart::Outside, g.window, 700, 600, 4), (PlotRange{500, 600}));
    const PlotRange crossed = g.dragged(BrushPart::Left, g.window, 300, 880, 4);
    QVERIFY(crossed.lo < crossed.hi && crossed.width() >= 4 - 1e-9);
}

void TestPlotGeometry::narrowWindowCanBeTaken() {
    const BrushGeometry g{0, 1000, {0, 1e6}, {5e5, 5e5 + 4}};
    QVERIFY(g.windowRight() - g.windowLeft() >= BrushGeometry::kMinWindowPx - 1e-9);
}

void TestPlotGeometry::stepClock() {
    std::vector<store::SeriesPoint> points;
    for (int s = 0; s < 10; ++s) {
        store::SeriesPoint p;
        p.firstStep = p.lastStep = s;
        p.beginNs = s * 100;
        p.endNs = s * 100 + 100;
        points.push_back(p);
    }
    const StepTimeTable clock(points);
    QCOMPARE(clock.stepAt(350), 3.0);
    QCOMPARE(clock.stepAt(300), 2.5);
    QCOMPARE(clock.stepAt(-50), -0.5);
    QCOMPARE(clock.stepAt(1050), 10.0); // in the following step
    QCOMPARE(clock.stepAt(1'000'000), 10.5);
    QCOMPARE(clock.timeOf(3), std::int64_t{350});
    QCOMPARE(clock.timeOf(-9), std::int64_t{0});
    QCOMPARE(clock.timeOf(99), std::int64_t{1000});
}

void TestPlotGeometry::readoutTakesColumns() {
    const auto one = layoutReadout(4, 100, 16, 80, 200);
    QCOMPARE(one.columns, 1);
    const auto more = layoutReadout(8, 100, 16, 80, 90);
    QVERIFY(more.columns > 1);
    QVERIFY(more.rows * more.columns >= 8);
    QVERIFY(more.size.height() <= 90);
    QCOMPARE(layoutReadout(0, 100, 16, 80, 90).columns, 0);
}

void TestPlotGeometry::boardWraps() {
    QCOMPARE(BoardLayout::of(2, 1180).rows(), 1);
    QCOMPARE(BoardLayout::of(2, 1180).tileWidth, BoardLayout::kMaxWidth);
    const auto eight = BoardLayout::of(8, 1180);
    QCOMPARE(eight.rows(), 1);
    QVERIFY(eight.tile(7).right() < 1180);
    const auto many = BoardLayout::of(64, 1180);
    QVERIFY(many.rows() > 2);
    QCOMPARE(many.visibleHeight(), 2 * 80 + 8);
    QCOMPARE(BoardLayout::of(4, 60).columns, 1);
    for (int i = 1; i < 64; ++i)
        QVERIFY(!many.tile(i).intersects(many.tile(i - 1)));
}

void TestPlotGeometry::boardHitTest() {
    const auto layout = BoardLayout::of(20, 700);
    for (int i = 0; i < 20; ++i)
        QCOMPARE(layout.indexAt(layout.tile(i).center()), i);
    QCOMPARE(layout.indexAt({2, 2}), -1);
    QCOMPARE(layout.indexAt(layout.tile(0).topRight() + QPoint(4, 4)), -1);
    QCOMPARE(layout.indexAt(layout.tile(19).center() + QPoint(layout.tileWidth + 8, 0)), -1);
}

void TestPlotGeometry::choiceOfLines() {
    RunView view;
    for (int r = 0; r < 16; ++r) {
        view.ranks.push_back({r, {}, 0});
        store::RankSummary s;
        s.rank = r;
        s.heldNs = r == 11 ? 500 : r == 3 ? 200 : 0;
        view.summaries.push_back(s);
    }
    RankChoice choice;
    auto lines = chooseLines(choice, view, 8);
    QVERIFY(lines.band);
    QCOMPARE(lines.ranks, (std::vector<int>{3, 11}));
    choice.toggleMute(11);
    QCOMPARE(chooseLines(choice, view, 8).ranks, (std::vector<int>{3}));
    choice.solo = 7;
    QCOMPARE(chooseLines(choice, view, 8).ranks, (std::vector<int>{7}));
    choice = {};
    diagnosis::Incident open;
    open.holders = {5};
    view.incidents = {open};
    QCOMPARE(chooseLines(choice, view, 8).ranks, (std::vector<int>{3, 5, 11}));
    view.ranks.resize(4);
    QCOMPARE(chooseLines(choice, view, 8).ranks, (std::vector<int>{0, 1, 2, 3}));
    QVERIFY(!chooseLines(choice, view, 8).band);
}

void TestPlotGeometry::layoutRoundTrip() {
    ReviewLayout layout;
    layout.shown[ReviewLayout::OverviewPane] = false;
    layout.plots = {{QStringLiteral("step_ns"), true}, {QStringLiteral("tag:a, \"b\"")}, {QStringLiteral("loss")}};
    layout.plotHeights = {100, 0, 220};
    layout.log = true;
    QCOMPARE(ReviewLayout::fromBytes(layout.toBytes()), layout);
    QCOMPARE(ReviewLayout::fromBytes("no json"), ReviewLayout{});
    QCOMPARE(ReviewLayout::fromBytes("{\"hidden\":[\"board\",7],\"heights\":\"x\"}").shown[0], false);
    // a layout without a version: three plots, some hidden
    const auto old = ReviewLayout::fromBytes("{\"hidden\":[\"length\",\"overview\"],\"log\":true}");
    QCOMPARE(old.plots.size(), 2);
    QCOMPARE(old.plots[1].series, QStringLiteral("wait_ns"));
    QVERIFY(old.plots[0].log && !old.shown[ReviewLayout::OverviewPane]);
    QByteArray many = "{\"version\":2,\"plots\":[";
    for (int i = 0; i < 1000; ++i)
        many += "{\"series\":\"loss\"},7,";
    QCOMPARE(ReviewLayout::fromBytes(many + "{}]}").plots.size(), ReviewLayout::kMostPlots);
}

RANKSCOPE_CORE_TEST(TestPlotGeometry)
#include "tst_plot_geometry.moc"
