// SPDX-License-Identifier: GPL-3.0-or-later
// A stall that begins, lasts and ends, in the real window: all views agree at every moment, and looking at one page
// does not change another.
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/board/control_page.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/incidents/incident_detail.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/plots/overview/overview_strip.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/review/page/review_page.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"
#include "widgets/waits/waits_pane.h"

#include <QLabel>
#include <QTabBar>
#include <QTest>

#include <unistd.h>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using telemetry::Phase;
using test::SyntheticRun;

namespace {

/// A live run of two ranks, both simulated by this process, shown in the window from its start.
struct LiveWindow {
    SyntheticRun run{2, RunState::Running, 400};
    std::vector<telemetry::BoardWriter> boards;
    std::optional<telemetry::ControlPage> control;
    std::unique_ptr<MainWindow> window;

    LiveWindow() {
        auto info = run.info();
        for (int rank = 0; rank < 2; ++rank) {
            info.rankPids.push_back(::getpid());
            info.rankStartTicks.push_back(processStat(::getpid())->startTicks);
            auto board = telemetry::BoardWriter::create(run.paths().board(rank));
            if (!board)
                qFatal("%s", board.error().message().c_str());
            boards.push_back(std::move(*board));
            boards.back().identify(rank, 2, 7, "cpu", 400);
            boards.back().stage(telemetry::RankStage::Running);
        }
        if (!launch::writeRunInfo(run.paths(), info))
            qFatal("run.json cannot be written");
        auto page = telemetry::ControlPage::create(run.paths().control());
        if (!page)
            qFatal("%s", page.error().message().c_str());
        control.emplace(std::move(*page));
        train(60);
        WindowOptions options;
        options.runsDir = QString::fromStdString(run.paths().dir.parent_path().string());
        options.remember = false;
        window = std::make_unique<MainWindow>(options);
        window->resize(1440, 900);
        window->show();
        window->start();
        window->openRun(QString::fromStdString(run.paths().dir.string()));
        window->showPage(Page::Review);
    }
    /// Stores this many steps of all ranks.
    void train(std::int64_t steps) {
        run.addSteps(steps, test::timelineStep);
        trained += steps;
        for (auto& board : boards) {
            board.step(trained, 0);
            board.phase(Phase::Forward, monotonicNs());
        }
    }
    /// Makes rank 1 keep reading while rank 0 waits for it in the next all-reduce.
    void stall(std::int64_t incident = 1) {
        ++sequence;
        boards[1].phase(Phase::DataWait, monotonicNs() - 3'000'000'000);
        boards[0].arrived(0, sequence, telemetry::CollectiveOp::AllReduce, 6, 1, "sync_max_audio_length",
                          monotonicNs() - 3'000'000'000);
        run.addIncident(incident, diagnosis::Cause::DataLoading, 1, trained, 0);
    }
    void goOn() {
        for (auto& board : boards) {
            board.arrived(0, sequence, telemetry::CollectiveOp::AllReduce, 6, 1, "sync_max_audio_length",
                          monotonicNs());
            board.done(0, sequence + 1, monotonicNs());
        }
    }
    RankPlot* plot(const char* name) const { return window->findChild<RankPlot*>(QLatin1String(name)); }
    OverviewStrip* strip() const { return window->findChild<OverviewStrip*>(); }
    TimelineView* lanes() const { return window->findChild<TimelinePage*>()->view(); }
    ReviewPage* review() const { return window->findChild<ReviewPage*>(); }
    IncidentBanner* banner() const { return window->findChild<IncidentBanner*>(); }

    std::int64_t trained = 0;
    std::uint64_t sequence = 0;
};

bool shades(const QList<IncidentSpan>& spans, double lo, double hi) {
    return spans.size() == 1 && spans[0].lo == lo && spans[0].hi == hi;
}

} // namespace

class TestLiveStall : public QObject {
    Q_OBJECT
private slots:
    void everyViewShowsIt();
    void lookingAtTheTimelineKeepsLiveGoing();
    void aLookAtTheTimelineKeepsTheWholeRun();
    void endOfAFollowedRunShowsAllOfIt();
    void nothingMovesForTheBanner();
    void incidentsOpenOnTheOpenOne();
    void onlyTheUserEndsFollowing();
    void aStoreThatIsBehindIsSaidToBe();
};

void TestLiveStall::everyViewShowsIt() {
    LiveWindow live;
    auto* wait = live.plot("waitPlot");
    QVERIFY(wait && live.strip());
    QTRY_COMPARE_WITH_TIMEOUT(wait->range().hi, 60.5, 10'000);
    QVERIFY(wait->spans().isEmpty() && wait->openValues().empty());

    live.stall();
    for (auto* plot : live.window->findChildren<RankPlot*>())
        QTRY_VERIFY_WITH_TIMEOUT(shades(plot->spans(), 59.5, 60.5), 10'000);
    QTRY_VERIFY(shades(live.strip()->spans(), 59.5, 60.5));
    QTRY_COMPARE(wait->openValues().size(), std::size_t{1});
    QCOMPARE(wait->openValues()[0].rank, 0);
    QCOMPARE(wait->openValues()[0].x, 60.0);
    const double first = wait->openValues()[0].y;
    QVERIFY(first >= 3.0);
    QTRY_VERIFY(wait->openValues()[0].y > first + 0.3); // the wait grows
    QVERIFY(wait->yAxis->range().upper > first);

    auto* pane = live.review()->findChild<WaitsPane*>();
    pane->show();
    const auto said = [pane] { return pane->asText(); };
    QTRY_VERIFY_WITH_TIMEOUT(said().contains(QStringLiteral("Rank 0 is waiting for rank 1")), 10'000);
    QVERIFY(said().contains(QStringLiteral("Rank 1 kept the others waiting")));

    live.window->showPage(Page::Timeline);
    QTRY_COMPARE_WITH_TIMEOUT(live.lanes()->window().hi, live.lanes()->limits().hi, 10'000);
    const auto now = static_cast<double>(monotonicNs() - live.run.info().startNs);
    QVERIFY(now - live.lanes()->limits().hi < 2e9);
    QCOMPARE(live.lanes()->scene().openWaits.size(), std::size_t{1});
    // the ranks' current activity: one waits in the collective, the other for data
    QTRY_VERIFY(live.lanes()->scene().track.at(live.lanes()->limits().hi - 1e9).has_value());
    const auto share = *live.lanes()->scene().track.at(live.lanes()->limits().hi - 1e9);
    QCOMPARE(share.blocked, 0.5F);
    QCOMPARE(share.data, 0.5F);
    QVERIFY(live.lanes()->scene().track.tip(live.lanes()->limits().hi - 1e9).contains(QStringLiteral("not ended")));
    auto* notice = live.window->findChild<TimelinePage*>()->findChild<QLabel*>(QStringLiteral("timelineNotice"));
    QVERIFY(notice && !notice->text().contains(QStringLiteral("Nothing is recorded")));

    live.goOn();
    live.train(5);
    QTRY_VERIFY_WITH_TIMEOUT(live.lanes()->scene().openWaits.empty(), 10'000);
    live.window->showPage(Page::Review);
    QTRY_VERIFY_WITH_TIMEOUT(wait->openValues().empty(), 10'000);
    QTRY_COMPARE_WITH_TIMEOUT(wait->range().hi, 65.5, 10'000);
}

void TestLiveStall::lookingAtTheTimelineKeepsLiveGoing() {
    LiveWindow live;
    auto* loss = live.plot("lossPlot");
    QTRY_COMPARE_WITH_TIMEOUT(loss->range().hi, 60.5, 10'000);
    live.stall();
    live.window->showPage(Page::Timeline);
    QTest::qWait(800);                           // longer than the delay with which pages inform each other
    QTest::keyClick(live.lanes(), Qt::Key_Plus); // a zoom that keeps the end in view
    QTest::qWait(600);
    QVERIFY(live.review()->follow() && live.lanes()->follow());
    live.goOn();
    live.train(40);
    live.window->showPage(Page::Review);
    QTRY_COMPARE_WITH_TIMEOUT(loss->range().hi, 100.5, 10'000);
    QVERIFY(live.review()->follow() && live.lanes()->follow());
    live.window->showPage(Page::Timeline);
    QTest::qWait(600);
    live.train(10);
    live.window->showPage(Page::Review);
    QTRY_COMPARE_WITH_TIMEOUT(loss->range().hi, 110.5, 10'000);
}

/// If all of the run is in view, this stays so on both pages.
void TestLiveStall::aLookAtTheTimelineKeepsTheWholeRun() {
    LiveWindow live;
    auto* loss = live.plot("lossPlot");
    QTRY_COMPARE_WITH_TIMEOUT(loss->range().hi, 60.5, 10'000);
    for (const std::int64_t steps : {40, 20}) {
        live.window->showPage(Page::Timeline);
        QTRY_VERIFY(live.lanes()->showsAll());
        QTest::qWait(800); // longer than the delay with which pages inform each other
        live.window->showPage(Page::Review);
        live.train(steps);
        QTRY_COMPARE_WITH_TIMEOUT(loss->range().hi, static_cast<double>(live.trained) + 0.5, 10'000);
        QCOMPARE(loss->range().lo, -0.5);
        QVERIFY(live.lanes()->showsAll());
    }
    // one key press turns a part that follows the run into the whole run
    live.window->showPage(Page::Timeline);
    QTest::keyClick(live.lanes(), Qt::Key_Plus);
    QTest::qWait(600);
    QVERIFY(!live.lanes()->showsAll() && !live.review()->showsAll());
    QTest::keyClick(live.lanes(), Qt::Key_0);
    QTest::qWait(600);
    QVERIFY(live.lanes()->showsAll() && live.review()->showsAll());
}

void TestLiveStall::endOfAFollowedRunShowsAllOfIt() {
    LiveWindow live;
    auto* loss = live.plot("lossPlot");
    QTRY_COMPARE_WITH_TIMEOUT(loss->range().hi, 60.5, 10'000);
    live.review()->zoomIn();
    live.review()->zoomIn();
    QTRY_VERIFY(loss->range().lo > 20);
    QVERIFY(live.review()->follow() && !live.review()->showsAll());
    live.run.addEnds(telemetry::EndCause::Finished);
    live.run.finishStore();
    live.run.setState(RunState::Finished);
    QTRY_COMPARE_WITH_TIMEOUT(loss->range(), (PlotRange{-0.5, 59.5}), 10'000);
    QVERIFY(live.review()->showsAll());
    QTRY_VERIFY(live.lanes()->showsAll());
}

void TestLiveStall::nothingMovesForTheBanner() {
    LiveWindow live;
    auto* calm = live.window->findChild<QLabel*>(QStringLiteral("bannerCalm"));
    QTRY_VERIFY_WITH_TIMEOUT(calm->isVisible(), 10'000);
    QTRY_COMPARE_WITH_TIMEOUT(live.plot("lossPlot")->range().hi, 60.5, 10'000);
    const auto places = [&] {
        QList<QRect> found;
        const auto add = [&](const QWidget* widget, const QRect& rect) {
            found << QRect(widget->mapTo(live.window.get(), rect.topLeft()), rect.size());
        };
        const auto* tabs = live.window->findChild<PageTabs*>();
        for (int i = 0; i < tabs->count(); ++i)
            add(tabs->tabBar(), tabs->tabBar()->tabRect(i));
        for (const auto* plot : live.window->findChildren<RankPlot*>())
            add(plot, plot->rect());
        for (const QWidget* widget :
             std::initializer_list<QWidget*>{live.window->findChild<RankBoard*>(), live.strip()})
            add(widget, widget->rect());
        return found;
    };
    QTest::qWait(50);
    const auto before = places();
    live.stall();
    QTRY_VERIFY_WITH_TIMEOUT(live.banner()->isVisible(), 10'000);
    QTest::qWait(50);
    QCOMPARE(places(), before);
    live.goOn();
    live.run.addIncident(1, diagnosis::Cause::DataLoading, 1, 59, 1'000'000'000); // it is closed now
    QTRY_VERIFY_WITH_TIMEOUT(!live.banner()->isVisible(), 10'000);
    QTest::qWait(50);
    QCOMPARE(places(), before);
}

void TestLiveStall::incidentsOpenOnTheOpenOne() {
    LiveWindow live;
    QTRY_COMPARE_WITH_TIMEOUT(live.plot("lossPlot")->range().hi, 60.5, 10'000);
    const auto* detail = live.window->findChild<IncidentDetail*>();
    const auto told = [detail] { return detail->findChild<QLabel*>(QStringLiteral("incidentSentence"))->text(); };
    live.run.addIncident(1, diagnosis::Cause::LongBatch, 0, 20, 2'000'000'000);
    QTest::keyClick(live.window.get(), Qt::Key_4, Qt::ControlModifier);
    QCOMPARE(live.window->page(), Page::Incidents);
    QTRY_VERIFY_WITH_TIMEOUT(told().startsWith(QStringLiteral("Rank 0")), 10'000);
    QTest::keyClick(live.window.get(), Qt::Key_2, Qt::ControlModifier);
    live.stall(2);
    QTRY_VERIFY_WITH_TIMEOUT(live.banner()->isVisible(), 10'000);
    QTest::keyClick(live.window.get(), Qt::Key_4, Qt::ControlModifier);
    QVERIFY2(told().startsWith(QStringLiteral("Rank 1")), qPrintable(told()));
}

void TestLiveStall::onlyTheUserEndsFollowing() {
    LiveWindow live;
    auto* loss = live.plot("lossPlot");
    QTRY_COMPARE_WITH_TIMEOUT(loss->range().hi, 60.5, 10'000);
    live.window->showPage(Page::Timeline);
    QTRY_VERIFY_WITH_TIMEOUT(live.window->isComplete(), 20'000);
    QTest::keyClick(live.lanes(), Qt::Key_Plus);
    QTest::keyClick(live.lanes(), Qt::Key_Left); // away from the end
    QVERIFY(!live.lanes()->follow() && !live.review()->follow());
    live.window->showPage(Page::Review);
    live.review()->setFollow(true);
    QVERIFY(live.lanes()->follow());
    QTRY_COMPARE_WITH_TIMEOUT(loss->range().hi, 60.5, 10'000);
    live.review()->zoomIn();
    live.review()->zoomIn();
    QVERIFY(live.review()->follow()); // the end stays in view
    live.review()->showStep(10);
    QVERIFY(!live.review()->follow() && !live.lanes()->follow());
    live.review()->zoomAll(); // the whole run is followed, too
    QVERIFY(live.review()->follow());
    live.review()->setFollow(false);
    RunSession another(live.run.paths()); // a newly opened run is followed
    QVERIFY(another.following().isOn());
}

void TestLiveStall::aStoreThatIsBehindIsSaidToBe() {
    LiveWindow live;
    QVERIFY(live.control->publishStored(monotonicNs()));
    live.stall();
    QTRY_VERIFY_WITH_TIMEOUT(live.banner()->isVisible(), 10'000);
    QVERIFY(live.banner()->findChild<ClampedLabel*>()->text().contains(QStringLiteral("ank 1")));
    const std::int64_t full = monotonicNs();
    QVERIFY(live.control->publishStored(full));
    QVERIFY(live.control->publishStoreError(full, "run.sqlite: database or disk is full"));
    QTRY_VERIFY(live.banner()->findChild<ClampedLabel*>()->text().contains(QStringLiteral("database or disk is full")));
    QVERIFY(live.banner()->findChild<ClampedLabel*>()->text().contains(QStringLiteral("Last recorded as open")));
    const QString before =
        live.banner()->findChild<ClampedLabel*>()->text().section(QStringLiteral("Last recorded as open"), 1);
    const auto& tiles = live.window->session()->view().ranks;
    QVERIFY(tiles[1].status.state != diagnosis::RankState::Holder); // as its board reports, not as the store did
    QTest::qWait(1500);
    const QString after =
        live.banner()->findChild<ClampedLabel*>()->text().section(QStringLiteral("Last recorded as open"), 1);
    QCOMPARE(after, before); // the duration stops counting, because the incident may be over
    QVERIFY(live.control->publishStoreError(0, {}));
    QVERIFY(live.control->publishStored(monotonicNs()));
    QTRY_VERIFY(!live.banner()->findChild<ClampedLabel*>()->text().contains(QStringLiteral("disk is full")));
    QTRY_VERIFY_WITH_TIMEOUT(
        live.banner()->findChild<ClampedLabel*>()->text().contains(QStringLiteral("alive but has stored nothing")),
        6'000);
}

RANKSCOPE_GUI_TEST(TestLiveStall)
#include "tst_live_stall.moc"
