// SPDX-License-Identifier: GPL-3.0-or-later
// What is visible and what counts: zooming only changes the view, a brushed interval is a filter, and both can be
// undone.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "widgets/models/waits/wait_model.h"
#include "widgets/review/bars/filter_bar.h"
#include "widgets/review/bars/view_history.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/waits/waits_pane.h"

#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::test;

class TestReviewViews : public QObject {
    Q_OBJECT
private slots:
    void overviewBrushes();
    void wheelAndDrag();
    void whoWaitsForWhom();
    void brushIsAFilterNotAZoom();
    void filterDecidesWhoWaits();
    void filterFollowsTheAxis();
    void chipsAreTakenAway();
    void backAndForward();
    void historyJoinsMoves();
    void otherPagesAreLinked();
};

void TestReviewViews::overviewBrushes() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    auto* strip = shown.page.findChild<OverviewStrip*>();
    const auto geometry = strip->geometryNow();
    const auto px = [&](double step) { return QPoint(static_cast<int>(geometry.toPixel(step)), 20); };
    QTest::mousePress(strip, Qt::LeftButton, {}, px(30));
    QTest::mouseMove(strip, px(50));
    QTest::mouseMove(strip, px(80));
    QTest::mouseRelease(strip, Qt::LeftButton, {}, px(80));
    QVERIFY(shown.complete());
    const QCPRange range = shown.plots()[0]->xAxis->range();
    QVERIFY2(std::abs(range.lower - 30) < 1 && std::abs(range.upper - 80) < 1,
             qPrintable(QStringLiteral("%1 %2").arg(range.lower).arg(range.upper)));
    QTest::mouseDClick(strip, Qt::LeftButton, {}, px(50));
    QVERIFY(shown.complete());
    QCOMPARE(shown.plots()[0]->xAxis->range(), QCPRange(-0.5, 119.5));
}

void TestReviewViews::wheelAndDrag() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    auto* plot = shown.plots()[1];
    const double under = 40;
    const QPointF at(plot->xAxis->coordToPixel(under), plot->axisRect()->center().y());
    QWheelEvent wheel(at, plot->mapToGlobal(at), {}, {0, 480}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(plot, &wheel);
    QVERIFY(shown.complete());
    QVERIFY(plot->xAxis->range().size() < 60);
    QVERIFY(std::abs(plot->xAxis->pixelToCoord(at.x()) - under) < 0.5);
    const double before = plot->xAxis->range().lower, perPixel = plot->xAxis->range().size() / plot->plotWidth();
    QTest::mousePress(plot, Qt::LeftButton, {}, at.toPoint());
    QTest::mouseMove(plot, at.toPoint() - QPoint(100, 0));
    QTest::mouseRelease(plot, Qt::LeftButton, {}, at.toPoint() - QPoint(100, 0));
    QVERIFY(shown.complete());
    QVERIFY(std::abs(plot->xAxis->range().lower - before - 100 * perPixel) < 2 * perPixel);
    QTest::mousePress(plot, Qt::LeftButton, Qt::ControlModifier, at.toPoint());
    QTest::mouseMove(plot, at.toPoint() + QPoint(200, 0));
    QTest::mouseRelease(plot, Qt::LeftButton, Qt::ControlModifier, at.toPoint() + QPoint(200, 0));
    QVERIFY(shown.complete());
    QVERIFY(std::abs(plot->xAxis->range().size() - std::max(4.0, 200 * perPixel)) < 3 * perPixel);
    QTest::mouseDClick(plot, Qt::LeftButton, {}, at.toPoint());
    QVERIFY(shown.complete());
    QCOMPARE(plot->xAxis->range(), QCPRange(-0.5, 119.5));
}

