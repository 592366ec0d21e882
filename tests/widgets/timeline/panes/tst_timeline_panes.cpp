// SPDX-License-Identifier: GPL-3.0-or-later
// The panes below and the summary above the lanes, by key and mouse: statistics of a selection, details with their
// links, and how the page uses its room.
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline/timeline_shown.h"
#include "widgets/controls/one_line_label.h"
#include "widgets/models/tables/stats_model.h"
#include "widgets/timeline/panes/span_details.h"
#include "widgets/timeline/panes/stats_pane.h"
#include "widgets/waits/waits_pane.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using telemetry::Phase;
using test::SyntheticRun;
using test::timelineStep;

class TestTimelinePanes : public QObject, protected test::TimelineShown {
    Q_OBJECT
private slots:
    void initTestCase() { makeRun(); }
    void init() {
        open(*m_run);
        m_below = m_page->findChild<QTabWidget*>();
        m_stats = m_page->findChild<StatsPane*>();
        m_table = m_stats->findChild<QTableView*>();
        m_details = m_page->findChild<SpanDetails*>();
    }
    void cleanup() { close(); }
    void dragSelectsAndAddsUp();
    void anotherRangeReplacesIt();
    void tableSortsAndCopiesCsv();
    void readingCanBeCancelled();
    void liveRunKeepsTheTable();
    void spanLeadsToAllOfItsPhase();
    void rowLeadsToItsLongest();
    void searchSelectsTheHit();
    void clickBringsDetailsToTheFront();
    void waitLeadsToItsCause();
    void detailsTellBatchAndReadableTimes();
    void stallTellsTheFile();
    void incidentsAreZoomedToFromTheWholeRun();
    void lettersZoomAndPan();
    void lanesUseThePage();
    void summaryIsDrawn();
    void smallPageScrolls();

private:
    void drag(std::int64_t fromNs, std::int64_t toNs, int y = 10) {
        const int a = at(0, fromNs, LanePart::Phases).x(), b = at(0, toNs, LanePart::Phases).x();
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, {a, y});
        QTest::mouseMove(m_view->viewport(), {(a + b) / 2, y});
        QTest::mouseMove(m_view->viewport(), {b, y});
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, {b, y});
    }
    QString cell(int row, int column) const { return m_table->model()->index(row, column).data().toString(); }
    int rowOf(const QString& kind, const QString& rank) const {
        for (int r = 0; r < m_table->model()->rowCount(); ++r)
            if (cell(r, StatsModel::KindColumn) == kind && cell(r, StatsModel::RankColumn) == rank)
                return r;
        return -1;
    }
    void clickSpan(int rank, std::int64_t ns, LanePart part) {
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, at(rank, ns, part));
        QVERIFY(m_view->selected().has_value());
    }
    std::int64_t waiting() const { return since(60) + SyntheticRun::kStepNs / 2 + 1'000'000'000; }

    QTabWidget* m_below = nullptr;
    StatsPane* m_stats = nullptr;
    QTableView* m_table = nullptr;
    SpanDetails* m_details = nullptr;
};

