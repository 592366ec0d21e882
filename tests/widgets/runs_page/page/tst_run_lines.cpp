// SPDX-License-Identifier: GPL-3.0-or-later
// What distinguishes runs of one recipe in list, table and legend: their names, their changes, and which of them belong
// to one training.
#include "tests/support/test_runner.h"
#include "tests/widgets/runs_page/runs_window.h"
#include "widgets/runs/panel/run_delegate.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs/scan/recipe_values.h"
#include "widgets/runs_page/curves/run_names.h"
#include "widgets/runs_page/filter/filter_edit.h"
#include "widgets/runs_page/table/run_table_view.h"

#include <QLineEdit>
#include <QListView>
#include <QTest>
#include <QUndoStack>

using namespace rankscope;
using namespace rankscope::ui;

class RunLines : public QObject, test::RunsWindow {
    Q_OBJECT

    static RunSettingsPtr settings(const std::string& yaml) {
        static const auto pool = std::make_shared<StringInterner>();
        return settingsOf(yaml, "effective.yaml", pool).value();
    }
    static QString line(const std::string& from, const std::string& to) {
        return changesText(changesBetween(*settings(from), *settings(to)));
    }
    void addRun(const char* id, const std::string& yaml, const char* repeats, const char* resumes,
                std::int64_t steps = 40) {
        test::FolderSpec spec;
        spec.id = id;
        spec.name = "quick";
        spec.yaml = yaml;
        spec.relaunchedFrom = repeats;
        spec.resumedFrom = resumes;
        spec.steps = steps;
        test::makeFolder(root(), spec);
    }
    QListView* list() const { return m_window->findChild<RunsPanel*>()->findChild<QListView*>(); }
    QString changesIn(const char* id) const {
        for (const RunRow& row : model()->rows())
            if (row.info.id == id)
                return model()->index(model()->rowOf(row.dir()), model()->columnOf(FieldId::Changes)).data().toString();
        return QStringLiteral("no such run");
    }
    QString dirOf(const char* id) const { return QString::fromStdString((root() / id).string()); }
    QModelIndex listed(const char* id) const {
        const auto* panel = m_window->findChild<RunsPanel*>();
        return panel->findChild<RunFilter*>()->mapFromSource(
            panel->findChild<RunListModel*>()->index(panel->findChild<RunListModel*>()->rowOf(dirOf(id))));
    }

private slots:
    void initTestCase() { setUp(); }
    void init() { openWindow(); }
    void cleanup() { m_window.reset(); }

    void changesAsALine() {
        const std::string base =
            "name: a\nmodel: {optim: {lr: 0.1}, train_ds: {num_workers: 1, manifest: /x/train.json}, "
            "val_ds: {num_workers: 1}}\nfaults: [{kind: data_loading, rank: 1, step: 60}]\nseed: 3\n";
        const auto with = [&base](std::string from, const std::string& to) {
            std::string text = base;
            return text.replace(text.find(from), from.size(), to);
        };
        QCOMPARE(line(base, with("num_workers: 1", "num_workers: 2")), QStringLiteral("num_workers 2"));
        QCOMPARE(line(base, with("[{kind: data_loading, rank: 1, step: 60}]", "[]")), QStringLiteral("no faults"));
        QCOMPARE(line(base, with("rank: 1", "rank: 0")), QStringLiteral("different faults"));
        QCOMPARE(line(base, with("seed: 3", "seed: null")), QStringLiteral("no seed"));
        QCOMPARE(line(base, with("/x/train.json", "/y/z/dev.json")), QStringLiteral("manifest dev.json"));
        QCOMPARE(line(base, with("name: a", "name: b")), QStringLiteral("no change")); // a copy's name is no change
        // changes of keys that end alike are shown with as much of the key as needed
        std::string both = with("num_workers: 1", "num_workers: 2");
        both.replace(both.rfind("num_workers: 1"), 14, "num_workers: 4");
        QCOMPARE(line(base, both), QStringLiteral("train_ds.num_workers 2, val_ds.num_workers 4"));
        QCOMPARE(line("a: 1\nb: 1\nc: 1\nd: 1\n", "a: 2\nb: 2\nc: 2\ne: 2\n"),
                 QStringLiteral("a 2, b 2, c 2 and 2 more"));
    }

