// SPDX-License-Identifier: Apache-2.0
#include "core/config/hydra/interpolation.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

using namespace rankscope::config;
using namespace rankscope::config::test;

class TestInterpolation : public QObject {
    Q_OBJECT

private:
    std::vector<Problem> m_problems;

    Node resolve(const std::string& yaml) {
        const auto root = parseYaml(yaml);
        if (!root)
            qFatal("%s", root.error().text.english().c_str());
        m_problems.clear();
        return resolveAll(*root, {"hydra"}, m_problems);
    }
    std::string value(const std::string& yaml, const std::string& key) {
        const Node root = resolve(yaml);
        const Node* node = find(root, key);
        if (!m_problems.empty())
            return "! " + m_problems[0].text.english();
        return node ? std::string(typeName(typeOf(*node))) + " " + toText(*node) : "absent";
    }

private Q_SLOTS:
    void initTestCase() {
        qputenv("RANKSCOPE_TEST_SET", "7");
        qunsetenv("RANKSCOPE_TEST_UNSET");
    }

    void resolves_data() {
        QTest::addColumn<QString>("yaml");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* yaml, const char* expected) {
            QTest::newRow(name) << yaml << expected;
        };
        row("absolute", "a: {b: 5}\nx: ${a.b}", "int 5");
        row("keeps type", "a: yes\nx: ${a}", "bool yes");
        row("null", "a: null\nx: ${a}", "null null");
        row("chain", "a: 1\nb: ${a}\nc: ${b}\nx: ${c}", "int 1");
        row("in a text", "a: 1\nb: t\nx: p-${a}-${b}", "string p-1-t");
        row("python words", "a: true\nb: null\nc: 1e-3\nx: ${a} ${b} ${c}", "string True None 0.001");
        row("quoted", "a: 1\nx: '${a}'", "int 1");
        row("nested", "which: b\na: {b: 5}\nx: ${a.${which}}", "int 5");
        row("index", "a: [4, {k: 6}]\nx: ${a[1].k}", "int 6");
        row("index by dot", "a: [4, 5]\nx: ${a.1}", "int 5");
        row("section", "a: {b: 5, c: '${z}'}\nz: 9\nx: ${a}", "section {b: 5, c: 9}");
        row("through a section", "a: {b: 5}\nc: ${a}\nx: ${c.b}", "int 5");
        row("list holds", "a: 1\nx: ['${a}', 2]", "list [1, 2]");
        row("env", "x: ${oc.env:RANKSCOPE_TEST_SET}", "string \"7\"");
        row("env default", "x: ${oc.env:RANKSCOPE_TEST_UNSET,hello}", "string hello");
        row("env default is text", "x: ${oc.env:RANKSCOPE_TEST_UNSET,5}", "string \"5\"");
        row("env default null", "x: ${oc.env:RANKSCOPE_TEST_UNSET,null}", "null null");
        row("env default quoted", "x: \"${oc.env:RANKSCOPE_TEST_UNSET,'a, b'}\"", "string \"a, b\"");
        row("decode", "x: ${oc.decode:${oc.env:RANKSCOPE_TEST_SET}}", "int 7");
        row("select", "x: ${oc.select:nobody,3}", "int 3");
        row("multiply", "a: 6\nx: ${multiply:${a},7}", "int 42");
        row("escaped", "a: 1\nx: 'p\\${a}'", "string \"p${a}\"");
        row("missing stays missing", "a: ???\nx: ${a}", "string ???");
        row("format braces", "m: loss\nx: '${m}--{${m}:.3f}-{step}'", "string \"loss--{loss:.3f}-{step}\"");
        row("brace after", "a: 1\nx: ${a}}", "string \"1}\"");
    }
    void resolves() {
        QFETCH(QString, yaml);
        QFETCH(QString, expected);
        COMPARE_TEXT(value(yaml.toStdString(), "x"), expected.toStdString());
    }

    void relative() {
        COMPARE_TEXT(value("a: {b: 5, x: '${.b}'}", "a.x"), "int 5");
        COMPARE_TEXT(value("b: 1\na: {c: {x: '${..b}'}, b: 2}", "a.c.x"), "int 2");
        COMPARE_TEXT(value("b: 1\na: {c: {x: '${...b}'}, b: 2}", "a.c.x"), "int 1");
        // relative to the key that contains it, not to the key that refers to that key
        COMPARE_TEXT(value("a: {b: 5, c: '${.b}'}\nd: {b: 6, x: '${a.c}'}", "d.x"), "int 5");
    }

    void failures_data() {
        QTest::addColumn<QString>("yaml");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::newRow("itself") << "a: 1\nx: ${x}\n"
                                << "is circular: x -> x" << 2 << 4;
        QTest::newRow("two") << "x: ${b}\nb: ${x}\n"
                             << "is circular: x -> b -> x" << 1 << 4;
        QTest::newRow("own section") << "a:\n  x: ${a}\n"
                                     << "is circular: a.x -> a -> a.x" << 2 << 6;
        QTest::newRow("absent") << "model:\n  d_model: 5\n  x: ${model.d_modl}\n"
                                << "there is no key model.d_modl; did you mean model.d_model" << 3 << 6;
        QTest::newRow("open") << "x: ${a\n"
                              << "is not closed" << 1 << 4;
        QTest::newRow("dots") << "x: ${....a}\n"
                              << "more dots than levels" << 1 << 4;
        QTest::newRow("resolver") << "x: ${nobody:1}\n"
                                  << "resolver is unknown" << 1 << 4;
        QTest::newRow("environment") << "x: ${oc.env:RANKSCOPE_TEST_UNSET}\n"
                                     << "RANKSCOPE_TEST_UNSET" << 1 << 4;
        QTest::newRow("below a value") << "a: 1\nx: ${a.b}\n"
                                       << "there is no key a.b" << 2 << 4;
    }
    void failures() {
        QFETCH(QString, yaml);
        QFETCH(QString, expected);
        QFETCH(int, line);
        QFETCH(int, column);
        resolve(yaml.toStdString());
        QVERIFY(!m_problems.empty());
        QVERIFY2(QString::fromStdString(m_problems[0].text.english()).contains(expected),
                 m_problems[0].text.english().c_str());
        QCOMPARE(m_problems[0].at.line, line);
        QCOMPARE(m_problems[0].at.column, column);
        QVERIFY(m_problems[0].severity == Problem::Severity::Error);
    }

    void unresolvedKeepsItsText() {
        const Node root = resolve("x: ${nobody}\ny: 1\n");
        QVERIFY(root.child("x")->unresolved);
        COMPARE_TEXT(root.child("x")->text, "${nobody}");
        QVERIFY(!root.child("y")->unresolved);
    }

    void hydraIsLeftAlone() {
        const Node root = resolve("hydra:\n  run:\n    dir: ${hydra:runtime.cwd}/${now:%Y}\n");
        QVERIFY(m_problems.empty());
        COMPARE_TEXT(find(root, "hydra.run.dir")->text, "${hydra:runtime.cwd}/${now:%Y}");
    }

    void explosionIsRefused() {
        std::string yaml = "a0: xxxxxxxxxx\n";
        for (int i = 1; i < 40; ++i) {
            const std::string before = "${a" + std::to_string(i - 1) + "}";
            yaml.append("a").append(std::to_string(i)).append(": ").append(before).append(before).append("\n");
        }
        resolve(yaml);
        QVERIFY(!m_problems.empty());
    }
};

RANKSCOPE_CORE_TEST(TestInterpolation)
#include "tst_interpolation.moc"