void TestTimelinePanes::dragSelectsAndAddsUp() {
    showSteps(40, 49);
    QVERIFY(m_stats->isHidden() || !m_stats->isVisible());
    drag(since(41) + 5'000'000, since(44) - 5'000'000); // on the axis; rank 1 is late in steps 40 and 45 only
    QVERIFY(m_view->brush().has_value());
    QVERIFY(m_stats->isVisible());
    QTRY_VERIFY(rowOf(QStringLiteral("forward"), QStringLiteral("rank 2")) >= 0 && m_stats->isComplete());
    const int row = rowOf(QStringLiteral("forward"), QStringLiteral("rank 2"));
    QCOMPARE(cell(row, StatsModel::CountColumn), QStringLiteral("3"));
    QCOMPARE(cell(row, StatsModel::SumColumn), QStringLiteral("90 ms"));
    QCOMPARE(cell(row, StatsModel::MedianColumn), QStringLiteral("30 ms"));
    QVERIFY2(cell(row, StatsModel::ShareColumn).startsWith(QLatin1String("31.")),
             qPrintable(cell(row, StatsModel::ShareColumn)));
    auto* range = m_stats->findChild<OneLineLabel*>(QStringLiteral("statsRange"));
    QVERIFY2(range->accessibleName().startsWith(QLatin1String("Selected: ")), qPrintable(range->accessibleName()));
    // the waits use this range, too
    m_below->setCurrentWidget(m_page->findChild<WaitsPane*>());
    auto* waits = m_page->findChild<WaitsPane*>();
    QTRY_VERIFY(waits->isComplete());
    QVERIFY2(waits->asText().startsWith(QLatin1String("Selected: ")) &&
                 waits->asText().contains(QLatin1String("No waits between ranks")),
             qPrintable(waits->asText()));
    QTest::keyClick(m_view, Qt::Key_Escape);
    QVERIFY(!m_view->brush());
    QTRY_VERIFY(range->accessibleName().startsWith(QLatin1String("In view: ")));
}

void TestTimelinePanes::anotherRangeReplacesIt() {
    showSteps(40, 49);
    drag(since(41), since(43));
    drag(since(46), since(47)); // immediately, without waiting for the first range
    QTRY_VERIFY(m_stats->isComplete() && rowOf(QStringLiteral("forward"), QStringLiteral("rank 0")) >= 0);
    QCOMPARE(cell(rowOf(QStringLiteral("forward"), QStringLiteral("rank 0")), StatsModel::CountColumn),
             QStringLiteral("1"));
    m_table->setFocus();
    QTest::keyClick(m_table, Qt::Key_Escape); // works in the table, too
    QVERIFY(!m_view->brush());
}

void TestTimelinePanes::tableSortsAndCopiesCsv() {
    showSteps(40, 49);
    drag(since(40), since(49));
    QTRY_VERIFY(m_table->model()->rowCount() > 6 && m_stats->isComplete());
    m_table->sortByColumn(StatsModel::MaxColumn, Qt::DescendingOrder);
    const auto max = [&](int r) {
        return m_table->model()->index(r, StatsModel::MaxColumn).data(StatsModel::SortRole).toLongLong();
    };
    for (int r = 1; r < m_table->model()->rowCount(); ++r)
        QVERIFY(max(r - 1) >= max(r));
    m_table->setFocus();
    QTest::keyClick(m_table, Qt::Key_C, Qt::ControlModifier);
    auto lines = QApplication::clipboard()->text().split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), m_table->model()->rowCount() + 1);
    QCOMPARE(lines[0], QStringLiteral("kind,name,rank,count,sum_s,mean_s,p50_s,p95_s,max_s,share"));
    QVERIFY2(lines.contains(QStringLiteral("phase,forward,1,9,0.270000000,0.030000000,0.030000000,0.030000000,"
                                           "0.030000000,") +
                            lines.filter(QStringLiteral("phase,forward,1,")).value(0).section(u',', -1)),
             qPrintable(lines.join(u'\n')));
    m_table->selectRow(0);
    QTest::keyClick(m_table, Qt::Key_C, Qt::ControlModifier);
    lines = QApplication::clipboard()->text().split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 2);
    auto* group = m_stats->findChildren<QComboBox*>().at(1);
    group->setCurrentIndex(1);
    emit group->activated(1);
    QVERIFY(rowOf(QStringLiteral("forward"), QStringLiteral("all")) >= 0);
    QCOMPARE(rowOf(QStringLiteral("forward"), QStringLiteral("rank 0")), -1);
}

void TestTimelinePanes::readingCanBeCancelled() {
    drag(since(10), since(100));
    QVERIFY(!m_stats->isComplete());
    m_stats->cancel();
    QVERIFY(m_stats->isComplete());
    auto* range = m_stats->findChild<OneLineLabel*>(QStringLiteral("statsRange"));
    QVERIFY2(range->accessibleName().endsWith(QLatin1String("cancelled")), qPrintable(range->accessibleName()));
    QTest::qWait(300);
    QCOMPARE(m_table->model()->rowCount(), 0); // no late answer was shown
    for (auto* button : m_stats->findChildren<QPushButton*>())
        if (button->isVisible())
            button->click(); // starts again
    QTRY_VERIFY(m_table->model()->rowCount() > 0);
}

