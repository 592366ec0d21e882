// SPDX-License-Identifier: Apache-2.0
#include "core/config/edit/document_edit.h"
#include "core/config/yaml/scalar.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

class TestDocument : public QObject {
    Q_OBJECT

    static std::string afterSet(const std::string& text, const std::string& key, const std::string& value) {
        Document d = Document::fromText(text, "r.yaml");
        const auto done = setValue(d, key, value);
        return done ? d.text() : "! " + done.error().message();
    }
    static std::string afterRemove(const std::string& text, const std::string& key) {
        Document d = Document::fromText(text, "r.yaml");
        const auto done = removeKey(d, key);
        return done ? d.text() : "! " + done.error().message();
    }

private Q_SLOTS:
    void replaces_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("after"); ///< with key x set
        const auto row = [](const char* name, const char* before, const char* value, const char* after) {
            QTest::newRow(name) << before << value << after;
        };
        row("plain", "a: 1\nx: 2\nb: 3\n", "5", "a: 1\nx: 5\nb: 3\n");
        row("comment", "x: 2   # why\n", "5", "x: 5   # why\n");
        row("single quotes", "x: 'it''s'  # c\n", "5", "x: 5  # c\n");
        row("double quotes", "x: \"a \\\" # b\"  # c\n", "5", "x: 5  # c\n");
        row("odd spacing", "x :    2\n", "5", "x :    5\n");
        row("no line break at the end", "x: 2", "5", "x: 5");
        row("windows", "a: 1\r\nx: 2 # c\r\nb: 3\r\n", "5", "a: 1\r\nx: 5 # c\r\nb: 3\r\n");
        row("byte order mark", "\xef\xbb\xbfx: 2\n", "5", "\xef\xbb\xbfx: 5\n");
        row("flow list", "x: [1, [2], 'a]']  # c\n", "[3]", "x: [3]  # c\n");
        row("flow over lines", "x: [1,  # one\n  2\n]\nb: 1\n", "[3]", "x: [3]\nb: 1\n");
        row("block list", "x:\n  - 1\n  - 2\nb: 1\n", "[3]", "x: [3]\nb: 1\n");
        row("block list at the key", "x:\n- 1\n- 2\nb: 1\n", "[3]", "x: [3]\nb: 1\n");
        row("block list with comment", "x:  # c\n  - 1\n  # in\n  - 2  # d\nb: 1\n", "[3]", "x: [3]  # c  # d\nb: 1\n");
        row("literal", "x: |  # c\n  one\n\n    two\n\nb: 1\n", "5", "x: 5\n\nb: 1\n");
        row("folded", "x: >-\n  one\n  two\nb: 1\n", "5", "x: 5\nb: 1\n");
        row("over lines", "x: one\n  two\n  three # c\nb: 1\n", "5", "x: 5 # c\nb: 1\n");
        row("empty", "x:\nb: 1\n", "5", "x: 5\nb: 1\n");
        row("empty with comment", "x:   # c\nb: 1\n", "5", "x: 5   # c\nb: 1\n");
        row("in braces", "m: {a: 1, x: 2, b: 3}\n", "5", "m: {a: 1, x: 2, b: 3}\nx: 5\n");
        row("anchor that nobody uses", "x: &n 2 # c\n", "5", "x: &n 5 # c\n");
        row("tag", "x: !!str 2 # c\n", "5", "x: 5 # c\n");
        row("alias", "a: &n 2\nx: *n # c\n", "5", "a: &n 2\nx: 5 # c\n");
        row("quoted key", "\"x\": 2 # c\n", "5", "\"x\": 5 # c\n");
        row("section", "x:\n  a: 1\n  b: 2\nc: 3\n", "null", "x: null\nc: 3\n");
        row("utf-8", "ü: ö # ä\nx: 你好 # é\n", "再见", "ü: ö # ä\nx: 再见 # é\n");
        row("url", "x: http://a:80/b#c\n", "https://d/e#f", "x: https://d/e#f\n");
        row("interpolation", "x: 2\n", "${a.b}", "x: ${a.b}\n");
        row("flow section", "x: {a: {b: 1}, c: [2]} # c\n", "{d: 1}", "x: {d: 1} # c\n");
        row("document marks", "---\nx: 2\n...\n", "5", "---\nx: 5\n...\n");
        row("value is trimmed", "x: 2\n", "  5 ", "x: 5\n");
    }
    void replaces() {
        QFETCH(QString, before);
        QFETCH(QString, value);
        QFETCH(QString, after);
        COMPARE_TEXT(afterSet(before.toStdString(), "x", value.toStdString()), after.toStdString());
    }

    void replacesDeepInside() {
        const std::string text = dataText("tricky.yaml");
        const auto change = [&](const char* key, const char* value, const char* was, const char* is) {
            COMPARE_TEXT(afterSet(text, key, value), replaced(text, was, is));
        };
        change("flow_map.b", "5", "\"b\": two", "\"b\": 5");
        change("flow_map.b", "\"x, y\"", "\"b\": two", "\"b\": \"x, y\"");
        change("flow_map.b", "x, y", "\"b\": two", "\"b\": \"x, y\""); // bare words need quotes in brackets
        change("flow_map.c.d", "[3]", "{d: [1, 2]}", "{d: [3]}");
        change("flow_map.e", "7", "e: }", "e: 7 }");
        change("plain.many lines", "one", "first\n      second\n      third", "one");
        change("plain.colon:in:word", "b", "a:b\n", "b\n");
        change("plain.empty_comment", "1", "empty_comment:   #", "empty_comment: 1   #");
        change("plain.tabbed", "1", "tab\tinside", "1");
        change("quoted keys.single: key", "9", "'single: key': 2", "'single: key': 9");
        change("lists.over_lines", "[]", "[\n    1,  # one\n    2\n  ]", "[]");
        change("lists.maps.0.rank", "3", "rank: 0", "rank: 3");
        change("lists.maps.1.kind", "z", "{kind: y", "{kind: z");
        change("lists.block.1", "2", "- two", "- 2");
        change("blocks.indented", "x", "|2\n     three", "x");
        change("umlauts", "x", "Grüße 你好", "x");
    }

    void adds_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("after"); ///< with the value 5
        const auto row = [](const char* name, const char* before, const char* key, const char* after) {
            QTest::newRow(name) << before << key << after;
        };
        row("at the end", "a: 1\n", "x", "a: 1\nx: 5\n");
        row("no line break", "a: 1", "x", "a: 1\nx: 5");
        row("windows", "a:\r\n    b: 1\r\nc: 2\r\n", "a.x", "a:\r\n    b: 1\r\n    x: 5\r\nc: 2\r\n");
        row("end of its section", "a:\n  b: 1  # c\n# about d\nd: 2\n", "a.x",
            "a:\n  b: 1  # c\n  x: 5\n# about d\nd: 2\n");
        row("after a deeper one", "a:\n  b:\n    c: 1\nd: 2\n", "a.x", "a:\n  b:\n    c: 1\n  x: 5\nd: 2\n");
        row("parents", "a:\n    b: 1\n", "a.p.q.x", "a:\n    b: 1\n    p:\n        q:\n            x: 5\n");
        row("new section", "a: 1\n", "p.x", "a: 1\np:\n  x: 5\n");
        row("empty section", "a:\nb: 1\n", "a.x", "a:\n  x: 5\nb: 1\n");
        row("null section", "a: null  # c\nb: 1\n", "a.x", "a:  # c\n  x: 5\nb: 1\n");
        row("braces", "a: {b: 1}  # c\n", "a.x", "a: {b: 1, x: 5}  # c\n");
        row("empty braces", "a: {}\n", "a.x", "a: {x: 5}\n");
        row("parents in braces", "a: {b: 1}\n", "a.p.x", "a: {b: 1, p: {x: 5}}\n");
        row("null in braces", "a: {b: null}\n", "a.b.x", "a: {b: {x: 5}}\n");
        row("after a list", "a:\n  b:\n  - 1\n  - 2\nc: 1\n", "a.x", "a:\n  b:\n  - 1\n  - 2\n  x: 5\nc: 1\n");
        row("after a literal", "a:\n  b: |\n    t\n\nc: 1\n", "a.x", "a:\n  b: |\n    t\n  x: 5\n\nc: 1\n");
        row("after an empty value", "a:\n  b:  # c\nc: 1\n", "a.x", "a:\n  b:  # c\n  x: 5\nc: 1\n");
        row("into nothing", "", "x", "x: 5\n");
        row("into comments", "# hello\n", "a.x", "# hello\na:\n  x: 5\n");
        row("into a list's section", "l:\n  - a: 1\n  - b: 2\n", "l.0.x", "l:\n  - a: 1\n    x: 5\n  - b: 2\n");
        row("over what << brings", "b: &b {x: 1}\na:\n  <<: *b\n", "a.x", "b: &b {x: 1}\na:\n  <<: *b\n  x: 5\n");
        row("a key that needs quotes", "a: 1\n", "null", "a: 1\n\"null\": 5\n");
    }
    void adds() {
        QFETCH(QString, before);
        QFETCH(QString, key);
        QFETCH(QString, after);
        COMPARE_TEXT(afterSet(before.toStdString(), key.toStdString(), "5"), after.toStdString());
    }

    void removes_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("after");
        const auto row = [](const char* name, const char* before, const char* key, const char* after) {
            QTest::newRow(name) << before << key << after;
        };
        row("line and comment", "a: 1\nx: 2  # why\nb: 3\n", "x", "a: 1\nb: 3\n");
        row("windows", "a: 1\r\nx: 2\r\nb: 3\r\n", "x", "a: 1\r\nb: 3\r\n");
        row("first", "x: 2\nb: 3\n", "x", "b: 3\n");
        row("first after a mark", "\xef\xbb\xbfx: 2\nb: 3\n", "x",
            "\xef\xbb\xbf"
            "b: 3\n");
        row("last", "a: 1\nx: 2", "x", "a: 1\n");
        row("comments above go with it", "a: 1\n# about x\nx: 2\nb: 3\n", "x", "a: 1\nb: 3\n");
        row("comments further above stay", "a: 1\n# about\n\nx: 2\nb: 3\n", "x", "a: 1\n# about\n\nb: 3\n");
        row("comments of another depth stay", "a: 1\n  # about\nx: 2\n", "x", "a: 1\n  # about\n");
        row("the file's own comment stays", "# file\nx: 2\nb: 3\n", "x", "# file\nb: 3\n");
        row("no comment but a text", "a: \"1\n# no\"\nx: 2\n", "x", "a: \"1\n# no\"\n");
        row("section", "a: 1\nx:\n  y: 1\n  z: 2\nb: 3\n", "x", "a: 1\nb: 3\n");
        row("list", "x:\n- 1\n- 2\nb: 3\n", "x", "b: 3\n");
        row("literal", "x: |\n  t\n  u\nb: 3\n", "x", "b: 3\n");
        row("empty", "x:\nb: 3\n", "x", "b: 3\n");
        row("only one of a section", "a:  # c\n  x: 1\nb: 3\n", "a.x", "a: {}  # c\nb: 3\n");
        row("only one of the file", "# c\nx: 1\n", "x", "# c\n");
        row("braces first", "a: {x: 1, b: 2}\n", "a.x", "a: {b: 2}\n");
        row("braces last", "a: {b: 2, x: 1}\n", "a.x", "a: {b: 2}\n");
        row("braces only", "a: {x: 1}\n", "a.x", "a: {}\n");
        row("first of a list's section", "l:\n  - x: 1\n    b: 2\n", "l.0.x", "l:\n  - b: 2\n");
        row("of a list's section", "l:\n  - a: 1\n    x: 2\n  - b\n", "l.0.x", "l:\n  - a: 1\n  - b\n");
    }
    void removes() {
        QFETCH(QString, before);
        QFETCH(QString, key);
        QFETCH(QString, after);
        COMPARE_TEXT(afterRemove(before.toStdString(), key.toStdString()), after.toStdString());
    }

    void refuses_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value"); ///< "~": remove
        const auto row = [](const char* name, const char* text, const char* key, const char* value) {
            QTest::newRow(name) << text << key << value;
        };
        row("anchor in use", "a: &n 1\nb: *n\n", "a", "5");
        row("inside of an alias", "a: &n {x: 1}\nb: *n\n", "b.x", "5");
        row("removed anchor", "a: &n 1\nb: *n\n", "a", "~");
        row("below a value", "a: 1\n", "a.b", "5");
        row("below a list", "a: [1]\n", "a.b", "5");
        row("broken value", "a: 1\n", "a", "[1");
        row("two values", "a: 1\n", "a", "b: 1");
        row("comment", "a: 1\n", "a", "5 # x");
        row("only comment", "a: 1\n", "a", "# x");
        row("lines", "a: 1\n", "a", "5\nb: 6");
        row("block", "a: 1\n", "a", "|");
        row("nothing", "a: 1\n", "a", " ");
        row("alias of nobody", "a: 1\n", "a", "*x");
        row("new anchor", "a: 1\n", "a", "&x 5");
        row("no key", "a: 1\n", "", "5");
        row("nothing to remove", "a: 1\n", "b", "~");
        row("broken file", "a: [1\n", "a", "5");
        row("list file", "- a\n", "b", "5");
        row("what << brings", "b: &b {x: 1}\na:\n  <<: *b\n", "a.x", "~");
    }
    void refuses() {
        QFETCH(QString, text);
        QFETCH(QString, key);
        QFETCH(QString, value);
        Document d = Document::fromText(text.toStdString(), "r.yaml");
        const auto done =
            value == "~" ? removeKey(d, key.toStdString()) : setValue(d, key.toStdString(), value.toStdString());
        QVERIFY2(!done, d.text().c_str());
        QVERIFY(done.error().message().rfind("r.yaml", 0) == 0);
        COMPARE_TEXT(d.text(), text.toStdString());
    }

    void reads() {
        const Document d = Document::fromText(dataText("tricky.yaml"), "tricky.yaml");
        QVERIFY(!d.parseError());
        COMPARE_TEXT(toText(*find(*d.root(), "name")), "it's \"tricky\"");
        COMPARE_TEXT(toText(*find(*d.root(), "lists.same_indent")), "[a, b]");
        COMPARE_TEXT(toText(*find(*d.root(), "plain.empty")), "null");
        QVERIFY(!find(*d.root(), "plain.nobody"));
        QCOMPARE(find(*d.root(), "plain.url")->at.line, 7);
        QCOMPARE(find(*d.root(), "plain.url")->at.column, 10);
        QCOMPARE(find(*d.root(), "plain")->entry("empty")->key.at.line, 12);
        const auto keys = leafKeys(*d.root());
        COMPARE_TEXT(keys.front(), "name");
        COMPARE_TEXT(keys.back(), "last");
        QVERIFY(std::find(keys.begin(), keys.end(), "empty_map") != keys.end());
        QVERIFY(std::find(keys.begin(), keys.end(), "flow_map.c.d") != keys.end());
        QVERIFY(std::find(keys.begin(), keys.end(), "plain") == keys.end());
    }

    void brokenTextIsKept() {
        const std::string text = "a: 1\nb: [\n";
        const Document d = Document::fromText(text, "r.yaml");
        QVERIFY(d.parseError());
        QVERIFY(d.parseError()->at.line >= 2);
        COMPARE_TEXT(d.text(), text);
        QVERIFY(!d.root());
    }

    void editsThereAndBack() {
        const std::string text = sourceText("configs/nest_large.yaml");
        Document d = Document::fromText(text);
        QVERIFY(setValue(d, "model.encoder.sync_max_audio_length", "false"));
        QVERIFY(setValue(d, "trainer.sync_batchnorm", "false"));
        QVERIFY(d.text() != text);
        QVERIFY(setValue(d, "trainer.sync_batchnorm", "true"));
        QVERIFY(setValue(d, "model.encoder.sync_max_audio_length", "true"));
        COMPARE_TEXT(d.text(), text);
        QVERIFY(setValue(d, "rankscope.stall.min_seconds", "1.0"));
        QVERIFY(removeKey(d, "rankscope.stall"));
        COMPARE_TEXT(d.text(), text);
    }
};

RANKSCOPE_CORE_TEST(TestDocument)
#include "tst_document.moc"
