// SPDX-License-Identifier: GPL-3.0-or-later
// Theme and language change while a recipe is open: the page then looks the same as one that was created with them.
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/theme/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope::ui;
namespace launch = rankscope::launch;

class ConfigLooks : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (qEnvironmentVariableIsSet("RANKSCOPE_REAL_CTL"))
            qputenv("RANKSCOPECTL", qgetenv("RANKSCOPE_REAL_CTL"));
        QApplication::setCursorFlashTime(0);
        QFile file(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        m_run = m_home.filePath(QStringLiteral("runs/t-quickstart-e6a6"));
        launch::RunInfo info;
        info.id = "t-quickstart-e6a6";
        info.name = "quickstart";
        info.state = launch::RunState::Finished;
        info.worldSize = 2;
        info.configPath = m_home.filePath(QStringLiteral("recipe.yaml")).toStdString();
        QVERIFY(QDir().mkpath(m_run));
        QVERIFY(launch::writeRunInfo({m_run.toStdString()}, info));
        for (const char* name : {"/config.yaml", "/effective.yaml"}) {
            QFile copy(m_run + QLatin1String(name));
            QVERIFY(copy.open(QIODevice::WriteOnly));
            copy.write(text);
        }
    }

    void switchedIsAsMade_data() {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<QString>("language");
        QTest::addColumn<bool>("settings");
        for (const bool settings : {false, true})
            for (const bool dark : {false, true})
                for (const char* language : {"en", "zh"})
                    QTest::addRow("%s %s %s", settings ? "run" : "recipe", dark ? "dark" : "light", language)
                        << dark << QString::fromLatin1(language) << settings;
    }

    void switchedIsAsMade() {
        QFETCH(bool, dark);
        QFETCH(QString, language);
        QFETCH(bool, settings);
        const auto look = [](bool asDark, const QString& in) {
            setLanguage(in);
            Theme::instance().apply(asDark ? Theme::Mode::Dark : Theme::Mode::Light);
        };
        look(!dark, language == QLatin1String("en") ? QStringLiteral("zh") : QStringLiteral("en"));
        const auto switched = made(settings);
        if (QTest::currentTestFailed())
            return;
        look(dark, language); // and back again
        look(!dark, language == QLatin1String("en") ? QStringLiteral("zh") : QStringLiteral("en"));
        look(dark, language);
        settle(*switched);
        const QStringList words = wordsOf(*switched);
        const QImage seen = switched->grab().toImage();
        switched->hide();
        const auto fresh = made(settings);
        settle(*fresh);
        QCOMPARE(words, wordsOf(*fresh));
        const QImage wanted = fresh->grab().toImage();
        if (seen != wanted) {
            const QString dir = qEnvironmentVariable("RANKSCOPE_SHOTS", m_home.path());
            seen.save(dir + QStringLiteral("/switched.png"));
            wanted.save(dir + QStringLiteral("/fresh.png"));
            QFAIL(qPrintable(QStringLiteral("the pictures differ: ") + dir));
        }
    }

private:
    std::unique_ptr<ConfigPage> made(bool settings) {
        QDir::setCurrent(QStringLiteral(RANKSCOPE_SOURCE_DIR));
        auto page = std::make_unique<ConfigPage>();
        page->resize(1200, 760);
        page->launchPanel()->setDefaultRunsDir(QStringLiteral("/runs"));
        page->show();
        [&] {
            QVERIFY(QTest::qWaitForWindowActive(page.get()));
            if (settings) {
                page->showRun(m_run);
                QTRY_VERIFY(page->showsRun() && page->isComplete());
                return;
            }
            page->openCopyWith(m_run, QStringLiteral("trainer.max_steps"), QStringLiteral("20"));
            QTRY_VERIFY(page->isComplete());
            QTRY_VERIFY_WITH_TIMEOUT(!page->dryRun()->isBusy(), 60'000);
            QTRY_COMPARE(page->recipe()->currentKey(), QStringLiteral("trainer.max_steps"));
            page->textPane()->info()->showTab(InfoPane::Plan);
            QVERIFY(page->notice()->isVisible());
        }();
        return page;
    }
    static void settle(ConfigPage& page) {
        if (!page.showsRun()) {
            QTRY_VERIFY(page.isComplete());
            QTRY_VERIFY_WITH_TIMEOUT(!page.dryRun()->isBusy(), 60'000);
        }
        QTest::qWait(350); // the launch panel's overrides are read after a pause
        QTRY_VERIFY(page.isComplete() && !page.dryRun()->isBusy());
    }
    static QStringList wordsOf(const ConfigPage& page) {
        QStringList words;
        for (const QLabel* label : page.findChildren<QLabel*>())
            if (label->isVisible())
                words << label->text() + QLatin1Char('|') + label->palette().color(QPalette::WindowText).name();
        for (const QAbstractButton* button : page.findChildren<QAbstractButton*>())
            if (button->isVisible())
                words << button->text() + QLatin1Char('|') + button->toolTip();
        words.sort();
        return words;
    }

    QTemporaryDir m_home;
    QString m_run;
};

RANKSCOPE_GUI_TEST(ConfigLooks)
#include "tst_config_looks.moc"
