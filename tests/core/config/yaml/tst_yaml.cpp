// SPDX-License-Identifier: Apache-2.0
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_cpp_message.h"
#include "core/config/yaml/yaml_parser.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>

using namespace rankscope::config;
using namespace rankscope::config::test;

class TestYaml : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void scalarTypes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("type");
        // the results of OmegaConf.create("k: TEXT")
        const char* rows[][2] = {
            {"1", "int"},         {"-1", "int"},         {"1_000", "int"},   {"0x1F", "int"},       {"0b11", "int"},
            {"017", "int"},       {"1:30", "int"},       {"1.0", "float"},   {"1e-3", "float"},     {"5e5", "float"},
            {".5", "float"},      {"1.", "float"},       {".inf", "float"},  {"-.inf", "float"},    {".nan", "float"},
            {"true", "bool"},     {"True", "bool"},      {"yes", "bool"},    {"off", "bool"},       {"null", "null"},
            {"~", "null"},        {"", "null"},          {"tRue", "string"}, {"1.2.3", "string"},   {"e5", "string"},
            {"08", "string"},     {"inf", "string"},     {"nan", "string"},  {"a b", "string"},     {"\"5\"", "string"},
            {"'null'", "string"}, {"!!str 5", "string"}, {"[1, 2]", "list"}, {"{a: 1}", "section"}, {"???", "string"},
            {"1e", "string"},     {".", "string"},       {"+", "string"},    {"-", "string"},       {"1:99", "string"},
        };
        for (const auto& row : rows)
            if (QByteArray(row[0]) != "-") // a single dash is a list
                QTest::newRow(row[0]) << row[0] << row[1];
    }
    void scalarTypes() {
        QFETCH(QString, text);
        QFETCH(QString, type);
        const auto root = parseYaml("k: " + text.toStdString());
        QVERIFY(root);
        COMPARE_TEXT(std::string(typeName(typeOf(*root->child("k")))), type.toStdString());
    }

    void numbers() {
        QCOMPARE(asInt(Node::plain("0x1F")).value(), 31);
        QCOMPARE(asInt(Node::plain("-1_000")).value(), -1000);
        QCOMPARE(asInt(Node::plain("017")).value(), 15);
        QCOMPARE(asInt(Node::plain("1:30")).value(), 90);
        QCOMPARE(asInt(Node::plain("-9223372036854775808")).value(), std::numeric_limits<std::int64_t>::min());
        QVERIFY(!asInt(Node::plain("9223372036854775808")));
        QCOMPARE(asDouble(Node::plain("1e-3")).value(), 1e-3);
        QCOMPARE(asDouble(Node::plain("-2.5E+2")).value(), -250.0);
        QCOMPARE(asDouble(Node::plain("-.inf")).value(), -std::numeric_limits<double>::infinity());
        QCOMPARE(asDouble(Node::plain("1e999")).value(), std::numeric_limits<double>::infinity());
        QVERIFY(!asDouble(Node::string("1")));
    }

    void textRoundTrip_data() {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"plain",  "two words", "5",     "null",        "true", "",    " lead", "tail ", "a: b",        "a #b",
              "#c",     "it's",      "\"q\"", "back\\slash", "a,b",  "[x]", "{y}",   "- z",   "line\nbreak", "tab\t",
              "${a.b}", "a${b}c",    "é你",   "---",         "%x",   "@y",  "`z",    "!t",    "&a",          "*b",
              "k:",     "<<",        "~",     "1e3",         "yes",  "x]",  "\x01"})
            QTest::newRow(text) << QString::fromUtf8(text);
        for (const char* text :
             {"\x7f", "x\xc2\x9b[2J", "x\xe2\x80\xae.y", "\xc2\x85", "x\xe2\x80\xa8 \xf0\x9f\x98\x80", "x\xef\xbb\xbf"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }
    void textRoundTrip() {
        QFETCH(QString, text);
        const Node node = Node::string(text.toStdString());
        for (const auto& yaml : {"k: " + toText(node), "k: [" + toText(node) + ", 1]", "{k: " + toText(node) + "}"}) {
            if (text.contains("${") && yaml[0] == '{')
                continue; // interpolations stay unquoted, as people write them; lists quote them
            const auto root = parseYaml(yaml);
            if (text.contains("${") && !root)
                continue;
            QVERIFY2(root, yaml.c_str());
            const Node* back = root->child("k");
            const Node& value = back->isList() ? back->items[0] : *back;
            QCOMPARE(typeOf(value), Type::String);
            COMPARE_TEXT(value.text, text.toStdString());
        }
    }

    /// YAML is also printed on terminals, for example by `resolve`.
    void noTextObeysATerminal() {
        COMPARE_TEXT(toText(Node::string("x\xc2\x9b[2J")), "\"x\\u009b[2J\"");
        COMPARE_TEXT(toText(Node::plain("x\xe2\x80\xae.y")), "\"x\\u202e.y\"");
        COMPARE_TEXT(toText(Node::plain("${x\x7f}")), "\"${x\\x7f}\"");
        COMPARE_TEXT(toText(Node::string("\xc2\x85")), "\"\\u0085\"");
        COMPARE_TEXT(toText(Node::string("l\xc3\xa4uft \xf0\x9f\x98\x80")), "l\xc3\xa4uft \xf0\x9f\x98\x80");
    }

    void equality() {
        const auto same = [](const char* a, const char* b) { return sameValue(*parseYaml(a), *parseYaml(b)); };
        QVERIFY(same("5", "5.0"));
        QVERIFY(same("[1, 2]", "- 1\n- 2"));
        QVERIFY(same("{a: 1, b: 2}", "b: 2\na: 1"));
        QVERIFY(same("yes", "True"));
        QVERIFY(!same("5", "\"5\""));
        QVERIFY(!same("[1, 2]", "[2, 1]"));
        QVERIFY(!same("{a: 1}", "{a: 1, b: 2}"));
        QVERIFY(!same("null", "false"));
        QVERIFY(!same("9007199254740993", "9007199254740992")); // a double cannot tell them apart
    }

    void positions() {
        const auto root = parseYaml("\xef\xbb\xbf"
                                    "a:\r\n  b: [1,\r\n    x]\r\n  c: 'q'\r\n");
        QVERIFY(root);
        const Node* x = find(*root, "a.b.1");
        QVERIFY(x);
        QCOMPARE(x->at.line, 3);
        QCOMPARE(x->at.column, 5);
        QCOMPARE(static_cast<int>(x->offset), 3 + 4 + 10 + 4); // the byte order mark counts
        QCOMPARE(find(*root, "a.c")->at.line, 4);
    }

    void anchorsAndMerge() {
        const auto root = parseYaml(dataText("anchors.yaml"));
        QVERIFY(root);
        COMPARE_TEXT(find(*root, "copy.steps")->text, "100");
        COMPARE_TEXT(find(*root, "derived.lr")->text, "0.2");
        COMPARE_TEXT(find(*root, "derived.steps")->text, "100");
        QVERIFY(!find(*root, "derived.<<"));
        QCOMPARE(find(*root, "copy")->at.line, 4);
        COMPARE_TEXT(toText(*find(*root, "derived")), "{lr: 0.2, steps: 100}");
    }

    void broken_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");
        QTest::newRow("tab indent") << QByteArray("a:\n\tb: 1\n") << 2;
        QTest::newRow("open bracket") << QByteArray("a: [1, 2\nb: 3\n") << 2;
        QTest::newRow("open quote") << QByteArray("a: 1\nb: \"x\nc: 3\n") << 2;
        QTest::newRow("open single quote") << QByteArray("a: 'x''\nb: 3\n") << 1;
        QTest::newRow("escaped quote") << QByteArray("a: \"x\\\"\nb: 3\n") << 1;
        QTest::newRow("twice") << QByteArray("a: 1\nb: 2\na: 3\n") << 3;
        QTest::newRow("list as key") << QByteArray("a: 1\n[1, 2]: 3\n") << 2;
        QTest::newRow("two documents") << QByteArray("a: 1\n---\nb: 1\n") << 2;
        QTest::newRow("unknown alias") << QByteArray("a: 1\nb: *nobody\n") << 2;
        QTest::newRow("control character") << QByteArray("a: 1\nb: x\x04\nc: 2\n") << 2;
        QTest::newRow("zero byte") << QByteArray("a: 1\nb: \0\n", 9) << 2;
        QTest::newRow("latin 1") << QByteArray("a: 1\nb: \xe9t\xe9\n") << 2;
        QTest::newRow("utf 16") << QByteArray("\xff\xfe"
                                              "a\0:\0",
                                              6)
                                << 1;
        QTest::newRow("itself") << QByteArray("a: &a\n  b: *a\n") << 2;
        QTest::newRow("bad merge") << QByteArray("x: &x 1\na:\n  <<: *x\n") << 3;
    }
    void broken() {
        QFETCH(QByteArray, text);
        QFETCH(int, line);
        const auto root = parseYaml(text.toStdString());
        QVERIFY(!root);
        QVERIFY(!root.error().text.empty());
        QCOMPARE(root.error().at.line, line);
        QVERIFY(root.error().at.column >= 1);
    }

    void aliasBombIsRefused() {
        std::string text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
        for (int i = 1; i < 9; ++i) {
            text += fmtLine(i);
        }
        const auto root = parseYaml(text);
        QVERIFY(!root);
        QVERIFY(root.error().text.english().find("200000") != std::string::npos);
    }

    void deepNestingIsRefused() {
        QVERIFY(!parseYaml("a: " + std::string(20000, '[')));
        QVERIFY(!parseYaml("a: " + std::string(20000, '[') + std::string(20000, ']')));
    }

    /// Every error text of yaml-cpp's parser has a message with a translation.
    void yamlCppSpeaksChinese() {
        using namespace YAML::ErrorMsg;
        const auto chinese = [](const std::string& words) {
            const rankscope::Message message = yamlCppMessage(words);
            return message.english() == words ? message.text(rankscope::Language::Chinese) : "not " + words;
        };
        for (const char* message : {YAML_DIRECTIVE_ARGS,
                                    YAML_MAJOR_VERSION,
                                    REPEATED_YAML_DIRECTIVE,
                                    TAG_DIRECTIVE_ARGS,
                                    REPEATED_TAG_DIRECTIVE,
                                    CHAR_IN_TAG_HANDLE,
                                    TAG_WITH_NO_SUFFIX,
                                    END_OF_VERBATIM_TAG,
                                    END_OF_MAP_FLOW,
                                    END_OF_SEQ_FLOW,
                                    MULTIPLE_TAGS,
                                    MULTIPLE_ANCHORS,
                                    MULTIPLE_ALIASES,
                                    ALIAS_CONTENT,
                                    INVALID_HEX,
                                    UNKNOWN_TOKEN,
                                    DOC_IN_SCALAR,
                                    EOF_IN_SCALAR,
                                    CHAR_IN_SCALAR,
                                    FLOW_END,
                                    BLOCK_ENTRY,
                                    MAP_KEY,
                                    ALIAS_NOT_FOUND,
                                    ANCHOR_NOT_FOUND,
                                    CHAR_IN_ALIAS,
                                    CHAR_IN_ANCHOR,
                                    ZERO_INDENT_IN_BLOCK,
                                    CHAR_IN_BLOCK,
                                    AMBIGUOUS_ANCHOR,
                                    INVALID_SCALAR,
                                    UNMATCHED_GROUP_TAG,
                                    UNEXPECTED_END_SEQ,
                                    UNEXPECTED_END_MAP,
                                    SINGLE_QUOTED_CHAR,
                                    INVALID_ANCHOR,
                                    INVALID_ALIAS,
                                    INVALID_TAG,
                                    BAD_FILE})
            QVERIFY2(chinese(message) != message && !chinese(message).starts_with("not "), message);
        COMPARE_TEXT(chinese(std::string(YAML_VERSION) + "9.9"), "YAML 版本不对：9.9");
        COMPARE_TEXT(chinese(std::string(INVALID_UNICODE) + "d800"), "无效的 Unicode 编码：d800");
        COMPARE_TEXT(chinese(std::string(INVALID_ESCAPE) + "q"), "未知的转义字符：q");
        COMPARE_TEXT(yamlCppMessage("nobody knows").text(rankscope::Language::Chinese), "nobody knows");
        const auto broken = parseYaml("a: [1, 2\nb: 3\n");
        QVERIFY(!broken);
        const std::string text = broken.error().text.text(rankscope::Language::Chinese);
        QVERIFY2(text.starts_with("YAML 有误：此处缺少逗号或 "), text.c_str());
    }

private:
    static std::string fmtLine(int i) {
        const std::string before = "*a" + std::to_string(i - 1);
        std::string line = fmt::format("a{0}: &a{0} [{1}", i, before);
        for (int k = 0; k < 9; ++k)
            line += ", " + before;
        return line + "]\n";
    }
};

RANKSCOPE_CORE_TEST(TestYaml)
#include "tst_yaml.moc"
