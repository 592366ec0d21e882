// SPDX-License-Identifier: Apache-2.0
// Compares every value of NeMo's own recipes, and of a file with all forms of interpolation, with OmegaConf's results
// (tests/data/nemo/conf/make_expected.py).
#include "core/config/hydra/interpolation.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <nlohmann/json.hpp>

using namespace rankscope::config;
using namespace rankscope::config::test;

using Json = nlohmann::json;

class TestOmegaConf : public QObject {
    Q_OBJECT

    static constexpr const char* kFolder = "tests/data/nemo/conf/";

    /// Returns type and text of a value in the form that make_expected.py writes.
    static std::pair<std::string, std::string> leaf(const Node& node) {
        if (isMissing(node))
            return {"missing", ""};
        if (node.unresolved)
            return {"error", ""};
        switch (typeOf(node)) {
        case Type::Null:
            return {"null", ""};
        case Type::Bool:
            return {"bool", *asBool(node) ? "true" : "false"};
        case Type::Int:
            return {"int", std::to_string(asInt(node).value())};
        case Type::Float:
            return {"float", ""};
        case Type::String:
            return {"str", node.text};
        default:
            return {node.items.empty() && node.entries.empty() ? "empty" : "section", ""};
        }
    }

    static std::size_t leaves(const Node& node, bool top = true) {
        std::size_t n = node.isMap() || node.isList() ? (node.items.empty() && node.entries.empty() ? 1 : 0) : 1;
        for (const auto& item : node.items)
            n += leaves(item, false);
        for (const auto& e : node.entries)
            if (!e.mergeKey && !(top && e.key.text == "hydra"))
                n += leaves(e.value, false);
        return n;
    }

private Q_SLOTS:
    void initTestCase() {
        qputenv("CONF_SET", "7");
        qunsetenv("CONF_UNSET");
    }

    void values_data() {
        QTest::addColumn<QString>("file");
        const Json expected = Json::parse(sourceText(std::string(kFolder) + "expected.json"));
        QVERIFY(expected.at("files").size() >= 6);
        for (const auto& [file, values] : expected.at("files").items())
            QTest::newRow(file.c_str()) << QString::fromStdString(file);
    }
    void values() {
        QFETCH(QString, file);
        const Json expected = Json::parse(sourceText(std::string(kFolder) + "expected.json"));
        const auto written = parseYaml(sourceText(kFolder + file.toStdString()));
        QVERIFY2(written, written ? "" : written.error().text.english().c_str());
        std::vector<Problem> problems;
        const Node root = resolveAll(*written, {"hydra"}, problems);
        std::size_t count = 0, wrong = 0;
        for (const auto& value : expected.at("files").at(file.toStdString())) {
            const auto path = value.at(0).get<Path>();
            if (path[0] == "hydra")
                continue;
            ++count;
            const Node* node = find(root, path);
            const auto [type, text] = node ? leaf(*node) : std::pair<std::string, std::string>{"absent", ""};
            const auto wantedType = value.at(1).get<std::string>(), wanted = value.at(2).get<std::string>();
            bool same = type == wantedType && text == wanted;
            if (type == "float" && wantedType == "float") {
                const double mine = asDouble(*node).value();
                same = wanted == "nan" ? mine != mine : mine == std::stod(wanted);
            }
            if (!same)
                qWarning("%s: %s \"%s\", OmegaConf: %s \"%s\"", joinKey(path).c_str(), type.c_str(), text.c_str(),
                         wantedType.c_str(), wanted.c_str());
            wrong += same ? 0 : 1;
        }
        QCOMPARE(wrong, std::size_t{0});
        QCOMPARE(leaves(root), count); // nothing else
    }

    void everyUnresolvedOneIsTold() {
        std::vector<Problem> problems;
        const auto written = parseYaml(sourceText(std::string(kFolder) + "grammar.yaml"));
        const Node root = resolveAll(*written, {}, problems);
        for (const char* key :
             {"inner", "nobody", "below_value", "circle", "circle_b", "above_all", "unknown_resolver"})
            QVERIFY2(std::any_of(problems.begin(), problems.end(),
                                 [&](const Problem& p) { return p.key == key && p.at.line > 0; }),
                     key);
    }

    void nestByTheFacts() {
        const std::string text = sourceText(std::string(kFolder) + "nest_fast-conformer.yaml");
        const Effective e = evaluate(text, "nest_fast-conformer.yaml");
        std::size_t found = 0;
        for (const auto& [key, value] : builtinSchema().yaml) {
            const KeyRow* row = e.find(key);
            QVERIFY2(row && row->yours && row->nemoYaml, key.c_str());
            QVERIFY2(!row->differs && row->origin == Origin::Yours, key.c_str());
            ++found;
        }
        QCOMPARE(found, std::size_t{176});
        QCOMPARE(errorCount(e), 1); // the training manifest is ???
        const KeyRow* sync = e.find("model.encoder.sync_max_audio_length");
        QVERIFY(sync && !sync->yours && !sync->nemoYaml);
        COMPARE_TEXT(sync->effective.value(), "true");
        COMPARE_TEXT(sync->code.value(), "true");
        COMPARE_TEXT(sync->codeSource, "NeMo ConformerEncoder");
        QVERIFY(sync->origin == Origin::Code && sync->affectsRanks);
    }

    void allOfNemo() {
        const QString nemo = qEnvironmentVariable("RANKSCOPE_NEMO_DIR");
        if (nemo.isEmpty())
            QSKIP("RANKSCOPE_NEMO_DIR does not name a checkout of NeMo");
        int files = 0;
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(nemo.toStdString() + "/examples/asr/conf")) {
            if (entry.path().extension() != ".yaml")
                continue;
            ++files;
            const auto text = rankscope::readFile(entry.path());
            QVERIFY(text);
            const auto root = parseYaml(*text);
            QVERIFY2(root, entry.path().c_str());
            const Effective e = evaluate(*text, entry.path().string());
            QVERIFY2(!e.rows.empty(), entry.path().c_str());
        }
        QVERIFY(files > 50);
    }
};

RANKSCOPE_CORE_TEST(TestOmegaConf)
#include "tst_omegaconf.moc"
