// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/screenshot.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <QTimer>

#include <cstdio>
#include <memory>

namespace rankscope::workbench {

static constexpr int kPollMs = 40, kLimitMs = 30'000;
/// Turns in a row that must find the window complete: a reply may make it ask for more.
static constexpr int kCalmTurns = 8;

static void finish(ui::MainWindow& window, const QString& file) {
    window.clearFocus(); // no caret in the picture
    if (QWidget* focus = window.focusWidget())
        focus->clearFocus();
    QCoreApplication::processEvents();
    if (window.grab().save(file, "PNG")) {
        QCoreApplication::exit(0);
        return;
    }
    std::fprintf(stderr, "rankscope: %s: cannot be written; look at the folder and its permissions\n",
                 qPrintable(file));
    QCoreApplication::exit(1);
}

void takeScreenshot(ui::MainWindow& window, const QString& file) {
    auto* timer = new QTimer(&window);
    auto clock = std::make_shared<QElapsedTimer>();
    auto calm = std::make_shared<int>(0);
    clock->start();
    QObject::connect(timer, &QTimer::timeout, &window, [&window, file, timer, clock, calm] {
        if (!window.problem().isEmpty()) {
            timer->stop();
            std::fprintf(stderr, "rankscope: %s\n", qPrintable(window.problem()));
            QCoreApplication::exit(2);
            return;
        }
        *calm = window.isComplete() ? *calm + 1 : 0;
        if (*calm >= kCalmTurns) {
            timer->stop();
            finish(window, file);
        } else if (clock->elapsed() > kLimitMs) {
            timer->stop();
            std::fprintf(stderr, "rankscope: the window was not complete after %d s; no picture was written\n",
                         kLimitMs / 1000);
            QCoreApplication::exit(1);
        }
    });
    timer->start(kPollMs);
}

} // namespace rankscope::workbench
