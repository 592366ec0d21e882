// SPDX-License-Identifier: Apache-2.0
// docs/commands.md must name every command and option of the programs' own help, and docs/json.md every field that they
// print.
#include "tests/docs/pages.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLatin1Char>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope::docs;

static QString help(const QString& program, const QStringList& words) {
    QProcess process;
    process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/") + program, words + QStringList{QStringLiteral("--help")});
    return process.waitForFinished(20'000) && process.exitCode() == 0
               ? QString::fromUtf8(process.readAllStandardOutput())
               : QString();
}

/// Reads lines such as "  launch                Start a run and supervise it".
static QStringList commandsOf(const QString& help) {
    QStringList commands;
    static const QRegularExpression heading(QStringLiteral("^(Subcommands|SUBCOMMANDS):?$"),
                                            QRegularExpression::MultilineOption),
        command(QStringLiteral("^  ([a-z][a-z-]*)\\b"), QRegularExpression::MultilineOption);
    const auto at = heading.match(help);
    if (at.hasMatch())
        for (auto it = command.globalMatch(help, at.capturedEnd()); it.hasNext();)
            commands << it.next().captured(1);
    return commands;
}

static QStringList optionsOf(const QString& help) {
    QStringList options;
    // at the beginning of a line, so that options mentioned in a description do not count
    static const QRegularExpression line(QStringLiteral("^  (-[^ ]*(?:, ?-[^ ]*)*)"),
                                         QRegularExpression::MultilineOption),
        option(QStringLiteral("--[a-z][a-z-]+"));
    for (auto lines = line.globalMatch(help); lines.hasNext();)
        for (auto it = option.globalMatch(lines.next().captured(1)); it.hasNext();)
            options << it.next().captured(0);
    options.removeAll(QStringLiteral("--help"));
    options.removeAll(QStringLiteral("--help-all"));
    options.removeAll(QStringLiteral("--version"));
    return options;
}

/// Adds the names of all fields that a command prints, except those of an environment, which are names of variables.
static void addFields(const QJsonValue& value, QSet<QString>& fields) {
    for (const QJsonValue& item : value.toArray())
        addFields(item, fields);
    const QJsonObject object = value.toObject();
    for (auto it = object.begin(); it != object.end(); ++it) {
        fields << it.key();
        if (it.key() != QLatin1String("environment"))
            addFields(it.value(), fields);
    }
}

static QSet<QString> fieldsOf(const QStringList& words) {
    QProcess process;
    process.setWorkingDirectory(QStringLiteral(RANKSCOPE_SOURCE_DIR));
    process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), words + QStringList{QStringLiteral("--json")});
    QSet<QString> fields;
    if (process.waitForFinished(20'000)) {
        const QJsonDocument printed = QJsonDocument::fromJson(process.readAllStandardOutput());
        addFields(printed.object(), fields);
    }
    return fields;
}

class TestCommandsPage : public QObject {
    Q_OBJECT
    QString m_page = page(QStringLiteral("commands.md"));

    void everyOptionIsIn(const QString& heading, const QString& help, int least) {
        const QString told = section(m_page, heading);
        QVERIFY2(!told.isEmpty(), qPrintable(heading));
        const QStringList options = optionsOf(help);
        QVERIFY2(options.size() >= least, qPrintable(help));
        for (const QString& option : options) {
            const QRegularExpression whole(QRegularExpression::escape(option) + QStringLiteral("(?![a-z-])"));
            QVERIFY2(told.contains(whole), qPrintable(option + QStringLiteral(" under ") + heading));
        }
    }
private Q_SLOTS:
    void rankscopectl() {
        const QStringList commands = commandsOf(help(QStringLiteral("rankscopectl"), {}));
        QVERIFY2(commands.size() >= 18, qPrintable(commands.join(QLatin1Char(' '))));
        for (const QString& command : commands) {
            const QString said = help(QStringLiteral("rankscopectl"), {command});
            QVERIFY2(!said.isEmpty(), qPrintable(command));
            everyOptionIsIn(QStringLiteral("## ") + command, said, 0);
        }
        everyOptionIsIn(QStringLiteral("## launch"), help(QStringLiteral("rankscopectl"), {QStringLiteral("launch")}),
                        7);
    }
    void trainer() {
        if (!QFile::exists(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscope-trainer")))
            QSKIP("built without the trainer");
        const QStringList commands = commandsOf(help(QStringLiteral("rankscope-trainer"), {}));
        QVERIFY(commands.size() >= 4);
        for (const QString& command : commands) {
            QVERIFY2(section(m_page, QStringLiteral("## rankscope-trainer")).contains(command), qPrintable(command));
            everyOptionIsIn(QStringLiteral("## rankscope-trainer"),
                            help(QStringLiteral("rankscope-trainer"), {command}), 0);
        }
    }
    /// The run here has no store, so it has neither ranks nor incidents: their fields are not compared.
    void everyFieldIsOnThePage() {
        QTemporaryDir dir;
        QVERIFY(QDir(dir.path()).mkdir(QStringLiteral("one")));
        for (const char* name : {"run.json", "config.yaml", "effective.yaml"})
            QVERIFY(QFile::copy(QStringLiteral(RANKSCOPE_SOURCE_DIR "/resources/tour/run/") + QLatin1String(name),
                                dir.filePath(QStringLiteral("one/") + QLatin1String(name))));
        const QStringList spans = spansOf(page(QStringLiteral("json.md")));
        const QSet<QString> told(spans.begin(), spans.end());
        for (const QStringList& words :
             {QStringList{"list", "--runs", dir.path()}, QStringList{"show", "one", "--runs", dir.path()},
              QStringList{"plan", "configs/nest_small.yaml", "--machine", "2x8xH100"},
              QStringList{"compare", "configs/quickstart.yaml", "--only-different"},
              QStringList{"explain", "tests/data/explain/hangs/2.11.0/extra_collective/dumps/end"}}) {
            const QSet<QString> fields = fieldsOf(words);
            QVERIFY2(fields.size() > 10, qPrintable(words.join(QLatin1Char(' '))));
            for (const QString& field : fields)
                QVERIFY2(told.contains(field), qPrintable(words.first() + QLatin1Char(' ') + field));
        }
    }
    /// The command under the first heading of my-run-hangs.md prints what is below it.
    void theExampleOfAHangIsWhatExplainPrints_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("English") << "my-run-hangs.md";
        QTest::newRow("Chinese") << "zh/my-run-hangs.md";
    }
    void theExampleOfAHangIsWhatExplainPrints() {
        QFETCH(QString, name);
        static const QRegularExpression example(QStringLiteral("\n    rankscopectl ([^\n]+)\n\n```\n(.+?)```\n"),
                                                QRegularExpression::DotMatchesEverythingOption);
        const auto match = example.match(page(name));
        QVERIFY(match.hasMatch());
        QProcess process;
        process.setWorkingDirectory(QStringLiteral(RANKSCOPE_SOURCE_DIR));
        process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), match.captured(1).split(QLatin1Char(' ')));
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(QString::fromUtf8(process.readAllStandardOutput()), match.captured(2));
    }
    void window() {
        if (!QFile::exists(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscope")))
            QSKIP("built without the window");
        everyOptionIsIn(QStringLiteral("## rankscope"), help(QStringLiteral("rankscope"), {}), 9);
    }
};

RANKSCOPE_CORE_TEST(TestCommandsPage)
#include "tst_commands_page.moc"
