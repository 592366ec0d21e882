// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the table of runs: which are shown, how wide they are, and those that stay in sight.
#include "tests/support/test_runner.h"
#include "tests/widgets/runs_page/runs_window.h"
#include "widgets/runs_page/table/column_chooser.h"
#include "widgets/runs_page/table/frozen_columns.h"

#include <QAbstractItemView>
#include <QHeaderView>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QWheelEvent>

#include <memory>

using namespace rankscope;
using namespace rankscope::ui;
using rankscope::test::FolderSpec;

class RunColumnsTest : public QObject, protected test::RunsWindow {
    Q_OBJECT

    /// Uses events of the window system, because only these open a context menu.
    void rightClick(const QWidget* viewport, const QPoint& at) {
        QTest::mouseClick(m_window->windowHandle(), Qt::RightButton, {}, viewport->mapTo(m_window.get(), at));
    }
    void scrollToTheRight() {
        table()->setColumnWidth(model()->columnOf(FieldId::Incidents), 900); // the default columns fit
        QTRY_VERIFY(table()->horizontalScrollBar()->maximum() > 500);
        table()->horizontalScrollBar()->setValue(table()->horizontalScrollBar()->maximum());
        QTRY_VERIFY(table()->frozen()->isVisible());
    }
    QRect frozenName(int row) const {
        return table()->frozen()->visualRect(proxy()->index(row, model()->columnOf(FieldId::Name)));
    }

private slots:
    void initTestCase() { setUp(); }
    void init() { openWindow(); }
    void cleanup() { m_window.reset(); }

    void columnsAreChosenAndKept() {
        auto* chooser = page()->findChild<ColumnChooser*>();
        chooser->open(page(), table()->visualColumns(), model()->settings());
        QTest::keyClicks(chooser->findChild<QLineEdit*>(), QStringLiteral("n_layers"));
        const auto* list = chooser->findChild<QListWidget*>();
        QListWidgetItem* found = nullptr;
        int visible = 0;
        for (int i = 0; i < list->count(); ++i)
            if (!list->item(i)->isHidden()) {
                ++visible;
                found = list->item(i);
            }
        QCOMPARE(visible, 1);
        found->setCheckState(Qt::Checked);
        chooser->hide();
        const RunField layers = settingField(QStringLiteral("model.encoder.n_layers"));
        QVERIFY(model()->columns().contains(layers));
        const int column = static_cast<int>(model()->columns().indexOf(layers));
        table()->sortByColumn(column, Qt::AscendingOrder);
        QCOMPARE(names().front(), QStringLiteral("gamma")); // sorted as numbers: 4 before 17
        table()->setColumnWidth(column, 77);
        table()->horizontalHeader()->moveSection(column, 1);
        const QByteArray saved = table()->saveColumns();
        table()->setColumns(RunTableView::defaultColumns());
        QVERIFY(!model()->columns().contains(layers));
        table()->restoreColumns(saved);
        QVERIFY(model()->columns()[1] == layers);
        QCOMPARE(table()->columnWidth(1), 77);
        QCOMPARE(names().front(), QStringLiteral("gamma"));
    }

    void columnsTakeWhatTheirTextsNeed() {
        table()->setColumns(RunTableView::defaultColumns() << *builtinField(QStringLiteral("note")));
        const auto width = [&](FieldId id) { return table()->columnWidth(model()->columnOf(id)); };
        const auto room = [&] { return table()->viewport()->width() - table()->horizontalHeader()->length(); };
        const int empty = width(FieldId::Note), long_ = 240;
        QVERIFY2(empty < long_ / 2, qPrintable(QString::number(empty)));
        const auto write = [&](const QString& note) { emit model()->noteEdited(dir("beta"), note); };
        const QString some = QStringLiteral("diverged after warm-up");
        write(some);
        const int needed = QFontMetrics(bodyFont()).horizontalAdvance(some);
        QTRY_VERIFY(width(FieldId::Note) > needed && width(FieldId::Note) < needed + 32);
        write(some.repeated(20));
        QTRY_COMPARE(width(FieldId::Note), long_);

        table()->setColumns({*builtinField(QStringLiteral("name")), *builtinField(QStringLiteral("loss"))});
        QTRY_COMPARE(room(), 0); // the name has the rest
        table()->setColumnWidth(model()->columnOf(FieldId::Loss), 77);
        m_window->resize(m_window->width() - 60, m_window->height());
        QTRY_COMPARE(room(), 0);
        QCOMPARE(width(FieldId::Loss), 77);
        table()->setColumnWidth(model()->columnOf(FieldId::Name), 130); // the user's width stays
        m_window->resize(m_window->width() - 60, m_window->height());
        QTRY_VERIFY(room() > 0);
        QCOMPARE(width(FieldId::Name), 130);
    }

