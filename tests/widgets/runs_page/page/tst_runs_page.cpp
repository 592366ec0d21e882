// SPDX-License-Identifier: GPL-3.0-or-later
// The table of runs with keys and mouse, in the real window.
#include "tests/support/test_runner.h"
#include "tests/widgets/runs_page/runs_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/runs_page/filter/filter_edit.h"
#include "widgets/runs_page/page/annotation_writer.h"
#include "widgets/runs_page/page/named_views.h"

#include <QAbstractItemModelTester>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QCompleter>
#include <QDir>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QUndoStack>

using namespace rankscope;
using namespace rankscope::ui;
using rankscope::test::FolderSpec;
namespace fs = std::filesystem;

class RunsPageTest : public QObject, protected test::RunsWindow {
    Q_OBJECT
private slots:
    void initTestCase() { setUp(); }
    void init() { openWindow(); }
    void cleanup() { m_window.reset(); }

    void pageByKey() {
        m_window->showPage(Page::Configure);
        QTest::keyClick(m_window.get(), Qt::Key_6, Qt::ControlModifier);
        QVERIFY(m_window->page() == Page::Runs);
        QTest::keyClick(m_window.get(), Qt::Key_Slash);
        QTRY_VERIFY(filterEdit()->line()->hasFocus());
    }

    void theKeyOfTheSearchTypesNoSlash() {
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->showPage(Page::Logs);
        QTest::keyClick(m_window.get(), Qt::Key_6, Qt::ControlModifier);
        QTRY_VERIFY(table()->hasFocus());
        QTest::keyClick(m_window->windowHandle(), Qt::Key_Slash);
        QTRY_VERIFY(filterEdit()->line()->hasFocus());
        QCOMPARE(filterEdit()->text(), QString());
        m_window->showPage(Page::Logs);
        m_window->showPage(Page::Runs);
        QTRY_VERIFY(table()->hasFocus());
        filterEdit()->line()->setFocus();
        filterEdit()->setText(QStringLiteral("alpha"));
        m_window->showPage(Page::Logs);
        m_window->showPage(Page::Runs); // the filter is in use
        QVERIFY(!table()->hasFocus());
    }

