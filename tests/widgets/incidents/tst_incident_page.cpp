// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/incidents/check_panel.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/incidents/incident_detail.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/incidents/incident_picture.h"
#include "widgets/models/failure/remedy_offer.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/tables/incident_model.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::RankStep;
using test::SyntheticRun;

static diagnosis::Incident stall(std::int64_t id) {
    diagnosis::Incident in;
    in.id = id;
    in.cause = diagnosis::Cause::DataLoading;
    in.phase = telemetry::Phase::DataWait;
    in.holders = {1};
    in.waiters = {0, 2, 3};
    in.collective = {"sync_max_audio_length", telemetry::CollectiveOp::AllReduce, 0, 512, true};
    in.step = 40;
    in.openedNs = 1'000'000'000;
    in.remedy = {"Set num_workers to 4", "model.train_ds.num_workers", "4"};
    in.evidence = diagnosis::evidenceFromJson({{"reading", "utt_0412.flac"}, {"reading_s", 3.4}});
    return in;
}

class TestIncidentPage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void bannerSaysWhoWhomWhereWhy();
    void anInjectedFaultIsSaidToBeOne();
    void anOverrideIsCopied();
    void bannerVanishes();
    void bannerHasTwoLines();
    void bannerSpeaksChinese();
    void theRecordingCanBePlayed();
    void pageListsAndExplains();
    void theStateIsNeverCut();
    void factsAreGrouped();
    void pictureShowsTheRanksAroundTheHolder();
    void pictureShowsTheTimeOfTheStall();
    void pictureOfAStall();
    void pictureOfAnOpenIncidentGrows();
    void pictureWithoutRecords();
    void stacksOfTheSelectedIncident();
    void pageWithoutIncidents();
    void timeThatWasNotWatchedIsSaid();
    void selectBeforeTheRowIsThere();
    void openIncidentIsSelected();
    void ofAnEndedRunNoneIsOpen();
    void checksUnfoldWhenOneFailed();

private:
    static QPushButton* button(QWidget& in, const QString& text) {
        for (auto* b : in.findChildren<QPushButton*>())
            if (b->text().contains(text))
                return b;
        return nullptr;
    }
};

void TestIncidentPage::initTestCase() {
    QLocale::setDefault(QLocale::English);
    Theme::instance().apply(Theme::Mode::Light);
}

void TestIncidentPage::bannerSaysWhoWhomWhereWhy() {
    IncidentBanner banner;
    banner.resize(1180, 40);
    QVERIFY(banner.isHidden());
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QVERIFY(!banner.isHidden());
    for (const char* part : {"Rank 1 has been holding up ranks 0, 2, 3", "3.2 s",
                             "all-reduce 512 (sync_max_audio_length)", "utt_0412.flac", "3.4 s"})
        QVERIFY2(banner.findChild<ClampedLabel*>()->text().contains(QLatin1String(part)),
                 qPrintable(banner.findChild<ClampedLabel*>()->text()));
    QSignalSpy remedy(&banner, &IncidentBanner::remedyRequested), detail(&banner, &IncidentBanner::detailRequested);
    auto* set = button(banner, QStringLiteral("num_workers: 4"));
    QVERIFY(set);
    set->click();
    QCOMPARE(remedy[0][0].toString(), QStringLiteral("model.train_ds.num_workers"));
    QCOMPARE(remedy[0][1].toString(), QStringLiteral("4"));
    button(banner, QStringLiteral("Details"))->click();
    QCOMPARE(detail[0][0].toLongLong(), 7);
}

