// SPDX-License-Identifier: GPL-3.0-or-later
// Edits through the page: only the bytes of the value change, comments survive, one undo stack for tree and text.
#include "tests/support/test_runner.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/sync/sync_card.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/config/sync/sync_value_box.h"
#include "widgets/config/text/changes_view.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope::ui;

static const QByteArray kRecipe = "# a recipe, with words that must stay\n"
                                  "name: test\n"
                                  "trainer:\n"
                                  "  devices: 2   # two ranks\n"
                                  "  strategy: 'ddp'\n"
                                  "  sync_batchnorm: true # here too\n"
                                  "  max_steps: 10\n";

class Configure : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = m_dir->filePath(QStringLiteral("recipe.yaml"));
        write(kRecipe);
        m_page = std::make_unique<ConfigPage>();
        m_page->resize(1100, 700);
        m_page->show();
        m_page->open(m_file);
        QTRY_VERIFY(m_page->isComplete());
    }

    void treeEditChangesOnlyThoseBytes() {
        edit("trainer.sync_batchnorm", "false");
        QCOMPARE(bytes(), QByteArray(kRecipe).replace("sync_batchnorm: true", "sync_batchnorm: false"));
        QCOMPARE(m_page->textPane()->editor()->shownText().toUtf8(), bytes());
        QVERIFY(m_page->file()->isDirty());
        QTRY_COMPARE(shown("trainer.sync_batchnorm"), QStringLiteral("false"));
    }

    void saveKeepsComments() {
        edit("trainer.devices", "4");
        QVERIFY(m_page->save());
        QCOMPARE(onDisk(), QByteArray(kRecipe).replace("devices: 2 ", "devices: 4 "));
        QVERIFY(!m_page->file()->isDirty());
    }

    void cardEdits() {
        SyncCard* card = m_page->cards()->card(2);
        QCOMPARE(card->key(), QStringLiteral("trainer.sync_batchnorm"));
        QCOMPARE(card->editor()->currentText(), QStringLiteral("true"));
        card->editor()->setCurrentIndex(card->editor()->findText(QStringLiteral("false")));
        emit card->editor()->textActivated(QStringLiteral("false"));
        QVERIFY(bytes().contains("sync_batchnorm: false # here too"));
    }

    void absentDecisiveKeyIsAddedAndRemovedAgain() {
        edit("model.encoder.sync_max_audio_length", "false");
        QVERIFY(bytes().startsWith(kRecipe.left(20)));
        QVERIFY(bytes().contains("sync_max_audio_length: false"));
        QVERIFY(bytes().contains("# two ranks"));
        m_page->file()->undoStack()->undo();
        QCOMPARE(bytes(), kRecipe);
    }

    void undoAndRedoOverBothSides() {
        edit("trainer.devices", "8");
        QTest::keyClick(m_page->textPane()->editor(), Qt::Key_End, Qt::ControlModifier);
        QTest::keyClicks(m_page->textPane()->editor(), QStringLiteral("# typed"));
        QVERIFY(bytes().endsWith("# typed"));
        edit("trainer.max_steps", "20");
        QUndoStack* undo = m_page->file()->undoStack();
        undo->undo();
        QVERIFY(bytes().contains("max_steps: 10"));
        QTest::keyClick(m_page->textPane()->editor(), Qt::Key_Z,
                        Qt::ControlModifier); // all typed text is one step
        QVERIFY(!bytes().contains("# typed"));
        QVERIFY(bytes().contains("devices: 8"));
        undo->undo();
        QCOMPARE(bytes(), kRecipe);
        QVERIFY(!m_page->file()->isDirty());
        QVERIFY(!undo->canUndo());
        while (undo->canRedo())
            undo->redo();
        QVERIFY(bytes().contains("devices: 8") && bytes().contains("# typed") && bytes().contains("max_steps: 20"));
        QCOMPARE(m_page->textPane()->editor()->shownText().toUtf8(), bytes());
    }

    void typingReachesTheTree() {
        QString text = m_page->textPane()->editor()->shownText();
        m_page->textPane()->editor()->selectAll();
        m_page->textPane()->editor()->insertPlainText(
            text.replace(QStringLiteral("devices: 2"), QStringLiteral("devices: 3")));
        QTRY_COMPARE(shown("trainer.devices"), QStringLiteral("3"));
        QCOMPARE(bytes(), QByteArray(kRecipe).replace("devices: 2", "devices: 3"));
    }

    void windowsLineEndsSurviveTyping() {
        write(QByteArray(kRecipe).replace("\n", "\r\n"));
        m_page->file()->open(m_file);
        QTest::keyClick(m_page->textPane()->editor(), Qt::Key_End, Qt::ControlModifier);
        QTest::keyClicks(m_page->textPane()->editor(), QStringLiteral("# end"));
        QTest::keyClick(m_page->textPane()->editor(), Qt::Key_Return);
        QCOMPARE(bytes(), QByteArray(kRecipe).replace("\n", "\r\n") + "# end\r\n");
    }

    void noBreakSpaceSurvives() {
        const QByteArray odd = "name: a\u00a0b\n";
        write(odd);
        m_page->file()->open(m_file);
        QTest::keyClick(m_page->textPane()->editor(), Qt::Key_End, Qt::ControlModifier);
        QTest::keyClicks(m_page->textPane()->editor(), QStringLiteral("#"));
        QCOMPARE(bytes(), odd + "#");
    }

    void errorsNameTheLine() {
        m_page->textPane()->editor()->selectAll();
        m_page->textPane()->editor()->insertPlainText(
            QStringLiteral("trainer:\n  devices: 2\n  sync_batchnrm: true\n"));
        QTRY_VERIFY(m_page->textPane()->info()->problems()->count(MarkSeverity::Error) > 0);
        QTRY_VERIFY(m_page->textPane()->editor()->problemAt(3).contains(QStringLiteral("sync_batchnorm")));
        bool listed = false;
        for (int i = 0; i < m_page->textPane()->info()->problems()->rowCount(); ++i)
            listed =
                listed || m_page->textPane()->info()->problems()->index(i).data(ProblemModel::LineRole).toInt() == 3;
        QVERIFY(listed);
    }

    void brokenYamlIsShownNotLost() {
        m_page->textPane()->editor()->selectAll();
        m_page->textPane()->editor()->insertPlainText(QStringLiteral("trainer: [1, 2\nname: x\n"));
        QTRY_VERIFY(m_page->textPane()->info()->problems()->count(MarkSeverity::Error) > 0);
        QCOMPARE(bytes(), QByteArray("trainer: [1, 2\nname: x\n"));
        edit("trainer.devices", "2");
        QVERIFY(m_page->notice()->isVisible());             // says why the tree cannot edit it
        QVERIFY(m_page->recipe()->model()->rowCount() > 0); // the last valid rows, labelled as such
        const auto labels = m_page->recipe()->findChildren<QLabel*>();
        QTRY_VERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* l) {
            return l->isVisible() && l->text().startsWith(QStringLiteral("The YAML cannot be parsed, so"));
        }));
        QCOMPARE(bytes(), QByteArray("trainer: [1, 2\nname: x\n"));
    }

    void changedOnDiskIsTakenWhenNothingIsLost() {
        write(QByteArray(kRecipe).replace("max_steps: 10", "max_steps: 99"));
        QTRY_VERIFY(bytes().contains("max_steps: 99"));
        QVERIFY(!m_page->file()->isDirty());
        m_page->file()->undoStack()->undo();
        QCOMPARE(bytes(), kRecipe);
    }

    void changedOnDiskAsksWhenEditsWouldBeLost() {
        edit("trainer.devices", "4");
        write(QByteArray(kRecipe).replace("max_steps: 10", "max_steps: 99"));
        QTRY_VERIFY(m_page->notice()->isVisible());
        QVERIFY(bytes().contains("devices: 4") && bytes().contains("max_steps: 10"));
        const auto buttons = m_page->notice()->findChildren<QPushButton*>();
        QCOMPARE(buttons.size(), 3);
        QTest::mouseClick(buttons[2], Qt::LeftButton); // show differences: the question stays
        QVERIFY(m_page->notice()->isVisible());
        const QStringList changes = m_page->textPane()->info()->changes()->toPlainText().split(QLatin1Char('\n'));
        QCOMPARE(changes.filter(QRegularExpression(QStringLiteral("^- "))).size(), 2);
        QCOMPARE(changes.filter(QRegularExpression(QStringLiteral("^\\+ "))).size(), 2);
        QTest::mouseClick(buttons[0], Qt::LeftButton);
        QVERIFY(bytes().contains("devices: 2") && bytes().contains("max_steps: 99"));
    }

    void openingAsksBeforeEditsAreLost() {
        edit("trainer.devices", "4");
        const QString other = m_dir->filePath(QStringLiteral("other.yaml"));
        QFile file(other);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("name: other\n");
        file.close();
        m_page->open(other);
        QCOMPARE(m_page->file()->path(), m_file);
        QVERIFY(m_page->notice()->isVisible());
        const auto buttons = m_page->notice()->findChildren<QPushButton*>();
        QTest::mouseClick(buttons.at(0), Qt::LeftButton); // save, then open
        QCOMPARE(m_page->file()->path(), other);
        QVERIFY(onDisk().contains("devices: 4"));
    }

    void unreadableFilesSayWhy() {
        m_page->open(m_dir->filePath(QStringLiteral("missing.yaml")));
        QVERIFY(m_page->notice()->text().contains(QStringLiteral("missing.yaml")));
        write(QByteArray("\xff\xfe\x00n", 4));
        m_page->open(m_file);
        QVERIFY(m_page->notice()->text().contains(QStringLiteral("UTF-8")));
    }

    void saveIntoNowhereSaysWhyAndKeepsTheEdits() {
        edit("trainer.devices", "4");
        QVERIFY(QFile::remove(m_file));
        m_dir->remove();
        QVERIFY(!m_page->save());
        QVERIFY(!m_page->notice()->text().isEmpty());
        QVERIFY(bytes().contains("devices: 4"));
        QVERIFY(m_page->file()->isDirty());
    }

private:
    void write(const QByteArray& text) {
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    QByteArray onDisk() const {
        QFile file(m_file);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QByteArray bytes() const { return QByteArray::fromStdString(m_page->file()->bytes()); }
    void edit(const char* key, const char* value) {
        emit m_page->recipe()->model()->editRequested(QLatin1String(key), QLatin1String(value));
    }
    QString shown(const char* key) const {
        const RecipeModel* model = m_page->recipe()->model();
        return model->indexOf(QLatin1String(key), RecipeModel::Yours).data().toString();
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_file;
    std::unique_ptr<ConfigPage> m_page;
};

RANKSCOPE_GUI_TEST(Configure)
#include "tst_config_page.moc"
