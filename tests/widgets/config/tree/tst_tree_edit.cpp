// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and drops on the page: switch, add, remove and move in the tree, find and jump in the text, compare, recover.
#include "tests/support/test_runner.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/problems/key_detail.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/recipe/comparisons.h"
#include "widgets/config/text/find_bar.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/add_key_bar.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/theme/theme.h"

#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include <algorithm>

using namespace rankscope::ui;

static const QByteArray kRecipe = "# head, the file's own\n"
                                  "\n"
                                  "name: test\n"
                                  "trainer:\n"
                                  "  devices: 2   # two ranks\n"
                                  "  # why so few\n"
                                  "  max_steps: 10\n"
                                  "  sync_batchnorm: true\n"
                                  "odd: { kept : [ 1,2 ] }\n";

class TreeEdit : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        Theme::instance().apply(Theme::Mode::Light);
        qputenv("RANKSCOPECTL", "/nowhere/rankscopectl"); // no dry run here
    }

    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = m_dir->filePath(QStringLiteral("recipe.yaml"));
        write(m_file, kRecipe);
        m_page = open(m_file);
    }

    void spaceFlipsASwitch() {
        reveal("trainer.sync_batchnorm");
        QTest::keyClick(tree(), Qt::Key_Space);
        QCOMPARE(bytes(), QByteArray(kRecipe).replace("sync_batchnorm: true", "sync_batchnorm: false"));
        QTRY_COMPARE(cell("trainer.sync_batchnorm", RecipeModel::SwitchRole), QVariant(false));
    }

    void enterEditsTheValue() {
        reveal("trainer.max_steps");
        QTest::keyClick(tree(), Qt::Key_Return);
        auto* line = tree()->viewport()->findChild<QLineEdit*>();
        QVERIFY(line);
        QCOMPARE(line->text(), QStringLiteral("10"));
        QTest::keyClicks(line, QStringLiteral("[3"));
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(bytes(), kRecipe); // invalid YAML stays in the editor and is not written
        line->selectAll();
        QTest::keyClicks(line, QStringLiteral("30"));
        QTest::keyClick(line, Qt::Key_Return);
        QTRY_COMPARE(bytes(), QByteArray(kRecipe).replace("max_steps: 10", "max_steps: 30"));
    }

    /// A long value gets the room next to it, and shows its beginning.
    void aLongListIsSeenFromItsBeginning() {
        write(m_file, kRecipe + "rankscope:\n"
                                "  faults: [{kind: data_loading, rank: 1, step: 60, seconds: 5}, {kind: slow_compute, "
                                "rank: 0, step: 90, seconds: 1}]\n");
        m_page = open(m_file);
        reveal("rankscope.faults");
        QTest::keyClick(tree(), Qt::Key_Return);
        auto* line = tree()->viewport()->findChild<QLineEdit*>();
        QVERIFY(line && line->hasFocus());
        QVERIFY2(line->text().contains(QStringLiteral("slow_compute")), qPrintable(line->text()));
        QCOMPARE(line->selectedText(), line->text()); // typing replaces it
        QCOMPARE(line->cursorPosition(), 0);
        const int needed = line->fontMetrics().horizontalAdvance(line->text());
        const int room = line->parentWidget()->width() - line->x();
        QVERIFY2(line->width() >= std::min(needed, room), qPrintable(QString::number(line->width())));
        QTest::keyClick(line, Qt::Key_Escape);
    }

    void addRemoveAndMoveByKeys() {
        reveal("trainer.devices");
        QTest::keyClick(tree(), Qt::Key_Insert);
        auto* bar = m_page->recipe()->findChild<AddKeyBar*>();
        auto* name = bar->findChild<QLineEdit*>(QStringLiteral("keyName"));
        auto* value = bar->findChild<QLineEdit*>(QStringLiteral("keyValue"));
        QVERIFY(bar->isVisible());
        QTest::keyClicks(name, QStringLiteral("devices"));
        QTest::keyClicks(value, QStringLiteral("1"));
        QVERIFY(!bar->problem().isEmpty()); // the key exists already
        QTest::keyClick(value, Qt::Key_Return);
        QCOMPARE(bytes(), kRecipe);
        name->setText(QStringLiteral("gradient_clip_val"));
        QTest::keyClick(value, Qt::Key_Return);
        QVERIFY(!bar->isVisible());
        QCOMPARE(bytes(), QByteArray(kRecipe).replace("odd:", "  gradient_clip_val: 1\nodd:"));
        QTRY_COMPARE(m_page->recipe()->currentKey(), QStringLiteral("trainer.gradient_clip_val"));
        QTest::keyClick(tree(), Qt::Key_Delete);
        QCOMPARE(bytes(), kRecipe);
        QTRY_VERIFY(m_page->isComplete());
        reveal("trainer.max_steps");
        QTest::keyClick(tree(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(bytes(), QByteArray(kRecipe).replace("  devices: 2   # two ranks\n  # why so few\n  max_steps: 10\n",
                                                      "  # why so few\n  max_steps: 10\n  devices: 2   # two ranks\n"));
        QTRY_VERIFY(m_page->isComplete());
        QTest::keyClick(tree(), Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(bytes(), kRecipe);
        for (int i = 0; i < 4; ++i)
            m_page->file()->undoStack()->undo();
        QCOMPARE(bytes(), kRecipe);
        QVERIFY(!m_page->file()->undoStack()->canUndo());
    }

    void aKeyIsDraggedToAnotherSection() {
        emit m_page->recipe()->moveRequested(QStringLiteral("trainer.max_steps"), QString(), QStringLiteral("trainer"));
        QCOMPARE(bytes(), QByteArray("# head, the file's own\n\nname: test\n# why so few\nmax_steps: 10\ntrainer:\n"
                                     "  devices: 2   # two ranks\n  sync_batchnorm: true\nodd: { kept : [ 1,2 ] }\n"));
        m_page->file()->undoStack()->undo();
        QCOMPARE(bytes(), kRecipe);
    }

    void textAndTreeFollowEachOther() {
        m_page->textPane()->editor()->setFocus();
        m_page->textPane()->editor()->goToLine(7);
        QTRY_COMPARE(m_page->recipe()->currentKey(), QStringLiteral("trainer.max_steps"));
        QVERIFY(m_page->textPane()->editor()->hasFocus()); // following the cursor does not take the focus
        QTest::keyClick(m_page->textPane()->editor(), Qt::Key_J, Qt::ControlModifier);
        QVERIFY(tree()->hasFocus());
        reveal("trainer.devices");
        QCOMPARE(m_page->textPane()->editor()->textCursor().blockNumber() + 1, 5);
        QTest::keyClick(tree(), Qt::Key_J, Qt::ControlModifier);
        QVERIFY(m_page->textPane()->editor()->hasFocus());
    }

    void findInTheText() {
        m_page->textPane()->editor()->setFocus();
        QTest::keyClick(m_page->textPane()->editor(), Qt::Key_F, Qt::ControlModifier);
        FindBar* bar = m_page->findChild<FindBar*>();
        auto* line = bar->findChild<QLineEdit*>();
        QVERIFY(bar->isVisible());
        QTest::keyClicks(line, QStringLiteral("E"));
        QTest::keyClick(line, Qt::Key_Backspace);
        QTest::keyClicks(line, QStringLiteral("STEPS"));
        QCOMPARE(m_page->textPane()->editor()->found().size(), 1);
        QCOMPARE(m_page->textPane()->editor()->textCursor().selectedText(), QStringLiteral("steps"));
        QCOMPARE(m_page->textPane()->editor()->textCursor().blockNumber() + 1, 7);
        line->setText(QStringLiteral("e"));
        const int first = m_page->textPane()->editor()->textCursor().selectionStart();
        for (int i = static_cast<int>(m_page->textPane()->editor()->found().size()); i > 0; --i)
            QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(m_page->textPane()->editor()->textCursor().selectionStart(), first); // wrapped around
        QTest::keyClick(line, Qt::Key_Escape);
        QVERIFY(!bar->isVisible() && m_page->textPane()->editor()->found().isEmpty());
    }

    void comparedWithTwoFiles() {
        const QString a = m_dir->filePath(QStringLiteral("a.yaml")), b = m_dir->filePath(QStringLiteral("b.yaml"));
        write(a, QByteArray(kRecipe).replace("max_steps: 10", "max_steps: 11"));
        write(b, "name: other\n");
        m_page->findChild<Comparisons*>()->addFile(a, QStringLiteral("a"));
        m_page->findChild<Comparisons*>()->addFile(b, QStringLiteral("b"));
        QTRY_COMPARE(m_page->findChild<Comparisons*>()->all().size(), std::size_t(2));
        QVERIFY(!tree()->isColumnHidden(RecipeModel::OtherA) && !tree()->isColumnHidden(RecipeModel::OtherB));
        QStringList steps;
        for (int column : {RecipeModel::OtherA, RecipeModel::OtherB})
            steps << model()->indexOf(QStringLiteral("trainer.max_steps"), column).data().toString();
        QVERIFY(steps.contains(QStringLiteral("11")));
        m_page->findChild<Comparisons*>()->addFile(m_dir->filePath(QStringLiteral("none.yaml")),
                                                   QStringLiteral("none"));
        QTRY_VERIFY(m_page->notice()->text().contains(QStringLiteral("none.yaml")));
        m_page->findChild<Comparisons*>()->clear();
        QVERIFY(tree()->isColumnHidden(RecipeModel::OtherA));
    }

    void aDroppedFileIsOpened() {
        const QString other = m_dir->filePath(QStringLiteral("dropped.yaml"));
        write(other, "name: dropped\n");
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(other)});
        QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_page.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_page.get(), &drop);
        QCOMPARE(m_page->file()->path(), other);
    }

    void riskIsExplainedAndItsRemedyApplied() {
        emit m_page->recipe()->model()->editRequested(QStringLiteral("model.train_ds.num_workers"),
                                                      QStringLiteral("0"));
        emit m_page->recipe()->model()->editRequested(QStringLiteral("model.train_ds.batch_size"), QStringLiteral("2"));
        QTRY_VERIFY(m_page->isComplete() && model()->indexOf(QStringLiteral("model.train_ds.num_workers")).isValid());
        emit m_page->recipe()->explainRequested(QStringLiteral("model.train_ds.num_workers"));
        KeyDetail* detail = m_page->textPane()->info()->detail();
        QCOMPARE(m_page->textPane()->info()->currentIndex(), static_cast<int>(InfoPane::Key));
        QVERIFY2(detail->plainText().contains(QStringLiteral("training thread")), qPrintable(detail->plainText()));
        auto* apply = detail->findChild<QPushButton*>(QStringLiteral("apply"));
        QVERIFY(apply);
        QTest::mouseClick(apply, Qt::LeftButton);
        QVERIFY(!bytes().contains("num_workers: 0"));
        QVERIFY(bytes().contains("num_workers: "));
    }

    void unsavedEditsComeBackAfterACrash() {
        const QString drafts = m_dir->filePath(QStringLiteral("drafts"));
        m_page->file()->setDraftDir(drafts);
        emit model()->editRequested(QStringLiteral("trainer.max_steps"), QStringLiteral("77"));
        QTRY_VERIFY(!QDir(drafts).entryList({QStringLiteral("*.draft")}, QDir::Files).isEmpty());
        m_page->file()->setDraftDir({}); // as in a crash: nothing is cleaned up
        m_page.reset();
        write(m_file, kRecipe + "# later\n");
        m_page = std::make_unique<ConfigPage>();
        m_page->show();
        m_page->file()->setDraftDir(drafts);
        m_page->open(m_file);
        QVERIFY(bytes().contains("max_steps: 77"));
        QVERIFY(m_page->file()->isDirty());
        QVERIFY(m_page->notice()->isVisible());
        // the file has changed on disk since
        QVERIFY(m_page->notice()->text().contains(QStringLiteral("has changed since")));
        QTest::mouseClick(m_page->notice()->findChildren<QPushButton*>().front(), Qt::LeftButton);
        QCOMPARE(bytes(), kRecipe + "# later\n");
        m_page->file()->undoStack()->undo(); // this can be undone, too
        QVERIFY(bytes().contains("max_steps: 77"));
        QVERIFY(m_page->save());
        m_page->file()->drafts()->flush();
        QVERIFY(QDir(drafts).entryList({QStringLiteral("*.draft")}, QDir::Files).isEmpty());
    }

private:
    static std::unique_ptr<ConfigPage> open(const QString& path) {
        auto page = std::make_unique<ConfigPage>();
        page->resize(1200, 760);
        page->show();
        page->open(path);
        [&] {
            QVERIFY(QTest::qWaitForWindowActive(page.get()));
            QTRY_VERIFY(page->isComplete());
        }();
        return page;
    }
    static void write(const QString& path, const QByteArray& text) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    QByteArray bytes() const { return QByteArray::fromStdString(m_page->file()->bytes()); }
    RecipeModel* model() const { return m_page->recipe()->model(); }
    QTreeView* tree() const { return m_page->recipe()->tree(); }
    void reveal(const char* key) {
        m_page->recipe()->reveal(QLatin1String(key));
        QCOMPARE(m_page->recipe()->currentKey(), QLatin1String(key));
    }
    QVariant cell(const char* key, int role) const {
        return model()->indexOf(QLatin1String(key), RecipeModel::Yours).data(role);
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_file;
    std::unique_ptr<ConfigPage> m_page;
};

RANKSCOPE_GUI_TEST(TreeEdit)
#include "tst_tree_edit.moc"