    void newestFirstAndSortedByAColumn() {
        const QAbstractItemModelTester tester(proxy(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(names(), (QStringList{"gamma", "beta", "alpha"}));
        sort(FieldId::Loss, Qt::AscendingOrder);
        QCOMPARE(names(), (QStringList{"gamma", "beta", "alpha"}));
        sort(FieldId::Loss, Qt::DescendingOrder);
        QCOMPARE(names(), (QStringList{"alpha", "beta", "gamma"}));
        sort(FieldId::Name, Qt::AscendingOrder);
        QCOMPARE(names(), (QStringList{"alpha", "beta", "gamma"}));
    }

    void filterAsTyped() {
        QTest::keyClicks(filterEdit()->line(), QStringLiteral("state:finished loss<2"));
        QCOMPARE(filterEdit()->text(), QStringLiteral("state:finished loss<2"));
        const auto* message = filterEdit()->findChild<QLabel*>();
        QVERIFY(message->isHidden());
        QCOMPARE(names(), QStringList{"gamma"});
        QTest::keyClicks(filterEdit()->line(), QStringLiteral(" (("));
        QVERIFY(!message->isHidden());
        QVERIFY(message->text().contains(QStringLiteral("At character")));
        QVERIFY2(
            message->text().endsWith(QStringLiteral("Showing results of the last valid filter: state:finished loss<2")),
            qPrintable(message->text()));
        QCOMPARE(names(), QStringList{"gamma"}); // the last valid filter still applies
        QTest::keyClick(filterEdit()->line(), Qt::Key_Escape);
        if (!filterEdit()->text().isEmpty()) // the first Esc closed the list of completions
            QTest::keyClick(filterEdit()->line(), Qt::Key_Escape);
        QCOMPARE(names().size(), 3);
        filterEdit()->setText(QStringLiteral("model.optim.lr<=0.01 not state:failed"));
        QCOMPARE(names(), QStringList{"gamma"});
        filterEdit()->setText(QStringLiteral("nothing-like-this"));
        QCOMPARE(names(), QStringList());
        QVERIFY(!table()->isVisible());
    }

    void namesAndValuesAreCompleted() {
        auto* line = filterEdit()->line();
        line->setFocus();
        QTest::keyClicks(line, QStringLiteral("mod.o"));
        line->clear();
        QTest::keyClicks(line, QStringLiteral("optim.l"));
        auto* popup = filterEdit()->findChild<QCompleter*>()->popup();
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

    void aRefusedNoteStaysInItsEditor() {
        select({"beta"});
        const QString lock = table()->selectedDirs().front() + QStringLiteral("/.marks.lock");
        QFile::remove(lock);
        QVERIFY(QDir().mkdir(lock)); // the marks cannot be locked, so they cannot be written
        QTest::keyClick(table(), Qt::Key_N);
        QTest::keyClicks(table()->findChild<QLineEdit*>(), QStringLiteral("too fast"));
        QTest::keyClick(table()->findChild<QLineEdit*>(), Qt::Key_Return);
        const auto editor = [&] {
            auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
            return line && table()->isAncestorOf(line) ? line : nullptr;
        };
        QTRY_VERIFY(!annotationWriter()->isBusy() && editor());
        QCOMPARE(editor()->text(), QStringLiteral("too fast"));
        QVERIFY(QDir().rmdir(lock));
        QTest::keyClick(editor(), Qt::Key_Return);
        QTRY_COMPARE(QString::fromStdString(marks("beta").note), QStringLiteral("too fast"));
    }

    void starNoteTagArchiveAndUndo() {
        select({"alpha"});
        QTest::keyClick(table(), Qt::Key_Space);
        QTRY_VERIFY(marks("alpha").favourite);
        QTRY_COMPARE(names().front(), QStringLiteral("alpha")); // on top
        QTRY_COMPARE(sidebar().front(), QStringLiteral("alpha"));

        select({"beta"});
        QTest::keyClick(table(), Qt::Key_N);
        auto* editor = table()->findChild<QLineEdit*>();
        QVERIFY(editor);
        QTest::keyClicks(editor, QStringLiteral("too fast"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(QString::fromStdString(marks("beta").note), QStringLiteral("too fast"));
        filterEdit()->setText(QStringLiteral("note:fast"));
        QTRY_COMPARE(names(), QStringList{"beta"});
        filterEdit()->setText({});

        select({"beta", "gamma"});
        QTest::keyClick(table(), Qt::Key_T);
        auto* box = page()->findChild<QWidget*>(QStringLiteral("tagBox"));
        QVERIFY(box);
        auto* tag = box->findChild<QLineEdit*>();
        QTest::keyClicks(tag, QStringLiteral("baseline"));
        QTest::keyClick(tag, Qt::Key_Return);
        QTRY_COMPARE(marks("beta").tags, std::vector<std::string>{"baseline"});
        QTRY_COMPARE(marks("gamma").tags, std::vector<std::string>{"baseline"});
        filterEdit()->setText(QStringLiteral("tag:baseline"));
        QTRY_COMPARE(names().size(), 2);
        filterEdit()->setText({});

        select({"gamma"});
        annotationWriter()->setArchived(table()->selectedRuns(), true);
        QTRY_COMPARE(names().size(), 2);
        QTRY_COMPARE(sidebar().size(), 2);

        QVERIFY(page()->undoStack()->canUndo());
        QVERIFY(m_window->page() == Page::Runs); // Enter in an editor did not open the run
        QTRY_VERIFY((*m_window->actions())[ActionId::Undo]->isEnabled());
        undo(); // undoes archiving
        QVERIFY(page()->undoStack()->canRedo());
        QTRY_COMPARE(names().size(), 3);
        QTRY_COMPARE(sidebar().size(), 3);
        undo(); // undoes the tags
        QTRY_VERIFY(marks("beta").tags.empty());
        QTRY_VERIFY(marks("gamma").tags.empty());
        undo(); // undoes the note
        QTRY_VERIFY(marks("beta").note.empty());
        undo(); // undoes the star
        QTRY_VERIFY(!marks("alpha").favourite);
        QVERIFY(!page()->undoStack()->canUndo());
        QTRY_VERIFY(!(*m_window->actions())[ActionId::Undo]->isEnabled());
        (*m_window->actions())[ActionId::Redo]->trigger();
        QTRY_VERIFY(marks("alpha").favourite);
    }

    /// One run is the baseline at a time, and it stays so over restarts: it has a tag.
    void aRunIsPinnedAsTheBaseline() {
        const auto isPinned = [&](const char* name) {
            return marks(name).tags == std::vector<std::string>{"baseline"};
        };
        select({"alpha"});
        QTest::keyClick(table(), Qt::Key_B);
        QTRY_VERIFY(isPinned("alpha") && !annotationWriter()->isBusy());
        select({"beta"});
        QTest::keyClick(table(), Qt::Key_B);
        QTRY_VERIFY(isPinned("beta") && !isPinned("alpha"));
        undo(); // in one step
        QTRY_VERIFY(isPinned("alpha") && !isPinned("beta"));
        QTRY_VERIFY(!annotationWriter()->isBusy());
        select({"alpha"});
        QTest::keyClick(table(), Qt::Key_B);
        QTRY_VERIFY(marks("alpha").tags.empty());
    }

    void figuresAreShownAsDifferences() {
        const auto loss = [&](int row) { return proxy()->index(row, model()->columnOf(FieldId::Loss)); };
        select({"beta"}); // its loss is 2; those of gamma and alpha are 1 and 3
        QTest::keyClick(table(), Qt::Key_D);
        QCOMPARE(loss(0).data().toString(), QStringLiteral("1.0000")); // there is no baseline yet
        QTest::keyClick(table(), Qt::Key_B);
        QTRY_COMPARE(loss(0).data().toString(), QStringLiteral("▼ −50 % better"));
        QCOMPARE(loss(1).data().toString(), QStringLiteral("2.0000"));
        QCOMPARE(loss(2).data().toString(), QStringLiteral("▲ +50 % worse"));
        QVERIFY(loss(0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("1.0000")));
        sort(FieldId::Loss, Qt::AscendingOrder); // by value
        QCOMPARE(names(), (QStringList{"gamma", "beta", "alpha"}));
        QVERIFY(table()->copied().contains(QStringLiteral("2.0000"))); // values are copied
        const QByteArray layout = page()->saveLayout();
        QTest::keyClick(table(), Qt::Key_D);
        QCOMPARE(loss(0).data().toString(), QStringLiteral("1.0000"));
        page()->restoreLayout(layout);
        QCOMPARE(loss(0).data().toString(), QStringLiteral("▼ −50 % better"));
    }

    void viewsAreSavedUnderNames() {
        auto* views = page()->findChild<NamedViews*>();
        const int rate = model()->columnOf(FieldId::Rate);
        filterEdit()->setText(QStringLiteral("state:finished"));
        table()->setColumnWidth(rate, 133);
        sort(FieldId::Loss, Qt::AscendingOrder);
        views->saveAs(QStringLiteral(" finished  runs "));
        QCOMPARE(views->current(), QStringLiteral("finished runs"));
        QCOMPARE(views->text(), QStringLiteral("finished runs"));
        views->choose({});
        QCOMPARE(filterEdit()->text(), QString());
        QCOMPARE(names(), (QStringList{"gamma", "beta", "alpha"}));
        QVERIFY(table()->columnWidth(rate) != 133);
        QVERIFY(table()->visualColumns() == RunTableView::defaultColumns());
        views->choose(QStringLiteral("finished runs"));
        QCOMPARE(names(), (QStringList{"gamma", "alpha"}));
        QCOMPARE(table()->columnWidth(rate), 133);
        QCOMPARE(table()->horizontalHeader()->sortIndicatorSection(), model()->columnOf(FieldId::Loss));

        views->rename(QStringLiteral("finished runs"), QStringLiteral("done"));
        QCOMPARE(views->current(), QStringLiteral("done"));
        const QByteArray layout = page()->saveLayout();
        views->remove(QStringLiteral("done"));
        QVERIFY(views->views().isEmpty() && views->current().isEmpty());
        page()->undoStack()->undo();
        QCOMPARE(views->views().size(), 1);
        QCOMPARE(views->current(), QStringLiteral("done"));
        page()->restoreLayout({});
        QVERIFY(views->views().isEmpty());
        page()->restoreLayout(layout); // as the next start does
        QCOMPARE(views->current(), QStringLiteral("done"));
        QCOMPARE(names(), (QStringList{"gamma", "alpha"}));
    }

    void theDefaultViewCannotBeDeleted() {
        auto* views = page()->findChild<NamedViews*>();
        const auto isEnabled = [&](const QString& text) {
            emit views->menu()->aboutToShow();
            for (const QAction* action : views->menu()->actions())
                if (action->text() == text)
                    return action->isEnabled();
            return false;
        };
        QVERIFY(isEnabled(QStringLiteral("Default view")) && isEnabled(QStringLiteral("Save as…")));
        for (const char* text : {"Save changes", "Rename…", "Delete"})
            QVERIFY2(!isEnabled(QString::fromUtf8(text)), text);
        views->saveAs(QStringLiteral("mine"));
        QVERIFY(!isEnabled(QStringLiteral("Save changes"))); // there are none
        QVERIFY(isEnabled(QStringLiteral("Rename…")) && isEnabled(QStringLiteral("Delete")));
        filterEdit()->setText(QStringLiteral("alpha"));
        QVERIFY(isEnabled(QStringLiteral("Save changes")));
        views->choose({});
        QVERIFY(!isEnabled(QStringLiteral("Delete")));
        QCOMPARE(views->menu()->findChildren<QActionGroup*>().size(), 1); // the menu was filled many times
    }

    void undoByKey() {
        select({"alpha"});
        QTest::keyClick(table(), Qt::Key_Space);
        QTRY_VERIFY(marks("alpha").favourite);
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(!marks("alpha").favourite);
    }

    void whatIsTypedForALiveRunStays() {
        table()->setColumns(table()->visualColumns() << *builtinField(QStringLiteral("note")));
        FolderSpec live;
        live.id = "20260105-100000-live-0005";
        live.name = "live";
        live.state = launch::RunState::Running;
        test::makeFolder(root(), live);
        QTRY_COMPARE(names().size(), 4);
        const auto goesOn = [&] {
            ++live.steps;
            test::writeFolderInfo(path("live"), live);
            QTRY_VERIFY(model()->rows()[model()->rowOf(dir("live"))].info.totalSteps == live.steps);
        };
        const auto type = [&](FieldId id) {
            QTest::qWait(1); // until the previous editor is deleted
            select({"live"});
            table()->setCurrentIndex(proxy()->index(table()->currentIndex().row(), model()->columnOf(id)));
            QTest::keyClick(table(), Qt::Key_F2);
            auto* editor = table()->findChild<QLineEdit*>();
            QVERIFY(editor);
            QTest::keyClicks(editor, QStringLiteral("halved at"));
            goesOn();
            QTest::keyClicks(editor, QStringLiteral(" 5000"));
            goesOn();
            QTest::keyClick(editor, Qt::Key_Return);
        };
        type(FieldId::Note);
        QTRY_COMPARE(marks("live").note, std::string("halved at 5000"));
        type(FieldId::Tags);
        QTRY_COMPARE(marks("live").tags, std::vector<std::string>{"halved at 5000"});
        type(FieldId::Name);
        QTRY_COMPARE(marks("live").title, std::string("halved at 5000"));
    }

    /// Tags add up, even if the rows were out of date when a tag was added.
    void tagsAddUp() {
        using Tags = std::vector<std::string>;
        select({"alpha", "beta"});
        const QList<RunRow> asTheyWere = table()->selectedRuns();
        for (const char* tag : {"a", "b", "a"})
            annotationWriter()->addTag(asTheyWere, QLatin1String(tag));
        QTRY_VERIFY(!annotationWriter()->isBusy());
        QCOMPARE(marks("alpha").tags, (Tags{"a", "b"}));
        QCOMPARE(marks("beta").tags, (Tags{"a", "b"}));
        page()->undoStack()->undo(); // the last command added only a tag that existed already
        QTRY_VERIFY(!annotationWriter()->isBusy());
        QCOMPARE(marks("alpha").tags, (Tags{"a", "b"}));
        page()->undoStack()->undo();
        QTRY_COMPARE(marks("beta").tags, Tags{"a"});
        QVERIFY(launch::editMarks(path("beta"), [](launch::RunMarks& marks) {
            marks.tags.push_back("theirs");
            marks.note = "by another window";
        }));
        page()->undoStack()->undo();
        QTRY_COMPARE(marks("beta").tags, Tags{"theirs"});
        QCOMPARE(marks("beta").note, std::string("by another window"));
        QTRY_VERIFY(marks("alpha").tags.empty());
    }

    void manyMarksAreToldTogether() {
        constexpr int kRuns = 120;
        QTemporaryDir folder;
        QList<RunRow> runs;
        for (int i = 0; i < kRuns; ++i) {
            FolderSpec spec;
            spec.id = "run-" + std::to_string(i);
            spec.withStore = false;
            RunRow row;
            row.paths = test::makeFolder(folder.path().toStdString(), spec);
            runs << row;
        }
        MarksEditor editor;
        qsizetype told = 0;
        int times = 0;
        connect(&editor, &MarksEditor::written, &editor, [&](const WrittenMarks& marks) {
            told += marks.size();
            ++times;
        });
        editor.setFavourite(runs, true);
        QTRY_VERIFY_WITH_TIMEOUT(!editor.isBusy(), 60'000);
        QCOMPARE(told, qsizetype{kRuns});
        QVERIFY2(times < kRuns / 2, qPrintable(QString::number(times)));
    }

    /// Every access to a selection of many ranges is slow.
    void aSelectionStaysOneRange() {
        select({"alpha", "beta", "gamma"});
        QCOMPARE(table()->selectionModel()->selection().size(), 1);
        table()->setColumns(table()->visualColumns() << settingField(QStringLiteral("model.optim.lr")));
        QCOMPARE(table()->selectedCount(), 3);
        QCOMPARE(table()->selectionModel()->selection().size(), 1);
        const QModelIndex added = proxy()->index(0, model()->columnCount() - 1);
        QCOMPARE(added.data().toString(), QStringLiteral("0.001"));
        const QModelIndex loss = proxy()->index(0, model()->columnOf(FieldId::Loss));
        QCOMPARE(loss.data().toString(), QStringLiteral("1.0000"));
    }

    void aNameOnItsWayIsNoFilter() {
        auto* line = filterEdit()->line();
        const auto* message = filterEdit()->findChild<QLabel*>();
        QTest::keyClicks(line, QStringLiteral("los<5"));
        QCOMPARE(names().size(), 3);
        QVERIFY(table()->isVisible());
        QVERIFY2(message->text().endsWith(QStringLiteral("No filter is active.")), qPrintable(message->text()));
        filterEdit()->setText({});
        QTest::keyClicks(line, QStringLiteral("state:finished los<5"));
        QCOMPARE(names(), (QStringList{"gamma", "alpha"}));
        QVERIFY2(message->text().endsWith(QStringLiteral(": state:finished")), qPrintable(message->text()));
    }

    void starByMouse() {
        const QModelIndex star = proxy()->index(2, model()->columnOf(FieldId::Favourite));
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(star).center());
        QTRY_VERIFY(marks("alpha").favourite);
    }

    void copiedAsATable() {
        select({"alpha", "gamma"});
        QTest::keyClick(table(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 3);
        QVERIFY(lines[0].split(QLatin1Char('\t')).contains(QStringLiteral("Name")));
        QCOMPARE(lines[1].split(QLatin1Char('\t')).size(), lines[0].split(QLatin1Char('\t')).size());
        QVERIFY(lines[1].contains(QStringLiteral("gamma")) && lines[2].contains(QStringLiteral("alpha")));
    }

    void trashAsksFirst() {
        select({"alpha", "beta"});
        QTest::keyClick(table(), Qt::Key_Delete);
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
        QTest::keyClick(table(), Qt::Key_Return);
        QVERIFY(m_window->session());
        QCOMPARE(m_window->session()->run().dir, path("beta").dir);
        QVERIFY(m_window->page() == Page::Review);
    }

    void liveRunsGoOn() {
        FolderSpec live;
        live.id = "20260105-100000-live-0005";
        live.name = "live";
        live.state = launch::RunState::Running;
        test::makeFolder(root(), live);
        QTRY_COMPARE(names().size(), 4);
        filterEdit()->setText(QStringLiteral("state:live"));
        QCOMPARE(names(), QStringList{"live"});
        select({"live"});
        QTest::keyClick(table(), Qt::Key_Delete);
        QVERIFY(!page()->findChild<QMessageBox*>()); // the question is not even asked
        live.state = launch::RunState::Finished;
        test::writeFolderInfo(path("live"), live);
        QTRY_COMPARE(names(), QStringList());
    }

    void languageActsAtOnce() {
        setLanguage(QStringLiteral("zh"));
        QTRY_VERIFY(
            !model()->headerData(2, Qt::Horizontal, Qt::DisplayRole).toString().contains(QStringLiteral("Name")));
        setLanguage(QStringLiteral("en"));
        QTRY_COMPARE(model()->headerData(2, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("Name"));
    }

    void aRunThatWasResumedLeadsToTheNewOne() {
        const QString first = dir("beta"), second = dir("gamma");
        auto info = launch::readRunInfo(path("gamma"));
        QVERIFY(info);
        info->resumedFrom = path("beta").dir.filename().string();
        QVERIFY(launch::writeRunInfo(path("gamma"), *info));
        m_window->openRun(first);
        m_window->showPage(Page::Review);
        const QAction* resume = (*m_window->actions())[ActionId::Resume];
        QTRY_COMPARE(resume->text(), QStringLiteral("&Resume again"));
        QVERIFY2(resume->toolTip().startsWith(QStringLiteral("Run 0003 was resumed from this one already")),
                 qPrintable(resume->toolTip()));
        auto* next = m_window->findChild<QPushButton*>(QStringLiteral("failureNext"));
        QTRY_VERIFY(next->isVisible());
        QCOMPARE(next->text(), QStringLiteral("Open run 0003"));
        QTest::mouseClick(next, Qt::LeftButton);
        QCOMPARE(QString::fromStdString(m_window->session()->run().dir.string()), second);
        QCOMPARE(resume->text(), QStringLiteral("&Resume"));
    }
};

RANKSCOPE_GUI_TEST(RunsPageTest)
#include "tst_runs_page.moc"
