// SPDX-License-Identifier: Apache-2.0
// Messages in both languages, and the tables of Chinese patterns compared with the sources.
#include "core/base/files/file.h"
#include "core/base/text/message.h"
#include "core/base/values/error.h"
#include "tests/support/test_runner.h"

#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace rankscope;
using nlohmann::json;

namespace fs = std::filesystem;

static std::string contentOf(const QString& path) {
    const auto text = readFile(path.toStdString());
    return text ? *text : std::string();
}

static QStringList filesIn(const QString& folder, const QStringList& names) {
    QStringList files;
    for (QDirIterator it(QStringLiteral(RANKSCOPE_SOURCE_DIR "/") + folder, names, QDir::Files,
                         QDirIterator::Subdirectories);
         it.hasNext();)
        files << it.next();
    return files;
}

/// A sequence of adjacent string literals, joined as the compiler does.
struct Literal {
    std::string text;
    QString before; ///< the source before it, without white space
};

/// Returns the string literals of a C++ source; skips comments and character literals.
static std::vector<Literal> literalsOf(const std::string& source) {
    std::vector<Literal> literals;
    QString before;
    bool joins = false;
    for (std::size_t at = 0; at < source.size();) {
        const char c = source[at];
        if (source.compare(at, 2, "//") == 0) {
            at = std::min(source.find('\n', at), source.size());
        } else if (source.compare(at, 2, "/*") == 0) {
            at = std::min(source.find("*/", at), source.size() - 2) + 2;
        } else if (c == '\'' && at > 0 && !std::isxdigit(static_cast<unsigned char>(source[at - 1]))) { // not in 1'000
            for (++at; at < source.size() && source[at] != '\''; ++at)
                at += source[at] == '\\';
            ++at;
            joins = false;
        } else if (source.compare(at, 3, "R\"(") == 0) {
            const std::size_t end = std::min(source.find(")\"", at), source.size() - 2);
            literals.push_back({source.substr(at + 3, end - at - 3), before});
            at = end + 2;
        } else if (c == '"') {
            std::string text;
            for (++at; at < source.size() && source[at] != '"'; ++at) {
                if (source[at] != '\\') {
                    text += source[at];
                    continue;
                }
                ++at;
                text += source[at] == 'n' ? '\n' : source[at] == 't' ? '\t' : source[at];
            }
            ++at;
            if (joins)
                literals.back().text += text;
            else
                literals.push_back({text, before.right(60)});
            joins = true;
        } else {
            if (!std::isspace(static_cast<unsigned char>(c))) {
                before += QLatin1Char(c);
                joins = false;
            }
            ++at;
        }
    }
    return literals;
}

static std::set<int> slotsOf(const std::string& pattern) {
    static const QRegularExpression slot(QStringLiteral("(?<!\\{)\\{(\\d+)\\}"));
    std::set<int> found;
    for (auto it = slot.globalMatch(QString::fromStdString(pattern)); it.hasNext();)
        found.insert(it.next().captured(1).toInt());
    return found;
}

/// A pattern that is only slots and punctuation is the same in all languages.
static bool hasWords(const std::string& id) {
    static const QRegularExpression slot(QStringLiteral("\\{\\d+\\}"));
    static const QRegularExpression word(QStringLiteral("[A-Za-z]{2}"));
    return QString::fromStdString(id).remove(slot).contains(word);
}