void TestReviewViews::whoWaitsForWhom() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    auto* pane = shown.page.findChild<WaitsPane*>();
    QVERIFY(pane->isHidden()); // hidden by default, so that the plots get the room
    shown.page.restoreLayout("{\"who_waits\":true}");
    QVERIFY(pane->isVisible());
    QVERIFY(shown.complete());
    const auto sentence = [&] { return pane->findChild<QLabel*>(QStringLiteral("waitSentences"))->text(); };
    const auto* table = pane->findChild<QTableView*>();
    QVERIFY2(sentence().startsWith("Rank 1 kept the others waiting for 5.4 s"),
             qPrintable(sentence())); // 119 x 20 ms + 3 s
    QCOMPARE(table->model()->rowCount(), 1);
    QCOMPARE(table->model()->index(0, WaitModel::WaiterColumn).data().toString(), QStringLiteral("rank 0"));
    QCOMPARE(table->model()->index(0, WaitModel::HolderColumn).data().toString(), QStringLiteral("rank 1"));
    QCOMPARE(table->model()->index(0, WaitModel::WaitColumn).data().toString(), QStringLiteral("5.4 s"));
    auto* strip = shown.page.findChild<OverviewStrip*>(); // brushes the part after the long wait
    const auto geometry = strip->geometryNow();
    const auto px = [&](double step) { return QPoint(static_cast<int>(geometry.toPixel(step)), 20); };
    QTest::mousePress(strip, Qt::LeftButton, {}, px(80));
    QTest::mouseMove(strip, px(90));
    QTest::mouseMove(strip, px(110));
    QTest::mouseRelease(strip, Qt::LeftButton, {}, px(110));
    QVERIFY(shown.complete());
    QVERIFY2(sentence().startsWith("Rank 1 kept the others waiting for 6") && sentence().contains(" ms ("),
             qPrintable(sentence())); // 30 or 31 x 20 ms
    const QByteArray layout = shown.page.saveLayout();
    shown.page.restoreLayout("{}");
    QVERIFY(pane->isHidden());
    shown.page.restoreLayout(layout);
    QVERIFY(!pane->isHidden());
    shown.page.setSession(nullptr);
    QCOMPARE(table->model()->rowCount(), 0);
}

namespace {

void brush(RankPlot* plot, double from, double to) {
    const auto px = [&](double x) {
        return QPoint(static_cast<int>(std::lround(plot->xAxis->coordToPixel(x))), plot->axisRect()->center().y());
    };
    QTest::mousePress(plot, Qt::LeftButton, Qt::ShiftModifier, px(from));
    QTest::mouseMove(plot, px((from + to) / 2));
    QTest::mouseRelease(plot, Qt::LeftButton, Qt::ShiftModifier, px(to));
}

} // namespace

void TestReviewViews::brushIsAFilterNotAZoom() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    QSignalSpy filters(&shown.page, &ReviewPage::filterChanged);
    auto* bar = shown.page.findChild<FilterBar*>();
    QVERIFY(bar->isHidden());
    brush(shown.plots()[1], 29.6, 80.4);
    QVERIFY(shown.complete());
    QCOMPARE(shown.plots()[0]->xAxis->range(), QCPRange(-0.5, 119.5)); // the view stays
    QCOMPARE(filters.size(), 1);
    QVERIFY2(std::abs(filters[0][0].toLongLong() - 30) <= 1, qPrintable(filters[0][0].toString()));
    QVERIFY2(std::abs(filters[0][1].toLongLong() - 80) <= 1, qPrintable(filters[0][1].toString()));
    QVERIFY(bar->isVisible());
    shown.page.setFilter(30, 80);
    QCOMPARE(bar->chips().size(), 1);
    QCOMPARE(bar->chips()[0].text, QStringLiteral("steps 30 to 80"));
    QVERIFY(shown.complete());
    for (auto* plot : shown.plots())
        QVERIFY(plot->filter() == (PlotRange{29.5, 80.5}));
    // the rest is dimmed
    const QImage image = shown.page.grab().toImage();
    auto* plot = shown.plots()[0];
    const QRect area = plot->axisRect()->rect().translated(plot->mapTo(&shown.page, QPoint()));
    const int edge = static_cast<int>(plot->xAxis->coordToPixel(29.5)) + plot->mapTo(&shown.page, QPoint()).x();
    QVERIFY(pixelsLike(image, plot->lineColour(0), QRect(QPoint(edge + 2, area.top()), area.bottomRight())) > 100);
    QCOMPARE(pixelsLike(image, plot->lineColour(0), QRect(area.topLeft(), QPoint(edge - 2, area.bottom()))), 0);
}

