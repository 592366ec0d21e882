// SPDX-License-Identifier: GPL-3.0-or-later
// What every walk has: its own home folder, the window, simulated input, the open run, and the comparison of what the
// window shows with what `rankscopectl show --json` prints.
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

/// Fails the test if an action returns what it was missing.
#define DO(...)                                                                                                        \
    do {                                                                                                               \
        const QString undone = __VA_ARGS__;                                                                            \
        QVERIFY2(undone.isEmpty(), qPrintable(undone));                                                                \
    } while (false)

namespace rankscope::test {

class WalkStage {
protected:
    /// Writes configs/quickstart.yaml as `name` in the home folder, with its stall at `step` for `seconds`. Returns its
    /// path; empty: it could not be written.
    QString writeRecipe(const QString& name, int step, int seconds);
    /// Prepares the walk's own environment and opens the window. Returns what is missing; empty: nothing.
    QString open();
    /// Stops a run that is still live, and closes the window.
    void close();
    /// Saves a picture if RANKSCOPE_SHOTS names a folder, and prints what was shown if the step failed. Call it after
    /// each step.
    void afterStep();
    void shot() const;

    /// Runs `steps` in a separate thread while this thread runs the window.
    template <class F> void walk(F steps) {
        QEventLoop loop;
        std::unique_ptr<QThread> thread(QThread::create(steps));
        QObject::connect(thread.get(), &QThread::finished, &loop, &QEventLoop::quit);
        thread->start();
        loop.exec();
        thread->wait();
    }
    /// Waits until the parts of the window and the command line agree, for as long as a refresh may take. Returns what
    /// contradicts what; empty: they agree.
    QString agree();
    /// Types `file` into the file dialog that is open.
    QString openByDialog(const QString& file);
    /// Opens a recipe and waits until all of it is read.
    QString openRecipe(const QString& file);
    /// Waits for a run other than `besides` that is open on the Review page and has done `steps`. It becomes m_run.
    bool goesOn(const QString& besides, int steps);
    bool becomes(const QString& state); ///< waits until the command line reports this state of m_run
    ui::ConfigPage* config() const;
    QString session() const; ///< the folder of the open run

    QTemporaryDir m_home;
    QString m_run;
    std::unique_ptr<ui::MainWindow> m_window;
    std::unique_ptr<Walker> m_walker;
    bool m_failed = false; ///< a step failed; later steps depend on it
};

} // namespace rankscope::test
