// SPDX-License-Identifier: GPL-3.0-or-later
// The states while the user edits, searches, compares or launches: each fits the smallest window, in both languages.
// With RANKSCOPE_SHOTS=DIR each is saved as a picture; RANKSCOPE_SHOTS_RECIPE may name another recipe to start with,
// RANKSCOPE_SHOTS_RUNS a folder of runs.
#include "tests/support/test_runner.h"
#include "tests/widgets/config/page/config_states.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/recipe/comparisons.h"
#include "widgets/config/text/find_bar.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/add_key_bar.h"
#include "widgets/config/tree/list_editor.h"
#include "widgets/config/tree/recipe_view.h"

#include <QAbstractProxyModel>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>

using namespace rankscope::ui;

class ConfigEditingStates : public ConfigStatesBase {
    Q_OBJECT

private slots:
    void initTestCase() {
        prepare();
        m_nemo = qEnvironmentVariable("RANKSCOPE_SHOTS_RECIPE",
                                      QFileInfo(m_quickstart).absolutePath() + QStringLiteral("/nest_small.yaml"));
    }
    void everyStateFits_data() { addLooks(); }

    void everyStateFits() {
        openWindow();
        nemo();
        openRecipe();
        if (QTest::currentTestFailed())
            return;
        searched();
        found();
        editors();
        menus();
        added();
        broken();
        planStates();
        compared();
        dropped();
        m_window.reset();
    }

private:
    QTreeView* tree() const { return page()->recipe()->tree(); }

    void nemo() {
        m_window->openConfig(m_nemo);
        planned();
        shot("nemo");
        emit page()->recipe()->explainRequested(QStringLiteral("model.encoder.sync_max_audio_length"));
        shot("nemo-key");
    }

    void searched() {
        page()->recipe()->search()->setText(QStringLiteral("sync_max"));
        shot("search-hits");
        page()->recipe()->search()->setText(QStringLiteral("nothing has this name"));
        shot("search-none");
        page()->recipe()->search()->clear();
        const auto boxes = page()->recipe()->findChildren<QCheckBox*>();
        QCOMPARE(boxes.size(), 2);
        boxes.last()->setChecked(true);
        shot("only-ranks");
        boxes.last()->setChecked(false);
    }

    void found() {
        page()->findChild<FindBar*>()->ask();
        QTest::keyClicks(page()->findChild<FindBar*>()->focusProxy(), QStringLiteral("batch"));
        shot("find");
        QTest::keyClicks(page()->findChild<FindBar*>()->focusProxy(), QStringLiteral("zzz"));
        shot("find-none");
        QTest::keyClick(page()->findChild<FindBar*>()->focusProxy(), Qt::Key_Escape);
    }

    QModelIndex cell(const char* key) {
        page()->recipe()->reveal(QLatin1String(key));
        return tree()->currentIndex().siblingAtColumn(RecipeModel::Yours);
    }

    void editor(const char* key, const char* typed, const char* name) {
        const QModelIndex index = cell(key);
        QVERIFY2(index.isValid(), key);
        tree()->edit(index);
        QWidget* editor = QApplication::focusWidget();
        QVERIFY2(editor && tree()->isAncestorOf(editor), key);
        if (*typed)
            QTest::keyClicks(editor, QString::fromUtf8(typed));
        shot(name);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    }