    /// A changed number of ranks counts whatever caused it: the recipe may say "-1" both times.
    void anotherNumberOfRanksIsAChange() {
        const auto ranks = [](int from, int to, const std::string& then, const std::string& now) {
            auto changes = changesBetween(*settings(then), *settings(now));
            tellRanks(from, to, &changes);
            return changesText(changes);
        };
        const std::string all = "trainer: {devices: -1}\n", two = "trainer: {devices: 2}\n";
        QCOMPARE(ranks(2, 1, all, all), QStringLiteral("ranks 1"));
        QCOMPARE(ranks(1, 2, all, two), QStringLiteral("ranks 2"));
        QCOMPARE(ranks(2, 2, all, two), QStringLiteral("no change"));
        QCOMPARE(ranks(2, 2, "trainer: {devices: '0,1'}\n", "trainer: {devices: '2,3'}\n"),
                 QStringLiteral("devices 2,3"));
        QCOMPARE(ranks(0, 2, all, two), QStringLiteral("devices 2")); // the first number is unknown

        test::FolderSpec spec;
        spec.id = "20260110-100000-quick-aaaa";
        spec.name = "quick";
        spec.yaml = all;
        test::makeFolder(root(), spec);
        spec.relaunchedFrom = std::exchange(spec.id, "20260111-100000-quick-bbbb");
        spec.worldSize = 1;
        test::makeFolder(root(), spec);
        QTRY_COMPARE(changesIn("20260111-100000-quick-bbbb"), QStringLiteral("ranks 1"));
    }

    /// Its steps are those of the whole chain, too.
    void aResumedRunsDurationIsThatOfItsChain() {
        addRun("20260110-100000-quick-aaaa", "name: quick\n", "", "");
        addRun("20260111-100000-quick-bbbb", "name: quick\n", "", "20260110-100000-quick-aaaa");
        addRun("20260112-100000-quick-cccc", "name: quick\n", "", "20260111-100000-quick-bbbb");
        const auto seconds = [&](const char* id) {
            const int row = model()->rowOf(dirOf(id));
            return row < 0 ? -1 : cellOf(model()->rows()[row], *builtinField(QStringLiteral("duration")), 0).number;
        };
        QTRY_COMPARE(seconds("20260112-100000-quick-cccc"), 180.0);
        QCOMPARE(seconds("20260111-100000-quick-bbbb"), 120.0);
        QCOMPARE(seconds("20260110-100000-quick-aaaa"), 60.0);
    }

    /// The figures of a row are about the same runs as its steps and its duration.
    void aResumedRunsWaitsAreThoseOfItsChain() {
        addRun("20260110-100000-quick-aaaa", "name: quick\n", "", "", 30);
        addRun("20260111-100000-quick-bbbb", "name: quick\n", "", "20260110-100000-quick-aaaa", 40);
        const auto cellIn = [&](const char* id, const char* field) {
            const int row = model()->rowOf(dirOf(id));
            return row < 0 ? Cell() : cellOf(model()->rows()[row], *builtinField(QLatin1String(field)), 0);
        };
        QTRY_COMPARE(cellIn("20260111-100000-quick-bbbb", "waited").number, 0.07); // rank 0 waits 1 ms in each step
        QCOMPARE(cellIn("20260110-100000-quick-aaaa", "waited").number, 0.03);
        QCOMPARE(cellIn("20260111-100000-quick-bbbb", "holder").text, QStringLiteral("rank 1, 70 ms"));
        const RunRow& row = model()->rows()[model()->rowOf(dirOf("20260111-100000-quick-bbbb"))];
        QCOMPARE(withParts(QStringLiteral("70 ms"), row, FieldId::Waited), QStringLiteral("70 ms in 2 parts"));
        QCOMPARE(withParts(QStringLiteral("1.0"), row, FieldId::Loss), QStringLiteral("1.0")); // of the newest run
    }

