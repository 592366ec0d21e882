// SPDX-License-Identifier: GPL-3.0-or-later
// After any edit in the tree or in the text, the settled page shows exactly what a new evaluation of the whole text
// shows; until it has settled, it shows nothing that the text does not say.
#include "core/base/files/file.h"
#include "tests/support/test_runner.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/text/yaml_highlighter.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextLayout>

using namespace rankscope;
using namespace rankscope::ui;

class EditProperty : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        Theme::instance().apply(Theme::Mode::Light);
        qputenv("RANKSCOPECTL", "/nowhere/rankscopectl"); // other tests cover the risks
    }

    void shownAsEvaluatedAnew_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<quint32>("seed");
        const QString nemo = QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests/data/nemo/conf/nest_fast-conformer.yaml");
        const QString quickstart = QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml");
        // anchors, merges, unusual places
        const QString grammar = QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests/data/nemo/conf/grammar.yaml");
        for (quint32 seed : {1u, 2u, 3u}) {
            QTest::addRow("nemo-%u", seed) << nemo << seed;
            QTest::addRow("quickstart-%u", seed) << quickstart << seed;
            QTest::addRow("grammar-%u", seed) << grammar << seed;
        }
    }

    void shownAsEvaluatedAnew() {
        QFETCH(QString, file);
        QFETCH(quint32, seed);
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("recipe.yaml"));
        QVERIFY(QFile::copy(file, path));
        ConfigPage page;
        page.show();
        QAbstractItemModelTester tester(page.recipe()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        page.open(path);
        QTRY_VERIFY(page.isComplete());
        m_page = &page;
        m_random.seed(seed);
        int compared = 0;
        for (int i = 0; i < 40; ++i) {
            // some edits come before the previous one was evaluated
            for (int burst = m_random.bounded(3); burst >= 0; --burst)
                edit();
            QTRY_VERIFY(page.isComplete());
            QCOMPARE(page.textPane()->editor()->shownText().toStdString(), withLineFeeds(page.file()->bytes()));
            const Evaluation fresh = evaluated(page.file()->bytes(), "recipe.yaml");
            if (const auto error = config::firstError(*fresh, "recipe.yaml");
                page.file()->evaluation()->rows.size() != fresh->rows.size()) {
                qWarning("after: %s; %s\n%s", qPrintable(m_last), error ? error->message().c_str() : "",
                         page.file()->bytes().c_str());
                QCOMPARE(page.file()->evaluation()->rows.size(), fresh->rows.size());
            }
            if (fresh->rows.empty())
                continue; // the typed text is invalid: the tree stays unchanged
            RecipeModel anew;
            anew.setEvaluation(fresh);
            compare(*page.recipe()->model(), anew, {}, {});
            if (QTest::currentTestFailed()) {
                qWarning("after: %s", qPrintable(m_last));
                return;
            }
            ++compared;
        }
        QVERIFY2(compared > 15, qPrintable(QString::number(compared)));
    }

    void writtenValueIsShownBeforeItIsEvaluated() {
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("recipe.yaml"));
        QVERIFY(QFile::copy(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"), path));
        ConfigPage page;
        page.show();
        page.open(path);
        QTRY_VERIFY(page.isComplete());
        const RecipeModel* model = page.recipe()->model();
        const auto cell = [&](int column) {
            return model->indexOf(QStringLiteral("trainer.devices"), column).data().toString();
        };
        QVERIFY(page.file()->setValue(QStringLiteral("trainer.devices"), QStringLiteral("3")));
        QVERIFY(!page.isComplete()); // no event has been processed since
        QCOMPARE(cell(RecipeModel::Yours), QStringLiteral("3"));
        QCOMPARE(cell(RecipeModel::Effective), QStringLiteral("3"));
        QTRY_VERIFY(page.isComplete());
        page.textPane()->editor()->goToLine(
            model->indexOf(QStringLiteral("trainer.devices")).data(RecipeModel::LineRole).toInt(), 13);
        QTest::keyClicks(page.textPane()->editor(), QStringLiteral("2"));
        QCOMPARE(cell(RecipeModel::Yours), QStringLiteral("32"));
        QTest::keyClicks(page.textPane()->editor(),
                         QStringLiteral("${")); // only the evaluation can resolve it
        QVERIFY(cell(RecipeModel::Yours).contains(QStringLiteral("32${")));
        QCOMPARE(cell(RecipeModel::Effective), QStringLiteral("32$"));
    }

    /// Blue means selection and focus, so keys stand out by their weight alone.
    void keysStandOutByTheirWeight() {
        QTextDocument document;
        YamlHighlighter highlighter(&document);
        document.setPlainText(QStringLiteral("  devices: two # ranks"));
        highlighter.rehighlight();
        const auto formats = document.firstBlock().layout()->formats();
        QCOMPARE(formats.size(), 2); // the key and the comment
        QCOMPARE(formats.front().start, 2);
        QCOMPARE(formats.front().length, 7);
        QVERIFY(!formats.front().format.hasProperty(QTextFormat::ForegroundBrush)); // the text's own colour
        QVERIFY(formats.front().format.fontWeight() > QFont::Normal);
    }

    void aLongTextIsHighlightedToItsEnd() {
        QString text;
        for (int i = 0; i < 3000; ++i)
            text += QStringLiteral("key_%1: ${a.b} # %1\n").arg(i);
        YamlEditor editor;
        editor.resize(400, 300);
        editor.show();
        editor.setShownText(text);
        const auto formats = [&](int line) { return editor.document()->findBlockByNumber(line).layout()->formats(); };
        QVERIFY(!formats(0).isEmpty()); // visible lines immediately
        QTRY_VERIFY(!formats(2999).isEmpty());
        QTextDocument whole;
        YamlHighlighter highlighter(&whole);
        whole.setPlainText(text);
        highlighter.rehighlight();
        for (int line = 0; line < 3000; ++line)
            QCOMPARE(formats(line), whole.findBlockByNumber(line).layout()->formats());
    }

private:
    QString anyKey(bool leaf) {
        const RecipeModel* model = m_page->recipe()->model();
        QModelIndex at;
        while (model->rowCount(at) > 0) {
            at = model->index(m_random.bounded(model->rowCount(at)), 0, at);
            if (!leaf && m_random.bounded(3) == 0)
                break;
        }
        return at.data(RecipeModel::KeyRole).toString();
    }

    void edit() {
        static const char* values[] = {"3",      "true", "null",        "0.5", "'a b'", "???", "${model.sample_rate}",
                                       "[1, 2]", "x y",  "${.nothing}", "off"};
        ConfigFile* file = m_page->file();
        const int what = m_random.bounded(12);
        if (what < 5) {
            m_last = QStringLiteral("set ") + anyKey(true);
            (void)file->setValue(anyKey(true),
                                 QLatin1String(values[m_random.bounded(static_cast<int>(std::size(values)))]));
        } else if (what == 5) {
            m_last = QStringLiteral("remove");
            (void)file->removeKey(anyKey(false));
        } else if (what == 6) {
            m_last = QStringLiteral("add");
            (void)file->setValue(anyKey(false) + QStringLiteral(".own_%1").arg(m_random.bounded(1000)),
                                 QStringLiteral("1"));
        } else if (what == 7 && file->undoStack()->canUndo()) {
            m_last = QStringLiteral("undo");
            file->undoStack()->undo();
        } else if (what == 8 && file->undoStack()->canRedo()) {
            m_last = QStringLiteral("redo");
            file->undoStack()->redo();
        } else {
            typeSomething();
        }
        if (file->evaluation() && file->evaluation()->rows.empty() && m_random.bounded(2) == 0)
            while (file->undoStack()->canUndo() && m_random.bounded(8) != 0)
                file->undoStack()->undo(); // back to valid text
    }

    void typeSomething() {
        static const char* typed[] = {"1", "x", " ", "#", "# note", ":"};
        YamlEditor* editor = m_page->textPane()->editor();
        QTextCursor caret = editor->textCursor();
        caret.setPosition(m_random.bounded(editor->document()->characterCount()));
        if (m_random.bounded(3) > 0)
            caret.movePosition(QTextCursor::EndOfBlock);
        editor->setTextCursor(caret);
        m_last = QStringLiteral("typed in line %1").arg(caret.blockNumber() + 1);
        if (const int what = m_random.bounded(5); what == 0)
            QTest::keyClick(editor, Qt::Key_Backspace);
        else if (what == 1)
            QTest::keyClick(editor, Qt::Key_Return);
        else
            QTest::keyClicks(editor, QLatin1String(typed[m_random.bounded(static_cast<int>(std::size(typed)))]));
    }

    void compare(const RecipeModel& shown, const RecipeModel& anew, const QModelIndex& a, const QModelIndex& b) {
        QCOMPARE(shown.rowCount(a), anew.rowCount(b));
        static constexpr int roles[] = {RecipeModel::KeyRole,      RecipeModel::LeafRole,    RecipeModel::TypeRole,
                                        RecipeModel::ChoicesRole,  RecipeModel::DiffersRole, RecipeModel::WorstRole,
                                        RecipeModel::RanksRole,    RecipeModel::ErrorRole,   RecipeModel::LineRole,
                                        RecipeModel::ProblemsRole, RecipeModel::SpecRole,    Qt::ToolTipRole,
                                        Qt::ForegroundRole};
        for (int row = 0; row < shown.rowCount(a); ++row) {
            for (int column = 0; column < RecipeModel::ColumnCount; ++column)
                QCOMPARE(shown.index(row, column, a).data(), anew.index(row, column, b).data());
            const QModelIndex mine = shown.index(row, 0, a), other = anew.index(row, 0, b);
            for (int role : roles)
                QVERIFY2(mine.data(role) == other.data(role),
                         qPrintable(
                             QStringLiteral("%1, role %2").arg(mine.data(RecipeModel::KeyRole).toString()).arg(role)));
            QCOMPARE(shown.flags(mine), anew.flags(other));
            compare(shown, anew, mine, other);
            if (QTest::currentTestFailed())
                return;
        }
    }

    ConfigPage* m_page = nullptr;
    QRandomGenerator m_random;
    QString m_last;
};

RANKSCOPE_GUI_TEST(EditProperty)
#include "tst_edit_property.moc"
