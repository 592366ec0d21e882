// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/window_options.h"

#include "core/base/files/paths.h"
#include "core/launch/run/run_folder.h"

#include <QCommandLineParser>
#include <QFileInfo>

#include <optional>

namespace rankscope::workbench {

static std::optional<ui::Page> pageFromName(const QString& name) {
    static const QStringList names{QStringLiteral("configure"), QStringLiteral("review"), QStringLiteral("timeline"),
                                   QStringLiteral("incidents"), QStringLiteral("logs"),   QStringLiteral("runs"),
                                   QStringLiteral("explain")};
    const qsizetype at = names.indexOf(name);
    return at < 0 ? std::nullopt : std::optional(static_cast<ui::Page>(at));
}

static std::optional<QSize> sizeFromText(const QString& text) {
    const QStringList parts = text.split(QLatin1Char('x'));
    bool okWidth = false, okHeight = false;
    if (parts.size() != 2)
        return std::nullopt;
    const QSize size(parts[0].toInt(&okWidth), parts[1].toInt(&okHeight));
    const bool sane = size.width() >= 320 && size.height() >= 240 && size.width() <= 8192 && size.height() <= 8192;
    return okWidth && okHeight && sane ? std::optional(size) : std::nullopt;
}

/// Returns a run's folder, given by path, id, part of an id, or "last".
static QString resolveRun(const QString& what, const QString& runsDir, QString& error) {
    if (QFileInfo(what + QStringLiteral("/run.json")).isFile())
        return QFileInfo(what).absoluteFilePath();
    if (const QFileInfo file(what); file.fileName() == QLatin1String("run.json") && file.isFile())
        return file.absolutePath(); // as opened by a file manager
    QString dir = runsDir;
    if (dir.isEmpty()) {
        const auto standard = defaultRunsDir();
        if (!standard) {
            error = QString::fromStdString(standard.error().message());
            return {};
        }
        dir = QString::fromStdString(standard->string());
    }
    const auto run = launch::findRun(dir.toStdString(), what.toStdString());
    if (!run) {
        error = QString::fromStdString(run.error().message());
        return {};
    }
    return QFileInfo(QString::fromStdString(run->dir.string())).absoluteFilePath();
}

static QString readableFile(const QString& path, QString& error) {
    const QFileInfo file(path);
    if (!file.isFile())
        error = QStringLiteral("%1: %2").arg(path, file.exists() ? QStringLiteral("is not a file")
                                                                 : QStringLiteral("there is no such file"));
    else if (!file.isReadable())
        error = QStringLiteral("%1: cannot be read; check its permissions").arg(path);
    return file.absoluteFilePath();
}

namespace {

struct OptionsParser {
    QCommandLineParser parser;
    QCommandLineOption help{{"h", "help"}, "Show this help."};
    QCommandLineOption version{{"v", "version"}, "Show the version."};
    QCommandLineOption runs{"runs", "Runs folder.", "DIR"};
    QCommandLineOption theme{"theme", "light, dark or system.", "THEME"};
    QCommandLineOption lang{"lang", "en or zh.", "LANG"};
    QCommandLineOption screenshot{"screenshot", "Render the window without a display, save it, exit.", "OUT.png"};
    QCommandLineOption run{"run", "The run to show: folder, id, part of an id, or \"last\".", "RUN"};
    QCommandLineOption config{"config", "The recipe to show.", "FILE"};
    QCommandLineOption launch{"launch", "Launch the recipe as soon as it is read and has no errors."};
    QCommandLineOption page{"page", "configure, review, timeline, incidents, logs, runs or explain.", "PAGE"};
    QCommandLineOption explain{"explain", "Log, dump or folder of a hung run to explain; may be repeated.", "FILE"};
    QCommandLineOption size{"size", "Size of the screenshot (1440x900).", "WxH"};
    QCommandLineOption startup{"startup-time", "Print how long the start took, and exit."};

