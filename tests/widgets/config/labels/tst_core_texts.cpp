// SPDX-License-Identifier: GPL-3.0-or-later
// Every sentence that the core can say about a manifest, a file or a refused launch has its Chinese: they are read out
// of the core's sources, so that a new one without is seen here.
#include "core/base/text/message.h"
#include "tests/support/test_runner.h"
#include "widgets/config/labels/core_texts.h"
#include "widgets/main_window/settings/window_language.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace rankscope::ui;

/// The string literals of C++ source, adjacent ones joined; without those of #include.
static QStringList literalsOf(const QByteArray& source) {
    QStringList all;
    QByteArray current;
    bool open = false;
    const auto skipTo = [&](qsizetype& i, const char* end) {
        const auto at = source.indexOf(end, i);
        i = at < 0 ? source.size() : at + qsizetype(qstrlen(end)) - 1;
    };
    for (qsizetype i = 0; i < source.size(); ++i) {
        const char c = source[i];
        if (c == '/' && source.mid(i, 2) == "//") {
            skipTo(i, "\n");
        } else if (c == '#') {
            skipTo(i, "\n");
        } else if (c == '\'' && (i == 0 || !QChar::isLetterOrNumber(uchar(source[i - 1])))) { // not 1'000
            for (++i; i < source.size() && source[i] != '\''; ++i)
                i += source[i] == '\\';
        } else if (c == '"') {
            for (++i; i < source.size() && source[i] != '"'; ++i) {
                if (source[i] == '\\')
                    ++i;
                current += source[i];
            }
            open = true;
        } else if (!QChar::isSpace(uchar(c)) && open) {
            all << QString::fromUtf8(current);
            current.clear();
            open = false;
        }
    }
    return all;
}

/// fmt's format with these values: "{}" and "{:g}" are slots, "{{" is a brace.
static QString filled(const QString& format, const QStringList& values, int* slots_ = nullptr) {
    QString out;
    int slot = 0;
    for (qsizetype i = 0; i < format.size(); ++i) {
        const QChar c = format[i];
        if ((c == QLatin1Char('{') || c == QLatin1Char('}')) && i + 1 < format.size() && format[i + 1] == c) {
            out += c;
            ++i;
        } else if (c == QLatin1Char('{')) {
            const auto end = format.indexOf(QLatin1Char('}'), i);
            if (end < 0)
                return format;
            out += values.value(slot++);
            i = end;
        } else {
            out += c;
        }
    }
    if (slots_)
        *slots_ = slot;
    return out;
}

static bool translated(const QString& text) {
    return coreText(text.toStdString()) != text;
}

/// Alone, as what is said of a key, as what could not be done, or as what comes before a value.
static bool isKnown(const QString& text) {
    const QString key = QStringLiteral("key "), value = QStringLiteral("17");
    return translated(text) || translated(key + text) || translated(key + text.trimmed()) ||
           translated(QStringLiteral("cannot %1: 17").arg(text)) || translated(text + value);
}

static bool isKnownFormat(const QString& literal) {
    QString pattern = literal;
    pattern.replace(QLatin1String("\\\""), QLatin1String("\"")).replace(QLatin1String("\\\\"), QLatin1String("\\"));
    if (rankscope::chinesePatterns().contains(rankscope::messageId(pattern.toStdString())))
        return true;
    int count = 0;
    filled(literal, {}, &count);
    // some slots hold what may be nothing: "; did you mean …", the s of a plural
    for (int empty = 0; empty < 1 << std::min(count, 6); ++empty) {
        QStringList values;
        for (int i = 0; i < count; ++i)
            values << (empty & 1 << i ? QString() : QStringLiteral("17"));
        if (isKnown(filled(literal, values)))
            return true;
    }
    return isKnown(literal); // no format: "a section is written {key: value}"
}

static bool isSentence(const QString& literal) {
    static const QRegularExpression words(QStringLiteral("(\\b[A-Za-z]{2,}\\b.*?){3}")),
        names(QStringLiteral("^[\\w.]+(, [\\w.]+)* or [\\w.]+$"));
    return literal.trimmed().contains(QLatin1Char(' ')) && words.match(literal).hasMatch() &&
           !names.match(literal).hasMatch(); // values of a set stay as they are
}

