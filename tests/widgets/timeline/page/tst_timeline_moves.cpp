// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the run that the page shows, moved by key and mouse; many ranks, thinned-out steps, and a live run.
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline/timeline_shown.h"

#include <QApplication>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using telemetry::Phase;
using test::SyntheticRun;
using test::timelineStep;

class TestTimelineMoves : public QObject, protected test::TimelineShown {
    Q_OBJECT
private slots:
    void initTestCase() { makeRun(); }
    void init() { open(*m_run); }
    void cleanup() { close(); }
    void wheelZoomsAboutTheCursor();
    void dragPansAndStopsAtTheEnds();
    void shiftDragSelectsAPart();
    void keysZoomAndPan();
    void windowIsLinked();
    void manyRanksScroll();
    void sumsAreSaid();
    void liveRunGrows();
    void newerReplyWins();
    void endOfAFollowedRun();
};

void TestTimelineMoves::wheelZoomsAboutTheCursor() {
    const QPoint pixel(700, 200);
    const double under = m_view->scene().scale.ns(pixel.x() - TimelineScene::kLabelWidth);
    const double width = m_view->window().width();
    for (int i = 0; i < 10; ++i) {
        QWheelEvent wheel(pixel, m_view->viewport()->mapToGlobal(pixel), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_view->viewport(), &wheel);
        QVERIFY(std::abs(m_view->scene().scale.ns(pixel.x() - TimelineScene::kLabelWidth) - under) <
                2 * m_view->scene().scale.nsPerPixel());
    }
    QVERIFY(m_view->window().width() < width / 5);
    for (int i = 0; i < 40; ++i) {
        QWheelEvent wheel(pixel, m_view->viewport()->mapToGlobal(pixel), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_view->viewport(), &wheel);
    }
    QCOMPARE(m_view->window(), m_view->limits());
}

void TestTimelineMoves::dragPansAndStopsAtTheEnds() {
    showSteps(50, 59);
    const PlotRange before = m_view->window();
    const QPoint from(600, 150), to(400, 150);
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, from);
    QTest::mouseMove(m_view->viewport(), {500, 150});
    QTest::mouseMove(m_view->viewport(), to);
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, to);
    QVERIFY(std::abs(m_view->window().lo - before.lo - 200 * m_view->scene().scale.nsPerPixel()) <
            2 * m_view->scene().scale.nsPerPixel());
    QVERIFY(std::abs(m_view->window().width() - before.width()) < 2);
    QVERIFY(!m_view->selected()); // a drag is not a click
    m_view->showWindow({0, before.width()});
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, {}, to);
    QTest::mouseMove(m_view->viewport(), from);
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, {}, from);
    QCOMPARE(m_view->window().lo, 0.0);
}

void TestTimelineMoves::shiftDragSelectsAPart() {
    showSteps(20, 29);
    const PlotRange before = m_view->window();
    QTest::mousePress(m_view->viewport(), Qt::LeftButton, Qt::ShiftModifier, {400, 150});
    QTest::mouseMove(m_view->viewport(), {500, 160});
    QTest::mouseMove(m_view->viewport(), {600, 150});
    QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, Qt::ShiftModifier, {600, 150});
    QCOMPARE(m_view->window(), before);
    QVERIFY(m_view->brush().has_value());
    QVERIFY(std::abs(m_view->brush()->width() - 200 * m_view->scene().scale.nsPerPixel()) <
            2 * m_view->scene().scale.nsPerPixel());
    const PlotRange brush = *m_view->brush();
    QTest::keyClick(m_view, Qt::Key_Return); // nothing is selected: zooms to the part
    QVERIFY(std::abs(m_view->window().lo - brush.lo) < 2 && std::abs(m_view->window().hi - brush.hi) < 2);
    QTest::keyClick(m_view, Qt::Key_Escape);
    QVERIFY(!m_view->brush());
}