/// Only an incident of the injected rank and step is shown as an injected fault.
void TestIncidentPage::anInjectedFaultIsSaidToBeOne() {
    const std::vector<std::string> faults{"dead on rank 3 at step 90", "data_loading on rank 1 at step 40, 12 s"};
    QCOMPARE(injectedFault(stall(1), faults), QStringLiteral("data_loading on rank 1 at step 40, 12 s"));
    auto other = stall(1);
    other.step = 44;
    QVERIFY(injectedFault(other, faults).isEmpty());
    QVERIFY(!injectedFault(other, {"slow_reader on rank 1 at step 10 and all that follow, 1 s"}).isEmpty());
    QVERIFY(!injectedFault(other, {"data_loading on rank 1 at step 40 to 45, 1 s"}).isEmpty());
    other.holders = {2};
    QVERIFY(injectedFault(other, {"slow_reader on rank 1 at step 10 and all that follow, factor 3"}).isEmpty());

    IncidentBanner banner;
    banner.resize(1180, 40);
    const auto* said = banner.findChild<QLabel*>(QStringLiteral("injectedFault"));
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QVERIFY(said && said->isHidden());
    banner.setFaults(faults);
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QVERIFY(!said->isHidden());
    QVERIFY2(said->toolTip().contains(QStringLiteral("12 s")), qPrintable(said->toolTip()));
    QSignalSpy removed(&banner, &IncidentBanner::remedyRequested);
    QVERIFY(!button(banner, QStringLiteral("num_workers"))); // it would not help
    auto* remove = button(banner, QStringLiteral("Remove the injected faults"));
    QVERIFY(remove && !remove->isHidden());
    remove->click();
    QCOMPARE(removed[0], (QVariantList{QStringLiteral("rankscope.faults"), QString()}));
    banner.setFaults({faults.back()});
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QCOMPARE(remove->text(), QStringLiteral("Remove the injected fault"));
    banner.setWatched(true); // there is no recipe to change
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QVERIFY(remove->isHidden());
    IncidentDetail detail;
    detail.setFaults(faults);
    detail.show(stall(7), 4'200'000'000, QStringLiteral("open"));
    bool told = false;
    for (const auto* label : detail.findChildren<QLabel*>())
        told = told || (label->text().contains(QStringLiteral("This fault was injected")) &&
                        label->text().contains(QStringLiteral("num_workers")));
    QVERIFY(told);
    QSignalSpy removedThere(&detail, &IncidentDetail::remedyRequested);
    button(detail, QStringLiteral("Remove the injected faults"))->click();
    QCOMPARE(removedThere[0][0].toString(), QStringLiteral("rankscope.faults"));
}

/// The run is a program that uses Hydra: its setting is changed in its command.
void TestIncidentPage::anOverrideIsCopied() {
    auto incident = stall(7);
    incident.remedy.text = {"Add {} to the command", "+model.train_ds.num_workers=4"};
    IncidentBanner banner;
    banner.resize(1180, 40);
    banner.setWatched(true);
    banner.setIncidents({incident}, 4'200'000'000, true);
    QVERIFY(banner.findChild<ClampedLabel*>()->text().contains(QStringLiteral("Add +model.train_ds.num_workers=4")));
    IncidentDetail detail;
    detail.setWatched(true);
    detail.show(incident, 4'200'000'000, QStringLiteral("open"));
    QSignalSpy there(&banner, &IncidentBanner::remedyRequested), here(&detail, &IncidentDetail::remedyRequested);
    for (QWidget* shown : std::initializer_list<QWidget*>{&banner, &detail}) {
        QGuiApplication::clipboard()->clear();
        auto* copy = button(*shown, QStringLiteral("Copy override"));
        QVERIFY(copy && !copy->isHidden());
        copy->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("+model.train_ds.num_workers=4"));
    }
    QVERIFY(there.isEmpty() && here.isEmpty());
}

void TestIncidentPage::bannerVanishes() {
    IncidentBanner banner;
    banner.setIncidents({stall(1), stall(2), stall(3)}, 0, true);
    bool more = false;
    for (const auto* label : banner.findChildren<QLabel*>())
        more = more || (!label->isHidden() && label->text() == QStringLiteral("+2"));
    QVERIFY(more);
    auto closed = stall(1);
    closed.closed = diagnosis::CloseReason::Recovered;
    closed.closedNs = 5'000'000'000;
    banner.setIncidents({closed}, 0, true);
    QVERIFY(banner.isHidden());
    banner.setIncidents({stall(1)}, 0, true);
    QVERIFY(!banner.isHidden());
    banner.setIncidents({stall(1)}, 0, false); // an ended run has no open incident
    QVERIFY(banner.isHidden());
    QVERIFY(banner.findChild<ClampedLabel*>()->text().isEmpty());
}

void TestIncidentPage::bannerHasTwoLines() {
    IncidentBanner banner;
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    const auto* sentence = banner.findChild<ClampedLabel*>();
    const auto fit = [&](int width) {
        banner.resize(width, 40);
        QTest::qWait(10);
        QCOMPARE(banner.height(), 40);
        QCOMPARE(banner.width(), width);
    };
    fit(1600);
    QCOMPARE(sentence->lines(), QStringList{banner.findChild<ClampedLabel*>()->text()});
    fit(900);
    QCOMPARE(sentence->lines().size(), 2);
    QCOMPARE(sentence->lines().join(QLatin1Char(' ')), banner.findChild<ClampedLabel*>()->text());
    QVERIFY2(sentence->toolTip().isEmpty(), qPrintable(sentence->toolTip()));
    fit(520);
    QVERIFY(sentence->lines().last().endsWith(QChar(0x2026)));
    QCOMPARE(sentence->toolTip(), banner.findChild<ClampedLabel*>()->text());
}

void TestIncidentPage::bannerSpeaksChinese() {
    QLocale::setDefault(QLocale(QLocale::Chinese));
    IncidentBanner banner;
    banner.setIncidents({stall(7)}, 4'200'000'000, true);
    QLocale::setDefault(QLocale::English);
    QVERIFY2(banner.findChild<ClampedLabel*>()->text().contains(QStringLiteral("拖住")),
             qPrintable(banner.findChild<ClampedLabel*>()->text()));
}

void TestIncidentPage::theRecordingCanBePlayed() {
    IncidentDetail detail;
    auto incident = stall(1);
    detail.show(incident, 4'200'000'000, {});
    const auto* play = detail.findChild<QPushButton*>(QStringLiteral("playRecording"));
    auto* copy = detail.findChild<QPushButton*>(QStringLiteral("copyRecordingPath"));
    QVERIFY(play->isHidden() && copy->isHidden()); // a name without a path
    incident.evidence.readingPath = "/data/utt_0412.flac";
    detail.show(incident, 4'200'000'000, {});
    QVERIFY(!play->isHidden() && !copy->isHidden());
    copy->click();
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("/data/utt_0412.flac"));
    incident.evidence.readingPath = "/data/utt_0412.desktop"; // nothing that the desktop would execute
    detail.show(incident, 4'200'000'000, {});
    QVERIFY(play->isHidden() && !copy->isHidden());
    SyntheticRun run(2, RunState::Finished);
    run.addSteps(5, [](int, std::int64_t) { return RankStep{}; });
    run.finishStore();
    RunSession session(run.paths());
    IncidentPage page;
    page.setSession(&session);
    QSignalSpy said(&page, &IncidentPage::message);
    for (const char* path : {"/nowhere/utt.wav", "/data/shard_3.tar: utt.wav"})
        emit page.findChild<IncidentDetail*>()->playRequested(QLatin1String(path));
    QTRY_COMPARE(said.size(), 2);
    QStringList told{said[0][0].toString(), said[1][0].toString()};
    told.sort(); // the files are looked for on several threads, so the order varies
    QVERIFY2(told[0].contains(QLatin1String("is in a tar file")), qPrintable(told[0]));
    QVERIFY2(told[1].contains(QLatin1String("/nowhere/utt.wav was not found")), qPrintable(told[1]));
}

void TestIncidentPage::pageListsAndExplains() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(80, [](int, std::int64_t) { return RankStep{}; });
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 20, 3'000'000'000);
    run.addIncident(2, diagnosis::Cause::LongBatch, 0, 60, 2'500'000'000);
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    IncidentPage page;
    page.resize(1180, 700);
    page.setSession(&session);
    auto* table = page.findChild<QTableView*>();
    QVERIFY(QTest::qWaitFor([&] { return table->model()->rowCount() == 2; }, 10'000));
    page.select(1);
    auto* detail = page.findChild<IncidentDetail*>();
    QVERIFY2(detail->findChild<QLabel*>(QStringLiteral("incidentSentence"))
                 ->text()
                 .startsWith(QStringLiteral("Rank 1 held up rank 0")),
             qPrintable(detail->findChild<QLabel*>(QStringLiteral("incidentSentence"))->text()));
    QStringList facts;
    for (const auto* label : detail->findChildren<QLabel*>())
        facts << label->text();
    for (const char* part : {"utt_0412.flac", "3.4 s", "all-reduce 20 (gradient:0), group 0", "data_wait", "2.0 s"})
        QVERIFY2(facts.contains(QLatin1String(part)), part);
    QSignalSpy jump(&page, &IncidentPage::jumpRequested), remedy(&page, &IncidentPage::remedyRequested);
    button(page, QStringLiteral("Show in the plots"))->click();
    QCOMPARE(jump[0][0].toLongLong(), 20);
    button(page, QStringLiteral("num_workers: 4"))->click();
    QCOMPARE(remedy[0][0].toString(), QStringLiteral("model.train_ds.num_workers"));
}

void TestIncidentPage::theStateIsNeverCut() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(40, [](int, std::int64_t) { return RankStep{}; });
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 20, 3'000'000'000);
    RunSession session(run.paths());
    IncidentPage page;
    QFont large = page.font();
    large.setPointSize(3 * large.pointSize());
    page.setFont(large);
    page.resize(1180, 700);
    page.show();
    page.setSession(&session);
    const auto* table = page.findChild<QTableView*>();
    QTRY_COMPARE(table->model()->rowCount(), 1);
    const int needed = static_cast<const QAbstractItemView*>(table)->sizeHintForColumn(IncidentModel::StateColumn);
    QVERIFY(needed > 130);
    QTRY_VERIFY(table->columnWidth(IncidentModel::StateColumn) >= needed);
}

/// What explains the incident is shown at once, everything else only when it is unfolded.
void TestIncidentPage::factsAreGrouped() {
    IncidentDetail detail;
    auto incident = stall(7);
    incident.evidence = diagnosis::evidenceFromJson(
        {{"reading", "utt_0412.flac"}, {"lasted_s", 3.4}, {"pid", 4711}, {"typical_step_s", 0.1}});
    detail.resize(900, 600);
    detail.show(incident, 4'400'000'000, QStringLiteral("open"));
    static_cast<QWidget&>(detail).show();
    const auto isShown = [&](const char* label) {
        for (const auto* one : detail.findChildren<QLabel*>())
            if (one->isVisible() && one->text() == QLatin1String(label))
                return true;
        return false;
    };
    QVERIFY(isShown("Sample") && isShown("Duration") && isShown("Holder"));
    QVERIFY(!isShown("Process") && !isShown("Typical step of this run"));
    auto* fold = detail.findChild<QToolButton*>(QStringLiteral("moreFacts"));
    QVERIFY(fold);
    QCOMPARE(fold->text(), QStringLiteral("More facts (3)"));
    fold->click();
    QVERIFY(isShown("Process") && isShown("Typical step of this run") && isShown("Detected after"));
}

void TestIncidentPage::pictureShowsTheRanksAroundTheHolder() {
    auto in = stall(1);
    QCOMPARE(pictureRanks(in, 2, 4), (RankRange{0, 2}));
    QCOMPARE(pictureRanks(in, 4, 4), (RankRange{0, 4}));
    in.holders = {5};
    in.waiters = {0, 1, 2, 3, 4, 6, 7};
    QCOMPARE(pictureRanks(in, 8, 4), (RankRange{2, 4}));
    in.waiters = {6, 7, 8};
    QCOMPARE(pictureRanks(in, 16, 4), (RankRange{5, 4}));
    in.holders = {};
    in.waiters = {};
    QCOMPARE(pictureRanks(in, 8, 4), (RankRange{0, 4}));
    in.holders = {4000}; // of a store that does not fit the run
    QCOMPARE(pictureRanks(in, 2, 4), (RankRange{0, 2}));
    QCOMPARE(pictureRanks(in, 0, 4), RankRange{});
}

void TestIncidentPage::pictureShowsTheTimeOfTheStall() {
    auto in = stall(1); // opened at 1 s
    const PlotRange open = pictureTime(in, 500'000'000, 2'000'000'000);
    QVERIFY(open.lo > 0 && open.lo < 0.5e9 && open.hi > 1.5e9);
    QVERIFY(pictureTime(in, 500'000'000, 9'000'000'000).hi > 8.5e9); // it grows
    in.closedNs = 3'000'000'000;
    const PlotRange closed = pictureTime(in, 500'000'000, 9'000'000'000);
    QVERIFY(closed.hi > 2.5e9 && closed.hi < 3e9);
    in.closedNs = 100'000'000'000;
    in.straggler = true;
    in.evidence.typicalStepSeconds = 0.5;
    QVERIFY(pictureTime(in, 500'000'000, in.closedNs).width() < 6e9);
}

void TestIncidentPage::pictureOfAStall() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(80, test::timelineStep);
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 2'900'000'000);
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    IncidentPage page;
    page.resize(1180, 700);
    page.show();
    page.setSession(&session);
    auto* picture = page.findChild<IncidentPicture*>();
    QVERIFY(picture);
    QTRY_VERIFY_WITH_TIMEOUT(picture->isVisible() && picture->isComplete(), 10'000);
    QCOMPARE(picture->scene().firstVisibleRank(), 0);
    QCOMPARE(picture->scene().lastVisibleRank(), 1);
    QVERIFY(!picture->scene().loading && !picture->grab().isNull());
    QVERIFY2(picture->description().contains(QStringLiteral("rank 0: waited 3.0 s for rank 1")),
             qPrintable(picture->description()));
    QVERIFY(!picture->accessibleName().isEmpty());
    QSignalSpy wanted(&page, &IncidentPage::timelineRequested);
    button(page, QStringLiteral("Show in the Timeline"))->click();
    picture->setFocus();
    QTest::keyClick(picture, Qt::Key_Return);
    QTest::mouseDClick(picture, Qt::LeftButton);
    QCOMPARE(wanted.count(), 3);
    for (const auto& arguments : wanted)
        QCOMPARE(arguments[0].toLongLong(), 1);
}

void TestIncidentPage::pictureOfAnOpenIncidentGrows() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(80, [](int, std::int64_t) { return RankStep{}; });
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 40, 0);
    RunSession session(run.paths());
    IncidentPage page;
    page.resize(1000, 700);
    page.show();
    page.setSession(&session);
    auto* picture = page.findChild<IncidentPicture*>();
    QTRY_VERIFY_WITH_TIMEOUT(picture->isVisible() && picture->isComplete(), 10'000);
    QVERIFY(picture->scene().live);
    const double first = picture->scene().scale.window.hi;
    QTRY_VERIFY_WITH_TIMEOUT(picture->scene().scale.window.hi > first, 10'000);
}

void TestIncidentPage::pictureWithoutRecords() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(8, [](int, std::int64_t) { return RankStep{}; });
    auto late = run.addIncident(1, diagnosis::Cause::Dead, 1, 5, 100'000'000);
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    QTRY_VERIFY_WITH_TIMEOUT(!session.view().ranks.empty(), 10'000);
    IncidentPicture picture;
    picture.resize(600, 200);
    late.openedNs += 600'000'000'000; // long after the newest step
    late.closedNs = late.openedNs + 1'000'000'000;
    picture.setIncident(late, session.view(), session.run().store());
    picture.show();
    QTRY_VERIFY_WITH_TIMEOUT(picture.isComplete(), 10'000);
    QCOMPARE(picture.description(), QStringLiteral("Nothing was recorded of these ranks in this time"));
}

void TestIncidentPage::stacksOfTheSelectedIncident() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(80, [](int, std::int64_t) { return RankStep{}; });
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 20, 3'000'000'000);
    run.addIncident(2, diagnosis::Cause::LongBatch, 0, 60, 2'500'000'000);
    run.addStack(1, 1, "holder", "sf_readf_float+0x12 (libsndfile.so.1)");
    run.addStack(1, 0, "waiter", "gloo::waitRecv()+0x3 (libtorch_cpu.so)");
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    IncidentPage page;
    page.resize(1180, 700);
    page.show();
    page.setSession(&session);
    auto* table = page.findChild<QTableView*>();
    QVERIFY(QTest::qWaitFor([&] { return table->model()->rowCount() == 2; }, 10'000));
    auto* fold = page.findChild<QToolButton*>(QStringLiteral("incidentStacks"));
    auto* text = page.findChild<QPlainTextEdit*>();
    auto* copy = page.findChild<QPushButton*>(QStringLiteral("copyStacks"));
    QVERIFY(fold && text && copy);
    page.select(1);
    QVERIFY(QTest::qWaitFor([&] { return fold->isVisible(); }, 10'000));
    QVERIFY(!text->isVisible()); // folded
    fold->click();
    QVERIFY(text->isVisible());
    const QString shown = text->toPlainText();
    const auto holder = shown.indexOf(QLatin1String("Rank 1, which holds up the others, 2.5 s into the run"));
    const auto frame = shown.indexOf(QLatin1String("#0  sf_readf_float+0x12 (libsndfile.so.1)"));
    const auto waiter = shown.indexOf(QLatin1String("Rank 0, which waits"));
    QVERIFY2(holder == 0 && frame > holder && waiter > frame, qPrintable(shown));
    QVERIFY(shown.indexOf(QLatin1String("gloo::waitRecv()")) > waiter);
    copy->click();
    QCOMPARE(QApplication::clipboard()->text(), shown);
    page.select(2); // an incident without stacks
    QVERIFY(!fold->isVisible() && !text->isVisible() && text->toPlainText().isEmpty());
    page.select(1);
    QVERIFY(QTest::qWaitFor([&] { return text->isVisible() && text->toPlainText() == shown; }, 10'000));
}

void TestIncidentPage::pageWithoutIncidents() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(8, [](int, std::int64_t) { return RankStep{}; });
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    IncidentPage page;
    page.show();
    page.setSession(&session);
    const auto says = [&](const char* text) {
        for (const auto* label : page.findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(QLatin1String(text)))
                return true;
        return false;
    };
    QVERIFY(QTest::qWaitFor([&] { return says("No rank held up the others in this run"); }, 10'000));
    page.setSession(nullptr);
    QVERIFY(says("No run is shown"));
    run.setState(RunState::Imported);
    RunSession imported(run.paths());
    page.setSession(&imported);
    QVERIFY(QTest::qWaitFor([&] { return says("Event files contain no incidents"); }, 10'000));
    QVERIFY(!says("No rank held up the others"));
}

void TestIncidentPage::timeThatWasNotWatchedIsSaid() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(8, [](int, std::int64_t) { return RankStep{}; });
    for (int i = 1; i <= 5; ++i)
        run.addUnwatched(i * 60'000'000'000, i * 60'000'000'000 + 15'000'000'000);
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    IncidentPage page;
    page.show();
    auto* said = page.findChild<QLabel*>(QStringLiteral("unwatched"));
    QVERIFY(said && said->isHidden());
    page.setSession(&session);
    QTRY_VERIFY_WITH_TIMEOUT(said->isVisible(), 10'000);
    const QStringList lines = said->text().split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 4); // the newest three, and how many there were before
    const std::int64_t start = run.info().startRealtimeNs;
    QCOMPARE(lines[2], QStringLiteral("Not watched from %1 to %2: an incident in that time is not listed here.")
                           .arg(clockText(start + 300'000'000'000), clockText(start + 315'000'000'000)));
    QCOMPARE(lines[3], QStringLiteral("Earlier times that were not watched: 2"));
    page.setSession(nullptr);
    QVERIFY(said->isHidden());
}

void TestIncidentPage::selectBeforeTheRowIsThere() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(80, [](int, std::int64_t) { return RankStep{}; });
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 20, 3'000'000'000);
    run.addIncident(2, diagnosis::Cause::LongBatch, 0, 60, 2'500'000'000);
    run.finishStore();
    run.setState(RunState::Finished);
    RunSession session(run.paths());
    IncidentPage page;
    page.setSession(&session);
    page.select(1);
    auto* table = page.findChild<QTableView*>();
    QVERIFY(
        QTest::qWaitFor([&] { return table->model()->rowCount() == 2 && table->currentIndex().isValid(); }, 10'000));
    QVERIFY(page.findChild<QLabel*>(QStringLiteral("incidentSentence"))->text().startsWith(QStringLiteral("Rank 1")));
}

/// An open incident is selected when it opens and when the page is shown; the user's own selection stays while the page
/// is visible.
/// Its supervisor is gone and nothing could close it in the store.
void TestIncidentPage::ofAnEndedRunNoneIsOpen() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(80, [](int, std::int64_t) { return RankStep{}; });
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 40, 0);
    RunSession session(run.paths());
    IncidentPage page;
    page.setSession(&session);
    auto* table = page.findChild<QTableView*>();
    QVERIFY(QTest::qWaitFor([&] { return table->model()->rowCount() == 1; }, 10'000));
    const auto state = [&] { return table->model()->index(0, IncidentModel::StateColumn).data().toString(); };
    QCOMPARE(state(), QStringLiteral("Open"));
    run.setState(RunState::Stopped, "stopped by the user at step 79");
    QTRY_COMPARE(state(), QStringLiteral("Last recorded as open"));
}

void TestIncidentPage::openIncidentIsSelected() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(80, [](int, std::int64_t) { return RankStep{}; });
    run.addIncident(1, diagnosis::Cause::LongBatch, 0, 20, 2'500'000'000);
    run.addIncident(2, diagnosis::Cause::LongBatch, 0, 30, 2'500'000'000);
    RunSession session(run.paths());
    IncidentPage page;
    page.resize(1000, 700);
    page.show();
    page.setSession(&session);
    auto* table = page.findChild<QTableView*>();
    const auto rows = [&](int count) {
        return QTest::qWaitFor([&] { return table->model()->rowCount() == count; }, 10'000);
    };
    const auto shown = [&] {
        return table->currentIndex().siblingAtColumn(0).data(IncidentModel::IdRole).toLongLong();
    };
    QVERIFY(rows(2));
    QCOMPARE(shown(), 2);
    run.addIncident(3, diagnosis::Cause::DataLoading, 1, 40, 0);
    QVERIFY(rows(3));
    QTRY_COMPARE(shown(), 3);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(2, 1)).center());
    QCOMPARE(shown(), 1);
    QTest::qWait(300); // the open one's duration changes, the selection does not
    QCOMPARE(shown(), 1);
    page.hide();
    page.show(); // the open one was already seen
    QCOMPARE(shown(), 1);
    run.addIncident(4, diagnosis::Cause::DataLoading, 1, 50, 0);
    QVERIFY(rows(4));
    QTest::qWait(300);
    QCOMPARE(shown(), 1); // the user's choice
    page.hide();
    page.show();
    QCOMPARE(shown(), 4); // opened since the page was last visible
}

void TestIncidentPage::checksUnfoldWhenOneFailed() {
    using telemetry::CheckStatus;
    for (const bool fails : {false, true}) {
        SyntheticRun run(2, RunState::Running);
        run.addSteps(8, [](int, std::int64_t) { return RankStep{}; });
        run.addCheck(0, "configuration", CheckStatus::Passed, "the same on all ranks");
        run.addCheck(1, "finite_input", fails ? CheckStatus::Failed : CheckStatus::Passed, "what was found");
        run.finishStore();
        run.setState(RunState::Finished);
        RunSession session(run.paths());
        IncidentPage page;
        auto* panel = page.findChild<CheckPanel*>();
        QVERIFY(panel && panel->isHidden());
        page.setSession(&session);
        QVERIFY(QTest::qWaitFor([&] { return !panel->isHidden(); }, 10'000));
        QCOMPARE(panel->findChild<QToolButton*>()->text(), fails ? QStringLiteral("Start-up checks: 1 failed, 1 passed")
                                                                 : QStringLiteral("Start-up checks: 2 passed"));
        auto* table = panel->findChild<QTableView*>();
        QCOMPARE(!table->isHidden(), fails);
        panel->findChild<QToolButton*>()->click();
        QCOMPARE(!table->isHidden(), !fails);
        page.resize(900, 600);
        QVERIFY(!page.grab().isNull()); // paints the marks
        page.setSession(nullptr);
        QVERIFY(panel->isHidden());
    }
}

RANKSCOPE_GUI_TEST(TestIncidentPage)
#include "tst_incident_page.moc"
