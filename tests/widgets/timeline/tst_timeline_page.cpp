// SPDX-License-Identifier: GPL-3.0-or-later
// The real page over a real store, by key and mouse.
#include "timeline_run.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/span_details.h"
#include "widgets/timeline/timeline_page.h"
#include "widgets/timeline/timeline_view.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <cmath>
#include <memory>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using telemetry::Phase;
using test::SyntheticRun;
using test::timelineStep;

class TestTimelinePage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup();
    void emptyState();
    void spansAreDrawnWhereTheyWere();
    void wheelZoomsAboutTheCursor();
    void dragPansAndStopsAtTheEnds();
    void shiftDragSelectsAPart();
    void keysZoomAndPan();
    void clickSelectsAndTells();
    void arrowKeysMoveBetweenSpans();
    void arrowsPointToTheHolder();
    void searchStepsThroughHits();
    void incidentsAreShadedAndVisited();
    void jumps();
    void windowIsLinked();
    void manyRanksScroll();
    void sumsAreSaid();
    void traceOfThePartInView();
    void liveRunGrows();

private:
    void open(SyntheticRun& run);
    std::int64_t since(std::int64_t step) const { return m_run->stepBegin(step) - m_run->info().startNs; }
    /// Shows some steps and waits until they are drawn.
    void showSteps(std::int64_t first, std::int64_t last);
    QPoint at(int rank, std::int64_t ns, LanePart part) const {
        return m_view->pointOf(rank, static_cast<double>(ns), part);
    }
    QColor colourAt(const QPoint& pixel) const;

    std::unique_ptr<SyntheticRun> m_run;
    std::unique_ptr<RunSession> m_session;
    std::unique_ptr<TimelinePage> m_page;
    TimelineView* m_view = nullptr;
};

void TestTimelinePage::initTestCase() {
    Theme::instance().apply(Theme::Mode::Light);
    m_run = std::make_unique<SyntheticRun>(3, RunState::Finished, 120);
    m_run->addSteps(120, timelineStep);
    m_run->addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 2'900'000'000);
    m_run->finishStore();
}

void TestTimelinePage::init() {
    open(*m_run);
}

void TestTimelinePage::cleanup() {
    m_page.reset();
    m_session.reset();
}

void TestTimelinePage::open(SyntheticRun& run) {
    m_page = std::make_unique<TimelinePage>();
    m_session = std::make_unique<RunSession>(run.paths());
    m_page->resize(1100, 700);
    m_page->setSession(m_session.get());
    m_page->show();
    m_view = m_page->view();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    QTRY_VERIFY_WITH_TIMEOUT(m_view->rankCount() > 0 && m_page->isComplete(), 15'000);
    m_page->activateWindow();
    m_view->setFocus();
}

void TestTimelinePage::showSteps(std::int64_t first, std::int64_t last) {
    m_view->showWindow({static_cast<double>(since(first)), static_cast<double>(since(last) + SyntheticRun::kStepNs)});
    QTRY_VERIFY_WITH_TIMEOUT(m_page->isComplete(), 15'000);
}

QColor TestTimelinePage::colourAt(const QPoint& pixel) const {
    return m_view->viewport()->grab().toImage().pixelColor(pixel);
}

void TestTimelinePage::emptyState() {
    TimelinePage page;
    page.resize(600, 400);
    page.show();
    QVERIFY(page.isComplete());
    const auto labels = page.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains(QLatin1String("No run is shown"));
    }));
    QSignalSpy said(&page, &TimelinePage::message);
    page.exportTrace();
    QCOMPARE(said.size(), 1);
}

void TestTimelinePage::spansAreDrawnWhereTheyWere() {
    showSteps(10, 12);
    const auto colours = TimelineColours::ofTheme();
    for (int rank = 0; rank < 3; ++rank)
        for (std::int64_t step = 10; step <= 12; ++step)
            for (const auto& phase : timelineStep(rank, step).phases) {
                if (phase.endNs - phase.beginNs < 5'000'000)
                    continue;
                // words stand at a span's left: look near its right end
                const std::int64_t ns = since(step) + phase.endNs - 2'000'000;
                QCOMPARE(colourAt(at(rank, ns, LanePart::Phases)).name(), colours.of(phase.phase).name());
            }
    // after backward there is nothing until the next step
    QCOMPARE(colourAt(at(0, since(10) + 95'000'000, LanePart::Phases)).name(), colours.lane.name());
}