void TestTimelinePanes::liveRunKeepsTheTable() {
    SyntheticRun run(2, RunState::Running, 0);
    run.addSteps(20, timelineStep);
    close();
    open(run);
    m_below = m_page->findChild<QTabWidget*>();
    m_stats = m_page->findChild<StatsPane*>();
    m_table = m_stats->findChild<QTableView*>();
    m_below->show();
    m_below->setCurrentWidget(m_stats);
    QTRY_VERIFY(rowOf(QStringLiteral("forward"), QStringLiteral("rank 0")) >= 0);
    auto* range = m_stats->findChild<OneLineLabel*>(QStringLiteral("statsRange"));
    const auto count = [&] {
        const int row = rowOf(QStringLiteral("forward"), QStringLiteral("rank 0"));
        return row < 0 ? QString() : cell(row, StatsModel::CountColumn);
    };
    QTRY_COMPARE(count(), QStringLiteral("20"));
    QTRY_VERIFY(range->accessibleName().endsWith(QLatin1String("20 steps")));
    run.addSteps(20, timelineStep);
    for (int i = 0; i < 1000 && count() != QLatin1String("40"); ++i) {
        QVERIFY2(!range->accessibleName().contains(QLatin1String("adding up")), qPrintable(range->accessibleName()));
        QTest::qWait(20);
    }
    QCOMPARE(count(), QStringLiteral("40"));
}

void TestTimelinePanes::spanLeadsToAllOfItsPhase() {
    showSteps(40, 44);
    clickSpan(1, since(42) + 25'000'000, LanePart::Phases);
    for (auto* button : m_details->findChildren<QPushButton*>())
        if (button->text() == QLatin1String("Statistics of all spans of this kind"))
            button->click();
    QVERIFY(m_stats->isVisible());
    QTRY_COMPARE(m_table->model()->rowCount(), 3);                         // a row for each rank
    QTRY_COMPARE(cell(0, StatsModel::CountColumn), QStringLiteral("120")); // of the whole run
    for (int r = 0; r < 3; ++r)
        QCOMPARE(cell(r, StatsModel::KindColumn), QStringLiteral("forward"));
    m_view->setFocus();
    QTest::keyClick(m_view, Qt::Key_Escape);
    QTest::keyClick(m_view, Qt::Key_Escape);
    QTRY_VERIFY(m_table->model()->rowCount() > 3); // all kinds again, for the part in view
    QTRY_COMPARE(cell(rowOf(QStringLiteral("forward"), QStringLiteral("rank 0")), StatsModel::CountColumn),
                 QStringLiteral("5"));
}

void TestTimelinePanes::rowLeadsToItsLongest() {
    drag(since(0), since(110));
    QTRY_VERIFY(m_stats->isComplete() && rowOf(QStringLiteral("data_wait"), QStringLiteral("rank 1")) >= 0);
    m_table->setFocus();
    m_table->setCurrentIndex(m_table->model()->index(rowOf(QStringLiteral("data_wait"), QStringLiteral("rank 1")), 0));
    emit m_table->activated(m_table->currentIndex());
    QVERIFY(m_view->selected());
    QCOMPARE(m_view->selected()->rank, 1);
    QCOMPARE(m_view->selected()->span.step, 60);
    QVERIFY(m_view->window().contains(static_cast<double>(since(60) + 1'000'000)));
}