    /// Ranks that are slow in different parts: the one that was waited for longest in all of them counts.
    void theSlowestRankIsThatOfAllParts() {
        RunFigures first, second;
        first.waitedNs = 50;
        first.held = {{0, 20}, {1, 30}};
        first.incidents = 2;
        second.waitedNs = 45;
        second.held = {{0, 25}, {2, 20}};
        second.incidents = 1;
        RunTotals totals;
        totals.add(1000, &first);
        totals.add(2000, &second);
        totals.add(-1, nullptr); // it has no store, and its duration is unknown
        QCOMPARE(slowestOf(totals.held).rank, 0);
        QCOMPARE(slowestOf(totals.held).ns, std::int64_t{45});
        QCOMPARE(totals.waitedNs, std::int64_t{95});
        QCOMPARE(totals.incidents, std::int64_t{3});
        QCOMPARE(totals.lastedNs, std::int64_t{3000});
        QCOMPARE(totals.runs, 3);
        QCOMPARE(totals.unread, 1);
    }

    void listTableAndLegendSayWhatWasChanged() {
        const std::string base = "name: quick\nmodel: {num_workers: 1}\n";
        addRun("20260110-100000-quick-aaaa", base, "", "");
        addRun("20260111-100000-quick-bbbb", "name: quick\nmodel: {num_workers: 2}\n", "20260110-100000-quick-aaaa",
               "");
        QTRY_COMPARE(model()->rowCount(), 5);
        QTRY_COMPARE(changesIn("20260111-100000-quick-bbbb"), QStringLiteral("num_workers 2"));
        QCOMPARE(changesIn("20260110-100000-quick-aaaa"), QString());
        QTRY_COMPARE(listed("20260111-100000-quick-bbbb").data(RunListModel::ChangesRole).toString(),
                     QStringLiteral("num_workers 2"));
        filterEdit()->setText(QStringLiteral("changes:num_workers"));
        QTRY_COMPARE(proxy()->rowCount(), 1);
        filterEdit()->setText({});
        QTRY_COMPARE(proxy()->rowCount(), 5); // rows that are filtered out cannot be selected
        table()->selectDirs({dirOf("20260110-100000-quick-aaaa"), dirOf("20260111-100000-quick-bbbb")});
        QStringList told;
        for (const RunName& name : distinctNames(table()->selectedRuns()))
            told << name.whole;
        QCOMPARE(told, (QStringList{"quick", "quick · num_workers 1"})); // compared with the first run; no id is needed
    }