class CoreTexts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { setLanguage(QStringLiteral("zh")); }

    void theCheckSeesWhatIsMissing() {
        QVERIFY(!isKnownFormat(QStringLiteral("no sentence of the core is like {} this")));
        QVERIFY(isKnownFormat(QStringLiteral("names GPU {} twice")));
        QCOMPARE(literalsOf("a(\"b {} \" // \"c\"\n \"d\", '\"'); #include \"e\"\nf(1'000, \"g\\\"h\");"),
                 (QStringList{QStringLiteral("b {} d"), QStringLiteral("g\"h")}));
    }

    void sources_data() {
        QTest::addColumn<QString>("path");
        const QDir root(QStringLiteral(RANKSCOPE_SOURCE_DIR));
        QStringList files;
        QDirIterator sources(root.filePath(QStringLiteral("core/plan")), {QStringLiteral("*.cpp")}, QDir::Files,
                             QDirIterator::Subdirectories);
        while (sources.hasNext())
            files << root.relativeFilePath(sources.next());
        for (const char* name : {"prepare/prepare_launch", "prepare/launch_preview", "host/device_assignment",
                                 "supervise/run_creation", "run/run_lock"})
            files << QStringLiteral("core/launch/%1.cpp").arg(QLatin1String(name));
        for (const char* name : {"file", "atomic_file", "guarded_folder", "paths"})
            files << QStringLiteral("core/base/files/%1.cpp").arg(QLatin1String(name));
        // commands to copy, and what is said of a machine on the command line: the window hands on what it has read
        files.removeAll(QStringLiteral("core/plan/result/launch_commands.cpp"));
        files.removeAll(QStringLiteral("core/plan/cost/target_machine.cpp"));
        QVERIFY(files.size() > 15);
        for (const QString& file : files)
            QTest::newRow(qPrintable(file)) << root.filePath(file);
    }

    void sources() {
        QFETCH(QString, path);
        QFile file(path);
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
        QStringList missing;
        for (const QString& literal : literalsOf(file.readAll()))
            if (isSentence(literal) && !isKnownFormat(literal))
                missing << literal;
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(QLatin1Char('\n'))));
    }

    void whatALaunchSays() {
        const auto zh = [](const char* english) { return coreText(std::string(english)); };
        QCOMPARE(
            coreText(rankscope::Error{rankscope::Errc::NotFound,
                                      "the manifest does not exist (relative paths start at the working folder)",
                                      "model.train_ds.manifest_filepath: /data/train.json"}),
            QStringLiteral("model.train_ds.manifest_filepath: /data/train.json：manifest 不存在（相对路径从工作目录"
                           "算起）"));
        QCOMPARE(zh("/data/a.json: cannot open the manifest: No such file or directory"),
                 QStringLiteral("/data/a.json：无法打开 manifest：没有这样的文件或目录"));
        QCOMPARE(zh("nobody knows: this sentence here"), QStringLiteral("nobody knows: this sentence here"));
    }
    void messagesFollowTheLanguage() {
        const rankscope::Error error{rankscope::Errc::BadInput, {"{} is {}, must be odd", "a.b", 4}, "a.yaml:1:2"};
        QCOMPARE(coreText(error), QStringLiteral("a.yaml:1:2：a.b 为 4，必须是奇数"));
        QCOMPARE(coreText(error.what), QStringLiteral("a.b 为 4，必须是奇数"));
        QCOMPARE(coreText(rankscope::Message(std::string("said elsewhere"))), QStringLiteral("said elsewhere"));
        setLanguage(QStringLiteral("en"));
        QCOMPARE(coreText(error), QStringLiteral("a.yaml:1:2: a.b is 4, must be odd"));
        setLanguage(QStringLiteral("zh"));
    }
};

RANKSCOPE_CORE_TEST(CoreTexts)
#include "tst_core_texts.moc"
