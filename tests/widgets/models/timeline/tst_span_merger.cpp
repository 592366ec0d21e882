// SPDX-License-Identifier: GPL-3.0-or-later
// Spans shorter than a pixel are merged, without losing anything long or rare.
#include "tests/support/test_runner.h"
#include "widgets/models/timeline/span_merger.h"
#include "widgets/timeline/geometry/lane_raster.h"

#include <QTest>

#include <numeric>
#include <random>
#include <set>

using namespace rankscope;
using namespace rankscope::ui;
using telemetry::Phase;

namespace {

TimelineSpan phase(Phase kind, std::int64_t begin, std::int64_t end) {
    TimelineSpan span;
    span.phase = kind;
    span.beginNs = begin;
    span.endNs = end;
    return span;
}

TimelineColours distinct() {
    TimelineColours colours;
    for (std::size_t p = 0; p < colours.phases.size(); ++p)
        colours.phases[p] = QColor(20 + 10 * static_cast<int>(p), 100, 50);
    colours.lane = Qt::white;
    colours.transfer = QColor(0, 0, 200);
    colours.waiting = QColor(250, 240, 200);
    colours.waitingHatch = QColor(230, 159, 0);
    colours.unknownWait = QColor(90, 90, 90);
    colours.step = QColor(180, 180, 180);
    return colours;
}

/// Returns the colours in a rectangle.
std::set<QRgb> coloursIn(const QImage& image, int left, int right, int top, int bottom) {
    std::set<QRgb> found;
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x)
            found.insert(image.pixel(x, y));
    return found;
}

} // namespace

class TestTimelineMerge : public QObject {
    Q_OBJECT
private slots:
    void longOnesStayShortOnesAddUp();
    void noTimeIsLost();
    void aRareShortPhaseIsSeenAmongMany();
    void aLongPhaseIsWholeBesideMany();
    void heightsAddUp();
    void rowsOfOverlappingCollectives();
    void waitingPartIsHatched();
    void sumsAreShares();
    void paintsOnlyItsPart();
};

void TestTimelineMerge::longOnesStayShortOnesAddUp() {
    SpanMerger merger(100);
    merger.add(phase(Phase::Forward, 0, 100));
    merger.add(phase(Phase::Backward, 110, 130));
    merger.add(phase(Phase::Backward, 130, 145));
    merger.add(phase(Phase::Loss, 150, 155));
    merger.add(phase(Phase::Loss, 205, 210));
    merger.add(phase(Phase::Forward, 250, 1000));
    const auto spans = merger.takeSpans();
    const auto columns = merger.takeColumns();
    QCOMPARE(spans.size(), std::size_t{2});
    QCOMPARE(spans[1].beginNs, 250);
    QCOMPARE(columns.size(), std::size_t{2});
    QCOMPARE(columns[0].count, 3);
    QCOMPARE(columns[0].beginNs, 110);
    QCOMPARE(columns[0].endNs, 155);
    QCOMPARE(columns[0].longest.beginNs, 110);
    QCOMPARE(columns[0].phaseNs[static_cast<std::size_t>(Phase::Backward)], 35.0F);
    QCOMPARE(columns[0].phaseNs[static_cast<std::size_t>(Phase::Loss)], 5.0F);
    QCOMPARE(columns[1].count, 1);
}

