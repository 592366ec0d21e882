// SPDX-License-Identifier: GPL-3.0-or-later
// Uses keys alone, sent to the window with the focus: open a recipe, find sync_max, set it to false, see what the step
// costs then, save, launch. The launch uses the real rankscopectl, and the trainer that RANKSCOPE_TRAINER or the build
// provides; without a trainer, a program that records its arguments replaces rankscopectl for the launch.
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/config/sync/sync_card.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QProcess>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTreeView>
#include <QWindow>

using namespace rankscope::ui;
namespace launch = rankscope::launch;

class Keyboard : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", m_home.path().toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_home.path().toLocal8Bit());
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); // the test cannot see the system's own dialogs
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("en"));
        const QString quickstart =
            QFileInfo(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml")).absoluteFilePath();
        m_project = QFileInfo(QFileInfo(quickstart).absolutePath()).absolutePath();
        QFile file(quickstart);
        QVERIFY(file.open(QIODevice::ReadOnly));
        m_before = file.readAll();
        QCOMPARE(m_before.count("sync_max_audio_length: true"), 1);
    }

    void init() {
        m_recipe = m_home.filePath(QStringLiteral("recipe.yaml"));
        write(m_recipe, m_before);
        WindowOptions options;
        options.runsDir = m_home.filePath(QStringLiteral("runs"));
        options.remember = false;
        QDir::setCurrent(m_project);
        m_window = std::make_unique<MainWindow>(options);
        m_window->resize(1280, 800);
    }
    void cleanup() {
        stopRuns();
        m_window.reset();
    }

    void openFindSetSeeSaveLaunch() {
        const bool real = useCommandLine();
        m_window->show();
        m_window->start();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));

        openByKeys();
        if (QTest::currentTestFailed())
            return;
        QTRY_COMPARE_WITH_TIMEOUT(page()->dryRun()->state(), PlanRequest::PlanState::Ready, 60'000);
        const QString before = costShown();
        QVERIFY2(before.contains(QStringLiteral("1 collective")) && before.contains(QStringLiteral("can hang")),
                 qPrintable(before));

        press(Qt::Key_Slash);
        QCOMPARE(QApplication::focusWidget(), page()->recipe()->search());
        type("sync_max");
        press(Qt::Key_Return); // to the first key that passes the filter
        QCOMPARE(page()->recipe()->currentKey(), QStringLiteral("model.encoder.sync_max_audio_length"));
        press(Qt::Key_Return); // starts editing
        type("false");
        press(Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(costShown(), QStringLiteral("no collective"), 60'000);
        QVERIFY(QApplication::focusWidget() == page()->recipe()->tree()); // the user continues in the tree

        press(Qt::Key_S, Qt::ControlModifier);
        QVERIFY(!page()->file()->isDirty());
        QCOMPARE(read(m_recipe), expected());
        QVERIFY(QApplication::focusWidget() == page()->recipe()->tree());

        press(Qt::Key_Return, Qt::ControlModifier);
        if (real)
            seeTheRun();
        else
            QTRY_COMPARE(read(m_home.filePath(QStringLiteral("launched"))), expected());
    }

    void theSameFromTheText() {
        useCommandLine();
        m_window->show();
        m_window->start();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        openByKeys();
        if (QTest::currentTestFailed())
            return;
        // Ctrl+J goes to the key's line, where the value is typed over
        press(Qt::Key_Slash);
        type("devices");
        press(Qt::Key_Return);
        QCOMPARE(page()->recipe()->currentKey(), QStringLiteral("trainer.devices"));
        press(Qt::Key_J, Qt::ControlModifier);
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(page()->textPane()->editor()));
        QVERIFY(page()->textPane()->editor()->textCursor().block().text().startsWith(QStringLiteral("  devices: 2")));
        for (int i = 0; i < 11; ++i)
            press(Qt::Key_Right);
        QCOMPARE(page()->textPane()->editor()->textCursor().positionInBlock(), 11);
        press(Qt::Key_Delete);
        type("3");
        QCOMPARE(QByteArray::fromStdString(page()->file()->bytes()),
                 QByteArray(m_before).replace("\n  devices: 2", "\n  devices: 3"));
        QTRY_VERIFY(page()->isComplete());
        press(Qt::Key_J, Qt::ControlModifier); // back to the tree
        QVERIFY(QApplication::focusWidget() == page()->recipe()->tree());
        QCOMPARE(page()->recipe()->currentKey(), QStringLiteral("trainer.devices"));
        press(Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(!page()->file()->isDirty());
    }

    void tabReachesEveryPart() {
        useCommandLine();
        m_window->show();
        m_window->start();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        openByKeys();
        if (QTest::currentTestFailed())
            return;
        QSet<const QWidget*> reached;
        press(Qt::Key_Slash);
        for (int i = 0; i < 80; ++i) { // Tab types two spaces in the text; Shift+Tab leaves it
            press(Qt::Key_Backtab, Qt::ShiftModifier);
            reached.insert(QApplication::focusWidget());
        }
        const auto has = [&](const QWidget* part) {
            return std::any_of(reached.begin(), reached.end(),
                               [&](const QWidget* one) { return one && (one == part || part->isAncestorOf(one)); });
        };
        for (int card = 0; card < 3; ++card)
            QVERIFY(has(page()->cards()->card(card)));
        QVERIFY(has(page()->recipe()->search()));
        QVERIFY(has(page()->recipe()->tree()));
        QVERIFY(has(page()->textPane()->editor()));
        QVERIFY(has(page()->launchPanel()));
        QVERIFY(!page()->file()->isDirty());
    }

private:
    ConfigPage* page() const { return m_window->findChild<ConfigPage*>(); }
    QString costShown() const {
        return page()->cards()->card(0)->findChild<ClampedLabel*>(QStringLiteral("cost"))->text();
    }

    /// Sends a key to the window with the focus, as a window system does.
    void press(Qt::Key key, Qt::KeyboardModifiers with = Qt::NoModifier) {
        QVERIFY(QGuiApplication::focusWindow());
        QTest::keyClick(QGuiApplication::focusWindow(), key, with);
    }
    void type(const char* text) {
        for (; *text; ++text) {
            QVERIFY(QGuiApplication::focusWindow());
            QTest::keyClick(QGuiApplication::focusWindow(), *text);
        }
    }

    void openByKeys() {
        press(Qt::Key_O, Qt::ControlModifier);
        QTRY_VERIFY(qobject_cast<QFileDialog*>(QApplication::activeWindow()));
        type(qPrintable(m_recipe));
        press(Qt::Key_Return);
        QTRY_COMPARE(page()->file()->path(), m_recipe);
        QTRY_VERIFY(page()->isComplete());
        m_window->activateWindow(); // a window manager does this when a dialog closes; offscreen there is none
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }

    /// Returns the recipe with only this key's value changed.
    QByteArray expected() const {
        return QByteArray(m_before).replace("sync_max_audio_length: true", "sync_max_audio_length: false");
    }

    /// Sets up the command line; returns true if launches are real.
    bool useCommandLine() {
        const QByteArray ctl = qgetenv("RANKSCOPE_REAL_CTL");
        const QString trainer = qEnvironmentVariable("RANKSCOPE_TRAINER");
        if (QFileInfo(trainer).isExecutable()) {
            qputenv("RANKSCOPECTL", ctl);
            return true;
        }
        const QString standIn = m_home.filePath(QStringLiteral("rankscopectl"));
        write(standIn, "#!/bin/sh\n[ \"$1\" = launch ] || exec '" + ctl + "' \"$@\"\ncp \"$2\" '" +
                           m_home.path().toUtf8() + "/launched'\necho '{\"path\": \"/nowhere/run\"}'\n");
        QFile::setPermissions(standIn, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv("RANKSCOPECTL", standIn.toLocal8Bit());
        return false;
    }

    QStringList runs() const {
        QDir dir(m_home.filePath(QStringLiteral("runs")));
        QStringList all;
        for (const QString& name : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            all << dir.filePath(name);
        return all;
    }

    void seeTheRun() {
        QTRY_COMPARE_WITH_TIMEOUT(runs().size(), 1, 60'000);
        const launch::RunPaths run{runs().front().toStdString()};
        QTRY_COMPARE(read(QString::fromStdString(run.config().string())), expected());
        // the window opens the run by itself, and the run trains
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session(), 60'000);
        QCOMPARE(QString::fromStdString(m_window->session()->run().dir.string()), runs().front());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->session()->view().step >= 0, 60'000);
        QVERIFY(m_window->session()->view().info.state == launch::RunState::Running);
    }

    void stopRuns() {
        for (const QString& run : runs()) {
            QProcess stop;
            stop.start(qEnvironmentVariable("RANKSCOPE_REAL_CTL"),
                       {QStringLiteral("stop"), run, QStringLiteral("--now")});
            QVERIFY(stop.waitForFinished(60'000));
        }
    }

    static void write(const QString& path, const QByteArray& text) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir m_home;
    QString m_project, m_recipe;
    QByteArray m_before;
    std::unique_ptr<MainWindow> m_window;
};

RANKSCOPE_GUI_TEST(Keyboard)
#include "tst_keyboard.moc"