void TestTimelinePage::wheelZoomsAboutTheCursor() {
    const QPoint pixel(700, 200);
    const double under = m_view->scale().ns(pixel.x() - TimelineView::kLabelWidth);
    const double width = m_view->window().width();
    for (int i = 0; i < 10; ++i) {
        QWheelEvent wheel(pixel, m_view->viewport()->mapToGlobal(pixel), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_view->viewport(), &wheel);
        QVERIFY(std::abs(m_view->scale().ns(pixel.x() - TimelineView::kLabelWidth) - under) <
                2 * m_view->scale().nsPerPixel());
    }
    QVERIFY(m_view->window().width() < width / 5);
    for (int i = 0; i < 40; ++i) {
        QWheelEvent wheel(pixel, m_view->viewport()->mapToGlobal(pixel), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_view->viewport(), &wheel);
    }
    QCOMPARE(m_view->window(), m_view->limits());
}

void TestTimelinePage::dragPansAndStopsAtTheEnds() {
    showSteps(50, 59);
    const PlotRange before = m_view->window();
    const QPoint from(600, 150), to(400, 150);
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(m_view->viewport(), {500, 150});
    QTest::mouseMove(m_view->viewport(), to);
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, to);
    QVERIFY(std::abs(m_view->window().lo - before.lo - 200 * m_view->scale().nsPerPixel()) <
            2 * m_view->scale().nsPerPixel());
    QVERIFY(std::abs(m_view->window().width() - before.width()) < 2);
    QVERIFY(!m_view->selected()); // a drag is no click
    m_view->showWindow({0, before.width()});
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, to);
    QTest::mouseMove(m_view->viewport(), from);
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, from);
    QCOMPARE(m_view->window().lo, 0.0);
}

void TestTimelinePage::shiftDragSelectsAPart() {
    showSteps(20, 29);
    const PlotRange before = m_view->window();
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, Qt::ShiftModifier, {400, 150});
    QTest::mouseMove(m_view->viewport(), {500, 160});
    QTest::mouseMove(m_view->viewport(), {600, 150});
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, Qt::ShiftModifier, {600, 150});
    QCOMPARE(m_view->window(), before);
    QVERIFY(m_view->brush().has_value());
    QVERIFY(std::abs(m_view->brush()->width() - 200 * m_view->scale().nsPerPixel()) < 2 * m_view->scale().nsPerPixel());
    const PlotRange brush = *m_view->brush();
    QTest::keyClick(m_view, Qt::Key_Return); // nothing is selected: zooms to the part
    QVERIFY(std::abs(m_view->window().lo - brush.lo) < 2 && std::abs(m_view->window().hi - brush.hi) < 2);
    QTest::keyClick(m_view, Qt::Key_Escape);
    QVERIFY(!m_view->brush());
}

void TestTimelinePage::keysZoomAndPan() {
    QTest::keyClick(m_view, Qt::Key_Plus);
    QVERIFY(std::abs(m_view->window().width() - m_view->limits().width() / 2) < 2);
    const PlotRange half = m_view->window();
    QTest::keyClick(m_view, Qt::Key_Right);
    QVERIFY(std::abs(m_view->window().lo - half.lo - 0.1 * half.width()) < 2);
    QTest::keyClick(m_view, Qt::Key_Left);
    QVERIFY(std::abs(m_view->window().lo - half.lo) < 2);
    QTest::keyClick(m_view, Qt::Key_End);
    QVERIFY(std::abs(m_view->window().hi - m_view->limits().hi) < 2);
    QTest::keyClick(m_view, Qt::Key_Minus);
    QCOMPARE(m_view->window(), m_view->limits());
    QTest::keyClick(m_view, Qt::Key_Plus);
    QTest::keyClick(m_view, Qt::Key_0);
    QCOMPARE(m_view->window(), m_view->limits());
}