void TestTimelineMerge::noTimeIsLost() {
    std::mt19937 random(7);
    for (const std::int64_t pixel : {1, 10, 1000, 123'457}) {
        SpanMerger merger(pixel);
        std::array<double, kPhaseCount> wanted{}, got{};
        std::int64_t at = -5000, longest = 0;
        for (int i = 0; i < 5000; ++i) {
            const auto kind = static_cast<Phase>(random() % kPhaseCount);
            const std::int64_t length = static_cast<std::int64_t>(1 + random() % (random() % 50 ? 40 : 40'000));
            merger.add(phase(kind, at, at + length));
            wanted[static_cast<std::size_t>(kind)] += static_cast<double>(length);
            longest = std::max(longest, length);
            at += length + static_cast<std::int64_t>(random() % 10);
        }
        std::int64_t longestGot = 0;
        for (const auto& span : merger.takeSpans()) {
            got[static_cast<std::size_t>(span.phase)] += static_cast<double>(span.lengthNs());
            longestGot = std::max(longestGot, span.lengthNs());
            QVERIFY(span.lengthNs() >= pixel);
        }
        const auto columns = merger.takeColumns();
        for (const auto& column : columns) {
            for (std::size_t p = 0; p < kPhaseCount; ++p)
                got[p] += static_cast<double>(column.phaseNs[p]);
            longestGot = std::max(longestGot, column.longest.lengthNs());
        }
        for (std::size_t p = 0; p < kPhaseCount; ++p)
            QVERIFY(std::abs(got[p] - wanted[p]) <= 1e-4 * wanted[p]);
        QCOMPARE(longestGot, longest);
        QVERIFY(static_cast<std::int64_t>(columns.size()) <= (at + 5000) / pixel + 2); // bounded by the pixels
    }
}

void TestTimelineMerge::aRareShortPhaseIsSeenAmongMany() {
    // 100,000 spans on 500 pixels; one checkpoint of 20 ns among forwards and losses
    SpanMerger merger(20'000);
    for (int i = 0; i < 100'000; ++i) {
        if (i == 61'234)
            merger.add(phase(Phase::Checkpoint, i * 100 + 60, i * 100 + 80));
        merger.add(phase(i % 2 ? Phase::Forward : Phase::Loss, i * 100, i * 100 + 60));
    }
    TimelineLane lane;
    lane.phases = merger.takeSpans();
    lane.phaseColumns = merger.takeColumns();
    const auto colours = distinct();
    QImage image(500, 60, QImage::Format_RGB32);
    LaneRaster raster(image, colours, {{0, 1e7}, 500});
    const LaneLayout layout;
    raster.clear(layout, 0);
    raster.paint(lane, layout, 0, {0, 1e7});
    const auto at = coloursIn(image, 300, 312, layout.top, layout.top + layout.phases);
    QVERIFY(at.count(colours.of(Phase::Checkpoint).rgb()));
    QVERIFY(at.count(colours.of(Phase::Forward).rgb()) && at.count(colours.of(Phase::Loss).rgb()));
    const auto elsewhere = coloursIn(image, 0, 290, layout.top, layout.top + layout.phases);
    QVERIFY(!elsewhere.count(colours.of(Phase::Checkpoint).rgb()));
}

void TestTimelineMerge::aLongPhaseIsWholeBesideMany() {
    SpanMerger merger(1000);
    for (int i = 0; i < 1000; ++i)
        merger.add(phase(Phase::Forward, i * 100, i * 100 + 90));
    merger.add(phase(Phase::Validate, 100'000, 150'000));
    for (int i = 0; i < 500; ++i)
        merger.add(phase(Phase::Forward, 150'000 + i * 100, 150'000 + i * 100 + 90));
    TimelineLane lane;
    lane.phases = merger.takeSpans();
    lane.phaseColumns = merger.takeColumns();
    const auto colours = distinct();
    QImage image(200, 60, QImage::Format_RGB32);
    LaneRaster raster(image, colours, {{0, 200'000}, 200});
    const LaneLayout layout;
    raster.paint(lane, layout, 0, {0, 200'000});
    for (int x = 101; x < 148; ++x)
        for (int y = layout.top; y < layout.top + layout.phases; ++y)
            QCOMPARE(image.pixel(x, y), colours.of(Phase::Validate).rgb());
}

void TestTimelineMerge::heightsAddUp() {
    std::mt19937 random(3);
    for (int i = 0; i < 5000; ++i) {
        std::array<float, kPhaseCount> weights{};
        int kinds = 0;
        for (float& weight : weights)
            if (random() % 2) {
                weight = static_cast<float>(std::pow(10.0, std::uniform_real_distribution(-3.0, 6.0)(random)));
                ++kinds;
            }
        const int height = static_cast<int>(1 + random() % 30);
        const auto heights = shareHeight(weights, height);
        QCOMPARE(std::accumulate(heights.begin(), heights.end(), 0), kinds ? height : 0);
        int shown = 0;
        for (std::size_t p = 0; p < kPhaseCount; ++p) {
            QVERIFY(heights[p] >= 0);
            QVERIFY(weights[p] > 0 || heights[p] == 0);
            shown += heights[p] > 0;
        }
        QCOMPARE(shown, std::min(kinds, height)); // each kind is visible if there are enough pixels
    }
}

void TestTimelineMerge::rowsOfOverlappingCollectives() {
    std::vector<TimelineSpan> spans{phase(Phase::None, 0, 100), phase(Phase::None, 50, 80), phase(Phase::None, 60, 90),
                                    phase(Phase::None, 70, 75), phase(Phase::None, 110, 120)};
    QCOMPARE(placeInRows(spans, 3), 3);
    QCOMPARE(int(spans[0].row), 0);
    QCOMPARE(int(spans[1].row), 1);
    QCOMPARE(int(spans[2].row), 2);
    QCOMPARE(int(spans[3].row), 2); // no more rows: it covers the last one
    QCOMPARE(int(spans[4].row), 0);
    std::vector<TimelineSpan> alone{phase(Phase::None, 0, 10)};
    QCOMPARE(placeInRows(alone, 3), 1);
}

void TestTimelineMerge::waitingPartIsHatched() {
    TimelineLane lane;
    TimelineSpan span = phase(Phase::Backward, 10'000, 90'000);
    span.collective = true;
    span.waitNs = 50'000;
    span.holder = 1;
    lane.collectives.push_back(span);
    const auto colours = distinct();
    QImage image(100, 60, QImage::Format_RGB32);
    LaneRaster raster(image, colours, {{0, 100'000}, 100});
    const LaneLayout layout;
    raster.clear(layout, 0);
    raster.paint(lane, layout, 0, {0, 100'000});
    const int top = layout.collectiveTop(), bottom = top + layout.collectives;
    QCOMPARE(coloursIn(image, 10, 60, top, bottom),
             (std::set<QRgb>{colours.waiting.rgb(), colours.waitingHatch.rgb()}));
    QCOMPARE(coloursIn(image, 61, 90, top, bottom), (std::set<QRgb>{colours.transfer.rgb()}));
    QCOMPARE(coloursIn(image, 91, 100, top, bottom), (std::set<QRgb>{colours.lane.rgb()}));
}

void TestTimelineMerge::sumsAreShares() {
    SumSeries series;
    const auto point = [](std::int64_t first, std::int64_t last, std::int64_t begin, std::int64_t end, double mean,
                          double max) {
        store::SeriesPoint p;
        p.firstStep = first;
        p.lastStep = last;
        p.beginNs = begin;
        p.endNs = end;
        p.count = last - first + 1;
        p.mean = mean;
        p.max = max;
        return p;
    };
    series.stepTime = {point(0, 15, 0, 16'000, 1000, 1000), point(16, 31, 16'000, 32'000, 1000, 5000)};
    auto& forward = series.phases[static_cast<std::size_t>(Phase::Forward)];
    forward = {point(0, 15, 0, 16'000, 250, 300), point(16, 31, 16'000, 32'000, 500, 600)};
    auto& validate = series.phases[static_cast<std::size_t>(Phase::Validate)];
    validate = {point(20, 20, 20'000, 21'000, 800, 800)}; // only one step had this phase
    series.exposed = {point(16, 31, 16'000, 32'000, 100, 100)};
    const auto sums = sumsOf(series);
    QCOMPARE(sums.size(), std::size_t{2});
    QCOMPARE(sums[0].share[static_cast<std::size_t>(Phase::Forward)], 0.25F);
    QCOMPARE(sums[0].share[static_cast<std::size_t>(Phase::Validate)], 0.0F);
    QCOMPARE(sums[1].share[static_cast<std::size_t>(Phase::Forward)], 0.5F);
    QCOMPARE(sums[1].share[static_cast<std::size_t>(Phase::Validate)], 0.05F);
    QCOMPARE(sums[1].waitShare, 0.1F);
    QCOMPARE(sums[1].longest, 5.0F);
}

void TestTimelineMerge::paintsOnlyItsPart() {
    TimelineLane lane;
    lane.phases.push_back(phase(Phase::Forward, 0, 100'000));
    const auto colours = distinct();
    QImage image(100, 60, QImage::Format_RGB32);
    image.fill(Qt::black);
    LaneRaster raster(image, colours, {{0, 100'000}, 100});
    const LaneLayout layout;
    raster.paint(lane, layout, 0, {40'000, 60'000});
    QCOMPARE(coloursIn(image, 0, 40, 0, 60), (std::set<QRgb>{qRgb(0, 0, 0)}));
    QCOMPARE(coloursIn(image, 61, 100, 0, 60), (std::set<QRgb>{qRgb(0, 0, 0)}));
    QCOMPARE(image.pixel(50, layout.top + 3), colours.of(Phase::Forward).rgb());
}

RANKSCOPE_CORE_TEST(TestTimelineMerge)
#include "tst_span_merger.moc"
