// SPDX-License-Identifier: Apache-2.0
#include "core/config/hydra/override.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

using namespace rankscope::config;
using namespace rankscope::config::test;

class TestOverride : public QObject {
    Q_OBJECT

private:
    std::string m_error;

    Node apply(const std::string& yaml, const std::string& override) {
        Node root = *parseYaml(yaml);
        const auto known = [](const std::string& key) { return key == "model.encoder.sync_max_audio_length"; };
        const auto done = applyOverride(root, override, known);
        m_error = done ? "" : done.error().english();
        return root;
    }

private Q_SLOTS:
    void values_data() {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("text");
        const char* rows[][3] = {
            {"5", "int", "5"},
            {"-1", "int", "-1"},
            {"1e-3", "float", "1e-3"},
            {"true", "bool", "true"},
            {"False", "bool", "false"},
            {"null", "null", "null"},
            {"NULL", "null", "null"},
            {"yes", "string", "\"yes\""},
            {"", "string", "\"\""},
            {"word", "string", "word"},
            {"two words", "string", "two words"},
            {"/data/a.json", "string", "/data/a.json"},
            {"'5'", "string", "\"5\""},
            {"\"a,b\"", "string", "\"a,b\""},
            {"'it\\'s'", "string", "it's"},
            {"[1,2]", "list", "[1, 2]"},
            {"[-1, -1]", "list", "[-1, -1]"},
            {"[a,'b,c',[1]]", "list", "[a, \"b,c\", [1]]"},
            {"[]", "list", "[]"},
            {"{a:1,b:{c:[x]}}", "section", "{a: 1, b: {c: [x]}}"},
            {"{}", "section", "{}"},
            {"${model.a}", "string", "${model.a}"},
            {"inf", "float", ".inf"},
            {"1:30", "string", "\"1:30\""},
            {"http://h:1/x", "string", "http://h:1/x"},
        };
        for (const auto& row : rows)
            QTest::newRow(row[0]) << row[0] << row[1] << row[2];
    }
    void values() {
        QFETCH(QString, written);
        QFETCH(QString, type);
        QFETCH(QString, text);
        const auto node = parseOverrideValue(written.toStdString());
        QVERIFY2(node, node ? "" : node.error().english().c_str());
        COMPARE_TEXT(std::string(typeName(typeOf(*node))), type.toStdString());
        COMPARE_TEXT(toText(*node), text.toStdString());
    }

    void badValues() {
        for (const char* text : {"1,2", "[1", "{a", "{a:1", "'x", "[1]]", "[,]", "{:1}"})
            QVERIFY2(!parseOverrideValue(text), text);
    }

    void changes() {
        const Node root = apply("model: {lr: 1, x: 2}", "model.lr=5");
        COMPARE_TEXT(m_error, "");
        COMPARE_TEXT(toText(root), "{model: {lr: 5, x: 2}}");
        QVERIFY(find(root, "model.lr")->origin == Origin::Override);
        QVERIFY(find(root, "model.x")->origin == Origin::Yours);
    }
    void changesKnownKeyThatIsAbsent() {
        const Node root = apply("model: {encoder: {d: 1}}", "model.encoder.sync_max_audio_length=false");
        COMPARE_TEXT(m_error, "");
        COMPARE_TEXT(toText(root), "{model: {encoder: {d: 1, sync_max_audio_length: false}}}");
    }
    void refusesUnknown() {
        apply("model: {learning_rate: 1}", "model.learning_rat=5");
        COMPARE_TEXT(m_error, "there is no key model.learning_rat; did you mean model.learning_rate? "
                              "+model.learning_rat=5 adds it");
    }
    void adds() {
        COMPARE_TEXT(toText(apply("a: 1", "+b.c=2")), "{a: 1, b: {c: 2}}");
        COMPARE_TEXT(toText(apply("a: null", "+a.c=2")), "{a: {c: 2}}");
        apply("a: 1", "+a=2");
        QVERIFY(m_error.find("already exists") != std::string::npos);
        COMPARE_TEXT(toText(apply("a: 1", "++a=2")), "{a: 2}");
        COMPARE_TEXT(toText(apply("a: 1", "++b=2")), "{a: 1, b: 2}");
        apply("a: 1", "+a.b=2");
        QVERIFY(m_error.find("not a section") != std::string::npos);
    }
    void removes() {
        COMPARE_TEXT(toText(apply("a: {b: 1, c: 2}", "~a.b")), "{a: {c: 2}}");
        COMPARE_TEXT(toText(apply("a: {b: 1, c: 2}", "~a.b=1")), "{a: {c: 2}}");
        COMPARE_TEXT(toText(apply("a: [1, 2, 3]", "~a.1")), "{a: [1, 3]}");
        apply("a: {b: 1}", "~a.b=2");
        QVERIFY(m_error.find("is 1, not 2") != std::string::npos);
        apply("a: {b: 1}", "~a.x");
        QVERIFY(m_error.find("there is no a.x") != std::string::npos);
    }
    void listIndex() {
        COMPARE_TEXT(toText(apply("a: [{k: 1}, 2]", "a[0].k=5")), "{a: [{k: 5}, 2]}");
        apply("a: [1]", "+a.3=5");
        QVERIFY(m_error.find("has no value 3") != std::string::npos);
    }
    void nonsense() {
        for (const char* text : {"", "a", "=5", "+=1", "~", "a b=1", "db@x=1"}) {
            apply("a: 1", text);
            QVERIFY2(!m_error.empty(), text);
        }
    }
};

RANKSCOPE_CORE_TEST(TestOverride)
#include "tst_override.moc"