class TestMessage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bothLanguages() {
        const Message unknown("{}; did you mean {}?", Message("unknown key {}", "lr_"), std::string("lr"));
        QCOMPARE(unknown.english(), std::string("unknown key lr_; did you mean lr?"));
        QCOMPARE(unknown.text(Language::Chinese), std::string("未知的键 lr_；是否想写 lr？"));
        const Error error{Errc::BadInput, unknown, "a.yaml:3:1"};
        QCOMPARE(error.message(), std::string("a.yaml:3:1: unknown key lr_; did you mean lr?"));
        QCOMPARE(error.message(Language::Chinese), std::string("a.yaml:3:1：未知的键 lr_；是否想写 lr？"));
        const std::string said = "Datei nicht gefunden {}";
        QCOMPARE(Message(said).text(Language::Chinese), said);
        QVERIFY(Message().empty() && Message(std::string()).empty() && !unknown.empty());
    }
    void unitsFollowTheLanguage_data() {
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("chinese");
        QTest::newRow("ms") << qint64{712'000'000} << "712 ms"
                            << "712 ms";
        QTest::newRow("s") << qint64{5'000'000'000} << "5.0 s"
                           << "5.0 秒";
        QTest::newRow("min") << qint64{72'000'000'000 + 32'000'000'000} << "1 min 44 s"
                             << "1 分 44 秒";
        QTest::newRow("h") << qint64{7'500'000'000'000} << "2 h 05 min"
                           << "2 小时 05 分";
        QTest::newRow("d") << qint64{86400LL * 3 * 1'000'000'000 + 7200LL * 1'000'000'000} << "3 d 02 h"
                           << "3 天 02 小时";
    }
    void unitsFollowTheLanguage() {
        QFETCH(qint64, ns);
        const Message message("{}", Duration{ns});
        QTEST(QString::fromStdString(message.english()), "english");
        QTEST(QString::fromStdString(message.text(Language::Chinese)), "chinese");
    }
    void arguments() {
        const Message all("{} | {:.2f} | {} | {} | {} | {}", 3, 2.5, ByteSize{1'200'000'000}, Count{12345},
                          Ranks{{0, 2}}, anyOf({Message("a number"), Message("a text"), Message(std::string("null"))}));
        QCOMPARE(all.english(), std::string("3 | 2.50 | 1.20 GB | 12,345 | ranks 0, 2 | a number, a text or null"));
        QCOMPARE(all.text(Language::Chinese),
                 std::string("3 | 2.50 | 1.20 GB | 12,345 | rank 0、2 | 数字、字符串或 null"));
        QCOMPARE(Message("{}", Ranks{{1}}).english(), std::string("rank 1"));
        QCOMPARE(Message("{}", Ranks{{0, 1, 2, 3, 4, 5, 6, 7, 8}}).text(Language::Chinese), std::string("9 个 rank"));
        QCOMPARE(Message("{} {{x}}", true).english(), std::string("true {x}"));
        QCOMPARE(messageId("{:.3g} of {} {{x}} {1}"), std::string("{0} of {1} {{x}} {1}"));
    }
    void jsonComesBack() {
        const Message all("{} {:.1f} {} {} {} {} {}", "text", 2.0, 7, Duration{5}, ByteSize{6}, Count{7},
                          Ranks{{1, 2}});
        const Message nested("{} or {}", all, anyOf({all, Message(std::string("x"))}));
        for (const Message& message : {all, nested, Message("plain"), Message(std::string("said"))})
            QCOMPARE(Message::fromJson(json::parse(message.toJson().dump()), "other"), message);
    }
    /// If a message from another program or a damaged file is not valid, the text stored next to it is shown.
    void badJsonIsNotShown() {
        for (const char* text :
             {"null", "1", "[]", "{}", R"({"id":1,"arguments":[]})", R"({"id":"a"})", R"({"id":"a","arguments":{}})",
              R"({"id":"a {}","arguments":[null]})", R"({"id":"a {}","arguments":[{"ns":"1"}]})",
              R"({"id":"a {}","arguments":[{"ranks":["x"]}]})", R"({"id":"a {}","arguments":[{"x":1,"y":2}]})"})
            QCOMPARE(Message::fromJson(json::parse(text), "stored").english(), std::string("stored"));
        json deep{{"id", "x"}, {"arguments", json::array()}};
        for (int i = 0; i < 50; ++i)
            deep = {{"id", "{}"}, {"arguments", {{{"all_of", {deep}}}}}};
        QCOMPARE(Message::fromJson(deep, "stored").english(), std::string("stored"));
        // patterns of another version: slots without an argument and invalid slots are left out; nothing throws
        for (const char* pattern :
             {"{} {}", "{5} {999999999999}", "{:d} {:>99999999}", "{", "}", "{x}", "{:{}}", "{0:%}"}) {
            const json value{{"id", pattern}, {"arguments", {"a"}}};
            (void)Message::fromJson(value, "stored").english();
            (void)Message::fromJson(value, "stored").text(Language::Chinese);
        }
    }
    /// Each translation has the same slots as its id, and no sentence is in two tables.
    void tables() {
        std::set<std::string> seen;
        const QStringList files = filesIn(QStringLiteral("resources/messages/zh_CN"), {QStringLiteral("*.json")});
        QVERIFY(files.size() > 3);
        for (const QString& file : files) {
            const auto table = json::parse(contentOf(file));
            for (const auto& [id, chinese] : table.items()) {
                const QByteArray what = (file + QStringLiteral(": ") + QString::fromStdString(id)).toUtf8();
                QVERIFY2(seen.insert(id).second, what);
                QVERIFY2(chinese.is_string() && !chinese.get<std::string>().empty(), what);
                QVERIFY2(slotsOf(id) == slotsOf(chinese.get<std::string>()), what);
                QVERIFY2(slotsOf(id).empty() || messageId(id) == id, what);
            }
        }
        QCOMPARE(chinesePatterns().size(), seen.size());
    }
    /// Every sentence in the sources has a translation, and every translation belongs to a sentence in the sources.
    void sourcesAndTablesAgree() {
        static const QRegularExpression ofMessage( // spaces are left out: "return fail(" is "returnfail("
            QStringLiteral("(?:\\b|return)(?:Message[({]|(?:fail|refuse)\\([\\w:]+,\\{?|errorAt\\([\\w.()]+,\\{?|"
                           "systemError\\(|makePipe\\()$"));
        std::set<std::string> written;
        QStringList missing;
        for (const char* folder : {"core", "app", "widgets"})
            for (const QString& file :
                 filesIn(QString::fromLatin1(folder), {QStringLiteral("*.cpp"), QStringLiteral("*.h")}))
                for (const Literal& literal : literalsOf(contentOf(file))) {
                    const std::string id =
                        literal.text.find('{') == std::string::npos ? literal.text : messageId(literal.text);
                    written.insert(id);
                    written.insert(literal.text); // a sentence without arguments may contain braces
                    if (!ofMessage.match(literal.before).hasMatch() || !hasWords(id))
                        continue;
                    if (!chinesePatterns().contains(id) && !chinesePatterns().contains(literal.text))
                        missing << file.mid(int(sizeof RANKSCOPE_SOURCE_DIR)) + QStringLiteral(": ") +
                                       QString::fromStdString(literal.text);
                }
        QVERIFY2(missing.isEmpty(), qPrintable(QStringLiteral("not translated:\n") + missing.join(QLatin1Char('\n'))));
        QStringList unused;
        for (const auto& [id, chinese] : chinesePatterns())
            if (!written.contains(id))
                unused << QString::fromStdString(id);
        QVERIFY2(unused.isEmpty(), qPrintable(QStringLiteral("in no source:\n") + unused.join(QLatin1Char('\n'))));
    }
};

RANKSCOPE_TEST(TestMessage)
#include "tst_message.moc"
