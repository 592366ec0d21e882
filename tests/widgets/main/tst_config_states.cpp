// SPDX-License-Identifier: GPL-3.0-or-later
// Every state of the Configure page fits the smallest window, in both languages. With RANKSCOPE_SHOTS=DIR each is
// written as a picture, in both themes and three sizes, to be looked at.
#include "widgets/config/comparison.h"
#include "widgets/config/config_page.h"
#include "widgets/config/decisive_card.h"
#include "widgets/config/dry_run.h"
#include "widgets/config/info_pane.h"
#include "widgets/config/launch_panel.h"
#include "widgets/config/notice_bar.h"
#include "widgets/config/recipe_model.h"
#include "widgets/config/recipe_view.h"
#include "widgets/config/yaml_editor.h"
#include "widgets/main_window/language.h"
#include "widgets/main_window/main_window.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include <unistd.h>

using namespace rankscope::ui;

class ConfigStates : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_home.path().toLocal8Bit());
        qputenv("RANKSCOPECTL", qgetenv("RANKSCOPE_REAL_CTL"));
        m_shots = qEnvironmentVariable("RANKSCOPE_SHOTS");
        m_quickstart = QFileInfo(QFINDTESTDATA("../../../configs/quickstart.yaml")).absoluteFilePath();
    }

    void everyStateFits_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("theme");
        QTest::addColumn<QSize>("size");
        const QList<QSize> sizes =
            m_shots.isEmpty() ? QList<QSize>{{1024, 640}} : QList<QSize>{{1024, 640}, {1440, 900}, {2560, 1440}};
        for (const char* language : {"en", "zh"})
            for (const char* theme : {"light", "dark"})
                for (const QSize& size : sizes)
                    QTest::addRow("%s-%s-%d", language, theme, size.width())
                        << QString::fromLatin1(language) << QString::fromLatin1(theme) << size;
    }

    void everyStateFits() {
        QFETCH(QString, language);
        QFETCH(QString, theme);
        QFETCH(QSize, size);
        setLanguage(language);
        Theme::instance().apply(theme == QLatin1String("dark") ? Theme::Mode::Dark : Theme::Mode::Light);
        m_recipe = m_home.filePath(QStringLiteral("recipe.yaml"));
        QFile::remove(m_recipe);
        QVERIFY(QFile::copy(m_quickstart, m_recipe));
        QFile::setPermissions(m_recipe, QFile::ReadOwner | QFile::WriteOwner);
        WindowOptions options;
        options.runsDir = m_home.filePath(QStringLiteral("runs"));
        options.remember = false;
        m_window = std::make_unique<MainWindow>(options);
        m_window->resize(size);
        page()->launchPanel()->setStartDir(QFileInfo(QFileInfo(m_quickstart).absolutePath()).absolutePath());
        m_window->show();
        m_window->start();
        m_window->showPage(Page::Configure);
        shot("welcome");
        m_window->openConfig(m_recipe);
        planned();
        if (QTest::currentTestFailed())
            return;
        shot("open");
        page()->info()->showTab(InfoPane::Plan);
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
    ConfigPage* page() const { return m_window->configPage(); }
    void planned() {
        QTRY_VERIFY(page()->isComplete());
        QTRY_VERIFY_WITH_TIMEOUT(!page()->dryRun()->isBusy(), 60000);
    }

    void shot(const char* state) {
        QTest::qWait(30); // what is queued and what is painted later
        QFETCH(QSize, size);
        QCOMPARE(m_window->size(), size);
        for (const DecisiveCard* card : {page()->card(0), page()->card(1), page()->card(2)})
            if (card->isVisible())
                for (const QLabel* label : card->findChildren<QLabel*>())
                    if (label->isVisible() && label->wordWrap())
                        QVERIFY2(label->heightForWidth(label->width()) <= label->height() + 1,
                                 qPrintable(label->text()));
        if (!m_shots.isEmpty())
            QVERIFY(m_window->grab().save(
                QStringLiteral("%1/%2-%3.png")
                    .arg(m_shots, QString::fromLatin1(QTest::currentDataTag()), QString::fromLatin1(state))));
    }

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
            page()->comparisons()->addFile(configs + QLatin1Char('/') + QLatin1String(name), QLatin1String(name));
        QTRY_COMPARE(page()->comparisons()->all().size(), std::size_t(2));
        page()->recipe()->setOnlyDifferent(true);
        shot("compare-two");
        page()->recipe()->setOnlyDifferent(false);
        page()->comparisons()->clear();
    }

    void wrong() {
        RecipeModel* model = page()->recipe()->model();
        emit model->editRequested(QStringLiteral("trainer.sync_batchnrm"), QStringLiteral("true"));
        emit model->editRequested(QStringLiteral("model.encoder.n_heads"), QStringLiteral("7"));
        emit model->editRequested(QStringLiteral("model.train_ds.batch_size"), QStringLiteral("many"));
        planned();
        QVERIFY(!page()->file()->evaluation()->ok());
        page()->info()->showTab(InfoPane::Problems);
        page()->recipe()->reveal(QStringLiteral("model.train_ds.batch_size"));
        shot("problems");
        while (page()->file()->undoStack()->canUndo())
            page()->file()->undoStack()->undo();
    }

    void changedOnDisk() {
        emit page()->recipe()->model()->editRequested(QStringLiteral("trainer.max_steps"), QStringLiteral("77"));
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
            QVERIFY(
                QFile::rename(draft.filePath(), draft.filePath().replace(QStringLiteral("-%1.").arg(::getpid()),
                                                                         QStringLiteral("-1.")))); // another window's
        page()->notice()->clear();
        page()->file()->setDraftDir(drafts);
        m_window->openConfig(m_recipe);
        planned();
        QVERIFY(page()->notice()->isVisible());
        page()->info()->showTab(InfoPane::Changes);
        shot("recovered");
        page()->file()->dropDraft();
        page()->file()->setDraftDir({});
    }

    QTemporaryDir m_home;
    QString m_shots, m_quickstart, m_recipe;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(ConfigStates)
#include "tst_config_states.moc"
