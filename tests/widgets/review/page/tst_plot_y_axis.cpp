// SPDX-License-Identifier: GPL-3.0-or-later
// Changes the y axis by wheel, drag, key and button; outliers and smoothing with the toolbar.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"

#include <QSlider>
#include <QToolButton>
#include <QWheelEvent>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::test;

namespace {

void wheel(QWidget* widget, QPoint at, int delta, Qt::KeyboardModifiers modifiers = {}) {
    QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
}

QPoint onAxis(const RankPlot* plot, double share) {
    const QRect rect = plot->axisRect()->rect();
    return {rect.left() - 20, rect.top() + static_cast<int>(share * rect.height())};
}

QToolButton* resetOf(const RankPlot* plot) {
    return plot->findChild<QToolButton*>(QStringLiteral("resetY"));
}

/// Returns the usual top of a curve that has one wait of 3 s among waits of 20 ms.
double usualTop(const RankPlot* plot) {
    double top = 0;
    for (int i = 0; i < 120; ++i)
        if (i != 60)
            top = std::max(top, plot->line(0)->dataMainValue(i));
    return top;
}

} // namespace

class TestPlotYAxis : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void wheelZoomsOnePlotAndKeepsIt() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto *loss = shown.plots()[0], *length = shown.plots()[1];
        const QCPRange fitted = loss->yAxis->range(), others = length->yAxis->range(), steps = loss->xAxis->range();
        QVERIFY(!resetOf(loss)->isVisible());
        const QPoint at = loss->axisRect()->rect().center();
        const double under = loss->yAxis->pixelToCoord(at.y());
        wheel(loss, at, 120, Qt::ControlModifier);
        QVERIFY(shown.complete());
        const QCPRange zoomed = loss->yAxis->range();
        QVERIFY(zoomed.size() < 0.85 * fitted.size());
        QVERIFY(std::abs(loss->yAxis->pixelToCoord(at.y()) - under) < 0.01 * fitted.size());
        QCOMPARE(loss->xAxis->range(), steps);
        QCOMPARE(length->yAxis->range(), others);
        QVERIFY(resetOf(loss)->isVisible());
        wheel(loss, onAxis(loss, 0.5), 120);
        QVERIFY(shown.complete());
        const QCPRange more = loss->yAxis->range();
        QVERIFY(more.size() < 0.85 * zoomed.size());
        // the range stays while the view moves, the theme changes and the plot is moved
        shown.page.zoomIn();
        Theme::instance().apply(Theme::Mode::Dark);
        QTest::keyClick(loss, Qt::Key_Down, Qt::AltModifier);
        QVERIFY(shown.complete());
        QCOMPARE(loss->yAxis->range(), more);
        Theme::instance().apply(Theme::Mode::Light);
        wheel(loss, onAxis(loss, 0.5), -240);
        QVERIFY(shown.complete());
        QVERIFY(loss->yAxis->range().size() > 1.3 * more.size());
        shown.page.zoomAll();
        QTest::mouseClick(resetOf(loss), Qt::LeftButton);
        QVERIFY(shown.complete());
        QCOMPARE(loss->yAxis->range(), fitted);
        QVERIFY(!resetOf(loss)->isVisible());
    }

    void dragOnTheAxis() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* loss = shown.plots()[0];
        const QCPRange fitted = loss->yAxis->range(), steps = loss->xAxis->range();
        const QPoint from = onAxis(loss, 0.25), to = onAxis(loss, 0.75);
        const double high = loss->yAxis->pixelToCoord(from.y()), low = loss->yAxis->pixelToCoord(to.y());
        QTest::mouseMove(loss, from + QPoint(3, 3));
        QTest::mouseMove(loss, from);
        QCOMPARE(loss->cursor().shape(), Qt::SizeVerCursor);
        QVERIFY(loss->toolTip().contains(QStringLiteral("Wheel zooms y")));
        QTest::mousePress(loss, Qt::LeftButton, {}, from);
        QTest::mouseMove(loss, to);
        QTest::mouseRelease(loss, Qt::LeftButton, {}, to);
        QVERIFY(shown.complete());
        QVERIFY(std::abs(loss->yAxis->range().upper - high) < 1e-9);
        QVERIFY(std::abs(loss->yAxis->range().lower - low) < 1e-9);
        QCOMPARE(loss->xAxis->range(), steps);
        // Shift+drag moves the axis
        const double size = loss->yAxis->range().size(), at = loss->yAxis->pixelToCoord(from.y());
        QTest::mousePress(loss, Qt::LeftButton, Qt::ShiftModifier, from);
        QTest::mouseMove(loss, onAxis(loss, 0.5));
        QTest::mouseMove(loss, to);
        QTest::mouseRelease(loss, Qt::LeftButton, Qt::ShiftModifier, to);
        QVERIFY(shown.complete());
        QVERIFY(std::abs(loss->yAxis->range().size() - size) < 1e-9);
        QVERIFY(std::abs(loss->yAxis->pixelToCoord(to.y()) - at) < 0.02 * size);
        QVERIFY(loss->toolTip().contains(QStringLiteral("Double-click")) || !loss->toolTip().isEmpty());
        QTest::mouseDClick(loss, Qt::LeftButton, {}, from);
        QVERIFY(shown.complete());
        QCOMPARE(loss->yAxis->range(), fitted);
        // a click changes nothing
        QTest::mouseClick(loss, Qt::LeftButton, {}, from);
        QVERIFY(shown.complete());
        QCOMPARE(loss->yAxis->range(), fitted);
        QVERIFY(!loss->y()->byHand());
    }

    void keysAndALogScale() {
        const auto run = ended();
        Shown shown(*run);
        shown.page.setLogScale(true);
        QVERIFY(shown.complete());
        auto* wait = shown.plots()[2];
        const QCPRange fitted = wait->yAxis->range();
        QTest::keyClick(wait, Qt::Key_Up, Qt::ControlModifier);
        QVERIFY(shown.complete());
        const QCPRange in = wait->yAxis->range();
        QVERIFY(in.lower > fitted.lower && in.upper < fitted.upper);
        QVERIFY(std::abs(std::log(in.upper / in.lower) - 0.5 * std::log(fitted.upper / fitted.lower)) < 1e-6);
        QTest::keyClick(wait, Qt::Key_Down, Qt::ControlModifier);
        QTest::keyClick(wait, Qt::Key_Down, Qt::ControlModifier);
        QVERIFY(shown.complete());
        QVERIFY(wait->yAxis->range().upper > in.upper);
        shown.page.setLogScale(false);
        QVERIFY(shown.complete());
        QTest::keyClick(wait, Qt::Key_Down, Qt::ControlModifier);
        QVERIFY(shown.complete());
        QVERIFY(wait->yAxis->range().lower < 0);
        shown.page.setLogScale(true); // the lower end must be above 0
        QVERIFY(shown.complete());
        QVERIFY(wait->yAxis->range().lower > 0);
        QTest::keyClick(wait, Qt::Key_Home, Qt::ControlModifier);
        QVERIFY(shown.complete());
        QCOMPARE(wait->yAxis->range(), fitted);
    }

    void outliersAreCutAndMarked() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* wait = shown.plots()[2];
        const QCPRange fitted = wait->yAxis->range(), lengths = shown.plots()[1]->yAxis->range();
        QVERIFY(fitted.upper > 3);
        const QColor colour = wait->lineColour(0);
        const QRect rect = wait->axisRect()->rect();
        const auto pixelsAtTheEdge = [&] {
            const int x = static_cast<int>(wait->xAxis->coordToPixel(60));
            return pixelsLike(wait->grab().toImage(), colour, QRect(x - 4, rect.top() + 4, 9, 3));
        };
        auto* button = shown.page.findChild<QToolButton*>(QStringLiteral("ignoreOutliers"));
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(button->isChecked());
        QVERIFY(shown.complete());
        QVERIFY(wait->yAxis->range().upper < 2 * usualTop(wait));
        QVERIFY(wait->yAxis->range().upper > usualTop(wait));
        QVERIFY2(pixelsAtTheEdge() >= 12, qPrintable(QString::number(pixelsAtTheEdge())));
        QVERIFY(resetOf(wait)->isVisible());
        QCOMPARE(wait->y()->remarks().size(), 1);
        auto* length = shown.plots()[1]; // it has no outliers
        QCOMPARE(length->yAxis->range(), lengths);
        QVERIFY(!resetOf(length)->isVisible());
        QVERIFY(length->y()->remarks().isEmpty());
        if (const QString folder = qEnvironmentVariable("RANKSCOPE_PICTURES"); !folder.isEmpty())
            QVERIFY(shown.page.grab().save(folder + QStringLiteral("/review-outliers.png")));
        // shows the outliers of one plot again: the button stays on for the others, and a layout saves the choice
        QTest::mouseClick(resetOf(wait), Qt::LeftButton);
        QVERIFY(shown.complete());
        QCOMPARE(wait->yAxis->range(), fitted);
        QVERIFY(button->isChecked());
        const QByteArray layout = shown.page.saveLayout();
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!shown.plots()[0]->y()->ignoresOutliers());
        shown.page.restoreLayout(layout);
        QVERIFY(shown.complete());
        QVERIFY(shown.plots()[0]->y()->ignoresOutliers());
        QVERIFY(!shown.plots()[2]->y()->ignoresOutliers());
        QVERIFY(button->isChecked());
    }

    void anotherRunIsFitted() {
        const auto run = ended(), other = ended(2, 40);
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* loss = shown.plots()[0];
        loss->y()->setByHand(PlotRange{100, 200});
        QVERIFY(shown.complete());
        QCOMPARE(loss->yAxis->range().lower, 100.0);
        RunSession next(other->paths());
        shown.page.setSession(&next);
        QVERIFY(shown.complete());
        QVERIFY(loss->yAxis->range().upper < 20);
        shown.page.setSession(nullptr);
    }

    void theSliderSmoothesLive() {
        const auto run = ended();
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* wait = shown.plots()[2];
        QVERIFY(wait->curves(0)->raw()->data()->isEmpty());
        auto* slider = shown.page.findChild<QSlider*>();
        QVERIFY(slider);
        auto* smooth = shown.page.findChild<QToolButton*>(QStringLiteral("smooth"));
        QVERIFY(!smooth->isChecked());
        slider->setValue(40);
        QVERIFY(smooth->isChecked() && shown.page.smoothing()); // a user who moves the slider wants to see the effect
        QVERIFY(shown.complete());
        const double weak = wait->line(0)->dataMainValue(60);
        QVERIFY(weak < 1);
        QVERIFY(wait->curves(0)->raw()->dataMainValue(60) > 2.9);
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_PageUp);
        QVERIFY(shown.complete());
        const double strong = wait->line(0)->dataMainValue(60);
        QVERIFY(strong < weak);
        // the smoothed curve does not depend on the view
        shown.page.showSteps(50, 70);
        QVERIFY(shown.complete());
        const auto at = wait->line(0)->data()->findBegin(60, false);
        QVERIFY(std::abs(at->value - strong) < 1e-9);
        const QByteArray layout = shown.page.saveLayout();
        slider->setValue(0);
        shown.page.restoreLayout(layout);
        QCOMPARE(slider->value(), 50);
        shown.page.setSmoothing(false);
        QVERIFY(shown.complete());
        QVERIFY(shown.plots()[2]->curves(0)->raw()->data()->isEmpty());
    }

    void foreignLayoutsDoNoHarm() {
        const auto run = ended();
        Shown shown(*run);
        for (const char* strength : {"-5", "1e300", "\"much\"", "null", "0"}) {
            shown.page.restoreLayout(QByteArray("{\"version\":2,\"smooth\":true,\"smooth_half_life\":") + strength +
                                     ",\"plots\":[{\"series\":\"loss\",\"pinned\":3,\"ignore_outliers\":\"x\"}]}");
            QVERIFY(shown.complete());
            QVERIFY(std::isfinite(shown.plots()[0]->line(0)->dataMainValue(100)));
        }
    }
};

RANKSCOPE_GUI_TEST(TestPlotYAxis)
#include "tst_plot_y_axis.moc"
