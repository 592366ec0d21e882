// SPDX-License-Identifier: GPL-3.0-or-later
// Drawing column by column gives the same result as a painter: same place and width, with all gaps and extremes.
#include "tests/support/test_runner.h"
#include "widgets/plots/curves/column_raster.h"

#include <QPainter>
#include <QTest>

#include <cmath>

using namespace rankscope::ui;

namespace {

struct Canvas {
    explicit Canvas(int w = 200, int h = 100)
        : image(w, h, QImage::Format_ARGB32_Premultiplied), raster({w, h}, memory) {}
    int alpha(int x, int y) {
        raster.copyTo(image);
        return qAlpha(image.pixel(x, y));
    }
    /// Returns the ink in a column, in pixels.
    double ink(int x) {
        double sum = 0;
        raster.copyTo(image);
        for (int y = 0; y < image.height(); ++y)
            sum += qAlpha(image.pixel(x, y)) / 255.0;
        return sum;
    }
    QImage image;
    std::vector<std::uint32_t> memory;
    ColumnRaster raster;
};

ColumnRaster::Style style(double width, bool smooth = true) {
    return {Qt::black, width, smooth, {}};
}

} // namespace

class TestColumnRaster : public QObject {
    Q_OBJECT
private slots:
    void flatLine();
    void slopeHasItsWidth();
    void aSteepLineIsAsWide();
    void asAPainterDraws();
    void spikeReachesItsTop();
    void gapsStayEmpty();
    void aPointAloneIsSeen();
    void dashes();
    void outsideIsCut();
    void areaBetweenLines();
    void faintInkAddsUp();
};

void TestColumnRaster::flatLine() {
    Canvas c;
    c.raster.stroke(std::vector<RasterPoint>{{10, 50}, {190, 50}}, style(2));
    QCOMPARE(c.alpha(100, 49), 255);
    QCOMPARE(c.alpha(100, 50), 255);
    QCOMPARE(c.alpha(100, 48), 0);
    QCOMPARE(c.alpha(100, 51), 0);
    QCOMPARE(c.alpha(8, 50), 0);
    QCOMPARE(c.alpha(191, 50), 0);
}

void TestColumnRaster::slopeHasItsWidth() {
    Canvas c;
    c.raster.stroke(std::vector<RasterPoint>{{0, 0}, {100, 100}}, style(2));
    QVERIFY2(std::abs(c.ink(50) - 2 * std::sqrt(2.0)) < 1.1, qPrintable(QString::number(c.ink(50))));
}

void TestColumnRaster::aSteepLineIsAsWide() {
    for (const double dx : {4.0, 7.0, 20.0, 60.0}) {
        Canvas c;
        c.raster.stroke(std::vector<RasterPoint>{{50, 5}, {50 + dx, 95}}, style(1.5));
        c.raster.copyTo(c.image);
        double ink = 0;
        for (int y = 30; y < 70; ++y)
            for (int x = 0; x < c.image.width(); ++x)
                ink += qAlpha(c.image.pixel(x, y)) / 255.0 / 40;
        const double wanted = 1.5 * std::sqrt(1 + dx * dx / 8100); // width of a row across the line
        QVERIFY2(std::abs(ink - wanted) < 0.2 * wanted,
                 qPrintable(QStringLiteral("%1: %2 of %3").arg(dx).arg(ink).arg(wanted)));
        for (int y = 0; y < 4; ++y)
            for (int x = 0; x < c.image.width(); ++x)
                QCOMPARE(qAlpha(c.image.pixel(x, y)), 0); // no higher than the line's end
    }
}

void TestColumnRaster::asAPainterDraws() {
    std::vector<RasterPoint> points;
    QPolygonF polygon;
    for (int x = 0; x <= 200; x += 4) {
        points.push_back({double(x), 50 + 30 * std::sin(x / 20.0)});
        polygon << QPointF(points.back().x, points.back().y);
    }
    Canvas c;
    c.raster.stroke(points, style(1.5));
    c.raster.copyTo(c.image);
    QImage truth(c.image.size(), QImage::Format_ARGB32_Premultiplied);
    truth.fill(Qt::transparent);
    QPainter painter(&truth);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Qt::black, 1.5));
    painter.drawPolyline(polygon);
    painter.end();
    double off = 0, all = 0;
    for (int y = 0; y < truth.height(); ++y)
        for (int x = 0; x < truth.width(); ++x) {
            off += std::abs(qAlpha(truth.pixel(x, y)) - qAlpha(c.image.pixel(x, y)));
            all += qAlpha(truth.pixel(x, y));
        }
    QVERIFY2(off < 0.3 * all, qPrintable(QString::number(off / all)));
}