void TestTimelineMoves::keysZoomAndPan() {
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

void TestTimelineMoves::windowIsLinked() {
    QSignalSpy moved(m_page.get(), &TimelinePage::windowChanged);
    m_page->showTime(since(30), since(40));
    QVERIFY(std::abs(m_view->window().lo - static_cast<double>(since(30))) < 2);
    QVERIFY(moved.isEmpty()); // the caller knows about its own move
    QTest::keyClick(m_view, Qt::Key_Right);
    QCOMPARE(moved.size(), 1);
    QVERIFY(std::abs(moved.front().at(0).toDouble() - m_view->window().lo / 1e9) < 1e-9);
    QVERIFY(std::abs(moved.front().at(1).toDouble() - m_view->window().hi / 1e9) < 1e-9);
}

void TestTimelineMoves::manyRanksScroll() {
    cleanup();
    SyntheticRun run(100, RunState::Finished, 4);
    run.addSteps(4, timelineStep);
    run.finishStore();
    open(run);
    QCOMPARE(m_view->scene().rankCount(), 100);
    QVERIFY(m_view->scene().best()->lanes.size() < 60); // only visible lanes are read
    for (int i = 0; i < 6; ++i)
        QTest::keyClick(m_view, Qt::Key_PageDown);
    QTRY_VERIFY(m_page->isComplete());
    QCOMPARE(m_view->scene().lastVisibleRank(), 99);
    QVERIFY(m_view->scene().best()->lane(99) != nullptr);
    const auto colours = TimelineColours::ofTheme();
    QCOMPARE(colourAt(m_view->scene().pointOf(99, 35e6, LanePart::Phases)).name(), colours.of(Phase::Forward).name());
}

void TestTimelineMoves::sumsAreSaid() {
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
    QVERIFY2(notice->text().contains(QLatin1String("each step's sums")), qPrintable(notice->text()));
    // sums are visible, so the part does not look empty
    const double early = static_cast<double>(run.stepBegin(20) - run.info().startNs) + 5e7;
    const auto image = m_view->viewport()->grab().toImage();
    const QPoint low = m_view->scene().pointOf(0, early, LanePart::Phases) + QPoint(0, 10);
    QVERIFY(image.pixelColor(low) != TimelineColours::ofTheme().lane);
    m_view->showWindow({static_cast<double>(run.stepBegin(190) - run.info().startNs), m_view->limits().hi});
    QTRY_VERIFY(m_page->isComplete());
    QVERIFY(!notice->isVisible()); // all steps are kept individually here
    const auto pick = m_view->scene().pickAt(m_view->scene().pointOf(
        0, static_cast<double>(run.stepBegin(195) - run.info().startNs) + 2e7, LanePart::Phases));
    QVERIFY(pick && pick->kind == TimelinePick::PickKind::Span && pick->span.phase == Phase::Forward);
}

void TestTimelineMoves::liveRunGrows() {
    cleanup();
    SyntheticRun run(2, RunState::Running, 0);
    run.addSteps(20, timelineStep);
    open(run);
    const auto lastStep = [&] {
        const auto* reply = m_view->scene().best();
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

/// A request for a live run reaches beyond its end; its reply must not hide what was recorded afterwards.
void TestTimelineMoves::newerReplyWins() {
    cleanup();
    SyntheticRun run(2, RunState::Running, 0);
    run.addSteps(20, timelineStep);
    open(run);
    const auto lastStep = [&] {
        const auto* reply = m_view->scene().best();
        const auto* lane = reply ? reply->lane(0) : nullptr;
        return lane && !lane->steps.empty() ? lane->steps.back().lastStep : -1;
    };
    m_view->showWindow({m_view->limits().hi / 2, m_view->limits().hi});
    QTRY_VERIFY(m_view->scene().serves(m_view->scene().reply.get()));
    m_view->zoomAll();
    run.addSteps(20, timelineStep);
    QTRY_COMPARE_WITH_TIMEOUT(lastStep(), std::int64_t{39}, 20'000);
    // the same after the page was hidden for a while
    m_view->showWindow({m_view->limits().hi / 2, m_view->limits().hi});
    QTRY_VERIFY(m_view->scene().serves(m_view->scene().reply.get()));
    m_page->hide();
    run.addSteps(20, timelineStep);
    QTest::qWait(400);
    m_page->show();
    m_view->zoomAll();
    QTRY_COMPARE_WITH_TIMEOUT(lastStep(), std::int64_t{59}, 20'000);
}

/// If a followed run has ended, the whole run is shown.
void TestTimelineMoves::endOfAFollowedRun() {
    for (const bool follows : {true, false}) {
        cleanup();
        SyntheticRun run(2, RunState::Running, 0);
        run.addSteps(20, timelineStep);
        open(run);
        const double to = m_view->limits().hi - (follows ? 0 : 1e9);
        m_view->showWindow({to - 1e9, to});
        QCOMPARE(m_view->follow(), follows);
        run.addSteps(20, timelineStep);
        run.finishStore();
        run.setState(RunState::Finished);
        QTRY_VERIFY_WITH_TIMEOUT(!m_view->scene().live, 10'000);
        QTRY_VERIFY(m_page->isComplete());
        QCOMPARE(m_view->showsAll(), follows);
    }
}

RANKSCOPE_GUI_TEST(TestTimelineMoves)
#include "tst_timeline_moves.moc"
