// SPDX-License-Identifier: GPL-3.0-or-later
// The list of a run's annotations: it leads to them, and they are edited, deleted and restored from it.
#include "core/launch/run/run_annotations.h"
#include "core/telemetry/format/note_markers.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "widgets/models/text/text_format.h"
#include "widgets/review/annotations/annotation_bar.h"
#include "widgets/review/annotations/annotation_controller.h"
#include "widgets/review/annotations/annotation_pane.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::test;

class TestAnnotationPane : public QObject {
    Q_OBJECT
    std::unique_ptr<SyntheticRun> m_run;
    std::unique_ptr<Shown> m_shown;

    AnnotationPane* pane() const { return m_shown->page.findChild<AnnotationPane*>(); }
    QTableView* table() const { return pane()->findChild<QTableView*>(QStringLiteral("annotationTable")); }
    QString cell(int row, int column) const { return table()->model()->index(row, column).data().toString(); }
    QStringList texts() const {
        QStringList all;
        for (int row = 0; row < table()->model()->rowCount(); ++row)
            all << cell(row, AnnotationModel::TextColumn);
        return all;
    }
    std::vector<launch::Annotation> stored() const { return launch::readMarks(m_run->paths())->annotations; }
    QAction* action(const char* text) const {
        for (QAction* one : table()->actions())
            if (one->text() == QString::fromUtf8(text))
                return one;
        return nullptr;
    }
    void choose(int row) { table()->setCurrentIndex(table()->model()->index(row, 0)); }
    void write(std::int64_t first, std::int64_t last, const std::string& text) {
        QVERIFY(launch::editMarks(m_run->paths(), [&](launch::RunMarks& marks) {
            marks.annotate({0, first, last, first * SyntheticRun::kStepNs + 1, -1, text, 1'700'000'000'000'000'000});
        }));
    }
    void open() {
        m_shown = std::make_unique<Shown>(*m_run, QSize(1180, 900));
        m_shown->page.showAnnotations(true);
        QVERIFY(m_shown->complete());
    }

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }
    void init() { m_run = ended(); }
    void cleanup() {
        m_shown.reset();
        m_run.reset();
    }

    void anEmptyListSaysHowToWriteOne() {
        open();
        const auto* empty = pane()->findChild<QLabel*>(QStringLiteral("noAnnotations"));
        QTRY_VERIFY(empty->isVisible() && empty->text().contains(QStringLiteral("Press A")));
        QVERIFY(!table()->isVisible());
        QVERIFY(!action("Delete")->isEnabled() && !action("Undo")->isEnabled());
        m_shown->page.annotate(); // as the key does
        auto* line = m_shown->page.findChild<AnnotationBar*>()->line();
        QTest::keyClicks(line, QStringLiteral("here"));
        QTest::keyClick(line, Qt::Key_Return);
        QTRY_COMPARE(texts(), QStringList{QStringLiteral("here")});
        QVERIFY(table()->isVisible() && !empty->isVisible());
    }

    void listsThemAllByTime() {
        write(40, 44, "slow\nfilesystem");
        write(7, 7, "warm-up");
        auto store = store::RunWriter::reopen(m_run->paths().store());
        QVERIFY(store);
        const std::string sent = std::string(telemetry::kAlertOfRecipe) + "told of incident 1 open";
        QVERIFY(store->note(telemetry::NoteSeverity::Info, sent, m_run->info().startNs + 60 * SyntheticRun::kStepNs));
        QVERIFY(store->finish());
        open();
        const QStringList expected{QStringLiteral("warm-up"), QStringLiteral("slow filesystem"), toQString(sent)};
        QTRY_COMPARE(texts(), expected);
        QCOMPARE(cell(0, AnnotationModel::StepColumn), QStringLiteral("7"));
        QCOMPARE(cell(0, AnnotationModel::TimeColumn), durationText(7 * SyntheticRun::kStepNs + 1));
        QVERIFY(cell(0, AnnotationModel::WrittenColumn).startsWith(QStringLiteral("2023-11-1")));
        QCOMPARE(cell(1, AnnotationModel::StepColumn), QStringLiteral("40–44"));
        choose(2); // an alert is a fact
        QVERIFY(action("Show in the Timeline")->isEnabled());
        QVERIFY(!action("Edit…")->isEnabled() && !action("Delete")->isEnabled());
        choose(0);
        QVERIFY(action("Edit…")->isEnabled() && action("Delete")->isEnabled());
    }

    void leadsToTheSteps() {
        write(90, 90, "restarted the file server");
        open();
        QTRY_COMPARE(texts().size(), 1);
        m_shown->page.showSteps(0, 20);
        choose(0);
        QTest::keyClick(table(), Qt::Key_Return);
        const auto seen = m_shown->page.seenSteps();
        QVERIFY(seen && seen->first > 20 && seen->first <= 90 && seen->second >= 90);
        QSignalSpy timeline(m_shown->page.annotations(), &AnnotationController::timelineRequested);
        action("Show in the Timeline")->trigger();
        QCOMPARE(timeline.count(), 1);
    }

    void editsDeletesAndRestores() {
        write(7, 7, "warm-up");
        write(40, 40, "learning rate halved");
        open();
        QTRY_COMPARE(texts().size(), 2);
        choose(1);
        table()->setFocus();
        action("Edit…")->trigger();
        auto* bar = m_shown->page.findChild<AnnotationBar*>();
        QVERIFY(bar->isVisible());
        QTest::keyClicks(bar->line(), QStringLiteral("again")); // replaces the selected text
        QTest::keyClick(bar->line(), Qt::Key_Return);
        const QStringList edited{QStringLiteral("warm-up"), QStringLiteral("again")};
        QTRY_COMPARE(texts(), edited);
        QVERIFY(pane()->current() && pane()->current()->text == QStringLiteral("again")); // it stays selected
        QTRY_VERIFY(action("Undo")->isEnabled());
        action("Delete")->trigger();
        QTRY_COMPARE(texts(), QStringList{QStringLiteral("warm-up")});
        QCOMPARE(stored().size(), std::size_t(1));
        auto* undo = m_shown->page.annotations()->undoStack();
        QTRY_COMPARE(undo->count(), 2);
        action("Undo")->trigger();
        QTRY_COMPARE(texts(), edited);
        action("Undo")->trigger();
        const QStringList before{QStringLiteral("warm-up"), QStringLiteral("learning rate halved")};
        QTRY_COMPARE(texts(), before);
        QVERIFY(!action("Undo")->isEnabled());
        undo->redo();
        QTRY_COMPARE(texts(), edited);
    }

    /// A change that was refused is not one that can be undone.
    void aRefusedDeletion() {
        write(7, 7, "warm-up");
        open();
        QTRY_COMPARE(texts().size(), 1);
        const auto lock = m_run->paths().dir / ".marks.lock";
        std::filesystem::remove(lock);
        QVERIFY(std::filesystem::create_directory(lock)); // the marks cannot be locked, so they cannot be written
        QSignalSpy failed(&m_shown->page, &ReviewPage::failed);
        choose(0);
        action("Delete")->trigger();
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(texts(), QStringList{QStringLiteral("warm-up")});
        QVERIFY(!action("Undo")->isEnabled());
    }
};

RANKSCOPE_GUI_TEST(TestAnnotationPane)
#include "tst_annotation_pane.moc"
