// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a separate process, for tests that kill it: `tests_main_window watching_window RUNS [COMMAND…]`. With a
// command, it is started as a user does it, by keys in Run > Watch a command…. Whenever the window shows something new
// of the open run, a line is printed: its id, its state, and the newest step that all ranks finished.
#include "core/launch/run/run_info.h"
#include "tests/support/test_runner.h"
#include "widgets/main_window/exchange/watch_panel.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"

#include <QApplication>
#include <QTest>
#include <QTimer>

#include <cstdio>

using namespace rankscope;
using namespace rankscope::ui;

static constexpr int kLookMs = 20;

static void printLine(const std::string& line) {
    std::puts(line.c_str());
    std::fflush(stdout);
}

/// Sends the keys to the window with the focus, as a window system does.
static void watchByKeys(const QString& command) {
    QTest::keyClick(QGuiApplication::focusWindow(), Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
    WatchPanel* panel = nullptr;
    const bool opened = QTest::qWaitFor(
        [&panel] {
            panel = qobject_cast<WatchPanel*>(QApplication::activeWindow());
            return panel && panel->isAncestorOf(QApplication::focusWidget());
        },
        10'000);
    if (!opened)
        qFatal("the panel does not open");
    QTest::keyClick(QGuiApplication::focusWindow(), Qt::Key_A, Qt::ControlModifier); // over the proposed command
    for (const QChar c : command)
        QTest::keyClick(QGuiApplication::focusWindow(), c.toLatin1());
    QTest::keyClick(QGuiApplication::focusWindow(), Qt::Key_Return);
    if (!panel->isBusy())
        qFatal("the command is not started");
    printLine("started");
}

static std::string shown(const RunSession* session) {
    if (!session)
        return {};
    const RunView& view = session->view();
    return view.info.id + ' ' + std::string(launch::runStateName(view.info.state)) + ' ' + std::to_string(view.step);
}

static int showWindow(int argc, char** argv) {
    const QApplication app(argc, argv);
    const QStringList arguments = QApplication::arguments();
    setLanguage(QStringLiteral("en"));
    WindowOptions options;
    options.runsDir = arguments.value(1);
    MainWindow window(options);
    window.show();
    window.start();
    if (!QTest::qWaitForWindowActive(&window))
        qFatal("the window does not open");
    QTimer look;
    std::string last;
    QObject::connect(&look, &QTimer::timeout, &window, [&] {
        if (const std::string now = shown(window.session()); now != last)
            printLine(last = now);
    });
    look.start(kLookMs);
    if (arguments.size() > 2)
        watchByKeys(arguments.mid(2).join(u' '));
    return QApplication::exec();
}

static const test::RegisteredTest registeredWindow(__FILE__, showWindow);