    void valuesAtAStepAreColumns() {
        auto* chooser = page()->findChild<ColumnChooser*>();
        chooser->open(page(), table()->visualColumns(), model()->settings());
        QTest::keyClicks(chooser->findChild<QLineEdit*>(QStringLiteral("step")), QStringLiteral("5x"));
        chooser->findChild<QPushButton*>(QStringLiteral("addStep"))->click();
        chooser->hide();
        const RunField fifth = stepField(false, 5);
        QCOMPARE(fifth.key, std::string("loss@5"));
        QVERIFY(model()->columns().contains(fifth));
        const auto at = [&](const RunField& field, int row) {
            return proxy()->index(row, static_cast<int>(model()->columns().indexOf(field)));
        };
        QTRY_COMPARE(at(fifth, 0).data().toString(), QStringLiteral("35.0000")); // 1 + 39 - 5
        QCOMPARE(at(fifth, 2).data().toString(), QStringLiteral("37.0000"));
        const QByteArray saved = table()->saveColumns();
        table()->setColumns(RunTableView::defaultColumns());
        table()->restoreColumns(saved);
        QVERIFY(model()->columns().contains(fifth));

        const RunField late = stepField(false, 4000), validation = stepField(true, 39);
        table()->setColumns(table()->visualColumns() << late << validation);
        QTRY_VERIFY(page()->isComplete() &&
                    at(late, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("4000")));
        QCOMPARE(at(late, 0).data().toString(), QString());
        QCOMPARE(at(validation, 0).data().toString(), QString());
        QVERIFY(at(validation, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("No validation")));
    }

    /// A step before the first one of a resumed run is one of the run that it was resumed from.
    void valuesOfEarlierRunsAreFound() {
        FolderSpec first, second;
        first.id = "20260110-100000-part-aaaa";
        first.loss = [](int, std::int64_t step) { return 100.0 + static_cast<double>(step); };
        first.validated = [](int, std::int64_t step) { return static_cast<double>(step); };
        second.id = "20260111-100000-part-bbbb";
        second.resumedFrom = first.id;
        second.firstStep = 40;
        second.loss = first.loss;
        test::makeFolder(root(), first);
        const launch::RunPaths resumed = test::makeFolder(root(), second);
        QCOMPARE(readStepValue(resumed, stepField(false, 7)).value, 107.0);
        QCOMPARE(readStepValue(resumed, stepField(false, 41)).value, 141.0);
        QCOMPARE(readStepValue(resumed, stepField(true, 25)).value,
                 19.0); // it was validated after steps 9, 19, 29 and 39
        QVERIFY(readStepValue(resumed, stepField(false, 5000)).missing.contains(QStringLiteral("5000")));
    }

    /// The validation of a live run's newest step comes after the step.
    void theValidationOfALiveRunIsReadAgain() {
        const QTemporaryDir folder;
        FolderSpec spec;
        spec.id = "20260110-100000-live-aaaa";
        spec.state = launch::RunState::Running;
        spec.validated = [](int, std::int64_t step) { return static_cast<double>(step); };
        RunRow row;
        row.paths = test::makeFolder(folder.path().toStdString(), spec);
        row.figures = std::make_shared<const RunFigures>();
        const RunField last = stepField(true, 39), loss = stepField(false, 5);
        StepValues values;
        const auto isReadAgain = [&] {
            ++row.revision;
            values.update({row}, {last, loss});
            return values.isBusy();
        };
        QVERIFY(isReadAgain());
        QTRY_VERIFY(values.find(row.dir(), last));
        QCOMPARE(values.find(row.dir(), last)->value, 39.0);
        QVERIFY(values.find(row.dir(), loss)->isFinal && !values.find(row.dir(), last)->isFinal);
        QVERIFY(isReadAgain());
        QTRY_VERIFY(!values.isBusy());
        spec.state = launch::RunState::Finished;
        test::writeFolderInfo(row.paths, spec);
        QVERIFY(isReadAgain());
        QTRY_VERIFY(!values.isBusy());
        QVERIFY(!isReadAgain());
    }

    void stateAndNameStayInSight() {
        QVERIFY(!table()->frozen()->isVisible());
        scrollToTheRight();
        const int name = model()->columnOf(FieldId::Name);
        QVERIFY(table()->frozen()->holds(name));
        QVERIFY(!table()->frozen()->holds(model()->columnOf(FieldId::Loss)));
        const QModelIndex second = proxy()->index(1, name);
        QTest::mouseClick(table()->frozen()->viewport(), Qt::LeftButton, {},
                          table()->frozen()->visualRect(second).center());
        QCOMPARE(table()->selectedRuns().size(), 1);
        QCOMPARE(table()->currentIndex().row(), 1);
        const int sideways = table()->horizontalScrollBar()->value();
        QTest::keyClick(table(), Qt::Key_F2); // renames in place, without scrolling
        auto* editor = table()->frozen()->findChild<QLineEdit*>();
        QVERIFY(editor && editor->isVisible());
        QCOMPARE(table()->horizontalScrollBar()->value(), sideways);
        QTest::keyClick(editor, Qt::Key_Escape);
        table()->horizontalScrollBar()->setValue(0);
        QVERIFY(!table()->frozen()->isVisible());
    }

