// SPDX-License-Identifier: GPL-3.0-or-later
// What every walk has: a home of its own, the window, a hand that uses it, the run that is open, and the comparison of
// what the window shows with what `rankscopectl show --json` prints.
#pragma once

#include "claims.h"
#include "walker.h"
#include "widgets/main_window/window/main_window.h"

#include <QEventLoop>
#include <QString>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <memory>

namespace rankscope::ui {
class ConfigPage;
}

/// An action that says what it missed.
#define DO(...)                                                                                                        \
    do {                                                                                                               \
        const QString undone = __VA_ARGS__;                                                                            \
        QVERIFY2(undone.isEmpty(), qPrintable(undone));                                                                \
    } while (false)

namespace rankscope::test {

class WalkStage {
protected:
    /// configs/quickstart.yaml with its stall at `step` for `seconds`, as `name` in the home. Empty: it could not be
    /// written.
    QString writeRecipe(const QString& name, int step, int seconds);
    /// An environment of the walk's own, and the window. An empty string, or what is missing.
    QString open();
    /// Stops what still runs, and closes the window.
    void close();
    /// After each step: a picture where RANKSCOPE_SHOTS names a folder, and what was shown when it failed.
    void afterStep();
    void shot() const;

    /// Runs `steps` in a thread of its own while this one runs the window.
    template <class F> void walk(F steps) {
        QEventLoop loop;
        std::unique_ptr<QThread> thread(QThread::create(steps));
        QObject::connect(thread.get(), &QThread::finished, &loop, &QEventLoop::quit);
        thread->start();
        loop.exec();
        thread->wait();
    }
    /// The parts of the window and the command line come to say the same, within what a second's refresh may take.
    QString agree();
    /// Types `file` into the file dialog that is open.
    QString openByDialog(const QString& file);
    /// Opens a recipe and waits until all of it is read.
    QString openRecipe(const QString& file);
    /// The open run is another one than `besides`, has done `steps` and is on the Review page. It becomes m_run.
    bool goesOn(const QString& besides, int steps);
    bool becomes(const QString& state); ///< m_run, as the command line says
    ui::ConfigPage* config() const;
    QString session() const; ///< the folder of the open run

    QTemporaryDir m_home;
    QString m_run;
    std::unique_ptr<ui::MainWindow> m_window;
    std::unique_ptr<Walker> m_walker;
    bool m_failed = false; ///< a step failed: those after it build on it
};

} // namespace rankscope::test