void TestReviewViews::filterDecidesWhoWaits() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    shown.page.restoreLayout("{\"who_waits\":true}");
    shown.page.setFilter(80, 109); // after the long wait
    QVERIFY(shown.complete());
    const auto* pane = shown.page.findChild<WaitsPane*>();
    const auto sentence = [&] { return pane->findChild<QLabel*>(QStringLiteral("waitSentences"))->text(); };
    QVERIFY2(sentence().startsWith("Rank 1 kept the others waiting for 600 ms"), qPrintable(sentence())); // 30 x 20 ms
    shown.page.showSteps(0, 20); // only a view: the waits stay the same
    QVERIFY(shown.complete());
    QVERIFY2(sentence().startsWith("Rank 1 kept the others waiting for 600 ms"), qPrintable(sentence()));
    shown.page.setFilter(-1, -1);
    shown.page.zoomAll();
    QVERIFY(shown.complete());
    QVERIFY2(sentence().startsWith("Rank 1 kept the others waiting for 5.4 s"), qPrintable(sentence()));
}

void TestReviewViews::filterFollowsTheAxis() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    shown.page.setFilter(10, 19);
    shown.page.setAxis(CurveAxis::Time);
    QVERIFY(shown.complete());
    const auto range = shown.plots()[0]->filter();
    QVERIFY(range.has_value());
    // ten steps of 120 ms each
    QVERIFY2(std::abs(range->lo - 1.2) < 0.1 && std::abs(range->width() - 1.2) < 0.1,
             qPrintable(QStringLiteral("%1 %2").arg(range->lo).arg(range->hi)));
    shown.page.setAxis(CurveAxis::Step);
    QVERIFY(shown.complete());
    QVERIFY(shown.plots()[0]->filter() == (PlotRange{9.5, 19.5}));
}

void TestReviewViews::chipsAreTakenAway() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    auto* bar = shown.page.findChild<FilterBar*>();
    auto* board = shown.page.findChild<RankBoard*>();
    QTest::mouseClick(board->viewport(), Qt::LeftButton, Qt::ControlModifier, board->tileRect(0).center());
    shown.page.setFilter(5, 5);
    QCOMPARE(bar->chips().size(), 2);
    QCOMPARE(bar->chips()[0].text, QStringLiteral("step 5"));
    QCOMPARE(bar->chips()[1].text, QStringLiteral("without rank 0"));
    shown.page.soloRank(1);
    QCOMPARE(bar->chips()[1].text, QStringLiteral("rank 1 only"));
    QCoreApplication::processEvents();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QSignalSpy filters(&shown.page, &ReviewPage::filterChanged);
    const auto takeFirst = [&] {           // a chip has a text and a cross
        QCoreApplication::processEvents(); // new widgets in a layout appear later
        const auto buttons = bar->findChildren<QToolButton*>();
        for (auto* button : buttons)
            if (!button->accessibleName().isEmpty() && button->parentWidget()->isVisibleTo(bar)) {
                QTest::mouseClick(button, Qt::LeftButton);
                break;
            }
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    };
    takeFirst();
    QCOMPARE(filters.size(), 1);
    QCOMPARE(filters[0][0].toLongLong(), -1);
    QCOMPARE(bar->chips().size(), 1);
    takeFirst();
    QCOMPARE(bar->chips()[0].text, QStringLiteral("without rank 0")); // the earlier muting is back
    takeFirst();
    QVERIFY(bar->isHidden());
    QVERIFY(shown.complete());
    QVERIFY(shown.plots()[0]->line(0) && shown.plots()[0]->line(1));
}