void TestTimelinePanes::searchSelectsTheHit() {
    showSteps(60, 61);
    clickSpan(0, waiting(), LanePart::Collectives);
    QTest::keyClick(m_view, Qt::Key_Slash);
    auto* search = m_page->findChild<QLineEdit*>();
    QTest::keyClicks(search, QStringLiteral("checkpoint"));
    QTest::keyClick(search, Qt::Key_Return);
    QTRY_VERIFY(m_view->selected() && m_view->selected()->span.phase == Phase::Checkpoint);
    QCOMPARE(m_view->selected()->rank, 0);
    QCOMPARE(m_view->selected()->span.step, 7);
    QVERIFY2(m_details->asText().startsWith(QLatin1String("rank 0, checkpoint")), qPrintable(m_details->asText()));
    QVERIFY(search->hasFocus()); // the user can continue typing
    search->clear();
    QTest::keyClicks(search, QStringLiteral("gradient rank 2"));
    QTRY_VERIFY(m_view->selected() && m_view->selected()->span.collective);
    QVERIFY2(m_details->asText().startsWith(QLatin1String("rank 2, gradient:0")), qPrintable(m_details->asText()));
    const std::int64_t step = m_view->selected()->span.step;
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(m_view->selected()->span.step, step + 1);
    search->clear();
    QTest::keyClicks(search, QStringLiteral("60 rank 1"));
    QTRY_VERIFY(m_view->selected() && m_view->selected()->kind == TimelinePick::PickKind::Step);
    QVERIFY2(m_details->asText().startsWith(QLatin1String("rank 1, step 60")), qPrintable(m_details->asText()));
}

void TestTimelinePanes::clickBringsDetailsToTheFront() {
    showSteps(40, 44);
    clickSpan(1, since(42) + 25'000'000, LanePart::Phases);
    for (int tab = 0; tab < m_below->count(); ++tab) {
        m_below->setCurrentIndex(tab);
        clickSpan(tab % 3, since(41) + 25'000'000, LanePart::Phases);
        QVERIFY(m_details->isVisible());
    }
}

void TestTimelinePanes::waitLeadsToItsCause() {
    showSteps(58, 62);
    clickSpan(0, waiting(), LanePart::Collectives);
    auto* facts = m_details->findChild<QLabel*>(QStringLiteral("spanFacts"));
    QTRY_VERIFY(facts->text().contains(QLatin1String("rank 1, data_wait, step 60")));
    QVERIFY(facts->text().contains(QLatin1String("href='cause'")));
    emit facts->linkActivated(QStringLiteral("cause"));
    QVERIFY(m_view->selected() && !m_view->selected()->span.collective);
    QCOMPARE(m_view->selected()->rank, 1);
    QCOMPARE(m_view->selected()->span.step, 60);
    QVERIFY(m_view->selected()->span.phase == Phase::DataWait);
    // the same by key
    clickSpan(2, waiting(), LanePart::Collectives);
    QTRY_VERIFY(m_details->cause().has_value());
    m_view->setFocus();
    QTest::keyClick(m_view, Qt::Key_C);
    QCOMPARE(m_view->selected()->rank, 1);
    QVERIFY(m_view->selected()->span.phase == Phase::DataWait);
    // a phase has no cause
    QSignalSpy said(m_page.get(), &TimelinePage::message);
    QTRY_VERIFY(!m_details->cause());
    QTest::keyClick(m_view, Qt::Key_C);
    QCOMPARE(said.size(), 1);
}

void TestTimelinePanes::detailsTellBatchAndReadableTimes() {
    showSteps(40, 44);
    clickSpan(1, since(42) + 25'000'000, LanePart::Phases);
    QTRY_VERIFY(m_details->asText().contains(QLatin1String("Utterances\t4")));
    const QString text = m_details->asText();
    QVERIFY2(text.contains(QLatin1String("Longest\t400 frames")) &&
                 text.contains(QLatin1String("Shortest\t200 frames")),
             qPrintable(text));
    QVERIFY2(text.contains(QLatin1String("Duration\t30.00 ms")), qPrintable(text));
    QVERIFY2(text.contains(QLatin1String(", 10.00 ms into the step")), qPrintable(text));
    static const QRegularExpression nanoseconds(QStringLiteral("\\d\\.\\d{7,}"));
    QVERIFY2(!text.contains(nanoseconds), qPrintable(text));
}