    /// In the window's default size, next to the list of runs.
    void theDefaultColumnsFit() {
        m_window->resize(1440, 900);
        QTRY_COMPARE(m_window->size(), QSize(1440, 900));
        constexpr int kRoom = 1440 - 260 - 14; // without the list of runs and the scroll bar
        constexpr int kLeastName = 124;        // the name has what the others leave
        const int length = table()->horizontalHeader()->length();
        QVERIFY2(length <= table()->viewport()->width(), qPrintable(QString::number(length)));
        const int needed = length - table()->columnWidth(model()->columnOf(FieldId::Name)) + kLeastName;
        QVERIFY2(needed <= kRoom, qPrintable(QString::number(needed)));
        const int waits = model()->columnOf(FieldId::Waited); // its title says that it is a sum, and is not cut
        const QString title = model()->headerData(waits, Qt::Horizontal, Qt::DisplayRole).toString();
        QCOMPARE(title, QStringLiteral("Total wait"));
        QVERIFY(table()->columnWidth(waits) >=
                table()->horizontalHeader()->fontMetrics().horizontalAdvance(title) + 12);
    }

    void shiftAndTheWheelScrollSideways() {
        table()->setColumnWidth(model()->columnOf(FieldId::Incidents), 900);
        QTRY_VERIFY(table()->horizontalScrollBar()->maximum() > 200);
        const auto turn = [&](QWidget* over, int delta) {
            const QPointF at = over->rect().center();
            QWheelEvent wheel(at, over->mapToGlobal(at), {}, QPoint(0, delta), Qt::NoButton, Qt::ShiftModifier,
                              Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(over, &wheel);
            return table()->horizontalScrollBar()->value();
        };
        const int once = turn(table()->viewport(), -120);
        QVERIFY(once > 0);
        QVERIFY(table()->frozen()->isVisible());
        QVERIFY(turn(table()->frozen()->viewport(), -120) > once);
        QCOMPARE(turn(table()->viewport(), 12000), 0);
    }

    void aRightClickOnAFrozenColumnOpensTheMenu() {
        scrollToTheRight();
        rightClick(table()->frozen()->viewport(), frozenName(1).center());
        QCOMPARE(table()->selectedDirs(), QStringList{dir("beta")});
        auto* menu = page()->findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(menu && menu->isVisible());
        menu->close();
        const QHeaderView* head = table()->frozen()->horizontalHeader();
        rightClick(head->viewport(), QPoint(head->sectionViewportPosition(model()->columnOf(FieldId::Name)) + 8, 8));
        QVERIFY(page()->findChild<ColumnChooser*>()->isVisible());
        page()->findChild<ColumnChooser*>()->hide();
    }

    void aClickOnAFrozenColumnMovesNothing() {
        scrollToTheRight();
        const int sideways = table()->horizontalScrollBar()->value();
        for (const int row : {2, 0}) {
            QTest::mouseClick(table()->frozen()->viewport(), Qt::LeftButton, {}, frozenName(row).center());
            QCOMPARE(table()->currentIndex().row(), row);
            QCOMPARE(table()->horizontalScrollBar()->value(), sideways);
            QVERIFY(table()->frozen()->isVisible());
        }
    }

    void eachViewEditsByItself() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("editor that does not belong to this view")));
        const auto rename = [&](QAbstractItemView* view, const QString& name) {
            QTest::keyClick(table(), Qt::Key_F2);
            auto* editor = view->findChild<QLineEdit*>();
            QVERIFY(editor);
            QTest::keyClicks(editor, name);
            QTest::keyClick(editor, Qt::Key_Return);
            QTRY_COMPARE(QString::fromStdString(marks("beta").title), name);
            QTRY_VERIFY(names().contains(name));
        };
        select({"beta"});
        rename(table(), QStringLiteral("first"));
        scrollToTheRight();
        rename(table()->frozen(), QStringLiteral("second"));
    }

    /// A text among the numbers moves the whole column to the left.
    void aColumnHasOneAlignment() {
        const RunField layers = settingField(QStringLiteral("model.encoder.n_layers")),
                       name = settingField(QStringLiteral("name"));
        table()->setColumns(table()->visualColumns() << layers << name);
        const auto isRight = [&](const RunField& field) {
            const int column = static_cast<int>(model()->columns().indexOf(field));
            const bool head =
                model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
            for (int row = 0; row < model()->rowCount(); ++row) {
                const bool cell = model()->index(row, column).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
                if (cell != head)
                    return QStringLiteral("mixed");
            }
            return head ? QStringLiteral("right") : QStringLiteral("left");
        };
        QCOMPARE(isRight(layers), QStringLiteral("right"));
        QCOMPARE(isRight(name), QStringLiteral("left"));
        FolderSpec spec;
        spec.id = "20260106-100000-auto-0006";
        spec.name = "auto";
        spec.yaml = "model: {encoder: {n_layers: auto}}\n";
        test::makeFolder(root(), spec);
        QTRY_COMPARE(isRight(layers), QStringLiteral("left"));
        QCOMPARE(isRight(*builtinField(QStringLiteral("loss"))), QStringLiteral("right"));
        QCOMPARE(isRight(*builtinField(QStringLiteral("state"))), QStringLiteral("left"));
    }
};

RANKSCOPE_GUI_TEST(RunColumnsTest)
#include "tst_run_columns.moc"