    /// Runs launched from the command line with changed settings count, too.
    void runsOfOneNameAreToldFromTheOldest() {
        const std::string base = "name: quick\nmodel: {optim: {lr: 0.1}, sync_batchnorm: true}\n";
        addRun("20260110-100000-quick-aaaa", base, "", "");
        addRun("20260111-100000-quick-bbbb", "name: quick\nmodel: {optim: {lr: 0.1}, sync_batchnorm: false}\n", "", "");
        addRun("20260112-100000-quick-cccc", base, "", "");
        addRun("20260113-100000-quick-dddd", "name: quick\nmodel: {optim: {lr: 0.2}, sync_batchnorm: false}\n",
               "20260111-100000-quick-bbbb", "");
        addRun("20260114-100000-quick-eeee", "name: quick\nmodel: {optim: {lr: 0.3}, sync_batchnorm: true}\n", "gone",
               "");
        QTRY_COMPARE(changesIn("20260111-100000-quick-bbbb"), QStringLiteral("sync_batchnorm false"));
        // compared with the run that it repeats
        QTRY_COMPARE(changesIn("20260113-100000-quick-dddd"), QStringLiteral("lr 0.2"));
        QTRY_COMPARE(changesIn("20260114-100000-quick-eeee"), QStringLiteral("lr 0.3"));
        QCOMPARE(changesIn("20260110-100000-quick-aaaa"), QString());
        QCOMPARE(changesIn("20260112-100000-quick-cccc"), QString());
        QCOMPARE(changesIn("20260101-100000-alpha-0001"), QString());
        const QModelIndex second = listed("20260111-100000-quick-bbbb");
        QCOMPARE(second.data(RunListModel::BriefChangesRole).toString(), QStringLiteral("false · sync_batchnorm"));
        QVERIFY(second.data(Qt::ToolTipRole).toString().contains(QStringLiteral("against 20260110-100000-quick-aaaa")));

        std::filesystem::remove_all(root() / "20260110-100000-quick-aaaa");
        QTRY_COMPARE(changesIn("20260111-100000-quick-bbbb"), QString()); // it is the oldest now
        QTRY_COMPARE(changesIn("20260112-100000-quick-cccc"), QStringLiteral("sync_batchnorm true"));
    }

    void aResumedRunIsWhatItsFirstPartWas() {
        addRun("20260110-100000-quick-aaaa", "name: quick\nworkers: 1\n", "", "");
        addRun("20260111-100000-quick-bbbb", "name: quick\nworkers: 2\n", "", "");
        addRun("20260112-100000-quick-cccc", "name: quick\nworkers: 2\n", "", "20260111-100000-quick-bbbb");
        QTRY_COMPARE(changesIn("20260112-100000-quick-cccc"), QStringLiteral("workers 2"));
    }

    void whereThereIsLittleRoomTheValueStays() {
        const RunChanges changes{{"model.sync_max_audio_length", "false"}, {"trainer.max_steps", "60"}};
        const QString whole = changesText(changes), brief = changesText(changes, ChangeOrder::ValueFirst);
        QCOMPARE(whole, QStringLiteral("sync_max_audio_length false, max_steps 60"));
        QCOMPARE(brief, QStringLiteral("false · sync_max_audio_length, 60 · max_steps"));
        QCOMPARE(changesText({{"a", "[]"}, {"b", "1"}}, ChangeOrder::ValueFirst), QStringLiteral("no a, 1 · b"));
        const QFontMetrics metrics{QFont()};
        QCOMPARE(fittingText(metrics, whole, brief, 2000), whole);
        const QString cut = fittingText(metrics, whole, brief, metrics.horizontalAdvance("false · sync_max"));
        QVERIFY2(cut.startsWith(QStringLiteral("false · ")) && cut.endsWith(QStringLiteral("…")), qPrintable(cut));
    }

