// SPDX-License-Identifier: GPL-3.0-or-later
// The real page over a real store, by key and mouse: spans, arrows, hits and incidents, and their texts.
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline/timeline_shown.h"
#include "widgets/models/text/text_format.h"
#include "widgets/timeline/geometry/timeline_colours.h"
#include "widgets/timeline/page/timeline_legend.h"
#include "widgets/timeline/panes/span_details.h"
#include "widgets/waits/waits_pane.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QHelpEvent>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolTip>

#include <cmath>
#include <set>

using namespace rankscope;
using namespace rankscope::ui;
using telemetry::Phase;
using test::SyntheticRun;
using test::timelineStep;

class TestTimelinePage : public QObject, protected test::TimelineShown {
    Q_OBJECT
private slots:
    void initTestCase() { makeRun(); }
    void init() { open(*m_run); }
    void cleanup() { close(); }
    void emptyState();
    void spansAreDrawnWhereTheyWere();
    void fromTenSecondsOnThereAreThreeColours();
    void clickSelectsAndTells();
    void arrowKeysMoveBetweenSpans();
    void arrowsPointToTheHolder();
    void searchStepsThroughHits();
    void incidentsAreShadedAndVisited();
    void theWaitThatTheEndCutOffIsShown();
    void annotationsAreFlags();
    void jumps();
    void traceOfThePartInView();
};

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
                // a span's text is at its left: look near its right end
                const std::int64_t ns = since(step) + phase.endNs - 2'000'000;
                QCOMPARE(colourAt(at(rank, ns, LanePart::Phases)).name(), colours.of(phase.phase).name());
            }
    // after backward there is nothing until the next step
    QCOMPARE(colourAt(at(0, since(10) + 95'000'000, LanePart::Phases)).name(), colours.lane.name());
}

void TestTimelinePage::fromTenSecondsOnThereAreThreeColours() {
    m_view->zoomAll();
    QTRY_VERIFY(m_page->isComplete());
    QVERIFY(m_view->window().width() >= kOverviewNs);
    const auto colours = TimelineColours::ofTheme(m_view->window().width());
    const std::set<QRgb> known{colours.lane.rgb(), colours.step.rgb(), colours.waiting.rgb(),
                               colours.waitingHatch.rgb(), Theme::instance().palette().data.rgb()};
    const auto image = m_view->viewport()->grab().toImage();
    std::set<QRgb> seen;
    for (const LanePart part : {LanePart::Phases, LanePart::Collectives}) { // before the incident tints them
        const QPoint first = at(0, since(5), part), last = at(0, since(55), part);
        for (int x = first.x(); x <= last.x(); ++x)
            for (int y = first.y() - 3; y <= first.y() + 3; ++y)
                seen.insert(image.pixel(x, y));
    }
    for (const QRgb colour : seen)
        QVERIFY2(known.contains(colour), qPrintable(QColor(colour).name()));
    QVERIFY(seen.contains(colours.step.rgb()) && seen.contains(Theme::instance().palette().data.rgb()));
    const auto* legend = m_page->findChild<TimelineLegend*>();
    const QString incident = QStringLiteral("incident");
    QCOMPARE(legend->names(),
             (QStringList{QStringLiteral("working"), QStringLiteral("waiting for other ranks"),
                          QStringLiteral("waiting for data"), QStringLiteral("waiting for"), incident}));
    showSteps(20, 24); // each phase has its colour, and the legend lists those in view
    QStringList names = legend->names();
    QVERIFY(names.contains(phaseText(Phase::Forward)) && names.contains(phaseText(Phase::Backward)));
    QVERIFY(!names.contains(phaseText(Phase::Checkpoint)) && !names.contains(incident));
    showSteps(6, 8);
    QVERIFY(legend->names().contains(phaseText(Phase::Checkpoint)));
    showSteps(60, 61);
    QVERIFY(legend->names().contains(incident));
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
    QVERIFY2(text.contains(QLatin1String("Wait\t3.000 s for rank 1")), qPrintable(text));
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
    QTest::keyClick(m_view, Qt::Key_Up); // there is no lane above
    QCOMPARE(m_view->selected()->rank, 0);
}

