// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline page in the real window: it shows the same part as Review, and its links lead to the other pages.
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/review/annotations/annotation_bar.h"
#include "widgets/review/annotations/annotation_controller.h"
#include "widgets/review/annotations/annotation_pane.h"
#include "widgets/review/page/review_page.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QAction>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::SyntheticRun;

class TestTimelineLink : public QObject {
    Q_OBJECT
private slots:
    void bothPagesShowTheSamePart();
    void menusActOnThePageThatIsSeen();
    void allShowsTheWholeRun();
    void resizingIsNoMove();
    void saidOfTheRunBefore();
    void anIncidentLeadsToTheTimeline();
    void annotationsAreTheSameOnBothPages();
};

/// The real window with a finished run of two ranks.
struct OpenedWindow {
    SyntheticRun run{2, RunState::Finished, 100};
    MainWindow window{options()};

    explicit OpenedWindow(bool withIncident = false) {
        Theme::instance().apply(Theme::Mode::Light);
        run.addSteps(100, test::timelineStep);
        if (withIncident)
            run.addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 2'900'000'000);
        run.finishStore();
        window.show();
        window.start();
        window.openRun(QString::fromStdString(run.paths().dir.string()));
    }
    WindowOptions options() const {
        WindowOptions options;
        options.runsDir = QString::fromStdString(run.paths().dir.parent_path().string());
        options.remember = false;
        return options;
    }
};

/// Returns the entry of a menu or tool bar with this text, compared without its mnemonic.
static QAction* entry(const MainWindow& window, const QString& text) {
    for (auto* action : window.findChildren<QAction*>())
        if (QString(action->text()).remove(QLatin1Char('&')) == text)
            return action;
    return nullptr;
}

