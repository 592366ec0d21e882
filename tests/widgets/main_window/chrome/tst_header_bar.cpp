// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/evidence/run_stall.h"
#include "tests/support/test_runner.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/main_window/chrome/lineage_chips.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/models/view/run_status.h"

#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

RunView stalledView() {
    RunView view;
    view.info.id = "20260101-100000-nest-2f1f";
    view.info.name = "nest";
    view.info.state = launch::RunState::Running;
    view.info.supervisor = launch::SupervisorLife::Alive;
    view.info.worldSize = 4;
    view.info.totalSteps = 5000;
    view.step = 411; // the 412th
    view.stepsPerSecond = 13.5;
    view.nowNs = 100 * kSecond;
    diagnosis::Incident in;
    in.id = 1;
    in.cause = diagnosis::Cause::DataLoading;
    in.holders = {1};
    in.waiters = {0, 2, 3};
    in.openedNs = view.nowNs - 47 * kSecond;
    in.detectedNs = in.openedNs + 2 * kSecond;
    view.incidents.push_back(in);
    return view;
}

} // namespace

class Header : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { setLanguage(QStringLiteral("en")); }

    void liveRun() {
        RunView view;
        view.info.id = "r";
        view.info.name = "nest";
        view.info.state = launch::RunState::Running;
        view.info.worldSize = 4;
        view.info.totalSteps = 5000;
        view.step = 411; // the 412th
        view.stepsPerSecond = 2;
        const HeaderTexts texts = HeaderTexts::of(view);
        QCOMPARE(texts.step, QStringLiteral("412 of 5,000"));
        QCOMPARE(texts.rate, QStringLiteral("2.00 steps/s"));
        QCOMPARE(texts.left, QStringLiteral("38 min 14 s"));
        QVERIFY(texts.under.startsWith(QStringLiteral("running · 4 ranks")));
        QCOMPARE(texts.share, 412.0 / 5000);
    }

    /// Training continues without learning anything: its mark differs from that of a healthy run.
    void aLossThatStaysNaN() {
        RunView view;
        view.info.id = "r";
        view.info.state = launch::RunState::Running;
        view.info.worldSize = 2;
        diagnosis::Incident in;
        in.cause = diagnosis::Cause::NotFinite;
        in.holders = {1};
        in.step = 20;
        in.evidence = diagnosis::evidenceFromJson({{"last_step", 40}});
        view.incidents = {in};
        QCOMPARE(HeaderTexts::of(view).mark, diagnosis::RankState::Holder);
        HeaderBar bar;
        bar.resize(1180, 56);
        bar.setView(view);
        bar.show();
        const auto labels = bar.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().startsWith(QLatin1String("running, loss NaN since step 20"));
        }));
    }

    /// Shown for live and ended runs, but not if no rank waits for another or nothing is known.
    void lostToWaiting() {
        RunView view;
        view.info.id = "r";
        view.info.state = launch::RunState::Running;
        view.info.worldSize = 2;
        QCOMPARE(HeaderTexts::of(view).lost, QStringLiteral("–"));
        view.lost = {400, 77'100'000'000, 18.6e9};
        QCOMPARE(HeaderTexts::of(view).lost, QStringLiteral("18.6 s, 24 %"));
        QVERIFY(HeaderTexts::of(view).lostTip.startsWith(QStringLiteral("So far")));
        view.info.state = launch::RunState::Finished;
        view.lost.lostNs = 1.5e9;
        QCOMPARE(HeaderTexts::of(view).lost, QStringLiteral("1.5 s, 1.9 %"));
        QVERIFY(HeaderTexts::of(view).lostTip.contains(QStringLiteral("1.5 s of 77.1 s")));
        QVERIFY(!HeaderTexts::of(view).lostTip.contains(QStringLiteral("estimate")));
        view.lost.estimated = true;
        QVERIFY(HeaderTexts::of(view).lostTip.contains(QStringLiteral("estimate")));
        HeaderBar bar;
        bar.resize(1180, 56);
        bar.setView(view);
        bar.show();
        auto* lost = bar.findChild<QLabel*>(QStringLiteral("headerLost"));
        QVERIFY(lost && lost->isVisible());
        QCOMPARE(lost->text(), QStringLiteral("1.5 s, 1.9 %"));
        QVERIFY(!lost->toolTip().isEmpty());
        view.lost = {}; // as for an imported run
        bar.setView(view);
        QVERIFY(!lost->isVisible());
        view.lost = {400, 77'100'000'000, 0};
        view.info.worldSize = 1;
        bar.setView(view);
        QVERIFY(!lost->isVisible());
    }

    /// The steps of the earlier runs count, too.
    void aResumedRun() {
        RunView view;
        view.info.id = "r";
        view.info.resumedFrom = "q";
        view.info.state = launch::RunState::Running;
        view.info.totalSteps = 400;
        view.info.worldSize = 2;
        QCOMPARE(HeaderTexts::of(view).step, QStringLiteral("– of 400")); // not 0
        view.step = 262;
        QCOMPARE(HeaderTexts::of(view).step, QStringLiteral("263 of 400"));
        view.info.resumedFrom.clear();
        view.step = -1;
        QCOMPARE(HeaderTexts::of(view).step, QStringLiteral("0 of 400"));
        view.info.worldSize = 0; // a watched command whose ranks are not known yet
        QCOMPARE(HeaderTexts::of(view).step, QStringLiteral("– of 400"));
        view.info.worldSize = 2;
        view.problem = QStringLiteral("run.sqlite: is damaged"); // the steps could not be counted
        QCOMPARE(HeaderTexts::of(view).step, QStringLiteral("– of 400"));
    }

    void aStallIsTheStateOfNow() {
        RunView view = stalledView();
        HeaderTexts texts = HeaderTexts::of(view);
        QVERIFY2(texts.under.startsWith(QStringLiteral("stalled 47 s, rank 1 · 4 ranks")), qPrintable(texts.under));
        QVERIFY(texts.mark == diagnosis::RankState::Holder);
        QCOMPARE(texts.rate, QStringLiteral("–")); // the last rate, 13.5 steps/s, no longer applies
        QCOMPARE(texts.left, QStringLiteral("–"));
        QVERIFY2(texts.whyNoRate.contains(QStringLiteral("47 s")), qPrintable(texts.whyNoRate));

        HeaderBar header;
        header.resize(1200, 56);
        header.show();
        header.setView(view);
        const auto labels = header.findChildren<QLabel*>();
        const auto dashes = std::count_if(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text() == QStringLiteral("–") && label->toolTip().contains(QStringLiteral("47 s"));
        });
        QCOMPARE(dashes, 2); // rate and time left, each with its reason

        view.incidents[0].closed = diagnosis::CloseReason::Recovered;
        texts = HeaderTexts::of(view);
        QVERIFY(texts.under.startsWith(QStringLiteral("running")));
        QVERIFY(texts.mark == diagnosis::RankState::Computing);
        QCOMPARE(texts.rate, QStringLiteral("13.5 steps/s"));
        QVERIFY(texts.whyNoRate.isEmpty());
    }

    void notEveryIncidentIsAStall() {
        RunView view = stalledView();
        view.incidents[0].straggler = true; // slow, but training continues
        QVERIFY(HeaderTexts::of(view).under.startsWith(QStringLiteral("running")));
        view.incidents[0].straggler = false;
        view.incidents[0].cause = diagnosis::Cause::NotFinite;
        QVERIFY(HeaderTexts::of(view).under.startsWith(QStringLiteral("running")));
        view.incidents[0].cause = diagnosis::Cause::Stopped;
        view.info.state = launch::RunState::Lost; // nobody has closed the incident
        QVERIFY(HeaderTexts::of(view).under.startsWith(QStringLiteral("lost")));
    }

    void whatIsNotKnownIsNotTold() {
        RunView view = stalledView();
        view.lag = launch::StoreLag{
            launch::StoreLag::Reason::Silent, view.nowNs - 12 * kSecond, {}, -1}; // the stall may be over by now
        HeaderTexts texts = HeaderTexts::of(view);
        QVERIFY2(texts.under.startsWith(QStringLiteral("running, nothing recorded for 12 s")), qPrintable(texts.under));
        QCOMPARE(texts.rate, QStringLiteral("–"));
        view.lag.reset();
        view.info.supervisor = launch::SupervisorLife::Stopped;
        texts = HeaderTexts::of(view);
        QVERIFY(texts.under.startsWith(QStringLiteral("running")));
        QCOMPARE(texts.left, QStringLiteral("–"));
    }

    /// In a narrow header facts are left out as a whole, the start first, because a cut figure is useless.
    void factsGiveWayInASmallHeader() {
        RunView view = stalledView();
        view.incidents.clear();
        view.info.startRealtimeNs = 1'795'464'131'000'000'000;
        view.audioPerSecond = 1512;
        view.stepsPerEpoch = 100;
        HeaderBar header;
        header.show();
        int cut = 0, withoutStart = 0;
        for (int width = 1600; width > 500; width -= 20) {
            header.resize(width, 56);
            header.setView(view);
            QCoreApplication::processEvents();
            const QStringList all = HeaderTexts::of(view).facts;
            QVERIFY(all.size() == 5);
            for (const auto* label : header.findChildren<QLabel*>())
                if (label->text().startsWith(QStringLiteral("running"))) {
                    const QStringList seen = label->text().split(QStringLiteral(" · "));
                    cut += seen.size() < all.size();
                    withoutStart += seen.size() == 4 && seen.last() == all.last();
                    if (seen.size() > 2)
                        for (const QString& one : seen)
                            QVERIFY2(all.contains(one), qPrintable(label->text()));
                }
        }
        QVERIFY(cut > 0 && withoutStart > 0);
    }

    /// How long a run took is worth more than when it started.
    void theStartOfAnEndedRunGivesWay() {
        RunView view = stalledView();
        view.incidents.clear();
        view.info.state = launch::RunState::Finished;
        view.info.startRealtimeNs = 1'795'464'131'000'000'000;
        view.info.endRealtimeNs = view.info.startRealtimeNs + 23'900'000'000;
        const QStringList all = HeaderTexts::of(view).facts;
        QCOMPARE(all.last(), QStringLiteral("took 23.9 s"));
        HeaderBar header;
        header.show();
        int withoutStart = 0;
        for (int width = 1600; width > 500; width -= 10) {
            header.resize(width, 56);
            header.setView(view);
            QCoreApplication::processEvents();
            for (const auto* label : header.findChildren<QLabel*>())
                if (label->text().startsWith(QStringLiteral("finished")))
                    withoutStart +=
                        label->text() == QStringList{all[0], all[1], all.last()}.join(QStringLiteral(" · "));
        }
        QVERIFY(withoutStart > 0);
    }

    void aRunThatEndedHasNoTimeLeft() {
        RunView view = stalledView();
        view.incidents.clear();
        HeaderBar header;
        header.resize(700, 56);
        header.show();
        const auto shows = [&](const char* caption) {
            const auto labels = header.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->text() == QLatin1String(caption) && label->isVisible();
            });
        };
        header.setView(view);
        QVERIFY(shows("Time left") && !shows("Rate")); // there is room for only one
        view.info.state = launch::RunState::Finished;
        header.setView(view);
        QVERIFY(!shows("Time left") && shows("Rate"));
    }

    /// For a live run: hours of speech per second, and the time left in the epoch. Neither is shown during a stall.
    void audioAndEpoch() {
        RunView view = stalledView();
        view.audioPerSecond = 1512;
        view.stepsPerEpoch = 100;
        const HeaderTexts stalled = HeaderTexts::of(view);
        QVERIFY(stalled.audio.isEmpty() && stalled.epoch.isEmpty());
        QVERIFY2(!stalled.under.contains(QStringLiteral("audio")), qPrintable(stalled.under));
        view.incidents.clear();
        view.stepsPerSecond = 2;
        HeaderTexts texts = HeaderTexts::of(view);
        QCOMPARE(texts.audio, QStringLiteral("0.42 h of audio/s"));
        QCOMPARE(texts.epoch, QStringLiteral("epoch 4: 44 s left")); // 412 steps are done, 88 of this epoch are left
        QVERIFY2(texts.under.endsWith(QStringLiteral("0.42 h of audio/s · epoch 4: 44 s left")),
                 qPrintable(texts.under));
        view.audioPerSecond = 12.3;
        view.info.totalSteps = 422; // the run ends before the epoch does
        texts = HeaderTexts::of(view);
        QCOMPARE(texts.audio, QStringLiteral("12.3 × real time"));
        QCOMPARE(texts.epoch, QStringLiteral("epoch 4: 5 s left"));
        view.info.totalSteps = 5000;
        view.stepsPerEpoch = 19; // 9.5 s
        QCOMPARE(HeaderTexts::of(view).epoch, QStringLiteral("epoch 21"));
        view.stepsPerEpoch = 20;
        QCOMPARE(HeaderTexts::of(view).epoch, QStringLiteral("epoch 20: 4 s left"));
        view.stepsPerEpoch = 0; // unknown
        view.audioPerSecond = 0;
        texts = HeaderTexts::of(view);
        QVERIFY(texts.audio.isEmpty() && texts.epoch.isEmpty());
        view.audioPerSecond = 40;
        view.stepsPerEpoch = 100;
        view.info.state = launch::RunState::Finished;
        texts = HeaderTexts::of(view);
        QVERIFY(texts.audio.isEmpty() && texts.epoch.isEmpty());
    }

    /// If the line below the name is cut, the tool tips of the figures have it.
    void aSmallHeaderTellsThemByToolTip() {
        HeaderBar header;
        header.resize(700, 56);
        header.show();
        RunView view = stalledView();
        view.audioPerSecond = 1512;
        view.stepsPerEpoch = 100;
        const auto tips = [&] {
            QStringList all;
            for (const QLabel* label : header.findChildren<QLabel*>())
                all << label->toolTip();
            return all.join(QLatin1Char('\n'));
        };
        header.setView(view);
        QVERIFY(tips().contains(QStringLiteral("No step has finished for 47 s")) &&
                !tips().contains(QStringLiteral("audio")));
        view.incidents.clear();
        view.stepsPerSecond = 2;
        header.setView(view);
        for (const char* text : {"0.42 h of audio/s", "epoch 4: 44 s left"})
            QVERIFY2(tips().count(QLatin1String(text)) >= 2, text);
    }

    /// The window uses the same words as the terminal.
    void saysTheStallAsTheTerminal() {
        const RunView view = stalledView();
        const std::string words =
            diagnosis::standstillText(diagnosis::currentStall(view.incidents), view.nowNs).english();
        QVERIFY2(HeaderTexts::of(view).under.startsWith(QString::fromStdString(words)), words.c_str());
    }

    void theRateFallsWhileNoStepEnds() {
        QCOMPARE(rateNow(20, 2 * kSecond, 0), 10.0);
        QCOMPARE(rateNow(20, 2 * kSecond, kSecond), 10.0); // still on its way to the store
        QCOMPARE(rateNow(20, 2 * kSecond, 18 * kSecond), 1.0);
        QCOMPARE(rateNow(20, 400 * kSecond, 20 * kSecond), 0.05); // long steps are not a stall
        QCOMPARE(rateNow(0, 0, kSecond), 0.0);
    }

    void theTimeLeftIsInWholeSeconds() {
        RunView view = stalledView();
        view.incidents.clear();
        view.info.totalSteps = 422;
        view.stepsPerSecond = 14;
        QCOMPARE(HeaderTexts::of(view).left, QStringLiteral("1 s")); // not 714 ms
    }

    void runsThatBelongToIt() {
        HeaderBar header;
        header.resize(1200, 56);
        header.show();
        RunView view = stalledView();
        header.setView(view);
        QSignalSpy asked(&header, &HeaderBar::runRequested);
        QVERIFY(header.findChild<LineageChips*>()->text().isEmpty());
        RelatedRuns kin;
        kin.repeated = {QStringLiteral("20260101-090000-nest-d9fa"), QStringLiteral("/runs/run-1")};
        kin.resumed = {QStringLiteral("20260101-093000-nest-77aa"), QStringLiteral("/runs/run-2")};
        kin.repeatedBy = {{QStringLiteral("20260101-110000-nest-30d1"), QStringLiteral("/runs/run-3")}};
        header.setKin(kin);
        QCOMPARE(header.findChild<LineageChips*>()->text(),
                 QStringLiteral("repeats d9fa · resumed from 77aa · repeated by 30d1"));
        QCOMPARE(header.findChild<LineageChips*>()->chips().size(), 3);
        for (QToolButton* chip : header.findChild<LineageChips*>()->chips())
            QVERIFY2(chip->isVisible(), qPrintable(chip->text()));
        QTest::mouseClick(header.findChild<LineageChips*>()->chips()[0], Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.front().front().toString(), QStringLiteral("/runs/run-1"));
        kin.repeated.dir.clear(); // deleted since: its name stays, but is not a link
        kin.repeatedBy << RelatedRuns::One{QStringLiteral("run-4"), QStringLiteral("/runs/run-4")};
        header.setKin(kin);
        QVERIFY(!header.findChild<LineageChips*>()->chips()[0]->isEnabled());
        QVERIFY(header.findChild<LineageChips*>()->text().contains(QStringLiteral("repeated by 2 runs")));
    }

    /// Its steps include those of the runs that it was resumed from, so its duration does as well.
    void aResumedRunTookTheTimeOfAllItsParts() {
        RunView view = stalledView();
        view.info.state = launch::RunState::Finished;
        view.info.startRealtimeNs = 1'767'225'600'000'000'000;
        view.info.endRealtimeNs = view.info.startRealtimeNs + 60'000'000'000;
        view.lost.steps = 100;
        RelatedRuns kin;
        const HeaderTexts alone = HeaderTexts::of(view, kin);
        QVERIFY2(alone.facts.contains(QStringLiteral("took 60.0 s")), qPrintable(alone.under));
        QVERIFY(!alone.lostTip.contains(QStringLiteral("part")));
        kin.earlierRuns = 2;
        kin.earlierNs = 30'000'000'000;
        const HeaderTexts all = HeaderTexts::of(view, kin);
        QVERIFY2(all.facts.contains(QStringLiteral("took 90.0 s in 3 parts")), qPrintable(all.under));
        QVERIFY2(all.lostTip.contains(QStringLiteral("Only in part 3")), qPrintable(all.lostTip));
    }

    /// State, ranks and start are shown in full, however many related runs there are.
    void lineageTakesNoRoomFromTheFacts() {
        RelatedRuns kin;
        kin.resumed = {QStringLiteral("20260101-093000-nest-77aa"), QStringLiteral("/runs/run-2")};
        kin.repeatedBy = {{QStringLiteral("20260101-110000-nest-30d1"), QStringLiteral("/runs/run-3")}};
        for (const int width : {1180, 850}) {
            HeaderBar header;
            QAction stop(QStringLiteral("Stop")), now(QStringLiteral("Stop now"));
            QAction again(QStringLiteral("Relaunch with changes"));
            header.setButtons({&stop, &now, &again});
            header.resize(width, 56);
            header.show();
            const RunView view = stalledView();
            header.setView(view);
            header.setKin(kin);
            QCoreApplication::processEvents();
            const QString wanted = HeaderTexts::of(view).under;
            const auto labels = header.findChildren<QLabel*>();
            QVERIFY2(std::any_of(labels.begin(), labels.end(), [&](const QLabel* l) { return l->text() == wanted; }),
                     qPrintable(QStringLiteral("%1 at %2").arg(wanted).arg(width)));
            // if there is no room for two chips, one stands for both
            const bool both = header.findChild<LineageChips*>()->chips()[0]->isVisible() &&
                              header.findChild<LineageChips*>()->chips()[1]->isVisible();
            QVERIFY2(both || header.findChild<LineageChips*>()->folded()->isVisible(),
                     qPrintable(QString::number(width)));
        }
    }

    void aWatchedRunBeforeItsFirstRank() {
        RunView view;
        view.info.id = "r";
        view.info.name = "train";
        view.info.command = {"python", "train.py", "a b"};
        const HeaderTexts starting = HeaderTexts::of(view);
        QVERIFY2(starting.under.contains(QStringLiteral("waiting for the first rank…")), qPrintable(starting.under));
        QVERIFY(starting.facts.contains(QStringLiteral("python train.py 'a b'")));
        QCOMPARE(starting.step, QStringLiteral("–"));
        QVERIFY(starting.lost.isEmpty());
        view.info.worldSize = 2;
        view.info.state = launch::RunState::Running;
        view.step = 4;
        const HeaderTexts running = HeaderTexts::of(view);
        QVERIFY(running.facts.contains(QStringLiteral("2 ranks")));
        QCOMPARE(running.step, QStringLiteral("5"));
        QCOMPARE(running.left, QStringLiteral("–"));
        view.info.worldSize = 0;
        view.info.state = launch::RunState::Failed;
        QVERIFY(HeaderTexts::of(view).facts.contains(QStringLiteral("no rank was seen")));
    }

    void beforeTheFirstStep() {
        RunView view;
        view.info.state = launch::RunState::Starting;
        view.info.worldSize = 1;
        const HeaderTexts texts = HeaderTexts::of(view);
        QCOMPARE(texts.step, QStringLiteral("0"));
        QCOMPARE(texts.rate, QStringLiteral("–"));
        QCOMPARE(texts.left, QStringLiteral("–"));
        QVERIFY(texts.under.startsWith(QStringLiteral("starting · 1 rank")));
        QVERIFY(!texts.under.contains(QStringLiteral("ranks")));
        QCOMPARE(texts.share, -1.0);
    }

    void endedRunSaysWhy() {
        RunView view;
        view.info.state = launch::RunState::Failed;
        view.info.worldSize = 2;
        view.info.totalSteps = 10;
        view.info.startRealtimeNs = 1'700'000'000'000'000'000;
        view.info.endRealtimeNs = view.info.startRealtimeNs + 132'000'000'000;
        view.info.cause = "rank 1 was killed by SIGSEGV at step 4";
        view.step = 3;
        view.stepsPerSecond = 1;
        const HeaderTexts texts = HeaderTexts::of(view);
        QVERIFY(texts.under.contains(QStringLiteral("SIGSEGV")));
        QVERIFY(texts.under.contains(QStringLiteral("took 2 min 12 s")));
        QCOMPARE(texts.left, QStringLiteral("–")); // an ended run has no time left
    }

    void slowRatesAreSecondsPerStep() {
        RunView view;
        view.stepsPerSecond = 0.05;
        QCOMPARE(HeaderTexts::of(view).rate, QStringLiteral("20.0 s/step"));
    }
};

RANKSCOPE_GUI_TEST(Header)
#include "tst_header_bar.moc"
