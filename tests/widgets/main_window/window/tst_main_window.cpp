// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a whole: keys, pages, folding, immediate change of language and theme, what is remembered.
#include "core/base/values/clock.h"
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/synthetic_run.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/actions/shortcuts_panel.h"
#include "widgets/main_window/chrome/header_bar.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/runs/panel/run_list_model.h"
#include "widgets/runs/panel/runs_panel.h"
#include "widgets/runs_page/page/runs_page.h"
#include "widgets/theme/theme.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;
using test::SyntheticRun;

class Window : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_CACHE_HOME", m_home.filePath(QStringLiteral("cache")).toLocal8Bit());
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
        m_recipe = m_home.filePath(QStringLiteral("recipe.yaml"));
        QFile file(m_recipe);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("name: test # keep\ntrainer:\n  devices: 2\n");
        for (const char* id : {"20260101-100000-first-0001", "20260102-100000-second-0002"})
            makeRun(id);
    }

    void everyKeyIsUniqueAndEveryKeyOfTheListIsThere() {
        auto window = make();
        QSet<QString> seen;
        for (int i = 0; i < static_cast<int>(ActionId::Count); ++i)
            for (const QKeySequence& key : (*window->actions())[static_cast<ActionId>(i)]->shortcuts()) {
                QVERIFY2(!seen.contains(key.toString()), qPrintable(key.toString()));
                seen.insert(key.toString());
            }
        for (const char* key : {"Ctrl+O", "Ctrl+S", "Ctrl+Return", "Ctrl+.", "/",      "F",      "L",      "S",
                                "X",      "[",      "]",           "1",      "9",      "0",      "+",      "-",
                                "Ctrl+0", "Ctrl+E", "Ctrl+1",      "Ctrl+2", "Ctrl+3", "Ctrl+4", "Ctrl+5", "?"})
            QVERIFY2(seen.contains(QLatin1String(key)), key);
    }

    /// In a menu no two entries are reached by the same letter.
    void everyLetterOfAMenuIsUnique() {
        static const QRegularExpression marked(QStringLiteral("&(\\w)"));
        auto window = make();
        for (const ActionId language : {ActionId::LanguageChinese, ActionId::LanguageEnglish}) {
            (*window->actions())[language]->trigger();
            QCoreApplication::processEvents();
            for (const QAction* menu : window->menuBar()->actions()) {
                QSet<QString> seen;
                for (const QAction* entry : menu->menu()->actions()) {
                    const QString letter = marked.match(entry->text()).captured(1).toUpper();
                    QVERIFY2(letter.isEmpty() || !seen.contains(letter), qPrintable(entry->text()));
                    seen.insert(letter);
                }
            }
        }
    }

    void withoutARunEachPageSaysTheSame() {
        for (const char* code : {"en", "zh"}) {
            setLanguage(QLatin1String(code));
            auto window = make();
            QSet<QString> said;
            int pages = 0;
            for (const auto* label : window->findChildren<QLabel*>())
                if (label->text().startsWith(QStringLiteral("<b>")) &&
                    label->text().contains(QStringLiteral("<br><br>"))) {
                    said.insert(label->text());
                    ++pages;
                }
            setLanguage(QStringLiteral("en"));
            QCOMPARE(pages, 4); // review, timeline, incidents, logs
            QCOMPARE(said.size(), 1);
        }
    }

    void pagesByKey() {
        auto window = make();
        window->openConfig(m_recipe);
        QTest::keyClick(window.get(), Qt::Key_5, Qt::ControlModifier);
        QVERIFY(window->page() == Page::Logs);
        QTest::keyClick(window.get(), Qt::Key_3, Qt::ControlModifier);
        QVERIFY(window->page() == Page::Timeline);
        QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
        QVERIFY(window->page() == Page::Configure);
    }

    void lettersActOnPlotsOnlyWhereThePlotsAre() {
        auto window = make();
        window->openRun(run("first"));
        QAction* log = (*window->actions())[ActionId::LogScale];
        window->showPage(Page::Configure);
        QVERIFY(!log->isEnabled());
        window->showPage(Page::Review);
        QVERIFY(log->isEnabled());
        const bool before = log->isChecked();
        QTest::keyClick(window.get(), Qt::Key_L);
        QCOMPARE(log->isChecked(), !before);
    }

    void lettersAreTypedIntoTheSearchBox() {
        auto window = make();
        window->openRun(run("first"));
        window->showPage(Page::Review);
        QTest::keyClick(window.get(), Qt::Key_Slash);
        auto* search = window->findChild<RunsPanel*>()->findChild<QLineEdit*>();
        QTRY_VERIFY(search->hasFocus());
        QAction* log = (*window->actions())[ActionId::LogScale];
        const bool before = log->isChecked();
        QTest::keyClicks(search, QStringLiteral("fl/1"));
        QCOMPARE(search->text(), QStringLiteral("fl/1"));
        QCOMPARE(log->isChecked(), before);
    }

    void searchGoesToThePage() {
        auto window = make();
        window->openConfig(m_recipe);
        window->showPage(Page::Configure);
        QTest::keyClick(window.get(), Qt::Key_Slash);
        auto* focus = qobject_cast<QLineEdit*>(window->focusWidget());
        QVERIFY(focus);
        QVERIFY(window->findChild<ConfigPage*>()->isAncestorOf(focus));
    }

    void undoAndSaveByKey() {
        auto window = make();
        window->openConfig(m_recipe);
        ConfigFile* file = window->findChild<ConfigPage*>()->file();
        QVERIFY(file->setValue(QStringLiteral("trainer.devices"), QStringLiteral("4")));
        QVERIFY(window->findChild<ConfigPage*>()->parentWidget());
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!file->isDirty());
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(file->isDirty());
        QTest::keyClick(window.get(), Qt::Key_S, Qt::ControlModifier);
        QVERIFY(!file->isDirty());
        QFile saved(m_recipe);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        QCOMPARE(saved.readAll(), QByteArray("name: test # keep\ntrainer:\n  devices: 4\n"));
    }

    void keysAreListed() {
        auto window = make();
        QTest::keyClick(window.get(), Qt::Key_Question);
        QVERIFY(window->findChild<ShortcutsPanel*>()->isVisible());
        const auto has = [&](const QString& title, const QString& key) {
            for (const KeySection& section : window->findChild<ShortcutsPanel*>()->sections())
                if (section.title.startsWith(title))
                    for (const KeyLine& line : section.lines)
                        if (line.key.split(QStringLiteral("  ")).contains(key))
                            return true;
            return false;
        };
        QVERIFY(has(QStringLiteral("File"), QStringLiteral("Ctrl+O")));
        QVERIFY(has(QStringLiteral("Plots"), QStringLiteral("X")));
        // keys that only one page handles are listed under the page's name
        QVERIFY(has(QStringLiteral("Configure"), QStringLiteral("Ctrl+J")));
        QVERIFY(has(QStringLiteral("Review"), QStringLiteral("Alt+↑")));
        QVERIFY(has(QStringLiteral("Timeline"), QStringLiteral("Esc")));
        QVERIFY(has(QStringLiteral("Logs"), QStringLiteral("Ctrl+G")));
        QVERIFY(has(QStringLiteral("Runs"), QStringLiteral("T")));
        // everything can be reached, however small the window is
        auto* bar = window->findChild<ShortcutsPanel*>()->findChild<QScrollArea*>()->verticalScrollBar();
        QCOMPARE(bar->maximum(), 0);
        window->resize(1024, 640);
        QTRY_VERIFY(bar->maximum() > 0);
        QTest::keyClick(window->findChild<ShortcutsPanel*>(), Qt::Key_PageDown);
        QVERIFY(bar->value() > 0);
        QVERIFY(window->findChild<ShortcutsPanel*>()->geometry().bottom() < window->height());
        QTest::keyClick(window->findChild<ShortcutsPanel*>(), Qt::Key_Escape);
        QVERIFY(!window->findChild<ShortcutsPanel*>()->isVisible());
    }

    void sidebarFoldsWhenNarrow() {
        auto window = make();
        QVERIFY(!window->findChild<RunsPanel*>()->isFolded());
        QCOMPARE(window->findChild<RunsPanel*>()->width(), RunsPanel::kWidth);
        window->resize(1024, 640);
        QTRY_VERIFY(window->findChild<RunsPanel*>()->isFolded());
        QCOMPARE(window->size(), QSize(1024, 640));                 // no content makes the window wider
        emit window->findChild<RunsPanel*>()->foldRequested(false); // the user's choice stays at this width
        QVERIFY(!window->findChild<RunsPanel*>()->isFolded());
        window->resize(1440, 900);
        QTRY_VERIFY(!window->findChild<RunsPanel*>()->isFolded());
    }

    void runsAreListedAndOpened() {
        auto window = make();
        QTRY_COMPARE(window->findChild<RunsPanel*>()->findChild<RunListModel*>()->rowCount(), 2);
        window->openRun(run("second"));
        QVERIFY(window->session());
        QTRY_VERIFY(window->windowTitle().contains(QStringLiteral("20260102-100000-second-0002")));
        window->openRun(QStringLiteral("first")); // a part of its id is enough
        QVERIFY(QString::fromStdString(window->session()->run().dir.string()).endsWith(QStringLiteral("first-0001")));
        window->openRun(QStringLiteral("no-such-run"));
        QVERIFY(window->problem().contains(QStringLiteral("no-such-run")));
    }

    /// A run in another folder, launched or opened there, stays in the list as long as the window is open.
    void aRunElsewhereIsListedOnceItIsOpened() {
        QTemporaryDir other;
        const QString id = QStringLiteral("20260103-100000-away-0003");
        makeRun(id.toUtf8().constData());
        const QString away = other.filePath(id);
        QVERIFY(QDir().rename(QDir(runsDir()).filePath(id), away));
        auto window = make();
        auto* list = window->findChild<RunsPanel*>()->findChild<RunListModel*>();
        QTRY_COMPARE(list->rowCount(), 2);
        QVERIFY(window->openRun(away));
        QTRY_COMPARE(list->rowCount(), 3);
        const auto* shown = window->findChild<RunsPanel*>()->findChild<QListView*>();
        QTRY_COMPARE(shown->currentIndex().data(RunListModel::DirRole).toString(), away);
        QVERIFY(shown->selectionModel()->isSelected(shown->currentIndex()));
        const auto row = list->rowOf(away);
        QVERIFY(row >= 0);
        QVERIFY(
            list->index(row).data(RunListModel::DetailRole).toString().contains(QFileInfo(other.path()).fileName()));
        window->openRun(run("first")); // another run is opened
        QTest::qWait(1500);            // until the list has been read again
        QCOMPARE(list->rowCount(), 3);
    }

    /// While another recipe, all runs or logs are shown, the open run's header recedes and does not offer to launch.
    /// While another recipe is shown, the window's title is the page's.
    void theOpenRunStepsBackOnPagesAboutOtherThings() {
        auto window = make();
        window->openRun(run("first"));
        const auto* header = window->findChild<HeaderBar*>();
        const auto relaunch = [&] {
            const auto buttons = header->findChildren<QPushButton*>();
            return std::any_of(buttons.begin(), buttons.end(), [&](const QPushButton* button) {
                return button->isVisible() && button->text() == QLatin1String("Relaunch with changes");
            });
        };
        const auto isNamed = [&] {
            const auto labels = header->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
                return label->text().startsWith(QStringLiteral("Open run: "));
            });
        };
        const auto belongs = [&] {
            return relaunch() && !isNamed() && window->windowTitle().contains(QStringLiteral("first"));
        };
        window->showPage(Page::Review);
        QTRY_VERIFY(belongs());
        window->openConfig(m_recipe);
        QVERIFY(!relaunch() && isNamed());
        QVERIFY(window->windowTitle().startsWith(QStringLiteral("recipe.yaml")));
        const int height = header->height();
        const auto* steps = header->findChild<QLabel*>(QStringLiteral("headerStep"));
        for (const Page page : {Page::Configure, Page::Runs, Page::Explain}) { // about other things than the open run
            window->showPage(page);
            QVERIFY(!relaunch() && isNamed() && header->isVisible());
            QCOMPARE(steps->foregroundRole(), QPalette::PlaceholderText);
        }
        window->showPage(Page::Review);
        QVERIFY(belongs());
        QCOMPARE(steps->foregroundRole(), QPalette::WindowText);
        QCOMPARE(header->height(), height); // the tabs do not move
        window->showPage(Page::Configure);
        QVERIFY(!belongs());
        auto* config = window->findChild<ConfigPage*>();
        config->showRun(run("first")); // the open run's own settings
        QTRY_VERIFY(config->showsRun());
        QVERIFY(belongs());
        config->showRecipe();
        QVERIFY(!belongs());
    }

    void stopIsOnlyForLiveRuns() {
        auto window = make();
        window->openRun(run("first"));
        QTest::qWait(50);
        QVERIFY(!(*window->actions())[ActionId::Stop]->isEnabled());
        QVERIFY(!(*window->actions())[ActionId::StopNow]->isEnabled());
        QVERIFY((*window->actions())[ActionId::Relaunch]->isEnabled());
    }

    /// After Ctrl-C in its terminal, a command decides what follows: an orderly stop remains possible.
    void aCommandThatGoesOnAfterCtrlCCanBeStopped() {
        SyntheticRun live(2, launch::RunState::Stopping, 400);
        for (const bool watched : {false, true}) {
            launch::RunInfo info = live.info();
            if (watched)
                info.command = {"python", "train.py"};
            QVERIFY(launch::writeRunInfo(live.paths(), info));
            auto window = make();
            window->openRun(QString::fromStdString(live.paths().dir.string()));
            QTRY_VERIFY((*window->actions())[ActionId::StopNow]->isEnabled());
            QCOMPARE((*window->actions())[ActionId::Stop]->isEnabled(), watched);
        }
    }

    /// For example by a suspended supervisor: the earlier message disappears, and Stop can be pressed again.
    void aRefusedStopCanBeAskedForAgain() {
        const QString ctl = m_home.filePath(QStringLiteral("rankscopectl"));
        QFile script(ctl);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(
            "#!/bin/sh\n[ \"$1\" != stop ] || { echo 'rankscopectl: its supervisor is stopped' >&2; exit 2; }\n");
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        qputenv("RANKSCOPECTL", ctl.toUtf8());
        SyntheticRun live(2, launch::RunState::Running, 400);
        auto window = make();
        const auto* notice = window->findChild<NoticeStrip*>();
        const auto* status = window->findChild<StatusLine*>();
        QAction *stop = (*window->actions())[ActionId::Stop], *now = (*window->actions())[ActionId::StopNow];
        window->openRun(QString::fromStdString(live.paths().dir.string()));
        QTRY_VERIFY(stop->isEnabled());
        for (int again = 0; again < 2; ++again) {
            stop->trigger();
            QVERIFY(!stop->isEnabled() && now->isEnabled());
            QVERIFY(notice->text().isEmpty() && !status->currentMessage().isEmpty());
            QTRY_VERIFY2(notice->text().contains(QStringLiteral("its supervisor is stopped")),
                         qPrintable(notice->text()));
            QVERIFY(stop->isEnabled() && !now->isEnabled());
            QVERIFY2(status->currentMessage().isEmpty(), qPrintable(status->currentMessage()));
        }
        window->openRun(run("first"));
        qunsetenv("RANKSCOPECTL");
        QVERIFY2(notice->text().isEmpty(), qPrintable(notice->text()));
    }

    void resumeIsForRunsThatEndedEarlyAndLeftACheckpoint() {
        const auto left = [this](const char* id, launch::RunState state, bool checkpoint) {
            makeRun(id, state);
            const launch::RunPaths paths{std::filesystem::path(runsDir().toStdString()) / id};
            std::filesystem::create_directories(paths.checkpoints());
            QFile file(QString::fromStdString((paths.checkpoints() / "step=10.safetensors").string()));
            return !checkpoint || file.open(QIODevice::WriteOnly);
        };
        QVERIFY(left("20260103-100000-done-0003", launch::RunState::Finished, true));
        QVERIFY(left("20260103-100000-bare-0004", launch::RunState::Failed, false));
        QVERIFY(left("20260103-100000-ended-0005", launch::RunState::Stopped, true));
        auto window = make();
        QAction* resume = (*window->actions())[ActionId::Resume];
        for (const char* name : {"done", "bare"}) {
            window->openRun(QLatin1String(name));
            QTRY_VERIFY(window->windowTitle().contains(QLatin1String(name)));
            QTRY_VERIFY((*window->actions())[ActionId::Relaunch]->isEnabled());
            QVERIFY2(!resume->isEnabled() && !resume->isVisible(), name);
        }
        window->openRun(QStringLiteral("ended"));
        QTRY_VERIFY(resume->isEnabled());
        resume->trigger();
        QVERIFY(!resume->isEnabled()); // disabled while a resume is in progress
        // the run has no effective.yaml: the command line's error is shown, and it can be tried again
        QTRY_VERIFY_WITH_TIMEOUT(resume->isEnabled(), 20'000);
        QVERIFY(window->findChild<NoticeStrip*>()->text().contains(QStringLiteral("was not resumed")));
        for (const char* id : {"20260103-100000-done-0003", "20260103-100000-bare-0004", "20260103-100000-ended-0005"})
            std::filesystem::remove_all(std::filesystem::path(runsDir().toStdString()) / id);
    }

    void languageActsAtOnce() {
        auto window = make();
        auto* tabs = window->findChild<QTabWidget*>();
        QCOMPARE(tabs->tabText(4), QStringLiteral("Logs"));
        (*window->actions())[ActionId::LanguageChinese]->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(tabs->tabText(4), QStringLiteral("日志"));
        (*window->actions())[ActionId::LanguageEnglish]->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(tabs->tabText(4), QStringLiteral("Logs"));
    }

    void themeActsAtOnce() {
        auto window = make();
        (*window->actions())[ActionId::ThemeDark]->trigger();
        QVERIFY(Theme::instance().palette().dark);
        QCOMPARE(qApp->palette().color(QPalette::Window), QColor(0x16, 0x18, 0x1d));
        (*window->actions())[ActionId::ThemeLight]->trigger();
        QCOMPARE(qApp->palette().color(QPalette::Window), QColor(0xf6, 0xf7, 0xf9));
    }

    void sessionIsRemembered() {
        {
            auto window = make(true);
            window->openConfig(m_recipe);
            window->openRun(run("second"));
            window->showPage(Page::Logs);
            (*window->actions())[ActionId::ShowCards]->trigger();
            window->close();
        }
        auto window = make(true);
        QCOMPARE(window->findChild<ConfigPage*>()->file()->path(), m_recipe);
        QVERIFY(window->session());
        QVERIFY(QString::fromStdString(window->session()->run().dir.string()).endsWith(QStringLiteral("second-0002")));
        QVERIFY(window->page() == Page::Logs);
        QVERIFY(!(*window->actions())[ActionId::ShowCards]->isChecked()); // what was hidden is still hidden
        QVERIFY(!window->findChild<ConfigPage*>()->cards()->isVisibleTo(window->findChild<ConfigPage*>()));
        (*window->actions())[ActionId::ShowCards]->trigger();
        window->close();
    }

    void whatIsGoneIsForgottenWithoutAWord() {
        {
            auto window = make(true);
            const QString gone = m_home.filePath(QStringLiteral("gone.yaml"));
            QVERIFY(QFile::copy(m_recipe, gone));
            window->openConfig(gone);
            window->close();
            QVERIFY(QFile::remove(gone));
        }
        auto window = make(true);
        QVERIFY(!window->findChild<ConfigPage*>()->file()->isOpen());
        QVERIFY(window->problem().isEmpty());
    }

    void whatIsOpenIsRememberedBeforeTheEnd() {
        auto window = make(true);
        window->openRun(run("second"));
        window->showPage(Page::Logs);
        QTRY_COMPARE_WITH_TIMEOUT(WindowSettings::load().lastRun, run("second"), 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(WindowSettings::load().page, static_cast<int>(Page::Logs), 10'000);
        window->openRun(run("first")); // on the same page
        QTRY_COMPARE_WITH_TIMEOUT(WindowSettings::load().lastRun, run("first"), 10'000);
    }

    void onlyAWindowThatRemembersKeepsWhatItRead() {
        const QString kept = m_home.filePath(QStringLiteral("cache/rankscope/runs"));
        QTest::qWait(150); // until the runs are old enough to be kept
        for (const bool remembers : {false, true}) {
            QVERIFY(QDir(kept).removeRecursively());
            auto window = make(remembers);
            QTRY_VERIFY_WITH_TIMEOUT(window->findChild<RunsPage*>()->isComplete(), 10'000);
            window.reset(); // at its end at the latest
            QCOMPARE(QFileInfo::exists(kept), remembers);
        }
    }

private:
    QString runsDir() const { return m_home.filePath(QStringLiteral("runs")); }
    QString run(const char* part) const {
        return runsDir() + (qstrcmp(part, "first") == 0 ? QStringLiteral("/20260101-100000-first-0001")
                                                        : QStringLiteral("/20260102-100000-second-0002"));
    }
    std::unique_ptr<MainWindow> make(bool remember = false) {
        WindowOptions options;
        options.runsDir = runsDir();
        options.remember = remember;
        auto window = std::make_unique<MainWindow>(options);
        window->resize(1440, 900);
        window->show();
        window->activateWindow();
        (void)QTest::qWaitForWindowActive(window.get());
        window->start();
        return window;
    }
    void makeRun(const char* id, launch::RunState state = launch::RunState::Finished) {
        const launch::RunPaths paths{std::filesystem::path(runsDir().toStdString()) / id};
        std::filesystem::create_directories(paths.dir);
        launch::RunInfo info;
        info.id = info.name = id;
        info.state = state;
        info.worldSize = 2;
        info.totalSteps = 100;
        info.startNs = monotonicNs();
        info.startRealtimeNs = realtimeNs() - 60'000'000'000;
        info.endRealtimeNs = info.startRealtimeNs + 1'000'000'000;
        QVERIFY(launch::writeRunInfo(paths, info));
        QFile config(QString::fromStdString(paths.config().string()));
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write("name: test\n");
    }

    QTemporaryDir m_home;
    QString m_recipe;
};

RANKSCOPE_GUI_TEST(Window)
#include "tst_main_window.moc"