void TestTimelinePage::clickSelectsAndTells() {
    showSteps(60, 61);
    const QPoint pixel = at(0, since(60) + SyntheticRun::kStepNs / 2 + 1'000'000'000, LanePart::Collectives);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, pixel);
    QVERIFY(m_view->selected().has_value());
    const auto& pick = *m_view->selected();
    QVERIFY(pick.span.collective);
    QCOMPARE(pick.rank, 0);
    QCOMPARE(pick.span.step, 60);
    QCOMPARE(pick.span.holder, 1);
    QCOMPARE(pick.span.waitNs, 3'000'000'000);
    auto* details = m_page->findChild<SpanDetails*>();
    QVERIFY(details->isVisible());
    auto* arrivals = details->findChild<QTableWidget*>();
    QTRY_COMPARE(arrivals->rowCount(), 3);
    QVERIFY(arrivals->item(2, 0)->text().contains(QLatin1String("rank 1, the holder")));
    details->copy();
    const QString text = QApplication::clipboard()->text();
    QVERIFY2(text.contains(QLatin1String("Wait\t3.000000 s for rank 1")), qPrintable(text));
    QVERIFY2(text.contains(QLatin1String("gradient:0")) && text.contains(QLatin1String("Elements\t1,000")),
             qPrintable(text));
    QCOMPARE(text.count(QLatin1String("\nrank ")), 3);
    QTest::keyClick(m_view, Qt::Key_Escape);
    QVERIFY(!m_view->selected());
}

void TestTimelinePage::arrowKeysMoveBetweenSpans() {
    showSteps(20, 24);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, at(0, since(21) + 25'000'000, LanePart::Phases));
    QVERIFY(m_view->selected() && m_view->selected()->span.phase == Phase::Forward);
    QTest::keyClick(m_view, Qt::Key_Left);
    QVERIFY(m_view->selected()->span.phase == Phase::DataWait);
    QCOMPARE(m_view->selected()->span.step, 21);
    QTest::keyClick(m_view, Qt::Key_Left);
    QCOMPARE(m_view->selected()->span.step, 20);
    QVERIFY(m_view->selected()->span.phase == Phase::Backward);
    QTest::keyClick(m_view, Qt::Key_Down);
    QCOMPARE(m_view->selected()->rank, 1);
    QTest::keyClick(m_view, Qt::Key_Up);
    QTest::keyClick(m_view, Qt::Key_Up); // there is none above
    QCOMPARE(m_view->selected()->rank, 0);
}

void TestTimelinePage::arrowsPointToTheHolder() {
    showSteps(58, 62);
    const auto arrows = m_view->arrows();
    QCOMPARE(arrows.size(), std::size_t{2}); // of step 60; 20 ms are too short to be told at this zoom
    for (const auto& arrow : arrows) {
        QCOMPARE(arrow.holder, 1);
        QVERIFY(arrow.waiter == 0 || arrow.waiter == 2);
        QCOMPARE(arrow.toNs, since(60) + SyntheticRun::kStepNs / 2 + 3'000'000'000);
    }
    // its head lies on the holder's lane
    const QPoint head = at(1, arrows.front().toNs, LanePart::Collectives);
    const auto image = m_view->viewport()->grab().toImage();
    const QColor colour = Theme::instance().palette().holder;
    int found = 0;
    for (int y = head.y() - 24; y < head.y() + 24; ++y)
        for (int x = head.x() - 4; x <= head.x() + 4; ++x)
            found += image.pixelColor(x, y) == colour;
    QVERIFY(found > 10);
    m_view->zoomAll();
    QTRY_VERIFY(m_page->isComplete());
    QVERIFY(m_view->arrows().size() <= 2);
}

void TestTimelinePage::searchStepsThroughHits() {
    QTest::keyClick(m_view, Qt::Key_Slash);
    auto* search = m_page->findChild<QLineEdit*>();
    QVERIFY(search->hasFocus());
    const auto counted = [&](const char* text) {
        const auto labels = m_page->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel* l) { return l->text() == QLatin1String(text); });
    };
    QTest::keyClicks(search, QStringLiteral("checkpoint"));
    QTRY_VERIFY(counted("1 of 1"));
    const double wanted = static_cast<double>(since(7) + 40'040'000);
    QVERIFY(m_view->window().contains(wanted) && m_view->window().width() < 1e6); // so near that it can be seen
    search->clear();
    QTest::keyClicks(search, QStringLiteral("backward rank 2"));
    QTRY_VERIFY(counted("8 of 120")); // the first from where the view is
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY(counted("9 of 120"));
    QTest::keyClick(search, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClick(search, Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(counted("7 of 120"));
    search->clear();
    QTest::keyClicks(search, QStringLiteral("nonsense"));
    QTRY_VERIFY(counted("no hit"));
    search->clear();
    QTest::keyClicks(search, QStringLiteral("60"));
    QTRY_VERIFY(counted("1 of 3"));
    QVERIFY(m_view->window().contains(static_cast<double>(since(60))));
    QTest::keyClick(search, Qt::Key_Escape);
    QVERIFY(m_view->hasFocus() && search->text().isEmpty());
}

void TestTimelinePage::incidentsAreShadedAndVisited() {
    const double begin = static_cast<double>(since(60) + SyntheticRun::kStepNs / 2);
    QTest::keyClick(m_view, Qt::Key_BracketRight);
    QVERIFY(m_view->window().contains(begin) && m_view->window().contains(begin + 2.9e9));
    QTRY_VERIFY(m_page->isComplete());
    // between the lanes the ground is the panel with 12 % of the holder's colour
    const QPoint below = at(2, static_cast<std::int64_t>(begin + 1e9), LanePart::Collectives) + QPoint(0, 60);
    const QColor tint = incidentTint(1), ground = Theme::instance().palette().panel;
    const auto mixed = [](int base, int top) { return base + qRound((top - base) * 0.12); };
    const QColor seen = colourAt(below);
    QVERIFY(std::abs(seen.red() - mixed(ground.red(), tint.red())) <= 2);
    QVERIFY(std::abs(seen.blue() - mixed(ground.blue(), tint.blue())) <= 2);
    QSignalSpy asked(m_page.get(), &TimelinePage::incidentRequested);
    const int x = at(0, static_cast<std::int64_t>(begin), LanePart::Phases).x();
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, {x, TimelineView::kAxisHeight - 4});
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.front().front().toLongLong(), 1);
}

