// SPDX-License-Identifier: GPL-3.0-or-later
// The sidebar with run folders that the test writes.
#include "core/base/files/atomic_file.h"
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/launch/host/host_facts.h"
#include "core/store/write/run_writer.h"
#include "core/telemetry/board/board.h"
#include "tests/support/test_runner.h"
#include "widgets/runs/panel/run_delegate.h"
#include "widgets/runs/panel/run_filter.h"
#include "widgets/runs/panel/run_list_model.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs/scan/run_lister.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QFileInfo>
#include <QFontMetrics>
#include <QImage>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QPointer>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStyleOptionViewItem>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include <cmath>

using namespace rankscope;
using namespace rankscope::ui;
namespace fs = std::filesystem;

class RunList : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("XDG_DATA_HOME", m_home.path().toLocal8Bit()); // the tests must not fill the user's trash
        Theme::instance().apply(Theme::Mode::Light);
    }

    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
    }

    /// There is little room, so a run's progress is shown in a short form.
    void stepsAreToldShortly() {
        RunListModel model;
        RunRow row;
        row.info.id = "20260101-100000-a-0001";
        row.info.totalSteps = 4000;
        row.lastStep = 1233;
        row.paths.dir = root() / row.info.id;
        const auto detail = [&] {
            model.setRows({row});
            return model.index(0).data(RunListModel::DetailRole).toString();
        };
        QVERIFY2(detail().startsWith(QStringLiteral("1,234/4,000 steps")), qPrintable(detail()));
        QCOMPARE(model.index(0).data(RunListModel::ShortIdRole).toString(), QStringLiteral("0001"));
        row.lastStep = 3999;
        QVERIFY2(detail().startsWith(QStringLiteral("4,000 steps")), qPrintable(detail()));
    }

    void theLossIsLeftOutLast() {
        RunListModel model;
        RunRow row;
        row.info.id = "20260101-100000-a-0001";
        row.info.state = launch::RunState::Stopped;
        row.info.totalSteps = 100'000;
        row.lastStep = 1233;
        row.lastLoss = 5.125;
        row.paths.dir = root() / row.info.id;
        row.parts = 2;
        model.setRows({row});
        const QFontMetrics metrics(secondaryFont());
        const auto line = [&](int width) { return secondLine(metrics, model.index(0), width); };
        const auto lineAsWideAs = [&](const QString& text) { return line(metrics.horizontalAdvance(text)); };
        const QString whole = line(2000), withoutTotal = QStringLiteral("stopped · 1,234 steps · loss 5.125");
        QVERIFY2(whole.startsWith(QStringLiteral("stopped · 2 part")), qPrintable(whole));
        QVERIFY2(whole.endsWith(QStringLiteral(" · 1,234/100,000 steps · loss 5.125")), qPrintable(whole));
        QCOMPARE(lineAsWideAs(whole), whole);
        const QString withoutParts = QStringLiteral("stopped · 1,234/100,000 steps · loss 5.125");
        QCOMPARE(lineAsWideAs(withoutParts), withoutParts);
        QCOMPARE(lineAsWideAs(withoutTotal), withoutTotal);
        const QString justLoss = QStringLiteral("stopped · loss 5.125");
        QCOMPARE(line(metrics.horizontalAdvance(withoutTotal) - 1), justLoss);
        QVERIFY(line(metrics.horizontalAdvance(justLoss) - 1).endsWith(QChar(0x2026)));
        QVERIFY(model.index(0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("1,234/100,000 steps")));
    }

    /// Even in the folded list, runs that have the same mark can be told apart.
    void rowsShowTheEndOfTheId() {
        RunListModel model;
        QList<RunRow> rows;
        for (const char* id : {"20260101-100000-a-2f1f", "20260102-100000-a-77b0", "20260103-100000-b-77b0"}) {
            RunRow row;
            row.info.name = "nest";
            row.info.state = launch::RunState::Finished;
            row.paths.dir = root() / id;
            rows << row;
        }
        model.setRows(rows);
        RunDelegate delegate;
        const auto drawn = [&](int row) {
            QStyleOptionViewItem option;
            option.rect = QRect(QPoint(), delegate.sizeHint(option, model.index(row)));
            QImage image(option.rect.size(), QImage::Format_RGB32);
            image.fill(Theme::instance().palette().window);
            QPainter painter(&image);
            delegate.paint(&painter, option, model.index(row));
            return image;
        };
        for (const bool folded : {false, true}) {
            delegate.setFolded(folded);
            QVERIFY(drawn(0) != drawn(1));
            QVERIFY(drawn(1) == drawn(2));
        }
    }

    void listsNewestFirstAndFollows() {
        write("20260101-100000-old-0001", "old", launch::RunState::Finished);
        write("20260102-100000-new-0002", "new", launch::RunState::Stopped);
        RunLister lister(root());
        RunListModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        connect(&lister, &RunLister::listed, &model, &RunListModel::setRows);
        lister.start(30);
        QTRY_COMPARE(model.rowCount(), 2);
        QCOMPARE(name(model, 0), QStringLiteral("new"));
        QCOMPARE(name(model, 1), QStringLiteral("old"));

        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted), reset(&model, &QAbstractItemModel::modelReset);
        write("20260103-100000-newest-0003", "newest", launch::RunState::Failed);
        QTRY_COMPARE(model.rowCount(), 3);
        QCOMPARE(inserted.count(), 1);
        QCOMPARE(inserted.front().at(1).toInt(), 0);
        QCOMPARE(name(model, 0), QStringLiteral("newest"));

        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        write("20260101-100000-old-0001", "renamed", launch::RunState::Finished);
        QTRY_COMPARE(name(model, 2), QStringLiteral("renamed"));
        QCOMPARE(changed.front().at(0).toModelIndex().row(), 2);

        fs::remove_all(root() / "20260102-100000-new-0002");
        QTRY_COMPARE(model.rowCount(), 2);
        QCOMPARE(reset.count(), 0);
    }

    /// A run in another folder is listed like any other, by its start time.
    void aRunInAnotherFolder() {
        write("20260101-100000-old-0001", "old", launch::RunState::Finished);
        write("20260103-100000-new-0003", "new", launch::RunState::Finished);
        QTemporaryDir other;
        launch::RunInfo info = make("20260102-100000-away-0002", "away", launch::RunState::Finished);
        const launch::RunPaths away{fs::path(other.path().toStdString()) / info.id};
        fs::create_directories(away.dir);
        QVERIFY(launch::writeRunInfo(away, info));
        RunLister lister(root());
        RunListModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        connect(&lister, &RunLister::listed, &model, &RunListModel::setRows);
        lister.start(30);
        QTRY_COMPARE(model.rowCount(), 2);
        lister.alsoList(away.dir);
        lister.alsoList(away.dir);                            // opened again
        lister.alsoList(root() / "20260101-100000-old-0001"); // it is listed already
        lister.alsoList(root() / "nothing");
        QTRY_COMPARE(model.rowCount(), 3);
        QCOMPARE(name(model, 1), QStringLiteral("away"));
        QCOMPARE(model.index(1).data(RunListModel::DirRole).toString(), QString::fromStdString(away.dir.string()));
        const QString folder = QFileInfo(other.path()).fileName();
        QVERIFY(model.index(1).data(RunListModel::DetailRole).toString().contains(folder));
        QVERIFY(model.index(1).data(Qt::ToolTipRole).toString().contains(other.path()));
        QVERIFY(!model.index(0).data(RunListModel::DetailRole).toString().contains(folder));
        info.name = "renamed"; // its changes are noticed like those of other runs
        QVERIFY(launch::writeRunInfo(away, info));
        QTRY_COMPARE(name(model, 1), QStringLiteral("renamed"));
        fs::remove_all(away.dir);
        QTRY_COMPARE(model.rowCount(), 2);
    }
    /// Older versions did not check the loss, and called a run finished whose loss stayed NaN.
    void aRunWhoseLossIsNaNHasFailed() {
        write("20260101-100000-bad-0001", "bad", launch::RunState::Finished);
        auto store = store::RunWriter::open(paths("20260101-100000-bad-0001").store(),
                                            {"20260101-100000-bad-0001", 1, 1, 1'700'000'000'000'000'000, 10});
        QVERIFY(store);
        std::vector<telemetry::AnyRecord> steps;
        for (std::int64_t step = 0; step < 10; ++step) {
            telemetry::StepRecord record;
            record.header.step = step;
            record.flags = step < 4 ? 0 : 3;
            record.loss = step < 4 ? 4.5 : std::nan("");
            record.beginNs = 1 + step * 1'000'000;
            record.endNs = record.beginNs + 900'000;
            steps.push_back(telemetry::AnyRecord::of(record));
        }
        QVERIFY(store->commit(std::vector<store::RunWriter::Chunk>{{0, steps, {}, {}}}, {}));
        QVERIFY(store->finish());
        RunLister lister(root());
        RunListModel model;
        connect(&lister, &RunLister::listed, &model, &RunListModel::setRows);
        lister.start(30);
        QTRY_COMPARE(model.rowCount(), 1);
        QTRY_COMPARE(model.index(0).data(RunListModel::StateWordRole).toString(), QStringLiteral("failed"));
        QCOMPARE(model.index(0).data(RunListModel::MarkRole).toInt(), static_cast<int>(diagnosis::RankState::Dead));
        QVERIFY(model.index(0).data(Qt::ToolTipRole).toString().contains(QLatin1String("NaN since step 4")));
    }
    /// The run continues; its mark and text say that nothing is learned.
    void aLiveRunWhoseLossIsNaN() {
        diagnosis::Incident in;
        in.cause = diagnosis::Cause::NotFinite;
        in.holders = {1};
        in.step = 20;
        in.evidence = diagnosis::evidenceFromJson({{"last_step", 20}});
        launch::RunInfo info;
        info.state = launch::RunState::Running;
        info.supervisor = launch::SupervisorLife::Alive;
        QCOMPARE(RunStatus::of(info, std::vector{in}).mark(), markOf(launch::RunState::Running)); // only one step
        in.evidence.lastStep = 30;
        const RunStatus now = RunStatus::of(info, std::vector{in});
        QCOMPARE(now.mark(), diagnosis::RankState::Holder);
        QCOMPARE(now.words(0), QStringLiteral("running, loss NaN since step 20"));
        info.state = launch::RunState::Finished;
        QCOMPARE(RunStatus::of(info, std::vector{in}).mark(), markOf(launch::RunState::Finished));
    }
    void deadSupervisorIsLostWithoutAChangeOfTheFile() {
        launch::RunInfo info = make("20260101-100000-gone-0001", "gone", launch::RunState::Running);
        fs::create_directories(paths(info.id).dir);
        info.supervisorPid = 0x3ffffff; // no such process
        info.supervisorStartTicks = 1;
        QVERIFY(launch::writeRunInfo(paths(info.id), info));
        RunLister lister(root());
        QSignalSpy listed(&lister, &RunLister::listed);
        lister.start(30);
        QTRY_COMPARE(listed.count(), 1);
        const auto rows = listed.front().front().value<QList<RunRow>>();
        QCOMPARE(rows.size(), 1);
        QVERIFY(rows.front().info.state == launch::RunState::Lost);
    }

    void damagedRunIsShownAndHarmsNobody() {
        write("20260101-100000-good-0001", "good", launch::RunState::Finished);
        fs::create_directories(root() / "20260102-100000-bad-0002");
        QVERIFY(writeFileAtomic(root() / "20260102-100000-bad-0002" / "run.json", "{\"id\": 5, tru"));
        RunLister lister(root());
        RunListModel model;
        connect(&lister, &RunLister::listed, &model, &RunListModel::setRows);
        lister.start(30);
        QTRY_COMPARE(model.rowCount(), 2);
        QVERIFY(!model.index(0).data(RunListModel::ProblemRole).toString().isEmpty());
        QCOMPARE(name(model, 0), QStringLiteral("20260102-100000-bad-0002"));
        QVERIFY(model.index(1).data(RunListModel::ProblemRole).toString().isEmpty());
    }

    void missingFolderIsAnEmptyList() {
        RunLister lister(root() / "nothing");
        QSignalSpy listed(&lister, &RunLister::listed), failed(&lister, &RunLister::failed);
        lister.start(30);
        QTRY_COMPARE(listed.count(), 1);
        QCOMPARE(failed.count(), 0);
    }

    void modelMovesAndKeepsIdentity() {
        RunListModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto rows = [&](std::initializer_list<const char*> ids) {
            QList<RunRow> list;
            for (const char* id : ids) {
                RunRow row;
                row.paths.dir = root() / id;
                row.info = make(id, id, launch::RunState::Finished);
                list << row;
            }
            return list;
        };
        model.setRows(rows({"d", "c", "b", "a"}));
        const QPersistentModelIndex c = model.index(1);
        model.setRows(rows({"e", "c", "a", "b"}));
        QCOMPARE(c.row(), 1);
        QCOMPARE(name(model, 0), QStringLiteral("e"));
        QCOMPARE(name(model, 2), QStringLiteral("a"));
        QCOMPARE(name(model, 3), QStringLiteral("b"));
        model.setRows({});
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(!c.isValid());
    }

    void searchAndStateFilter() {
        RunListModel model;
        RunFilter filter;
        QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
        filter.setSourceModel(&model);
        QList<RunRow> list;
        for (auto [id, state] : {std::pair("alpha", launch::RunState::Finished),
                                 {"beta", launch::RunState::Running},
                                 {"gamma", launch::RunState::Failed}}) {
            RunRow row;
            row.paths.dir = root() / id;
            row.info = make(id, id, state);
            list << row;
        }
        model.setRows(list);
        filter.setStates(RunFilter::StateFilter::Live);
        QCOMPARE(filter.rowCount(), 1);
        QCOMPARE(filter.index(0, 0).data().toString(), QStringLiteral("beta"));
        filter.setStates(RunFilter::StateFilter::Ended);
        QCOMPARE(filter.rowCount(), 1);
        QCOMPARE(filter.index(0, 0).data().toString(), QStringLiteral("gamma"));
        filter.setStates(RunFilter::StateFilter::All);
        filter.setWords(QStringLiteral("ALP finished"));
        QCOMPARE(filter.rowCount(), 1);
        filter.setWords(QStringLiteral("alp failed"));
        QCOMPARE(filter.rowCount(), 0);
    }

    void searchingOpensNoRun() {
        RunsPanel panel;
        panel.show();
        QList<RunRow> list;
        for (const char* id : {"b-two", "a-one"}) {
            RunRow row;
            row.paths.dir = root() / id;
            row.info = make(id, id, launch::RunState::Finished);
            list << row;
        }
        panel.setRows(list);
        panel.setCurrent(list[0].dir());
        QSignalSpy opened(&panel, &RunsPanel::openRequested);
        auto* search = panel.findChild<QLineEdit*>();
        auto* view = panel.findChild<QListView*>();
        search->setText(QStringLiteral("one"));
        search->clear();
        QCOMPARE(opened.count(), 0);
        QCOMPARE(view->currentIndex().data(RunListModel::DirRole).toString(), list[0].dir());
        QTest::keyClick(view, Qt::Key_Down);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened.front().front().toString(), list[1].dir());
    }

    void passingByWithTabOpensNoRun() {
        RunsPanel panel;
        QList<RunRow> list(1);
        list[0].paths.dir = root() / "one";
        list[0].info = make("one", "one", launch::RunState::Finished);
        panel.setRows(list);
        panel.show();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        QSignalSpy opened(&panel, &RunsPanel::openRequested);
        auto* search = panel.findChild<QLineEdit*>();
        auto* view = panel.findChild<QListView*>();
        search->setFocus();
        QTest::keyClick(search, Qt::Key_Tab);
        QVERIFY(view->hasFocus());
        QVERIFY(view->currentIndex().isValid());
        QCOMPARE(opened.count(), 0);
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened.front().front().toString(), list[0].dir());
    }

    /// A live run's row changes with each step.
    void theNameOfALiveRunStaysWhileItIsTyped_data() {
        QTest::addColumn<bool>("open");
        QTest::newRow("open") << true;
        QTest::newRow("none is open") << false;
    }
    void theNameOfALiveRunStaysWhileItIsTyped() {
        QFETCH(const bool, open);
        RunsPanel panel;
        QList<RunRow> list(1);
        list[0].paths.dir = root() / "one";
        list[0].info = make("one", "one", launch::RunState::Running);
        panel.setRows(list);
        panel.show();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        if (open)
            panel.setCurrent(list[0].dir());
        auto* view = panel.findChild<QListView*>();
        view->setFocus();
        QTest::keyClick(view, Qt::Key_F2);
        const QPointer<QLineEdit> editor = view->findChild<QLineEdit*>();
        QVERIFY(editor);
        QTest::keyClicks(editor, QStringLiteral("my long"));
        ++list[0].lastStep;
        panel.setRows(list);
        QTest::qWait(1);
        QVERIFY(editor && editor->isVisible());
        QTest::keyClicks(editor, QStringLiteral(" name"));
        QSignalSpy renamed(&panel, &RunsPanel::renameRequested);
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(renamed.count(), 1);
        QCOMPARE(renamed.front().at(1).toString(), QStringLiteral("my long name"));
    }

    void onlyAnEndedRunIsTrashed() {
        launch::RunInfo info = make("20260101-100000-live-0001", "live", launch::RunState::Running);
        fs::create_directories(paths(info.id).dir);
        info.host = launch::hostName();
        info.bootId = launch::bootId();
        info.supervisorPid = ::getpid();
        info.supervisorStartTicks = processStat(::getpid())->startTicks;
        QVERIFY(launch::writeRunInfo(paths(info.id), info));
        RunRow row;
        row.paths = paths(info.id);
        row.info = info;
        row.info.state = launch::RunState::Finished; // out of date: the row says that the run has ended
        QVERIFY(!RunsPanel::moveToTrash(row).isEmpty());
        QVERIFY(fs::exists(row.paths.runJson()));

        info.state = launch::RunState::Finished;
        QVERIFY(launch::writeRunInfo(row.paths, info));
        const QString problem = RunsPanel::moveToTrash(row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
        QVERIFY(!fs::exists(row.paths.dir));
    }

    /// For a run that is not open, the list is the only place that shows a stall.
    void aStallIsSeenInTheList() {
        launch::RunInfo info = make("20260101-100000-live-0001", "live", launch::RunState::Running);
        fs::create_directories(paths(info.id).dir);
        info.host = launch::hostName();
        info.bootId = launch::bootId();
        info.supervisorPid = ::getpid();
        info.supervisorStartTicks = processStat(::getpid())->startTicks;
        info.startNs = monotonicNs() - 60'000'000'000;
        QVERIFY(launch::writeRunInfo(paths(info.id), info));
        auto store = store::RunWriter::open(
            paths(info.id).store(), {info.id, info.worldSize, info.startNs, info.startRealtimeNs, info.totalSteps});
        QVERIFY2(store.has_value(), store ? "" : store.error().message().c_str());
        RunLister lister(root());
        RunsPanel panel;
        panel.show();
        connect(&lister, &RunLister::listed, &panel, &RunsPanel::setRows);
        lister.start(30);
        const auto role = [&](int wanted) { return panel.findChild<RunListModel*>()->index(0).data(wanted); };
        QTRY_COMPARE(panel.findChild<RunListModel*>()->rowCount(), 1);
        QCOMPARE(role(RunListModel::StateWordRole).toString(), QStringLiteral("running"));
        QCOMPARE(role(RunListModel::MarkRole).toInt(), static_cast<int>(diagnosis::RankState::Computing));

        diagnosis::Incident in;
        in.id = 1;
        in.step = 60;
        in.cause = diagnosis::Cause::DataLoading;
        in.holders = {1};
        in.waiters = {0};
        in.openedNs = monotonicNs() - 47'000'000'000;
        in.detectedNs = in.openedNs + 2'000'000'000;
        const auto tell = [&](diagnosis::Transition::TransitionKind kind) {
            const diagnosis::Transition transition{kind, in};
            return store->commit({}, std::span(&transition, 1)).has_value();
        };
        QVERIFY(tell(diagnosis::Transition::TransitionKind::Opened));
        QTRY_COMPARE(role(RunListModel::MarkRole).toInt(), static_cast<int>(diagnosis::RankState::Holder));
        const QString words = role(RunListModel::StateWordRole).toString();
        QVERIFY2(QRegularExpression(QStringLiteral("^stalled (4[789]|5\\d) s, rank 1$")).match(words).hasMatch(),
                 qPrintable(words));
        // the ranks have continued, but the store does not know: the list makes no claim
        fs::create_directories(paths(info.id).rank(1));
        auto board = telemetry::BoardWriter::create(paths(info.id).board(1));
        QVERIFY(board.has_value());
        board->identify(1, 2, 0, "cpu", 100);
        board->step(61, 0);
        QTRY_VERIFY_WITH_TIMEOUT(
            role(RunListModel::StateWordRole).toString().startsWith(QStringLiteral("running, nothing recorded for")),
            10'000);
        QCOMPARE(role(RunListModel::MarkRole).toInt(), static_cast<int>(diagnosis::RankState::Unknown));

        in.closed = diagnosis::CloseReason::Recovered;
        in.closedNs = monotonicNs();
        QVERIFY(tell(diagnosis::Transition::TransitionKind::Closed));
        QTRY_COMPARE(role(RunListModel::StateWordRole).toString(), QStringLiteral("running"));
    }

    void ages() {
        const qint64 s = 1'000'000'000, now = 1'000'000 * s;
        QCOMPARE(ageText(now - 20 * s, now, true), QStringLiteral("now"));
        QCOMPARE(ageText(now - 20 * s, now, false), QStringLiteral("20 s ago")); // ended, so not "now"
        QCOMPARE(ageText(now - 90 * s, now, true), QStringLiteral("1 min ago"));
        QCOMPARE(ageText(now - 7200 * s, now, false), QStringLiteral("2 h ago"));
        QCOMPARE(ageText(now - 50 * 3600 * s, now, false), QStringLiteral("2 d ago"));
        QCOMPARE(ageText(0, now, false), QString());
    }

private:
    fs::path root() const { return m_dir->path().toStdString(); }
    launch::RunPaths paths(const std::string& id) const { return {root() / id}; }
    static QString name(const QAbstractItemModel& model, int row) {
        return model.index(row, 0).data(RunListModel::NameRole).toString();
    }
    static launch::RunInfo make(const std::string& id, const std::string& name, launch::RunState state) {
        launch::RunInfo info;
        info.id = id;
        info.name = name;
        info.state = state;
        info.worldSize = 2;
        info.totalSteps = 100;
        info.startNs = monotonicNs();
        info.startRealtimeNs = realtimeNs();
        info.endRealtimeNs = launch::isLive(state) ? 0 : info.startRealtimeNs + 1;
        return info;
    }
    void write(const std::string& id, const std::string& name, launch::RunState state) {
        fs::create_directories(paths(id).dir);
        QVERIFY(launch::writeRunInfo(paths(id), make(id, name, state)));
    }

    QTemporaryDir m_home;
    std::unique_ptr<QTemporaryDir> m_dir;
};

RANKSCOPE_GUI_TEST(RunList)
#include "tst_run_list.moc"