void TestTimelineLink::menusActOnThePageThatIsSeen() {
    OpenedWindow opened;
    MainWindow& window = opened.window;
    QAction* zoomIn = entry(window, QStringLiteral("Zoom in"));
    QAction* smoothing = entry(window, QStringLiteral("Smoothing"));
    QAction* follow = entry(window, QStringLiteral("Follow the newest step"));
    QVERIFY(zoomIn && smoothing && follow);

    window.showPage(Page::Timeline);
    QTRY_VERIFY_WITH_TIMEOUT(window.isComplete(), 20'000);
    auto* view = window.findChild<TimelinePage*>()->view();
    QVERIFY(zoomIn->isEnabled());
    QVERIFY(!smoothing->isEnabled());                      // there is nothing to smooth
    QVERIFY(!follow->isEnabled() && !follow->isChecked()); // the run has ended
    const double before = view->window().width();
    zoomIn->trigger();
    QCOMPARE(view->window().width(), before / 2);

    window.showPage(Page::Review);
    QTRY_VERIFY_WITH_TIMEOUT(window.isComplete(), 20'000);
    QVERIFY(zoomIn->isEnabled() && smoothing->isEnabled());
    QSignalSpy ranges(window.findChild<ReviewPage*>(), &ReviewPage::rangeChanged);
    zoomIn->trigger();
    QTRY_VERIFY(!ranges.isEmpty());

    window.showPage(Page::Logs);
    QVERIFY(!zoomIn->isEnabled());
}

void TestTimelineLink::bothPagesShowTheSamePart() {
    OpenedWindow opened;
    MainWindow& window = opened.window;
    auto* review = window.findChild<ReviewPage*>();
    review->setAxis(CurveAxis::Time);
    window.showPage(Page::Review);
    QTRY_VERIFY_WITH_TIMEOUT(window.isComplete(), 20'000);
    QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
    QVERIFY(window.page() == Page::Timeline);
    QTRY_VERIFY_WITH_TIMEOUT(window.isComplete(), 20'000);
    auto* view = window.findChild<TimelinePage*>()->view();
    QVERIFY(view->hasFocus());

    QSignalSpy ranges(review, &ReviewPage::rangeChanged);
    QTest::keyClick(view, Qt::Key_Plus);
    QTest::keyClick(view, Qt::Key_Plus);
    const PlotRange part = view->window();
    const auto shown = [&] { return ranges.isEmpty() ? PlotRange{} : ranges.back().front().value<PlotRange>(); };
    QTRY_VERIFY(std::abs(shown().lo - part.lo / 1e9) < 0.2 && std::abs(shown().hi - part.hi / 1e9) < 0.2);
    QCOMPARE(view->window(), part);                    // its own change was not sent back to it
    window.findChild<TimelinePage*>()->showTime(0, 0); // not a part of the run
    QCOMPARE(view->window(), part);

    window.showPage(Page::Review);
    review->zoomIn();
    QTRY_VERIFY(view->window().width() < 0.6 * part.width());
    QVERIFY(part.contains(view->window().lo) && part.contains(view->window().hi));

    emit window.findChild<TimelinePage*>()->logRequested(1, 0);
    QVERIFY(window.page() == Page::Logs);
    emit window.findChild<TimelinePage*>()->stepRequested(3);
    QVERIFY(window.page() == Page::Review);
}

/// One press is enough, by mouse or key, whatever part Review shows.
void TestTimelineLink::allShowsTheWholeRun() {
    OpenedWindow opened;
    MainWindow& window = opened.window;
    auto* review = window.findChild<ReviewPage*>();
    window.showPage(Page::Review);
    QTRY_VERIFY_WITH_TIMEOUT(window.isComplete(), 20'000);
    review->zoomIn(); // Review has its own window now
    window.showPage(Page::Timeline);
    QTRY_VERIFY_WITH_TIMEOUT(window.isComplete(), 20'000);
    auto* page = window.findChild<TimelinePage*>();
    auto* view = page->view();
    QToolButton* all = nullptr;
    for (auto* button : page->findChildren<QToolButton*>())
        if (button->text() == QStringLiteral("All"))
            all = button;
    QVERIFY(all);
    for (const bool byKey : {false, true}) {
        QTest::keyClick(view, Qt::Key_Plus);
        QTest::keyClick(view, Qt::Key_Plus);
        QTest::qWait(400); // until Review has followed
        QVERIFY(!view->showsAll() && !review->showsAll());
        if (byKey)
            QTest::keyClick(view, Qt::Key_0);
        else
            QTest::mouseClick(all, Qt::LeftButton);
        QTest::qWait(600); // longer than the delay with which pages inform each other
        QCOMPARE(view->window(), view->limits());
        QVERIFY(review->showsAll());
    }
}

void TestTimelineLink::resizingIsNoMove() {
    OpenedWindow opened;
    MainWindow& window = opened.window;
    window.showPage(Page::Timeline);
    QTRY_VERIFY_WITH_TIMEOUT(window.isComplete(), 20'000);
    QSignalSpy moved(window.findChild<TimelinePage*>(), &TimelinePage::windowChanged);
    window.resize(window.width() - 160, window.height());
    QTRY_VERIFY_WITH_TIMEOUT(window.isComplete(), 20'000); // it is read again, for fewer pixels
    QCOMPARE(moved.size(), 0);
}

/// A page's message about a run disappears with the run; a message of the window stays for its time.
void TestTimelineLink::saidOfTheRunBefore() {
    OpenedWindow opened;
    MainWindow& window = opened.window;
    auto* status = window.findChild<StatusLine*>();
    const QString dir = QString::fromStdString(opened.run.paths().dir.string());
    emit window.findChild<ReviewPage*>()->message(QStringLiteral("Rank 1 was ended by SIGKILL at step 69."));
    QCOMPARE(status->currentMessage(), QStringLiteral("Rank 1 was ended by SIGKILL at step 69."));
    SyntheticRun other(2, RunState::Finished, 10);
    other.addSteps(10, test::timelineStep);
    other.finishStore();
    QVERIFY(window.openRun(QString::fromStdString(other.paths().dir.string())));
    QVERIFY2(status->currentMessage().isEmpty(), qPrintable(status->currentMessage()));
    window.findChild<PageTabs*>()->showStatus(QStringLiteral("Launched it"));
    QVERIFY(window.openRun(dir));
    QCOMPARE(status->currentMessage(), QStringLiteral("Launched it"));
}

void TestTimelineLink::anIncidentLeadsToTheTimeline() {
    OpenedWindow opened(true);
    auto* tabs = opened.window.findChild<PageTabs*>();
    auto* view = opened.window.findChild<TimelinePage*>()->view();
    QTRY_COMPARE_WITH_TIMEOUT(view->scene().incidents.size(), 1, 15'000);
    emit opened.window.findChild<IncidentPage*>()->timelineRequested(1);
    QCOMPARE(tabs->page(), Page::Timeline);
    const TimelineIncident& incident = view->scene().incidents.front();
    QVERIFY(view->window().lo < incident.fromNs && view->window().hi > incident.toNs);
    QVERIFY(view->window().width() <= 3.01 * (incident.toNs - incident.fromNs));
}

/// The flags on the Timeline are those of Review's list; what is selected here is selected there, and Ctrl+Z restores
/// what was deleted.
void TestTimelineLink::annotationsAreTheSameOnBothPages() {
    OpenedWindow opened;
    MainWindow& window = opened.window;
    auto* annotations = window.findChild<ReviewPage*>()->annotations();
    auto* pane = window.findChild<AnnotationPane*>();
    auto* view = window.findChild<TimelinePage*>()->view();
    (*window.actions())[ActionId::ShowAnnotations]->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.isComplete() && pane->isVisible(), 20'000);
    QAction* undo = (*window.actions())[ActionId::Undo];
    QVERIFY(!undo->isEnabled());
    (*window.actions())[ActionId::Annotate]->trigger();
    auto* line = window.findChild<AnnotationBar*>()->line();
    QTest::keyClicks(line, QStringLiteral("warm-up ends"));
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(view->scene().flags.find(1), 20'000);
    const std::int64_t ns = view->scene().flags.find(1)->timeNs;
    emit window.findChild<TimelinePage*>()->annotationSelected(1);
    QVERIFY(pane->current() && pane->current()->id == 1);
    QCOMPARE(view->scene().flags.selected(), 1);
    emit annotations->timelineRequested(*pane->current());
    QCOMPARE(window.findChild<PageTabs*>()->page(), Page::Timeline);
    QVERIFY(view->window().contains(static_cast<double>(ns)));
    window.showPage(Page::Review);
    annotations->remove(1);
    QTRY_VERIFY(!view->scene().flags.find(1));
    QTRY_VERIFY(undo->isEnabled());
    undo->trigger();
    QTRY_VERIFY(view->scene().flags.find(1));
}

RANKSCOPE_GUI_TEST(TestTimelineLink)
#include "tst_timeline_link.moc"