void TestTimelinePage::jumps() {
    showSteps(20, 24);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, at(2, since(22) + 25'000'000, LanePart::Phases));
    QSignalSpy step(m_page.get(), &TimelinePage::stepRequested), log(m_page.get(), &TimelinePage::logRequested);
    for (auto* button : m_page->findChild<SpanDetails*>()->findChildren<QPushButton*>())
        if (!button->toolTip().contains(QLatin1String("Ctrl+C")))
            button->click();
    QCOMPARE(step.size(), 1);
    QCOMPARE(step.front().front().toLongLong(), 22);
    QCOMPARE(log.size(), 1);
    QCOMPARE(log.front().at(0).toInt(), 2);
    QCOMPARE(log.front().at(1).toLongLong(), since(22) + 10'000'000);
}

void TestTimelinePage::windowIsLinked() {
    QSignalSpy moved(m_page.get(), &TimelinePage::windowChanged);
    m_page->showTime(since(30), since(40));
    QVERIFY(std::abs(m_view->window().lo - static_cast<double>(since(30))) < 2);
    QVERIFY(moved.isEmpty()); // who moved it knows
    QTest::keyClick(m_view, Qt::Key_Right);
    QCOMPARE(moved.size(), 1);
    QVERIFY(std::abs(moved.front().at(0).toDouble() - m_view->window().lo / 1e9) < 1e-9);
    QVERIFY(std::abs(moved.front().at(1).toDouble() - m_view->window().hi / 1e9) < 1e-9);
}

