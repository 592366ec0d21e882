// SPDX-License-Identifier: GPL-3.0-or-later
// The open run's folder is moved away: one notice says so, nothing can be started from the run, and it may come back.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "tests/widgets/run_end/checkpoint_files.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/chrome/status_line.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/run_end/missing_folder_notice.h"

#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>

#include <filesystem>

using namespace rankscope;
using namespace rankscope::ui;
using test::SyntheticRun;

class FolderGone : public QObject {
    Q_OBJECT
    QTemporaryDir m_home;

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_home.path().toLocal8Bit());
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
    }

    void itIsSaidOnce_data() {
        QTest::addColumn<bool>("live");
        QTest::newRow("ended") << false;
        QTest::newRow("live") << true;
    }
    void itIsSaidOnce() {
        QFETCH(bool, live);
        SyntheticRun run(2, launch::RunState::Running, 400);
        run.addSteps(50, test::describe);
        test::writeCheckpoint(run.paths(), "last.safetensors", 50);
        if (!live) {
            run.finishStore();
            run.setState(launch::RunState::Stopped, "stopped by the user at step 49");
        }
        WindowOptions options;
        options.remember = false;
        options.runsDir = m_home.path();
        MainWindow window(options);
        window.resize(1200, 800);
        window.show();
        window.start();
        const QString dir = QString::fromStdString(run.paths().dir.string());
        window.openRun(dir);
        window.showPage(Page::Review);
        QTRY_VERIFY_WITH_TIMEOUT(window.isComplete() && window.session()->view().step == 49, 20'000);
        auto* notice = window.findChild<MissingFolderNotice*>();
        QVERIFY(notice && !notice->isVisible());
        const auto& acts = *window.actions();
        QVERIFY(acts[ActionId::ExportRun]->isEnabled());

        const auto away = std::filesystem::path(m_home.path().toStdString()) / "away";
        std::filesystem::rename(run.paths().dir, away);
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), 15'000);
        const QString text = notice->findChild<QLabel*>()->text();
        QVERIFY2(text.contains(dir), qPrintable(text));
        for (const ActionId act : {ActionId::Stop, ActionId::StopNow, ActionId::Resume, ActionId::Relaunch,
                                   ActionId::Export, ActionId::ExportRun, ActionId::ExportWeights})
            QVERIFY2(!acts[act]->isEnabled(), qPrintable(acts[act]->text()));
        QVERIFY(!launch::isLive(window.session()->view().info.state));
        if (live)
            QVERIFY(window.session()->view().ranks[0].status.words.english().starts_with("last seen at step"));
        QVERIFY(window.session()->view().problem.isEmpty());
        QCOMPARE(window.session()->view().step, 49); // the data that was read stays
        QVERIFY2(!window.findChild<StatusLine*>()->currentMessage().contains(QLatin1String("No such file")),
                 qPrintable(window.findChild<StatusLine*>()->currentMessage()));

        std::filesystem::rename(away, run.paths().dir);
        for (auto* button : notice->findChildren<QPushButton*>())
            if (button->text() == QLatin1String("Check again"))
                QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!notice->isVisible(), 15'000);
        QTRY_VERIFY(acts[ActionId::ExportRun]->isEnabled());

        std::filesystem::rename(run.paths().dir, away);
        QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible(), 15'000);
        for (auto* button : notice->findChildren<QPushButton*>())
            if (button->text() == QLatin1String("Close run"))
                QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!window.session());
        QVERIFY(!notice->isVisible());
        std::filesystem::rename(away, run.paths().dir);
    }
};

RANKSCOPE_GUI_TEST(FolderGone)
#include "tst_missing_folder.moc"