    void editors() {
        editor("trainer.sync_batchnorm", "", "edit-switch");
        editor("model.encoder.self_attention_model", "", "edit-choice");
        editor("model.optim.weight_decay", "", "edit-number");
        editor("model.train_ds.batch_size", "-3", "edit-number-wrong");
        editor("model.train_ds.num_workers", "[1", "edit-number-no-yaml");
        editor("model.train_ds.manifest_filepath", "", "edit-path");
        editor("model.optim.betas", "", "edit-list");
        const QModelIndex index = cell("model.optim.betas");
        tree()->edit(index);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down, Qt::AltModifier);
        auto* list = page()->findChild<ListEditor*>();
        QVERIFY(list && list->isVisible());
        shot("edit-list-items");
        list->close();
        QTRY_VERIFY(!page()->findChild<ListEditor*>());
    }

    void menus() {
        const QModelIndex index = cell("model.encoder.sync_max_audio_length").siblingAtColumn(RecipeModel::Key);
        emit tree()->customContextMenuRequested(tree()->visualRect(index).center());
        QTRY_VERIFY(QApplication::activePopupWidget());
        shot("menu");
        QApplication::activePopupWidget()->close();
        QMenu* compare = page()->recipe()->compareButton()->menu();
        compare->popup(
            page()->recipe()->compareButton()->mapToGlobal(page()->recipe()->compareButton()->rect().bottomLeft()));
        shot("menu-compare");
        compare->close();
    }

    void added() {
        cell("trainer.devices");
        page()->recipe()->askForKey();
        shot("add-empty");
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("devices"));
        shot("add-there");
        page()->recipe()->findChild<AddKeyBar*>()->hide();
    }

    void broken() {
        QString text = page()->textPane()->editor()->shownText();
        page()->textPane()->editor()->setFocus();
        QTest::keyClicks(page()->textPane()->editor(), QStringLiteral("broken: [1, 2"));
        QTest::keyClick(page()->textPane()->editor(), Qt::Key_Return);
        planned();
        page()->textPane()->info()->showTab(InfoPane::Problems);
        QVERIFY(!page()->file()->evaluation()->ok());
        shot("broken-text");
        undoAll();
        planned();
        QCOMPARE(page()->textPane()->editor()->shownText(), text);
        edit("model.train_ds.num_workers", "0");
        planned();
        page()->textPane()->info()->showTab(InfoPane::Key);
        emit page()->recipe()->explainRequested(QStringLiteral("model.train_ds.num_workers"));
        shot("unsaved");
        page()->textPane()->info()->showTab(InfoPane::Changes);
        shot("unsaved-changes");
        undoAll();
    }

    void planStates() {
        page()->textPane()->info()->showTab(InfoPane::Plan);
        edit("trainer.max_steps", "81");
        QVERIFY(page()->dryRun()->isBusy());
        shot("dry-run-working");
        planned();
        edit("model.train_ds.manifest_filepath", "/data/librispeech/train.json");
        planned();
        shot("dry-run-no-manifest");
        auto* launch = page()->launchPanel();
        LaunchFields fields = launch->fields();
        fields.runsDir = m_home.filePath(QStringLiteral("runs"));
        launch->setFields(fields);
        page()->launch(); // a launch that would be refused is not tried
        QVERIFY(launch->problem().isEmpty());
        QVERIFY(!launch->findChild<QPushButton*>()->isEnabled());
        shot("launch-refused");
        undoAll();
        planned();
        launch->findChild<QLineEdit*>()->setText(QStringLiteral("trainer.no_such=1"));
        planned();
        shot("override-wrong");
        launch->findChild<QLineEdit*>()->setText(QStringLiteral("trainer.devices=4096"));
        planned();
        shot("override-many");
        launch->findChild<QLineEdit*>()->clear();
        qputenv("RANKSCOPECTL", "/nowhere/rankscopectl");
        edit("trainer.max_steps", "82");
        planned();
        shot("dry-run-failed");
        qputenv("RANKSCOPECTL", qgetenv("RANKSCOPE_REAL_CTL"));
        undoAll();
        planned();
    }

    void compared() {
        const QString run = m_home.filePath(QStringLiteral("runs/20260312-0930-nest-small"));
        QVERIFY(QDir().mkpath(run));
        QFile::remove(run + QStringLiteral("/effective.yaml"));
        QVERIFY(QFile::copy(QFileInfo(m_quickstart).absolutePath() + QStringLiteral("/nest_small.yaml"),
                            run + QStringLiteral("/effective.yaml")));
        page()->findChild<Comparisons*>()->addRun(run);
        QTRY_COMPARE(page()->findChild<Comparisons*>()->all().size(), std::size_t(1));
        page()->recipe()->setOnlyDifferent(true);
        shot("compare-run");
        page()->recipe()->setOnlyDifferent(false);
        page()->findChild<Comparisons*>()->clear();
    }

    void dropped() {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(m_quickstart)});
        QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(page(), &enter);
        QVERIFY(enter.isAccepted());
        shot("drop");
        QDragLeaveEvent leave;
        QApplication::sendEvent(page(), &leave);
    }

    QString m_nemo;
};

RANKSCOPE_GUI_TEST(ConfigEditingStates)
#include "tst_config_editing_states.moc"
