// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/window_options.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope::workbench;
using rankscope::ui::Page;

class OptionsTest : public QObject {
    Q_OBJECT

private slots:
    void defaults() {
        const WorkbenchOptions options = parse({});
        QVERIFY(options.error.isEmpty());
        QVERIFY(options.window.remember);
        QVERIFY(!options.window.page);
    }

    void screenshot() {
        const WorkbenchOptions options = parse(
            {"--screenshot", "a.png", "--page", "incidents", "--size", "1024x640", "--theme", "dark", "--lang", "zh"});
        QVERIFY2(options.error.isEmpty(), qPrintable(options.error));
        QCOMPARE(options.screenshot, QStringLiteral("a.png"));
        QCOMPARE(options.size, QSize(1024, 640));
        QVERIFY(options.window.page == Page::Incidents);
        QVERIFY(!options.window.remember); // the user's settings are neither read nor written
    }

    void aRunIsOpenedByItsFile() {
        QTemporaryDir dir;
        QFile file(dir.filePath(QStringLiteral("run.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (const QStringList& words : {QStringList{file.fileName()}, QStringList{"--run", file.fileName()}}) {
            const WorkbenchOptions options = parse(words);
            QVERIFY2(options.error.isEmpty(), qPrintable(options.error));
            QCOMPARE(options.window.run, dir.path());
            QVERIFY(options.window.config.isEmpty());
        }
    }

    void badInputIsNamed_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* name, const QStringList& arguments, const char* named) {
            QTest::newRow(name) << arguments << QString::fromLatin1(named);
        };
        row("page", {"--page", "lgos"}, "lgos");
        row("size", {"--size", "12"}, "12");
        row("tiny", {"--size", "1x1"}, "1x1");
        row("huge", {"--size", "99999x99999"}, "99999x99999");
        row("theme", {"--theme", "blue"}, "blue");
        row("lang", {"--lang", "fr"}, "fr");
        row("option", {"--nope"}, "nope");
        row("recipe", {"missing.yaml"}, "missing.yaml");
        row("run", {"--run", "no-such-run"}, "no-such-run");
        row("config", {"--config", "none.yaml"}, "none.yaml");
        row("folder as config", {"--config", "/"}, "/");
        row("launch without a recipe", {"--launch"}, "--launch");
        row("two", {"a", "b"}, "b");
    }
    void badInputIsNamed() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, named);
        QTemporaryDir dir;
        const WorkbenchOptions options = parse(arguments + QStringList{"--runs", dir.path()});
        QVERIFY2(options.error.contains(named), qPrintable(options.error));
        QVERIFY(!options.error.contains(QLatin1Char('\n')));
    }

    void positionalIsARecipeOrARun() {
        QTemporaryDir dir;
        QFile recipe(dir.filePath(QStringLiteral("r.yaml")));
        QVERIFY(recipe.open(QIODevice::WriteOnly));
        QCOMPARE(parse({recipe.fileName()}).window.config, recipe.fileName());
        QVERIFY(QDir(dir.path()).mkpath(QStringLiteral("run-1")));
        QFile json(dir.filePath(QStringLiteral("run-1/run.json")));
        QVERIFY(json.open(QIODevice::WriteOnly));
        const WorkbenchOptions options = parse({dir.filePath(QStringLiteral("run-1"))});
        QVERIFY2(options.error.isEmpty(), qPrintable(options.error));
        QCOMPARE(options.window.run, dir.filePath(QStringLiteral("run-1")));
    }

    void whatToExplainMayBeSeveralFiles() {
        const WorkbenchOptions options = parse({"--explain", "/logs/a.log", "--explain", "/logs/b.log"});
        QVERIFY2(options.error.isEmpty(), qPrintable(options.error));
        QCOMPARE(options.window.explain, QStringList({"/logs/a.log", "/logs/b.log"}));
        QVERIFY(parse({"--page", "explain"}).window.page == Page::Explain);
    }

    void helpNamesEveryOption() {
        const WorkbenchOptions options = parse({"--help"});
        QVERIFY(options.help);
        for (const char* one :
             {"--runs", "--theme", "--lang", "--screenshot", "--run", "--config", "--explain", "--page", "--size"})
            QVERIFY2(options.text.contains(QLatin1String(one)), one);
    }

private:
    static WorkbenchOptions parse(const QStringList& arguments) {
        return parseOptions(QStringList{"rankscope"} + arguments);
    }
};

RANKSCOPE_CORE_TEST(OptionsTest)
#include "tst_window_options.moc"