void TestReviewViews::backAndForward() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    const auto range = [&] {
        (void)shown.complete();
        return shown.plots()[0]->xAxis->range();
    };
    shown.page.showSteps(10, 49);
    QCOMPARE(range(), QCPRange(9.5, 49.5));
    shown.page.setFilter(20, 30);
    shown.page.soloRank(1);
    shown.page.goBack();
    QVERIFY(shown.complete());
    QVERIFY(shown.plots()[0]->line(0)); // all ranks again
    QVERIFY(shown.plots()[0]->filter().has_value());
    shown.page.goBack();
    QVERIFY(!shown.plots()[0]->filter().has_value());
    QCOMPARE(range(), QCPRange(9.5, 49.5));
    shown.page.goBack();
    QCOMPARE(range(), QCPRange(-0.5, 119.5));
    QSignalSpy messages(&shown.page, &ReviewPage::message);
    shown.page.goBack();
    QVERIFY(messages.last()[0].toString().contains(QStringLiteral("no earlier view")));
    shown.page.goForward();
    QCOMPARE(range(), QCPRange(9.5, 49.5));
    shown.page.goForward();
    QVERIFY(shown.plots()[0]->filter() == (PlotRange{19.5, 30.5}));
    shown.page.goForward();
    QVERIFY(shown.complete());
    QVERIFY(!shown.plots()[0]->line(0));
}

void TestReviewViews::historyJoinsMoves() {
    ViewHistory history;
    const auto at = [](double lo) { return ViewState{{lo, lo + 10}, CurveAxis::Step, {}, {}}; };
    using ViewChange = ViewHistory::ViewChange;
    history.note(ViewChange::Move, at(0), 1000);
    history.note(ViewChange::Move, at(1), 1100); // the same gesture
    history.note(ViewChange::Move, at(2), 1500);
    history.note(ViewChange::Move, at(3), 1500 + ViewHistory::kTogetherMs + 1);
    QVERIFY(history.back(at(4)) == at(3));
    QVERIFY(history.back(at(3)) == at(0));
    QVERIFY(!history.back(at(0)));
    QVERIFY(history.forward(at(0)) == at(3));
    history.note(ViewChange::Filter, at(3), 9000); // a new change removes the views ahead
    QVERIFY(!history.forward(at(3)));
    for (int i = 0; i < 1000; ++i)
        history.note(ViewChange::Filter, at(i + 100), 10'000 + i);
    int steps = 0;
    while (history.back(at(-1)))
        ++steps;
    QCOMPARE(steps, static_cast<int>(ViewHistory::kMost));
}

void TestReviewViews::otherPagesAreLinked() {
    const auto run = ended();
    Shown shown(*run);
    QVERIFY(shown.complete());
    QSignalSpy windows(&shown.page, &ReviewPage::windowChanged);
    shown.page.showSteps(10, 19);
    QVERIFY(shown.complete());
    QVERIFY(!windows.isEmpty());
    QVERIFY2(std::abs(windows.last()[0].toDouble() - 1.2) < 0.1, qPrintable(windows.last()[0].toString()));
    QVERIFY2(std::abs(windows.last()[1].toDouble() - 2.4) < 0.1, qPrintable(windows.last()[1].toString()));
    windows.clear();
    shown.page.showTime(3'600'000'000, 6'000'000'000);
    QVERIFY(shown.complete());
    QVERIFY(windows.isEmpty()); // the change is not sent back
    const QCPRange range = shown.plots()[0]->xAxis->range();
    QVERIFY2(std::abs(range.lower - 29.5) < 1 && std::abs(range.upper - 49.5) < 1,
             qPrintable(QStringLiteral("%1 %2").arg(range.lower).arg(range.upper)));
}

RANKSCOPE_GUI_TEST(TestReviewViews)
#include "tst_review_views.moc"