void TestTimelinePanes::stallTellsTheFile() {
    SyntheticRun run(2, RunState::Finished, 80);
    run.addSteps(80, timelineStep);
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 2'900'000'000);
    run.finishStore();
    close();
    open(run);
    m_details = m_page->findChild<SpanDetails*>();
    const std::int64_t stall = run.stepBegin(60) - run.info().startNs;
    m_view->showWindow({static_cast<double>(stall), static_cast<double>(stall) + 3.2e9});
    QTRY_VERIFY(m_page->isComplete());
    clickSpan(1, stall + 2'000'000'000, LanePart::Phases);
    auto* facts = m_details->findChild<QLabel*>(QStringLiteral("spanFacts"));
    const auto incidents = m_session->view().incidents;
    QVERIFY(!incidents.empty());
    const auto path = incidents.front().evidence.readingPath.value_or("");
    QVERIFY(!path.empty());
    QVERIFY2(facts->text().contains(QString::fromStdString(path)), qPrintable(facts->text()));
    QVERIFY(facts->text().contains(QLatin1String("href='folder'")));
    // the file does not exist, and a message says so
    QSignalSpy said(m_page.get(), &TimelinePage::message);
    emit facts->linkActivated(QStringLiteral("folder"));
    QTRY_COMPARE(said.size(), 1);
    QVERIFY2(said.front().front().toString().startsWith(QString::fromStdString(path)),
             qPrintable(said.front().front().toString()));
    clickSpan(0, stall + 5'000'000, LanePart::Phases); // another rank's data_wait was not for this file
    QVERIFY(!facts->text().contains(QLatin1String("href='folder'")));
}

void TestTimelinePanes::incidentsAreZoomedToFromTheWholeRun() {
    const double begin = static_cast<double>(since(60) + SyntheticRun::kStepNs / 2);
    for (const auto key : {Qt::Key_BracketRight, Qt::Key_BracketLeft}) {
        m_view->zoomAll();
        const double whole = m_view->window().width();
        QTest::keyClick(m_view, key);
        QVERIFY(m_view->window().width() < 0.7 * whole);
        QVERIFY(m_view->window().contains(begin) && m_view->window().contains(begin + 2.9e9));
    }
    // a single incident is shown again
    const PlotRange shown = m_view->window();
    QTest::keyClick(m_view, Qt::Key_BracketLeft);
    QCOMPARE(m_view->window(), shown);
    // several incidents one after the other, including those near the ends of the run
    SyntheticRun run(2, RunState::Finished, 120);
    run.addSteps(120, timelineStep);
    for (const std::int64_t step : {1, 60, 118})
        run.addIncident(step, diagnosis::Cause::DataLoading, 1, step, step == 60 ? 2'900'000'000 : 30'000'000);
    run.finishStore();
    close();
    open(run);
    const auto contains = [&](std::int64_t step) {
        return m_view->window().contains(
            static_cast<double>(run.stepBegin(step) - run.info().startNs + SyntheticRun::kStepNs / 2));
    };
    for (const std::int64_t step : {1, 60, 118, 1, 60}) {
        QTest::keyClick(m_view, Qt::Key_BracketRight);
        QVERIFY2(contains(step), qPrintable(QString::number(step)));
    }
    QTest::keyClick(m_view, Qt::Key_BracketLeft);
    QVERIFY(contains(1));
    QTest::keyClick(m_view, Qt::Key_BracketLeft);
    QVERIFY(contains(118));
}

void TestTimelinePanes::lettersZoomAndPan() {
    const double whole = m_view->window().width();
    QTest::keyClick(m_view, Qt::Key_W);
    QVERIFY(std::abs(m_view->window().width() - whole / 2) < 2);
    const PlotRange half = m_view->window();
    QTest::keyClick(m_view, Qt::Key_D);
    QVERIFY(std::abs(m_view->window().lo - half.lo - 0.1 * half.width()) < 2);
    QTest::keyClick(m_view, Qt::Key_A);
    QVERIFY(std::abs(m_view->window().lo - half.lo) < 2);
    QTest::keyClick(m_view, Qt::Key_S);
    QCOMPARE(m_view->window(), m_view->limits());
    QTest::keyClick(m_view, Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(m_view->window(), m_view->limits());
}

void TestTimelinePanes::lanesUseThePage() {
    const auto laneHeight = [this] { return at(1, 0, LanePart::Phases).y() - at(0, 0, LanePart::Phases).y(); };
    const int viewport = m_view->viewport()->height() - m_view->scene().lanesTop();
    QVERIFY2(laneHeight() > 100 && laneHeight() <= LaneLayout::kTallest, qPrintable(QString::number(laneHeight())));
    QVERIFY2(3 * laneHeight() <= viewport && 3 * laneHeight() > viewport - 40, // no empty room below the lanes
             qPrintable(QStringLiteral("%1 of %2").arg(3 * laneHeight()).arg(viewport)));
    m_page->resize(1100, 420);
    QTRY_VERIFY(m_view->viewport()->height() < 400);
    QVERIFY(laneHeight() < 140);
    QCOMPARE(m_view->verticalScrollBar()->maximum(), 0);
    close();
    SyntheticRun run(64, RunState::Finished, 2);
    run.addSteps(2, timelineStep);
    run.finishStore();
    open(run);
    QVERIFY(m_view->verticalScrollBar()->maximum() > 0); // with many ranks the lanes scroll
}

void TestTimelinePanes::summaryIsDrawn() {
    QTRY_VERIFY(m_page->isComplete() && m_view->scene().track.summary());
    QVERIFY(m_view->scene().lanesTop() > TimelineScene::kAxisHeight);
    const auto held = m_view->scene().track.at(static_cast<double>(since(60) + 2'000'000'000));
    QVERIFY(held && held->firstStep == 60 && held->longestStepNs > 2'900'000'000);
    const QString tip = m_view->scene().track.tip(static_cast<double>(since(60) + 2'000'000'000));
    QVERIFY2(tip.startsWith(QLatin1String("Step 60: 3.1")), qPrintable(tip));
    // the long step rises above the others
    const QColor line = Theme::instance().palette().secondary;
    const QImage image = m_view->viewport()->grab().toImage();
    const auto top = [&](std::int64_t ns) {
        const int x = at(0, ns, LanePart::Phases).x();
        for (int y = TimelineScene::kAxisHeight; y < m_view->scene().lanesTop(); ++y)
            if (image.pixelColor(x, y) == line)
                return y;
        return -1;
    };
    QVERIFY(top(since(60) + 3'000'000'000) > 0);
    QVERIFY(top(since(60) + 3'000'000'000) + 10 < top(since(30) + 50'000'000));
    // on the left, the shares have a scale from 0 to 100
    const int ground = qGray(Theme::instance().palette().window.rgb());
    int ink = 0;
    for (int y = TimelineScene::kAxisHeight; y < (TimelineScene::kAxisHeight + m_view->scene().lanesTop()) / 2; ++y)
        for (int x = TimelineScene::kLabelWidth - 20; x < TimelineScene::kLabelWidth - 6; ++x)
            ink += std::abs(qGray(image.pixel(x, y)) - ground) > 60 ? 1 : 0;
    QVERIFY2(ink > 10, qPrintable(QString::number(ink)));
    // a drag on the summary selects, as on the axis
    drag(since(20), since(40), m_view->scene().lanesTop() - 10);
    QVERIFY(m_view->brush().has_value());
}

void TestTimelinePanes::smallPageScrolls() {
    m_page->resize(800, 340);
    clickSpan(0, since(60) + 2'000'000'000, LanePart::Collectives);
    auto* scroll = m_page->findChild<QScrollArea*>(QStringLiteral("timelineScroll"));
    QTRY_VERIFY(scroll->verticalScrollBar()->maximum() > 0);
    QVERIFY(m_view->height() >= 200 && m_below->height() >= 200);
    QVERIFY(scroll->widget()->width() <= scroll->viewport()->width());
}

RANKSCOPE_GUI_TEST(TestTimelinePanes)
#include "tst_timeline_panes.moc"