    void renamedInTheTable() {
        select({"beta"});
        QTest::keyClick(table(), Qt::Key_F2);
        auto* editor = table()->findChild<QLineEdit*>();
        QVERIFY(editor);
        QCOMPARE(editor->text(), QStringLiteral("beta"));
        editor->selectAll();
        QTest::keyClicks(editor, QStringLiteral("two workers"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(QString::fromStdString(marks("beta").title), QStringLiteral("two workers"));
        QTRY_VERIFY(names().contains(QStringLiteral("two workers")));
        QTRY_VERIFY(sidebar().contains(QStringLiteral("two workers")));
        QVERIFY(std::filesystem::exists(path("beta").dir)); // the folder is not renamed
        filterEdit()->setText(QStringLiteral("beta"));      // the recipe's name is still found
        QTRY_COMPARE(names(), QStringList{"two workers"});
        filterEdit()->setText({});
        QTRY_VERIFY((*m_window->actions())[ActionId::Undo]->isEnabled());
        undo();
        QTRY_VERIFY(marks("beta").title.empty());
        QTRY_VERIFY(names().contains(QStringLiteral("beta")));
    }

    void renamedInTheList() {
        QTRY_COMPARE(sidebar().size(), 3);
        const auto* panel = m_window->findChild<RunsPanel*>();
        const QModelIndex index = panel->findChild<RunFilter*>()->mapFromSource(
            panel->findChild<RunListModel*>()->index(panel->findChild<RunListModel*>()->rowOf(dir("alpha"))));
        QVERIFY(index.isValid());
        list()->setFocus();
        list()->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
        QTest::keyClick(list(), Qt::Key_F2);
        auto* editor = list()->findChild<QLineEdit*>();
        QVERIFY(editor);
        editor->selectAll();
        QTest::keyClicks(editor, QStringLiteral("the first"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(QString::fromStdString(marks("alpha").title), QStringLiteral("the first"));
        QTRY_VERIFY(sidebar().contains(QStringLiteral("the first")));
    }

    void aResumedChainIsOneRowThatOpens() {
        addRun("20260110-100000-quick-aaaa", "name: quick\n", "", "", 20);
        addRun("20260111-100000-quick-bbbb", "name: quick\n", "", "20260110-100000-quick-aaaa", 30);
        addRun("20260112-100000-quick-cccc", "name: quick\n", "", "20260111-100000-quick-bbbb", 40);
        QTRY_COMPARE(model()->rowCount(), 6);
        QTRY_COMPARE(names().count(QStringLiteral("quick")), 1);
        QTRY_COMPARE(sidebar().count(QStringLiteral("quick")), 1);
        const auto newest = [this] { return listed("20260112-100000-quick-cccc"); };
        // the newest run, which has the steps of all; its figures come after its name
        QTRY_VERIFY(newest().data(RunListModel::DetailRole).toString().startsWith(QStringLiteral("40")));
        const QModelIndex head = newest();
        QCOMPARE(head.data(RunListModel::PartsRole).toInt(), 3);

        const QRect chevron = RunDelegate::chevron(list()->visualRect(head), head);
        QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, chevron.center());
        QCOMPARE(sidebar().count(QStringLiteral("quick")), 3);
        QVERIFY(m_window->session() == nullptr); // the press opened the chain, not a run
        QCOMPARE(listed("20260111-100000-quick-bbbb").row(), head.row() + 1);
        QCOMPARE(listed("20260110-100000-quick-aaaa").row(), head.row() + 2);

        const QModelIndex cell = proxy()->mapFromSource(
            model()->index(model()->rowOf(dirOf("20260112-100000-quick-cccc")), model()->columnOf(FieldId::Name)));
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {},
                          RunTableView::chevron(table()->visualRect(cell)).center());
        QCOMPARE(names().count(QStringLiteral("quick")), 3);
        for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) { // in any order
            sort(FieldId::Loss, order);
            const auto first = names().indexOf(QStringLiteral("quick"));
            QCOMPARE(names().mid(first, 3).count(QStringLiteral("quick")), 3);
            QCOMPARE(proxy()->row(proxy()->index(static_cast<int>(first), 0)).info.id,
                     std::string("20260112-100000-quick-cccc"));
        }
        table()->setCurrentIndex(proxy()->index(static_cast<int>(names().indexOf("quick")), 1));
        QTest::keyClick(table(), Qt::Key_Minus);
        QCOMPARE(names().count(QStringLiteral("quick")), 1);
        filterEdit()->setText(QStringLiteral("id:aaaa")); // while searching, each run is listed separately
        QTRY_COMPARE(names().size(), 1);
    }

    void aCircleOfResumedRunsIsNoEnd() {
        addRun("20260110-100000-quick-aaaa", "name: quick\n", "", "20260111-100000-quick-bbbb", 20);
        addRun("20260111-100000-quick-bbbb", "name: quick\n", "", "20260110-100000-quick-aaaa", 30);
        QTRY_COMPARE(model()->rowCount(), 5);
    }
};

RANKSCOPE_GUI_TEST(RunLines)
#include "tst_run_lines.moc"
