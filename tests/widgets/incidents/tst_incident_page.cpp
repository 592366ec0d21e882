// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_runner.h"
#include "tests/widgets/incidents/shown_incident.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/incidents/check_panel.h"
#include "widgets/incidents/incident_detail.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/models/failure/remedy_offer.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/tables/incident_model.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSplitter>
#include <QTableView>
#include <QTest>
#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using test::button;
using test::RankStep;
using test::stall;
using test::SyntheticRun;

class TestIncidentPage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void theRecordingCanBePlayed();
    void pageListsAndExplains();
    void theStateIsNeverCut();
    void theListIsAsHighAsItsRows();
    void factsAreGrouped();
    void stacksOfTheSelectedIncident();
    void pageWithoutIncidents();
    void timeThatWasNotWatchedIsSaid();
    void selectBeforeTheRowIsThere();
    void ofAnEndedRunNoneIsOpen();
    void openIncidentIsSelected();
    void checksUnfoldWhenOneFailed();
};

void TestIncidentPage::initTestCase() {
    QLocale::setDefault(QLocale::English);
    Theme::instance().apply(Theme::Mode::Light);
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

/// One incident does not leave an empty third of a small window, and a height that the user chose stays.
void TestIncidentPage::theListIsAsHighAsItsRows() {
    SyntheticRun run(2, RunState::Running);
    run.addSteps(40, [](int, std::int64_t) { return RankStep{}; });
    run.addIncident(1, diagnosis::Cause::DataLoading, 1, 10, 2'000'000'000);
    RunSession session(run.paths());
    IncidentPage page;
    page.resize(860, 500);
    page.show();
    page.setSession(&session);
    const auto* table = page.findChild<QTableView*>();
    const auto heightOf = [&](int rows) {
        return table->horizontalHeader()->height() + rows * table->verticalHeader()->defaultSectionSize() +
               2 * table->frameWidth();
    };
    QTRY_COMPARE(table->model()->rowCount(), 1);
    QTRY_COMPARE(table->height(), heightOf(1));
    for (int i = 2; i <= 9; ++i)
        run.addIncident(i, diagnosis::Cause::DataLoading, 1, 10 + i, 2'000'000'000);
    QTRY_COMPARE(table->model()->rowCount(), 9);
    QTRY_COMPARE(table->height(), heightOf(6));
    auto* splitter = page.findChild<QSplitter*>();
    QTest::mousePress(splitter->handle(1), Qt::LeftButton, {}, {5, 1});
    QTest::mouseMove(splitter->handle(1), {5, -59});
    QTest::mouseRelease(splitter->handle(1), Qt::LeftButton, {}, {5, 1});
    const int chosen = table->height();
    QVERIFY(chosen < heightOf(6));
    run.addIncident(10, diagnosis::Cause::DataLoading, 1, 20, 2'000'000'000);
    QTRY_COMPARE(table->model()->rowCount(), 10);
    QCOMPARE(table->height(), chosen);
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