void TestColumnRaster::spikeReachesItsTop() {
    Canvas c;
    std::vector<RasterPoint> points;
    for (int x = 0; x < 200; ++x)
        points.push_back({x + 0.5, x == 120 ? 5.0 : 90.0});
    c.raster.stroke(points, style(1, false));
    QVERIFY(c.alpha(120, 6) > 200);
    QCOMPARE(c.alpha(110, 50), 0);
    QCOMPARE(c.alpha(130, 50), 0);
}

void TestColumnRaster::gapsStayEmpty() {
    Canvas c;
    c.raster.stroke(std::vector<RasterPoint>{{10, 50}, {50, 50}, {90, NAN}, {130, 50}, {190, 50}}, style(2));
    QCOMPARE(c.alpha(30, 50), 255);
    QCOMPARE(c.ink(90), 0.0);
    QCOMPARE(c.ink(60), 0.0);
    QCOMPARE(c.alpha(150, 50), 255);
}

void TestColumnRaster::aPointAloneIsSeen() {
    Canvas c;
    c.raster.stroke(std::vector<RasterPoint>{{10, NAN}, {50.2, 50}, {90, NAN}}, style(2));
    QVERIFY(c.ink(50) > 0.9);
    Canvas disc;
    disc.raster.disc({50, 50}, 6, Qt::black);
    QCOMPARE(disc.alpha(50, 50), 255);
    QCOMPARE(disc.alpha(50, 56), 0);
}

void TestColumnRaster::dashes() {
    Canvas c;
    auto dashed = style(2);
    dashed.dashes = {10, 5};
    c.raster.stroke(std::vector<RasterPoint>{{0, 50}, {200, 50}}, dashed);
    QCOMPARE(c.alpha(5, 50), 255);
    QCOMPARE(c.alpha(12, 50), 0);
    QCOMPARE(c.alpha(17, 50), 255);
}

void TestColumnRaster::outsideIsCut() {
    Canvas c;
    c.raster.stroke(std::vector<RasterPoint>{{-500, -900}, {-10, 40}, {100, 40}, {300, 1000}, {9000, -1000}}, style(2));
    c.raster.stroke(std::vector<RasterPoint>{{-5, 40}, {-5, 60}}, style(2));
    c.raster.disc({-2, 200}, 20, Qt::black);
    QCOMPARE(c.alpha(50, 40), 255);
    QCOMPARE(c.alpha(0, 40), 255);
}

void TestColumnRaster::areaBetweenLines() {
    Canvas c;
    c.raster.fill(std::vector<RasterPoint>{{0, 20}, {200, 20}}, std::vector<RasterPoint>{{0, 80}, {200, 60}},
                  Qt::black);
    QVERIFY2(std::abs(c.ink(100) - 50) < 1, qPrintable(QString::number(c.ink(100))));
    QCOMPARE(c.alpha(100, 19), 0);
    QCOMPARE(c.alpha(100, 30), 255);
}

void TestColumnRaster::faintInkAddsUp() {
    Canvas c;
    QColor faint(255, 0, 0, 115);
    for (int i = 0; i < 2; ++i)
        c.raster.stroke(std::vector<RasterPoint>{{50.5, 10}, {50.6, 90}}, {faint, 1, false, {}});
    const int once = 115, twice = 115 + 115 * (255 - 115) / 255;
    QVERIFY2(std::abs(c.alpha(50, 50) - twice) <= 3 && twice > once + 40, qPrintable(QString::number(c.alpha(50, 50))));
    const QRgb pixel = c.image.pixel(50, 50);
    QVERIFY(qRed(pixel) == qAlpha(pixel) && qBlue(pixel) == 0); // premultiplied
}

RANKSCOPE_CORE_TEST(TestColumnRaster)
#include "tst_column_raster.moc"
