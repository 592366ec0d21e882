// SPDX-License-Identifier: GPL-3.0-or-later
// The page by key and mouse, in the real window, over run folders that the program's own writers made.
#include "core/launch/run_marks.h"
#include "run_folders.h"
#include "widgets/main_window/actions.h"
#include "widgets/main_window/language.h"
#include "widgets/main_window/main_window.h"
#include "widgets/runs/run_filter.h"
#include "widgets/runs/run_list_model.h"
#include "widgets/runs/runs_panel.h"
#include "widgets/runs_page/column_chooser.h"
#include "widgets/runs_page/compare_model.h"
#include "widgets/runs_page/compare_pane.h"
#include "widgets/runs_page/compare_plot.h"
#include "widgets/runs_page/filter_edit.h"
#include "widgets/runs_page/marks_editor.h"
#include "widgets/runs_page/run_table_view.h"
#include "widgets/runs_page/runs_page.h"
#include "widgets/runs_page/scatter_plot.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

using namespace rankscope;
using namespace rankscope::ui;
using rankscope::test::FolderSpec;
namespace fs = std::filesystem;

class RunsPageTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_DATA_HOME", m_home.path().toLocal8Bit()); // no test fills the user's trash
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
    }

    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        add("20260101-100000-alpha-0001", "alpha", launch::RunState::Finished, 0.1, 17, 3);
        add("20260102-100000-beta-0002", "beta", launch::RunState::Failed, 0.01, 17, 2);
        add("20260103-100000-gamma-0003", "gamma", launch::RunState::Finished, 0.001, 4, 1);
        WindowOptions options;
        options.runsDir = m_dir->path();
        options.page = Page::Runs;
        options.remember = false;
        m_window = std::make_unique<MainWindow>(options);
        m_window->show();
        m_window->start();
        QTRY_VERIFY(page()->isComplete() && page()->model()->rowCount() == 3);
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

    void pageByKey() {
        m_window->showPage(Page::Configure);
        QTest::keyClick(m_window.get(), Qt::Key_6, Qt::ControlModifier);
        QVERIFY(m_window->page() == Page::Runs);
        QTest::keyClick(m_window.get(), Qt::Key_Slash);
        QTRY_VERIFY(page()->filter()->line()->hasFocus());
    }

    void newestFirstAndSortedByAColumn() {
        const QAbstractItemModelTester tester(page()->proxy(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(names(), (QStringList{"gamma", "beta", "alpha"}));
        sort(FieldId::Loss, Qt::AscendingOrder);
        QCOMPARE(names(), (QStringList{"gamma", "beta", "alpha"}));
        sort(FieldId::Loss, Qt::DescendingOrder);
        QCOMPARE(names(), (QStringList{"alpha", "beta", "gamma"}));
        sort(FieldId::Name, Qt::AscendingOrder);
        QCOMPARE(names(), (QStringList{"alpha", "beta", "gamma"}));
    }

    void filterAsTyped() {
        QTest::keyClicks(page()->filter()->line(), QStringLiteral("state:finished loss<2"));
        QCOMPARE(page()->filter()->text(), QStringLiteral("state:finished loss<2"));
        QCOMPARE(page()->filter()->message(), QString());
        QCOMPARE(names(), QStringList{"gamma"});
        QTest::keyClicks(page()->filter()->line(), QStringLiteral(" (("));
        QVERIFY(page()->filter()->error());
        QVERIFY(page()->filter()->message().contains(QStringLiteral("At character")));
        QCOMPARE(names(), QStringList{"gamma"}); // the last one holds
        QTest::keyClick(page()->filter()->line(), Qt::Key_Escape);
        if (!page()->filter()->text().isEmpty()) // the first Esc closed the list of completions
            QTest::keyClick(page()->filter()->line(), Qt::Key_Escape);
        QCOMPARE(names().size(), 3);
        page()->filter()->setText(QStringLiteral("model.optim.lr<=0.01 not state:failed"));
        QCOMPARE(names(), QStringList{"gamma"});
        page()->filter()->setText(QStringLiteral("nothing-like-this"));
        QCOMPARE(names(), QStringList());
        QVERIFY(!page()->table()->isVisible());
    }

    void namesAndValuesAreCompleted() {
        auto* line = page()->filter()->line();
        line->setFocus();
        QTest::keyClicks(line, QStringLiteral("mod.o"));
        line->clear();
        QTest::keyClicks(line, QStringLiteral("optim.l"));
        auto* popup = page()->filter()->completer()->popup();
        QTRY_VERIFY(popup->isVisible());
        QTest::keyClick(popup, Qt::Key_Down);
        QTest::keyClick(popup, Qt::Key_Return);
        QCOMPARE(line->text(), QStringLiteral("model.optim.lr"));
        QTest::keyClicks(line, QStringLiteral("=0.1 state:fa"));
        QTRY_VERIFY(popup->isVisible());
        QTest::keyClick(popup, Qt::Key_Down);
        QTest::keyClick(popup, Qt::Key_Return);
        QCOMPARE(line->text(), QStringLiteral("model.optim.lr=0.1 state:failed "));
    }

    void columnsAreChosenAndKept() {
        auto* chooser = page()->chooser();
        chooser->open(page(), page()->table()->visualColumns(), page()->model()->settings());
        QTest::keyClicks(chooser->search(), QStringLiteral("n_layers"));
        QListWidgetItem* found = nullptr;
        int visible = 0;
        for (int i = 0; i < chooser->list()->count(); ++i)
            if (!chooser->list()->item(i)->isHidden()) {
                ++visible;
                found = chooser->list()->item(i);
            }
        QCOMPARE(visible, 1);
        found->setCheckState(Qt::Checked);
        chooser->hide();
        const RunField layers = settingField(QStringLiteral("model.encoder.n_layers"));
        QVERIFY(page()->model()->columns().contains(layers));
        const int column = static_cast<int>(page()->model()->columns().indexOf(layers));
        page()->table()->sortByColumn(column, Qt::AscendingOrder);
        QCOMPARE(names().front(), QStringLiteral("gamma")); // 4 before 17: as numbers
        page()->table()->setColumnWidth(column, 77);
        page()->table()->horizontalHeader()->moveSection(column, 1);
        const QByteArray saved = page()->table()->saveColumns();
        page()->table()->setColumns(RunTableView::defaultColumns());
        QVERIFY(!page()->model()->columns().contains(layers));
        page()->table()->restoreColumns(saved);
        QVERIFY(page()->model()->columns()[1] == layers);
        QCOMPARE(page()->table()->columnWidth(1), 77);
        QCOMPARE(names().front(), QStringLiteral("gamma"));
    }

    void starNoteTagArchiveAndUndo() {
        select({"alpha"});
        QTest::keyClick(page()->table(), Qt::Key_Space);
        QTRY_VERIFY(marks("alpha").favourite);
        QTRY_COMPARE(names().front(), QStringLiteral("alpha")); // on top
        QTRY_COMPARE(sidebar().front(), QStringLiteral("alpha"));

        select({"beta"});
        QTest::keyClick(page()->table(), Qt::Key_F2);
        auto* editor = page()->table()->findChild<QLineEdit*>();
        QVERIFY(editor);
        QTest::keyClicks(editor, QStringLiteral("too fast"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(QString::fromStdString(marks("beta").note), QStringLiteral("too fast"));
        page()->filter()->setText(QStringLiteral("note:fast"));
        QTRY_COMPARE(names(), QStringList{"beta"});
        page()->filter()->setText({});

        select({"beta", "gamma"});
        QTest::keyClick(page()->table(), Qt::Key_T);
        auto* box = page()->findChild<QWidget*>(QStringLiteral("tagBox"));
        QVERIFY(box);
        auto* tag = box->findChild<QLineEdit*>();
        QTest::keyClicks(tag, QStringLiteral("baseline"));
        QTest::keyClick(tag, Qt::Key_Return);
        QTRY_COMPARE(marks("beta").tags, std::vector<std::string>{"baseline"});
        QTRY_COMPARE(marks("gamma").tags, std::vector<std::string>{"baseline"});
        page()->filter()->setText(QStringLiteral("tag:baseline"));
        QTRY_COMPARE(names().size(), 2);
        page()->filter()->setText({});

        select({"gamma"});
        page()->marks()->setArchived(page()->table()->selectedRuns(), true);
        QTRY_COMPARE(names().size(), 2);
        QTRY_COMPARE(sidebar().size(), 2);

        QVERIFY(page()->undoStack()->canUndo());
        QVERIFY(m_window->page() == Page::Runs); // Enter in an editor opened nothing
        QTRY_VERIFY((*m_window->actions())[Act::Undo]->isEnabled());
        undo(); // the archive
        QVERIFY(page()->undoStack()->canRedo());
        QTRY_COMPARE(names().size(), 3);
        QTRY_COMPARE(sidebar().size(), 3);
        undo(); // the tags
        QTRY_VERIFY(marks("beta").tags.empty());
        QTRY_VERIFY(marks("gamma").tags.empty());
        undo(); // the note
        QTRY_VERIFY(marks("beta").note.empty());
        undo(); // the star
        QTRY_VERIFY(!marks("alpha").favourite);
        QVERIFY(!page()->undoStack()->canUndo());
        QTRY_VERIFY(!(*m_window->actions())[Act::Undo]->isEnabled());
        (*m_window->actions())[Act::Redo]->trigger();
        QTRY_VERIFY(marks("alpha").favourite);
    }

    void undoByKey() {
        select({"alpha"});
        QTest::keyClick(page()->table(), Qt::Key_Space);
        QTRY_VERIFY(marks("alpha").favourite);
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(!marks("alpha").favourite);
    }

    void starByMouse() {
        auto* table = page()->table();
        const QModelIndex star = page()->proxy()->index(2, page()->model()->columnOf(FieldId::Favourite));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(star).center());
        QTRY_VERIFY(marks("alpha").favourite);
    }

    void copiedAsATable() {
        select({"alpha", "gamma"});
        QTest::keyClick(page()->table(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 3);
        QVERIFY(lines[0].split(QLatin1Char('\t')).contains(QStringLiteral("Name")));
        QCOMPARE(lines[1].split(QLatin1Char('\t')).size(), lines[0].split(QLatin1Char('\t')).size());
        QVERIFY(lines[1].contains(QStringLiteral("gamma")) && lines[2].contains(QStringLiteral("alpha")));
    }

    void trashAsksFirst() {
        select({"alpha", "beta"});
        QTest::keyClick(page()->table(), Qt::Key_Delete);
        auto* box = page()->findChild<QMessageBox*>();
        QVERIFY(box);
        QVERIFY(box->text().contains(QStringLiteral("2 runs")));
        for (QAbstractButton* button : box->buttons())
            if (box->buttonRole(button) == QMessageBox::DestructiveRole) {
                QTest::mouseClick(button, Qt::LeftButton);
                break;
            }
        QTRY_COMPARE(names(), QStringList{"gamma"});
        QVERIFY(!fs::exists(path("alpha").dir) && !fs::exists(path("beta").dir));
    }

    void enterAndDoubleClickOpen() {
        select({"beta"});
        QTest::keyClick(page()->table(), Qt::Key_Return);
        QVERIFY(m_window->session());
        QCOMPARE(m_window->session()->run().dir, path("beta").dir);
        QVERIFY(m_window->page() == Page::Review);
    }

    void comparison() {
        select({"alpha", "beta", "gamma"});
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines().size() == 3);
        // curves: what was written
        const auto& lines = compare->plot()->lines();
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(lines[i].samples.size(), std::size_t{40});
            QCOMPARE(lines[i].samples[39].mean, lossOf(compare->runs()[static_cast<qsizetype>(i)]));
        }
        QCOMPARE(compare->plot()->readoutAt(10).size(), 3);

        // the baseline comes first, ratios are to it; a colour stays with its run
        const QPen before = compare->penOf(dir("alpha"));
        compare->baseline()->setCurrentIndex(compare->baseline()->findData(dir("alpha")));
        QCOMPARE(compare->runs().front().info.name, std::string("alpha"));
        QVERIFY(compare->penOf(dir("alpha")) == before);
        const CompareModel* figures = compare->figures();
        int loss = -1;
        for (int row = 0; row < figures->rowCount(); ++row)
            if (figures->index(row, 0).data() == RunField{FieldId::Loss, "loss"}.title())
                loss = row;
        QVERIFY(loss >= 0);
        for (int run = 1; run < 3; ++run)
            QCOMPARE(figures->index(loss, run + 1).data(CompareModel::RatioRole).toDouble(),
                     lossOf(compare->runs()[run]) / 3);

        const CompareModel* settings = compare->settings();
        QStringList keys;
        for (int row = 0; row < settings->rowCount(); ++row)
            keys << settings->index(row, 0).data().toString();
        QCOMPARE(keys, (QStringList{"model.encoder.n_layers", "model.optim.lr", "name"}));
        const int beta = compare->runs()[1].info.name == "beta" ? 2 : 3;
        QVERIFY(settings->index(0, beta).data(CompareModel::SameRole).toBool());
        QVERIFY(!settings->index(1, beta).data(CompareModel::SameRole).toBool());
        compare->settings()->setOnlyDiffering(false);
        QVERIFY(settings->rowCount() > 3);

        // by samples: 2 ranks of 4
        compare->axis()->setCurrentIndex(2);
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines()[0].samples[0].x == 8);
        compare->legend()->item(1)->setCheckState(Qt::Unchecked);
        QTRY_VERIFY(compare->plot()->lines()[1].hidden);
        QCOMPARE(compare->plot()->readoutAt(10).size(), 2);
    }

    void comparisonIsExported() {
        select({"alpha", "gamma"});
        page()->setCompared(true);
        ComparePlot* plot = page()->compare()->plot();
        QTRY_VERIFY(page()->compare()->isComplete() && plot->lines().size() == 2);
        for (const char* suffix : {"png", "pdf", "svg", "csv"}) {
            const QString file = m_dir->filePath(QStringLiteral("out.") + QLatin1String(suffix));
            QVERIFY(plot->exportTo(file, QStringLiteral("Two runs")));
            QVERIFY2(QFileInfo(file).size() > 500, suffix);
        }
        QCOMPARE(plot->csv().count(QLatin1Char('\n')), 1 + 2 * 40);
        const auto wrong = plot->exportTo(m_dir->filePath(QStringLiteral("out.doc")), {});
        QVERIFY(!wrong && wrong.error().what.find(".doc") != std::string::npos);
    }

    void aPointOfTheScatterChoosesItsRun() {
        select({"alpha", "beta", "gamma"});
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        compare->showTab(ComparePane::Scatter);
        compare->scatterX()->setCurrentIndex(compare->scatterX()->findData(QStringLiteral("model.optim.lr")));
        compare->scatterY()->setCurrentIndex(compare->scatterY()->findData(QStringLiteral("loss")));
        ScatterPlot* scatter = compare->scatter();
        QTRY_VERIFY(scatter->isDrawn() && scatter->data().points.size() == 3);
        int at = 0;
        for (int i = 0; i < 3; ++i)
            if (scatter->data().points[static_cast<std::size_t>(i)].name == QStringLiteral("beta"))
                at = i;
        QTest::mouseClick(scatter, Qt::LeftButton, {}, scatter->pixelOf(at).toPoint());
        QCOMPARE(page()->table()->selectedDirs(), QStringList{dir("beta")});
    }

    void runsWithoutAStoreSayWhatIsMissing() {
        FolderSpec bare;
        bare.id = "20260104-100000-bare-0004";
        bare.name = "bare";
        bare.withStore = false;
        test::makeFolder(root(), bare);
        QTRY_COMPARE(names().size(), 4);
        select({"alpha", "bare"});
        page()->setCompared(true);
        ComparePane* compare = page()->compare();
        QTRY_VERIFY(compare->isComplete() && compare->plot()->lines().size() == 2);
        QVERIFY(compare->missing()->text().contains(QStringLiteral("bare: this run has no store")));
        QCOMPARE(compare->settings()->rowCount(), 0); // it says nothing of settings: nothing differs
    }

    void liveRunsGoOn() {
        FolderSpec live;
        live.id = "20260105-100000-live-0005";
        live.name = "live";
        live.state = launch::RunState::Running;
        test::makeFolder(root(), live);
        QTRY_COMPARE(names().size(), 4);
        page()->filter()->setText(QStringLiteral("state:live"));
        QCOMPARE(names(), QStringList{"live"});
        select({"live"});
        QTest::keyClick(page()->table(), Qt::Key_Delete);
        QVERIFY(!page()->findChild<QMessageBox*>()); // it is not even asked
        live.state = launch::RunState::Finished;
        test::writeFolderInfo(path("live"), live);
        QTRY_COMPARE(names(), QStringList());
    }

    void languageActsAtOnce() {
        setLanguage(QStringLiteral("zh"));
        QTRY_VERIFY(!page()
                         ->model()
                         ->headerData(2, Qt::Horizontal, Qt::DisplayRole)
                         .toString()
                         .contains(QStringLiteral("Name")));
        setLanguage(QStringLiteral("en"));
        QTRY_COMPARE(page()->model()->headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(),
                     QStringLiteral("Name"));
    }

    /// At the smallest size too nothing pushes the window wider. RANKSCOPE_PICTURES=DIR keeps what it looks like.
    void fitsSmallWindowsInBothLanguages() {
        const QString folder = qEnvironmentVariable("RANKSCOPE_PICTURES");
        page()->marks()->setFavourite({page()->model()->rows()[1]}, true);
        page()->marks()->setTags(page()->model()->rows()[2], {QStringLiteral("baseline"), QStringLiteral("long run")});
        page()->marks()->setNote(page()->model()->rows()[0], QStringLiteral("Peak too early"));
        QTRY_VERIFY(!page()->marks()->isBusy());
        select({"alpha", "beta", "gamma"});
        for (const char* language : {"en", "zh"})
            for (const QSize size : {QSize(1440, 900), QSize(1024, 640)})
                for (const bool dark : {false, true}) {
                    setLanguage(QLatin1String(language));
                    Theme::instance().apply(dark ? Theme::Mode::Dark : Theme::Mode::Light);
                    m_window->resize(size);
                    for (int tab = -1; tab <= ComparePane::Scatter; ++tab) {
                        page()->setCompared(tab >= 0);
                        page()->compare()->showTab(static_cast<ComparePane::Tab>(std::max(0, tab)));
                        page()->filter()->setText(tab == 0 ? QStringLiteral("loss<") : QString());
                        QTRY_VERIFY(page()->isComplete());
                        QTest::qWait(30);
                        QCOMPARE(m_window->size(), size);
                        if (!folder.isEmpty())
                            QVERIFY(
                                m_window->grab().save(QStringLiteral("%1/runs-%2-%3-%4-%5.png")
                                                          .arg(folder, QLatin1String(language))
                                                          .arg(size.width())
                                                          .arg(dark ? QStringLiteral("dark") : QStringLiteral("light"))
                                                          .arg(tab)));
                    }
                }
        setLanguage(QStringLiteral("en"));
        Theme::instance().apply(Theme::Mode::Light);
    }

private:
    RunsPage* page() const { return m_window->runsPage(); }
    /// The tag's box takes the focus, and without a display no window gets it back: not by key.
    void undo() { (*m_window->actions())[Act::Undo]->trigger(); }
    fs::path root() const { return m_dir->path().toStdString(); }

    void add(const char* id, const char* name, launch::RunState state, double lr, int layers, double loss) {
        FolderSpec spec;
        spec.id = id;
        spec.name = name;
        spec.state = state;
        spec.yaml = QStringLiteral("name: %1\nmodel:\n  optim: {lr: %2, name: adamw}\n  encoder: {n_layers: %3}\n")
                        .arg(QLatin1String(name))
                        .arg(lr)
                        .arg(layers)
                        .toStdString();
        spec.loss = [loss](int, std::int64_t step) { return loss + 39.0 - static_cast<double>(step); };
        test::makeFolder(root(), spec);
    }
    static double lossOf(const RunRow& run) { return run.info.name == "alpha" ? 3 : run.info.name == "beta" ? 2 : 1; }

    QStringList names() const {
        QStringList names;
        const int column = page()->model()->columnOf(FieldId::Name);
        for (int row = 0; row < page()->proxy()->rowCount(); ++row)
            names << page()->proxy()->index(row, column).data().toString();
        return names;
    }
    QStringList sidebar() const {
        QStringList names;
        const RunFilter* filter = m_window->runsPanel()->filter();
        for (int row = 0; row < filter->rowCount(); ++row)
            names << filter->index(row, 0).data(RunListModel::NameRole).toString();
        return names;
    }
    launch::RunPaths path(const std::string& name) const {
        for (const RunRow& row : page()->model()->rows())
            if (row.info.name == name)
                return row.paths;
        for (const auto& entry : fs::directory_iterator(root()))
            if (entry.path().filename().string().find("-" + name + "-") != std::string::npos)
                return {entry.path()};
        return {root() / name};
    }
    QString dir(const std::string& name) const { return QString::fromStdString(path(name).dir.string()); }
    launch::RunMarks marks(const std::string& name) const {
        const auto marks = launch::readMarks(path(name));
        return marks ? *marks : launch::RunMarks();
    }
    void select(std::initializer_list<const char*> wanted) {
        QStringList dirs;
        for (const char* name : wanted)
            dirs << dir(name);
        page()->table()->setFocus();
        page()->table()->selectDirs(dirs);
        const int row = page()->model()->rowOf(dirs.front());
        page()->table()->selectionModel()->setCurrentIndex(
            page()->proxy()->mapFromSource(page()->model()->index(row, page()->model()->columnOf(FieldId::Name))),
            QItemSelectionModel::NoUpdate);
        QCOMPARE(page()->table()->selectedDirs().size(), dirs.size());
    }
    void sort(FieldId id, Qt::SortOrder order) { page()->table()->sortByColumn(page()->model()->columnOf(id), order); }

    QTemporaryDir m_home;
    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(RunsPageTest)
#include "tst_runs_page.moc"