void TestTimelinePage::manyRanksScroll() {
    cleanup();
    SyntheticRun run(100, RunState::Finished, 4);
    run.addSteps(4, timelineStep);
    run.finishStore();
    open(run);
    QCOMPARE(m_view->rankCount(), 100);
    QVERIFY(m_view->best()->lanes.size() < 60); // only what is seen is read
    QTest::keyClick(m_view, Qt::Key_PageDown);
    QTest::keyClick(m_view, Qt::Key_PageDown);
    QTest::keyClick(m_view, Qt::Key_PageDown);
    QTRY_VERIFY(m_page->isComplete());
    QCOMPARE(m_view->lastVisibleRank(), 99);
    QVERIFY(m_view->best()->lane(99) != nullptr);
    const auto colours = TimelineColours::ofTheme();
    QCOMPARE(colourAt(m_view->pointOf(99, 35e6, LanePart::Phases)).name(), colours.of(Phase::Forward).name());
}

void TestTimelinePage::sumsAreSaid() {
    cleanup();
    store::Retention retention;
    retention.newestSteps = 20;
    SyntheticRun run(2, RunState::Finished, 200, retention);
    for (int i = 0; i < 20; ++i)
        run.addSteps(10, timelineStep);
    run.finishStore();
    open(run);
    auto* notice = m_page->findChild<QLabel*>(QStringLiteral("timelineNotice"));
    QVERIFY(notice->isVisible());
    QVERIFY2(notice->text().contains(QLatin1String("sums are shown")), qPrintable(notice->text()));
    // where sums are drawn it does not look as if nothing had happened
    const double early = static_cast<double>(run.stepBegin(20) - run.info().startNs) + 5e7;
    const auto image = m_view->viewport()->grab().toImage();
    const QPoint low = m_view->pointOf(0, early, LanePart::Phases) + QPoint(0, 10);
    QVERIFY(image.pixelColor(low) != TimelineColours::ofTheme().lane);
    m_view->showWindow({static_cast<double>(run.stepBegin(190) - run.info().startNs), m_view->limits().hi});
    QTRY_VERIFY(m_page->isComplete());
    QVERIFY(!notice->isVisible()); // all single here
    const auto pick = m_view->pickAt(
        m_view->pointOf(0, static_cast<double>(run.stepBegin(195) - run.info().startNs) + 2e7, LanePart::Phases));
    QVERIFY(pick && pick->kind == TimelinePick::Kind::Span && pick->span.phase == Phase::Forward);
}

void TestTimelinePage::traceOfThePartInView() {
    showSteps(60, 62);
    QTemporaryDir dir;
    const QString file = dir.filePath(QStringLiteral("part.json"));
    QSignalSpy said(m_page.get(), &TimelinePage::message);
    m_page->exportTo(file);
    QTRY_VERIFY(!said.isEmpty());
    QVERIFY2(said.back().front().toString().contains(file), qPrintable(said.back().front().toString()));
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const auto json = QJsonDocument::fromJson(written.readAll());
    QVERIFY(json.isObject());
    const QByteArray text = json.toJson();
    QVERIFY(text.contains("step 61") && !text.contains("step 70"));
    said.clear();
    m_page->exportTo(QStringLiteral("/proc/nowhere/x.json"));
    QTRY_VERIFY(!said.isEmpty());
    QVERIFY(said.back().front().toString().contains(QLatin1String("/proc/nowhere")));
}

void TestTimelinePage::liveRunGrows() {
    cleanup();
    SyntheticRun run(2, RunState::Running, 0);
    run.addSteps(20, timelineStep);
    open(run);
    const auto lastStep = [&] {
        const auto* reply = m_view->best();
        const auto* lane = reply ? reply->lane(0) : nullptr;
        return lane && !lane->steps.empty() ? lane->steps.back().lastStep : -1;
    };
    QTRY_COMPARE(lastStep(), std::int64_t{19});
    run.addSteps(20, timelineStep);
    QTRY_COMPARE_WITH_TIMEOUT(lastStep(), std::int64_t{39}, 20'000);
    const double before = m_view->limits().hi;
    m_view->showWindow({0, m_view->limits().hi / 2});
    m_view->setFollow(true);
    QCOMPARE(m_view->window().hi, m_view->limits().hi);
    QTRY_VERIFY(m_view->limits().hi > before);
    QCOMPARE(m_view->window().hi, m_view->limits().hi);
    QTest::keyClick(m_view, Qt::Key_Left); // away from the end: no longer followed
    QVERIFY(!m_view->follow());
}

QTEST_MAIN(TestTimelinePage)
#include "tst_timeline_page.moc"