void TestTimelinePage::arrowsPointToTheHolder() {
    showSteps(58, 62);
    const auto arrows = m_view->scene().arrows();
    QCOMPARE(arrows.size(), std::size_t{2}); // those of step 60; waits of 20 ms are too short at this zoom
    for (const auto& arrow : arrows) {
        QCOMPARE(arrow.holder, 1);
        QVERIFY(arrow.waiter == 0 || arrow.waiter == 2);
        QCOMPARE(arrow.toNs, since(60) + SyntheticRun::kStepNs / 2 + 3'000'000'000);
    }
    // the arrow's head is on the holder's lane
    const QPoint head = at(1, arrows.front().toNs, LanePart::Collectives);
    const auto image = m_view->viewport()->grab().toImage();
    const QColor colour = Theme::instance().palette().text;
    int found = 0;
    for (int y = head.y() - 120; y < head.y() + 120; ++y)
        for (int x = head.x() - 4; x <= head.x() + 4; ++x)
            found += image.pixelColor(x, y) == colour;
    QVERIFY(found > 10);
    m_view->zoomAll();
    QTRY_VERIFY(m_page->isComplete());
    QVERIFY(m_view->scene().arrows().size() <= 2);
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
    QVERIFY(m_view->window().contains(wanted) && m_view->window().width() < 1e6); // close enough to be visible
    search->clear();
    QTest::keyClicks(search, QStringLiteral("backward rank 2"));
    QTRY_VERIFY(counted("8 of 120")); // the first hit in or after the view
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY(counted("9 of 120"));
    QTest::keyClick(search, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClick(search, Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(counted("7 of 120"));
    search->clear();
    QTest::keyClicks(search, QStringLiteral("nonsense"));
    QTRY_VERIFY(counted("no hits"));
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
    // between the lanes the background is the panel with 12 % of the incidents' colour, not the holder's
    const QPoint below = at(2, static_cast<std::int64_t>(begin + 1e9), LanePart::Collectives) + QPoint(0, 60);
    const QColor tint = Theme::instance().palette().incident, ground = Theme::instance().palette().panel;
    const auto mixed = [](int base, int top) { return base + qRound((top - base) * 0.12); };
    const QColor seen = colourAt(below);
    QVERIFY(std::abs(seen.red() - mixed(ground.red(), tint.red())) <= 2);
    QVERIFY(std::abs(seen.blue() - mixed(ground.blue(), tint.blue())) <= 2);
    QSignalSpy asked(m_page.get(), &TimelinePage::incidentRequested);
    const int x = at(0, static_cast<std::int64_t>(begin), LanePart::Phases).x();
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, {x, TimelineScene::kAxisHeight - 4});
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.front().front().toLongLong(), 1);
}

/// A hang that the user ended: no record reports the wait, only the incident.
void TestTimelinePage::theWaitThatTheEndCutOffIsShown() {
    close();
    SyntheticRun run(3, launch::RunState::Stopped, 120);
    run.addSteps(60, timelineStep);
    const auto stall =
        run.addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 8'000'000'000, diagnosis::CloseReason::StoppedByUser);
    run.finishStore();
    open(run);
    const auto& scene = m_view->scene();
    QTRY_COMPARE(scene.openWaits.size(), std::size_t{2});
    const std::int64_t openedNs = stall.openedNs - run.info().startNs, endNs = stall.closedNs - run.info().startNs;
    QCOMPARE(scene.openUntilNs - scene.startNs, endNs);
    m_view->showWindow({static_cast<double>(openedNs) - 1e9, static_cast<double>(endNs) + 1e9});
    QTRY_VERIFY_WITH_TIMEOUT(m_page->isComplete(), 15'000);
    const double middle = static_cast<double>(openedNs + endNs) / 2;
    QVERIFY(scene.track.at(middle).has_value() && !scene.track.at(static_cast<double>(endNs) + 1e6).has_value());
    QVERIFY2(scene.track.tip(middle).startsWith(QStringLiteral("Step 60 did not end")),
             qPrintable(scene.track.tip(middle)));
    const QColor empty = colourAt(scene.pointOf(0, middle, LanePart::Phases)); // what the waiter did is not known
    QVERIFY(colourAt(scene.pointOf(1, middle, LanePart::Phases)) != empty);    // the holder loaded data
    auto* waits = m_page->findChild<WaitsPane*>();
    auto* below = m_page->findChild<QTabWidget*>();
    below->show();
    below->setCurrentWidget(waits);
    QTRY_VERIFY2_WITH_TIMEOUT(
        waits->asText().contains(QStringLiteral("Rank 0 was waiting for rank 1 when the run ended: 8.0 s")),
        qPrintable(waits->asText()), 10'000);
}

void TestTimelinePage::annotationsAreFlags() {
    const auto* legend = m_page->findChild<TimelineLegend*>();
    const QString annotation = QStringLiteral("annotation");
    QVERIFY(!legend->names().contains(annotation));
    m_page->setAnnotations({{7, 30, 34, since(30), -1, "learning rate halved", 0}, {8, 90, 90, since(90), -1, "x", 0}});
    QVERIFY(legend->names().contains(annotation));
    showSteps(50, 59);
    QVERIFY(!legend->names().contains(annotation)); // none is in sight
    showSteps(28, 37);
    QVERIFY(legend->names().contains(annotation));
    const TimelineScene& scene = m_view->scene();
    const QPoint cloth = scene.stepRow().topLeft() +
                         QPoint(static_cast<int>(std::lround(scene.scale.x(static_cast<double>(since(30))))) + 3, 5);
    const auto* found = scene.annotationAt(cloth);
    QVERIFY(found && found->id == 7);
    QVERIFY(!scene.annotationAt(cloth + QPoint(40, 0)) && !scene.annotationAt(cloth + QPoint(0, 30)));
    QCOMPARE(colourAt(cloth), Theme::instance().palette().text);
    QHelpEvent help(QEvent::ToolTip, cloth, m_view->viewport()->mapToGlobal(cloth));
    QApplication::sendEvent(m_view->viewport(), &help);
    QTRY_VERIFY(QToolTip::text().contains(QStringLiteral("learning rate halved")));
    QVERIFY(QToolTip::text().contains(QStringLiteral("steps 30 to 34")));
    QSignalSpy selected(m_page.get(), &TimelinePage::annotationSelected), said(m_page.get(), &TimelinePage::message);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, cloth);
    QCOMPARE(selected.size(), 1);
    QCOMPARE(selected[0][0].toLongLong(), 7);
    QCOMPARE(said.value(0).value(0).toString(), QStringLiteral("learning rate halved"));
    QCOMPARE(colourAt(cloth), Theme::instance().palette().accent); // blue is what is selected
    m_view->selectAnnotation(0);
    QCOMPARE(colourAt(cloth), Theme::instance().palette().text);
    m_page->showMoment(since(90)); // it comes into view, with as much around it as is useful
    QVERIFY(m_view->window().contains(static_cast<double>(since(90))));
}

void TestTimelinePage::jumps() {
    showSteps(20, 24);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, at(2, since(22) + 25'000'000, LanePart::Phases));
    QSignalSpy step(m_page.get(), &TimelinePage::stepRequested), log(m_page.get(), &TimelinePage::logRequested);
    for (auto* button : m_page->findChild<SpanDetails*>()->findChildren<QPushButton*>())
        if (button->text() == QLatin1String("Show step in Review") ||
            button->text() == QLatin1String("This rank's log"))
            button->click();
    QCOMPARE(step.size(), 1);
    QCOMPARE(step.front().front().toLongLong(), 22);
    QCOMPARE(log.size(), 1);
    QCOMPARE(log.front().at(0).toInt(), 2);
    QCOMPARE(log.front().at(1).toLongLong(), since(22) + 10'000'000);
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
    QSignalSpy failed(m_page.get(), &TimelinePage::failed);
    m_page->exportTo(QStringLiteral("/proc/nowhere/x.json"));
    QTRY_VERIFY(!failed.isEmpty());
    QVERIFY(failed.back().front().toString().contains(QLatin1String("/proc/nowhere")));
}

RANKSCOPE_GUI_TEST(TestTimelinePage)
#include "tst_timeline_page.moc"