    OptionsParser() {
        parser.setApplicationDescription("Watches, configures and launches distributed training.\n"
                                         "Exit codes: 0 done, 1 the screenshot was not complete in time, 2 bad input.");
        parser.addPositionalArgument("RUN|CONFIG", "A run's folder or id, or a recipe (YAML).", "[RUN|CONFIG]");
        parser.addOptions(
            {help, version, runs, theme, lang, screenshot, run, config, explain, launch, page, size, startup});
    }
};

} // namespace

static void readPositional(const QStringList& rest, WorkbenchOptions& options) {
    if (rest.size() > 1) {
        options.error = QStringLiteral("only one run or recipe can be opened; unexpected argument: %1").arg(rest[1]);
        return;
    }
    if (rest.isEmpty())
        return;
    const QString& what = rest.front();
    const QFileInfo info(what);
    if (info.isFile() && info.fileName() != QLatin1String("run.json"))
        options.window.config = readableFile(what, options.error);
    else if (what.endsWith(QLatin1String(".yaml")) || what.endsWith(QLatin1String(".yml")))
        options.error = QStringLiteral("%1: there is no such file").arg(what);
    else
        options.window.run = resolveRun(what, options.window.runsDir, options.error);
}

static void readChoices(const OptionsParser& p, WorkbenchOptions& options) {
    options.theme = p.parser.value(p.theme);
    options.language = p.parser.value(p.lang);
    static const QStringList themes{QString(), QStringLiteral("light"), QStringLiteral("dark"),
                                    QStringLiteral("system")};
    static const QStringList languages{QString(), QStringLiteral("en"), QStringLiteral("zh")};
    if (!themes.contains(options.theme))
        options.error = QStringLiteral("--theme must be light, dark or system, not %1").arg(options.theme);
    if (!languages.contains(options.language))
        options.error = QStringLiteral("--lang must be en or zh, not %1").arg(options.language);
    if (p.parser.isSet(p.page)) {
        options.window.page = pageFromName(p.parser.value(p.page));
        if (!options.window.page)
            options.error =
                QStringLiteral("--page must be configure, review, timeline, incidents, logs, runs or explain, not %1")
                    .arg(p.parser.value(p.page));
    }
    if (p.parser.isSet(p.size)) {
        if (const auto size = sizeFromText(p.parser.value(p.size)))
            options.size = *size;
        else
            options.error = QStringLiteral("--size must be WIDTHxHEIGHT in pixels, not %1").arg(p.parser.value(p.size));
    }
}

WorkbenchOptions parseOptions(const QStringList& arguments) {
    WorkbenchOptions options;
    OptionsParser p;
    if (!p.parser.parse(arguments)) {
        options.error = p.parser.errorText();
        return options;
    }
    options.help = p.parser.isSet(p.help);
    options.version = p.parser.isSet(p.version);
    options.text = p.parser.helpText();
    if (options.help || options.version)
        return options;
    options.startupTime = p.parser.isSet(p.startup);
    options.screenshot = p.parser.value(p.screenshot);
    if (p.parser.isSet(p.screenshot) && options.screenshot.isEmpty())
        options.error = QStringLiteral("--screenshot needs a file name");
    options.window.runsDir = p.parser.isSet(p.runs) ? QFileInfo(p.parser.value(p.runs)).absoluteFilePath() : QString();
    readChoices(p, options);
    if (options.error.isEmpty())
        readPositional(p.parser.positionalArguments(), options);
    if (options.error.isEmpty() && p.parser.isSet(p.run))
        options.window.run = resolveRun(p.parser.value(p.run), options.window.runsDir, options.error);
    if (options.error.isEmpty() && p.parser.isSet(p.config))
        options.window.config = readableFile(p.parser.value(p.config), options.error);
    for (const QString& path : p.parser.values(p.explain))
        options.window.explain << QFileInfo(path).absoluteFilePath();
    options.window.launch = p.parser.isSet(p.launch);
    if (options.error.isEmpty() && options.window.launch && options.window.config.isEmpty())
        options.error = QStringLiteral("--launch needs a recipe: rankscope --launch CONFIG");
    options.window.remember = options.screenshot.isEmpty() && !options.startupTime;
    return options;
}

} // namespace rankscope::workbench
