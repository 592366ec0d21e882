// SPDX-License-Identifier: GPL-3.0-or-later
// What the page shows about a key: where an error is shown, what a key does, where a new one would be written, and that
// a filter moves nothing.
#include "tests/support/test_runner.h"
#include "widgets/config/labels/key_descriptions.h"
#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/problems/key_detail.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/add_key_bar.h"
#include "widgets/config/tree/list_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/theme/theme.h"

#include <QAbstractProxyModel>
#include <QApplication>
#include <QCheckBox>
#include <QCompleter>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QTreeView>

using namespace rankscope::ui;

class ConfigHelp : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        Theme::instance().apply(Theme::Mode::Light);
        qputenv("RANKSCOPECTL", "/nowhere/rankscopectl");
        QFile file(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        m_text = file.readAll();
    }
    void init() { open(m_text); }

    void aFilterMovesNothing() {
        RecipeView* recipe = m_page->recipe();
        recipe->reveal(QStringLiteral("rankscope.stall.min_seconds"));
        QSignalSpy moved(recipe, &RecipeView::currentChanged);
        recipe->search()->setText(QStringLiteral("conv_norm"));
        QCOMPARE(recipe->currentKey(), QStringLiteral("rankscope.stall.min_seconds"));
        QCOMPARE(m_page->textPane()->info()->detail()->key(), QStringLiteral("rankscope.stall.min_seconds"));
        recipe->search()->clear();
        for (QCheckBox* box : recipe->findChildren<QCheckBox*>()) {
            box->setChecked(true);
            box->setChecked(false);
        }
        QCOMPARE(moved.count(), 0);
        QCOMPARE(recipe->currentKey(), QStringLiteral("rankscope.stall.min_seconds"));
        const QRect row = recipe->tree()->visualRect(recipe->tree()->currentIndex());
        QVERIFY(row.isValid() && recipe->tree()->viewport()->rect().contains(row.center()));
        recipe->search()->setText(QStringLiteral("conv_norm")); // going to a hit selects it
        QTest::keyClick(recipe->search(), Qt::Key_Return);
        QCOMPARE(recipe->currentKey(), QStringLiteral("model.encoder.conv_norm_type"));
    }

    void anErrorIsSeenAtTheKeyThatWasEdited() {
        edit("model.encoder.d_model", "65");
        QTRY_VERIFY(m_page->isComplete() && !m_page->file()->evaluation()->ok());
        const RecipeModel* model = m_page->recipe()->model();
        for (const char* key : {"model.encoder.n_heads", "model.encoder.d_model"})
            QVERIFY2(model->indexOf(QLatin1String(key))
                         .data(RecipeModel::ErrorRole)
                         .toString()
                         .contains(QStringLiteral("must divide")),
                     key);
        const auto problems = [&] {
            return model->indexOf(QStringLiteral("model.encoder")).data(RecipeModel::ProblemsRole).toInt();
        };
        const int wrong = problems();
        // marked in the tree and in the text
        const QModelIndex edited = model->indexOf(QStringLiteral("model.encoder.d_model"));
        QCOMPARE(edited.data(RecipeModel::WorstRole), QVariant(static_cast<int>(MarkSeverity::Error)));
        const QString said = m_page->textPane()->editor()->problemAt(edited.data(RecipeModel::LineRole).toInt());
        QVERIFY2(said.contains(QStringLiteral("must divide")), qPrintable(said));
        m_page->recipe()->reveal(QStringLiteral("model.encoder.d_model"));
        QVERIFY(m_page->textPane()->info()->detail()->plainText().contains(QStringLiteral("must divide")));
        edit("model.encoder.d_model", "64");
        QTRY_VERIFY(m_page->isComplete() && m_page->file()->evaluation()->ok());
        QCOMPARE(problems(), wrong - 1); // it was counted only once
        QVERIFY(
            model->indexOf(QStringLiteral("model.encoder.d_model")).data(RecipeModel::ErrorRole).toString().isEmpty());
        QVERIFY(!model->indexOf(QStringLiteral("model.encoder.d_model")).data(RecipeModel::WorstRole).isValid());
    }

    void aSectionSaysWhatIsInIt() {
        const auto shown = [&] { return m_page->textPane()->info()->detail()->plainText(); };
        m_page->recipe()->reveal(QStringLiteral("model.encoder"));
        QVERIFY2(shown().contains(QStringLiteral("Keys in this section: ")), qPrintable(shown()));
        edit("model.encoder.d_model", "65"); // n_heads must divide it
        QTRY_VERIFY(m_page->isComplete() && !m_page->file()->evaluation()->ok());
        m_page->recipe()->reveal(QStringLiteral("model.encoder"));
        QTRY_VERIFY2(shown().contains(QStringLiteral("Errors and risks at: ")), qPrintable(shown()));
        m_page->recipe()->reveal(QStringLiteral("model.encoder.d_model"));
        QVERIFY(!shown().contains(QStringLiteral("Keys in this section: ")));
    }

    void anUnknownKeyIsRenamed() {
        open(QByteArray(m_text).replace("    n_layers: 3", "    n_layer: 3   # few"));
        m_page->recipe()->reveal(QStringLiteral("model.encoder.n_layer"));
        auto* rename = m_page->textPane()->info()->detail()->findChild<QPushButton*>(QStringLiteral("rename"));
        QVERIFY(rename);
        QCOMPARE(rename->text(), QStringLiteral("Rename to n_layers"));
        QTest::mouseClick(rename, Qt::LeftButton);
        QCOMPARE(bytes(), QByteArray(m_text).replace("    n_layers: 3", "    n_layers: 3   # few"));
        QTRY_COMPARE(m_page->recipe()->currentKey(), QStringLiteral("model.encoder.n_layers"));
        m_page->file()->undoStack()->undo();
        QVERIFY(bytes().contains("n_layer: 3"));
        QVERIFY(!m_page->file()->renameKey(QStringLiteral("model.encoder.n_layer"), QStringLiteral("d_model")));
        QVERIFY(!m_page->file()->renameKey(QStringLiteral("model.encoder.nothing"), QStringLiteral("x")));
    }

    void aKeyBehindAnAliasIsNotRenamed() {
        open("a: &x {b: 1}\nc: *x\n");
        QVERIFY(!m_page->file()->renameKey(QStringLiteral("c.b"), QStringLiteral("d")));
        QCOMPARE(bytes(), QByteArray("a: &x {b: 1}\nc: *x\n"));
        QVERIFY(m_page->file()->renameKey(QStringLiteral("a.b"), QStringLiteral("d")));
        QCOMPARE(bytes(), QByteArray("a: &x {d: 1}\nc: *x\n"));
    }

    void aNewKeyIsFoundAnywhere() {
        m_page->recipe()->reveal(QStringLiteral("model.optim.lr"));
        m_page->recipe()->askForKey();
        auto* bar = m_page->recipe()->findChild<AddKeyBar*>();
        auto* name = bar->findChild<QLineEdit*>(QStringLiteral("keyName"));
        auto* value = bar->findChild<QLineEdit*>(QStringLiteral("keyValue"));
        const auto offered = [&](const char* typed) {
            QCompleter* completer = name->completer();
            completer->setCompletionPrefix(QLatin1String(typed));
            QStringList found;
            for (int i = 0; i < completer->completionModel()->rowCount(); ++i)
                found << completer->completionModel()->index(i, 0).data().toString();
            return found;
        };
        QVERIFY(offered("stoch").contains(QStringLiteral("model.encoder.stochastic_depth_drop_prob")));
        QVERIFY(offered("model.enc").size() > 3);
        QVERIFY(offered("n_la").isEmpty()); // it is in the file
        name->setText(QStringLiteral("model.encoder.reduction"));
        QCOMPARE(bar->target(), QStringLiteral("model.encoder.reduction"));
        const auto labels = bar->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->isVisible() && label->text().contains(QStringLiteral("as model.encoder.reduction"));
        }));
        name->setText(QStringLiteral("eps"));
        QCOMPARE(bar->target(), QStringLiteral("model.optim.eps"));
        name->setText(QStringLiteral("sched.last_epoch")); // a subsection of this section
        QCOMPARE(bar->target(), QStringLiteral("model.optim.sched.last_epoch"));
        name->setText(QStringLiteral("model.encoder.dropout_pre"));
        QTest::keyClicks(value, QStringLiteral("0.1"));
        name->setText(QStringLiteral("trainer.deterministic"));
        value->setText(QStringLiteral("false"));
        QTest::keyClick(value, Qt::Key_Return);
        QTRY_VERIFY(m_page->isComplete());
        QCOMPARE(m_page->recipe()->model()->indexOf(QStringLiteral("trainer.deterministic"), RecipeModel::Yours).data(),
                 QVariant(QStringLiteral("false")));
    }

    void describedKeysAreKeys() {
        QVERIFY(keyDescriptions().size() > 50);
        for (const KeyDescription& one : keyDescriptions()) {
            const auto key = QLatin1String(one.key);
            QVERIFY2(key == QLatin1String("name") || specOf(key, m_page->file()->evaluation()), one.key);
        }
        for (const char* key : {"model.optim.lr", "name"}) {
            m_page->recipe()->reveal(QLatin1String(key));
            const QString all = m_page->textPane()->info()->detail()->plainText();
            QVERIFY2(all.contains(keyDescription(QLatin1String(key))), qPrintable(all));
            QVERIFY2(!all.contains(QStringLiteral("not a key")), qPrintable(all));
        }
    }

    void theTextBeginsAtTheError() {
        open(QByteArray(m_text) + "broken: [1, 2\nlast: 1\n");
        QVERIFY(!m_page->file()->evaluation()->ok());
        const int line = m_page->file()->evaluation()->problems.front().at.line;
        QVERIFY(line > 50);
        QCOMPARE(m_page->textPane()->editor()->textCursor().blockNumber() + 1, line);
        const QRect caret = m_page->textPane()->editor()->cursorRect();
        QVERIFY(m_page->textPane()->editor()->viewport()->rect().contains(caret.center()));
    }

    void longItemsOfAListAreSeen() {
        ListEditor list(
            QStringLiteral("rankscope.faults"), nullptr,
            QStringLiteral("[\"a word of some length, and another, and then one more to the end of it\", b]"),
            m_page.get());
        list.adjustSize();
        auto* items = list.findChild<QListWidget*>();
        QVERIFY(items->minimumWidth() >= items->fontMetrics().horizontalAdvance(items->item(0)->text()));
    }

private:
    void open(const QByteArray& text) {
        m_page = std::make_unique<ConfigPage>();
        m_page->resize(1200, 760);
        m_page->show();
        QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
        QVERIFY(m_page->file()->openText(text.toStdString(), QStringLiteral("a.yaml"), {}));
        QTRY_VERIFY(m_page->isComplete());
    }
    QByteArray bytes() const { return QByteArray::fromStdString(m_page->file()->bytes()); }
    void edit(const char* key, const char* value) {
        emit m_page->recipe()->model()->editRequested(QLatin1String(key), QLatin1String(value));
    }

    QByteArray m_text;
    std::unique_ptr<ConfigPage> m_page;
};

RANKSCOPE_GUI_TEST(ConfigHelp)
#include "tst_config_help.moc"
