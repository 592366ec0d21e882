// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope [RUN|CONFIG]: the window. Runs are started and stopped through rankscopectl, so closing the window does not
// end them.
#include "app/workbench/window_options.h"
#include "core/base/process/process_identity.h"
#include "core/base/text/library_versions.h"
#include "core/base/values/clock.h"
#include "core/config/yaml/yaml_parser.h"
#include "core/diagnosis/recording/zlib_stream.h"
#include "core/store/sqlite/sqlite.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/main_window/settings/window_settings.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QPixmap>
#include <QTimer>
#include <qcustomplot.h>

#include <build_version.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

using namespace rankscope;

/// Returns the seconds since the kernel started this process, which include loading the libraries.
static double secondsSinceExec() {
    const auto stat = processStat(::getpid());
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    const double started =
        stat ? static_cast<double>(stat->startTicks) / static_cast<double>(::sysconf(_SC_CLK_TCK)) : 0;
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 - started;
}

static workbench::WorkbenchOptions readCommandLine(int argc, char** argv) {
    QCoreApplication app(argc, argv); // help and bad input need no display
    QCoreApplication::setApplicationName(QStringLiteral("rankscope"));
    return workbench::parseOptions(QCoreApplication::arguments());
}

/// Returns the output of --version, with the loaded libraries.
static std::string versionLines() {
    std::string qt = qVersion();
    if (qt != QT_VERSION_STR)
        qt += " (built with " QT_VERSION_STR ")";
    return versionText("rankscope", RANKSCOPE_BUILD,
                       {{"Qt", qt},
                        {"QCustomPlot", QCUSTOMPLOT_VERSION_STR},
                        store::sqliteLinked(),
                        config::yamlCppVersion(),
                        diagnosis::zlibLinked()}) +
           '\n';
}

static bool hasDisplay() {
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
           qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

static void applyLook(const workbench::WorkbenchOptions& options) {
    const ui::WindowSettings kept = options.window.remember ? ui::WindowSettings::load() : ui::WindowSettings();
    QString theme = options.theme.isEmpty() ? kept.theme : options.theme;
    if (!options.screenshot.isEmpty() && options.theme.isEmpty())
        theme = QStringLiteral("light"); // pictures do not depend on the desktop
    ui::Theme::instance().apply(theme == QLatin1String("dark")    ? ui::Theme::Mode::Dark
                                : theme == QLatin1String("light") ? ui::Theme::Mode::Light
                                                                  : ui::Theme::Mode::System);
    QString language = options.language.isEmpty() ? kept.language : options.language;
    if (!options.screenshot.isEmpty() && language.isEmpty())
        language = QStringLiteral("en");
    ui::setLanguage(language);
}

static constexpr int kPollMs = 40, kLimitMs = 30'000;
/// Consecutive polls that must find the window complete, because a reply may trigger another request.
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
    std::fprintf(stderr, "rankscope: %s: cannot be written; check the folder and its permissions\n", qPrintable(file));
    QCoreApplication::exit(1);
}

/// Waits until the window shows everything requested, saves it, and ends the event loop with 0, or with 1 and a line on
/// stderr if it took too long or could not be written.
static void takeScreenshot(ui::MainWindow& window, const QString& file) {
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

int main(int argc, char** argv) {
    const workbench::WorkbenchOptions options = readCommandLine(argc, argv);
    if (options.help || options.version) {
        std::fputs(options.help ? qPrintable(options.text) : versionLines().c_str(), stdout);
        return 0;
    }
    if (!options.error.isEmpty()) {
        std::fprintf(stderr, "rankscope: %s\n", qPrintable(options.error));
        return 2;
    }
    if (!options.screenshot.isEmpty() && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!hasDisplay()) {
        std::fputs("rankscope: there is no display; use rankscopectl, or --screenshot OUT.png for a picture\n", stderr);
        return 2;
    }
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("rankscope"));
    QApplication::setApplicationVersion(QStringLiteral(RANKSCOPE_BUILD));
    QApplication::setApplicationDisplayName(QString());
    QApplication::setDesktopFileName(QStringLiteral("rankscope"));
    applyLook(options);
    ui::MainWindow window(options.window);
    if (!options.screenshot.isEmpty())
        window.resize(options.size);
    window.show();
    // file access and threads start only after the first paint
    QTimer::singleShot(0, &window, [&] {
        if (options.startupTime) {
            std::printf("shown after %.0f ms\n", secondsSinceExec() * 1e3);
            std::fflush(stdout);
        }
        window.start();
        if (!options.screenshot.isEmpty())
            takeScreenshot(window, options.screenshot);
        else if (options.startupTime)
            QTimer::singleShot(0, &app, &QApplication::quit);
    });
    return QApplication::exec();
}
