// SPDX-License-Identifier: GPL-3.0-or-later
// Every state of the Configure page fits the smallest window, in both languages. With RANKSCOPE_SHOTS=DIR each is saved
// as a picture for inspection, in both themes and three sizes.
#include "tests/support/test_runner.h"
#include "tests/widgets/config/page/config_states.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/recipe/comparisons.h"
#include "widgets/config/tree/recipe_view.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QPushButton>
#include <QTreeView>

#include <unistd.h>

using namespace rankscope::ui;

class ConfigStates : public ConfigStatesBase {
    Q_OBJECT

private slots:
    void initTestCase() { prepare(); }
    void everyStateFits_data() { addLooks(); }

    void everyStateFits() {
        openWindow();
        shot("welcome");
        openRecipe();
        if (QTest::currentTestFailed())
            return;
        shot("open");
        page()->textPane()->info()->showTab(InfoPane::Plan);
        shot("dry-run");
        differing();
        explained();
        compared();
        wrong();
        changedOnDisk();
        recovered();
        m_window.reset();
    }

private:
    void differing() {
        page()->recipe()->setOnlyDifferent(true);
        shot("only-differing");
        QVERIFY(page()->recipe()->tree()->model()->rowCount() > 0);
        page()->recipe()->setOnlyDifferent(false);
    }

    void explained() {
        emit page()->recipe()->explainRequested(QStringLiteral("model.encoder.sync_max_audio_length"));
        shot("risk");
    }

    void compared() {
        const QString configs = QFileInfo(m_quickstart).absolutePath();
        for (const char* name : {"nest_small.yaml", "nest_large.yaml"})
            page()->findChild<Comparisons*>()->addFile(configs + QLatin1Char('/') + QLatin1String(name),
                                                       QLatin1String(name));
        QTRY_COMPARE(page()->findChild<Comparisons*>()->all().size(), std::size_t(2));
        page()->recipe()->setOnlyDifferent(true);
        shot("compare-two");
        page()->recipe()->setOnlyDifferent(false);
        page()->findChild<Comparisons*>()->clear();
    }

    void wrong() {
        edit("trainer.sync_batchnrm", "true");
        edit("model.encoder.n_heads", "7");
        edit("model.train_ds.batch_size", "many");
        planned();
        QVERIFY(!page()->file()->evaluation()->ok());
        page()->textPane()->info()->showTab(InfoPane::Problems);
        page()->recipe()->reveal(QStringLiteral("model.train_ds.batch_size"));
        shot("problems");
        undoAll();
    }

    void changedOnDisk() {
        edit("trainer.max_steps", "77");
        QFile file(m_recipe);
        QVERIFY(file.open(QIODevice::Append));
        file.write("# by somebody else\n");
        file.close();
        QTRY_VERIFY(page()->notice()->isVisible());
        const auto buttons = page()->notice()->findChildren<QPushButton*>();
        QTest::mouseClick(buttons.last(), Qt::LeftButton);
        planned();
        shot("changed-on-disk");
        page()->file()->discardEdits();
    }

    void recovered() {
        const QString drafts = m_home.filePath(QStringLiteral("drafts"));
        {
            ConfigFile file;
            file.setDraftDir(drafts);
            QVERIFY(file.open(m_recipe));
            QVERIFY(file.setValue(QStringLiteral("trainer.max_steps"), QStringLiteral("78")));
            QTRY_VERIFY(!QDir(drafts).entryList({QStringLiteral("*.draft")}, QDir::Files).isEmpty());
            file.setDraftDir({});
        }
        for (const QFileInfo& draft : QDir(drafts).entryInfoList({QStringLiteral("*.draft")}, QDir::Files))
            // pretends that the draft is another window's
            QVERIFY(QFile::rename(draft.filePath(), draft.filePath().replace(QStringLiteral("-%1.").arg(::getpid()),
                                                                             QStringLiteral("-1."))));
        page()->notice()->clear();
        page()->file()->setDraftDir(drafts);
        m_window->openConfig(m_recipe);
        planned();
        QVERIFY(page()->notice()->isVisible());
        page()->textPane()->info()->showTab(InfoPane::Changes);
        shot("recovered");
        page()->file()->dropDraft();
        page()->file()->setDraftDir({});
    }
};

RANKSCOPE_GUI_TEST(ConfigStates)
#include "tst_config_states.moc"
