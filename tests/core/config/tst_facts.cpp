// SPDX-License-Identifier: Apache-2.0
#include "core/config/facts.h"
#include "core/config/load.h"
#include "core/config/scalar.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <set>

using namespace rankscope::config;
using namespace rankscope::config::test;

class TestFacts : public QObject {
    Q_OBJECT

    /// A YAML file from flat keys in order.
    static std::string asYaml(const std::vector<std::pair<std::string, ValueText>>& flat) {
        std::string out;
        Path open;
        for (const auto& [key, value] : flat) {
            const Path path = splitKey(key);
            std::size_t common = 0;
            while (common + 1 < path.size() && common < open.size() && open[common] == path[common])
                ++common;
            for (std::size_t i = common; i < path.size(); ++i)
                out += std::string(2 * i, ' ') + path[i] + ":" + (i + 1 == path.size() ? " " + value : "") + "\n";
            open.assign(path.begin(), path.end() - 1);
        }
        return out;
    }

private slots:
    void versions() {
        COMPARE_TEXT(builtinFacts().nemoVersion, "2.7.3");
        COMPARE_TEXT(builtinFacts().lightningVersion, "2.4.0");
        COMPARE_TEXT(builtinFacts().torchVersion, "2.11.0");
        QCOMPARE(builtinFacts().yaml.size(), std::size_t{176});
    }

    void everyKeyIsFoundOnNemosFile() {
        const Facts& facts = builtinFacts();
        const Effective e = evaluate(asYaml(facts.yaml), "nemo.yaml");
        QCOMPARE(errorCount(e), 1); // the training manifest is ???
        std::size_t differing = 0;
        for (const auto& [key, value] : facts.yaml) {
            const KeyRow* row = e.find(key);
            QVERIFY2(row, key.c_str());
            QVERIFY(row->yours && row->nemoYaml);
            QVERIFY2(sameValue(nodeOfText(*row->yours), nodeOfText(value)), key.c_str());
            differing += row->differs ? 1 : 0;
        }
        QCOMPARE(differing, std::size_t{0});
        for (const auto& [key, code] : facts.code) {
            const auto dot = key.rfind('.');
            QVERIFY2(facts.section(key.substr(0, dot)), key.c_str());
            const KeyRow* row = e.find(key);
            const bool section = std::any_of(facts.yaml.begin(), facts.yaml.end(), [&](const auto& kv) {
                return kv.first.rfind(key + ".", 0) == 0; // NeMo's file gives the argument as a section
            });
            const bool shown =
                key.rfind("trainer.strategy.", 0) != 0 && key.rfind("model.test_ds.", 0) != 0 && !section;
            QVERIFY2((row != nullptr) == shown, key.c_str());
            if (row) {
                QVERIFY(row->code);
                COMPARE_TEXT(*row->code, code.first);
                COMPARE_TEXT(row->codeSource, code.second);
                QVERIFY(row->effective);
            }
        }
    }

    void everyDefaultFitsItsOwnRule() {
        for (const auto& section : builtinFacts().sections)
            for (const auto& key : section.keys) {
                const std::string name = section.at + "." + key.name;
                QVERIFY2(!key.types.empty(), name.c_str());
                if (!key.code)
                    continue;
                const Node node = nodeOfText(*key.code);
                const std::string type = typeOf(node) == Type::Map ? "map" : std::string(typeName(typeOf(node)));
                QVERIFY2(key.takes("any") || key.takes(type) || (type == "int" && key.takes("float")), name.c_str());
                const auto number = asDouble(node);
                QVERIFY2(!number || !key.min || *number >= *key.min, name.c_str());
                QVERIFY2(key.choices.empty() || typeOf(node) != Type::String ||
                             std::find(key.choices.begin(), key.choices.end(), node.text) != key.choices.end(),
                         name.c_str());
            }
    }

    void compiledInAsItStands() {
        COMPARE_TEXT(std::string(kNemoFactsJsons.front()), sourceText("configs/nemo/nemo-2.7.3.json"));
        COMPARE_TEXT(std::string(kRankscopeKeysJson), sourceText("core/config/rankscope_keys.json"));
    }

    void anotherVersionCanBeLoaded() {
        std::string json = replaced(std::string(kNemoFactsJsons.front()), "\"nemo\": \"2.7.3\"", "\"nemo\": \"9.9\"");
        json = replaced(json, "\"sync_max_audio_length\": {\"type\": \"bool\", \"default\": true",
                        "\"sync_max_audio_length\": {\"type\": \"bool\", \"default\": false");
        const auto facts = readFacts(json, "other.json");
        QVERIFY(facts);
        COMPARE_TEXT(facts->nemoVersion, "9.9");
        const Effective e = evaluate(goodRecipe(), "r.yaml", {"~model.encoder.sync_max_audio_length"}, *facts);
        COMPARE_TEXT(e.find("model.encoder.sync_max_audio_length")->effective.value(), "false");
    }

    /// A second version beside the first: other keys, other defaults, another YAML.
    void twoVersionsSideBySide() {
        const auto old = readFacts(dataText("nemo-0.1.0.json"), "nemo-0.1.0.json");
        QVERIFY2(old, old ? "" : old.error().message().c_str());
        COMPARE_TEXT(old->nemoVersion, "0.1.0");
        const std::string text = "model:\n  encoder:\n    d_model: 64\n    sync_lengths: true\ntrainer: {devices: 2}\n";
        const Effective then = evaluate(text, "r.yaml", {}, *old), now = evaluate(text, "r.yaml");
        COMPARE_TEXT(then.find("model.encoder.sync_lengths")->code.value(), "false");
        COMPARE_TEXT(then.find("model.encoder.sync_lengths")->codeSource, "NeMo OldEncoder");
        QVERIFY(then.find("model.encoder.sync_lengths")->affectsRanks);
        COMPARE_TEXT(then.find("model.encoder.d_model")->nemoYaml.value(), "128");
        QVERIFY(!then.find("model.encoder.sync_max_audio_length"));
        QVERIFY(!problemOf(then, "model.encoder.sync_lengths"));
        QVERIFY(problemOf(now, "model.encoder.sync_lengths"));
        COMPARE_TEXT(now.find("model.encoder.sync_max_audio_length")->effective.value(), "true");
        COMPARE_TEXT(now.find("model.encoder.d_model")->nemoYaml.value(), "512");
    }

    void aVersionIsChosen() {
        QCOMPARE(factsVersions(), std::vector<std::string>{"2.7.3"});
        QCOMPARE(factsOf("2.7.3"), &builtinFacts());
        QVERIFY(!factsOf("9.9"));
        QVERIFY(!factsProblem(nullptr) && !factsProblem("2.7.3"));
        QVERIFY(factsProblem("9.9")->text.find("known: 2.7.3") != std::string::npos);
        qputenv("RANKSCOPE_NEMO", "9.9");
        const Effective e = evaluate(goodRecipe(), "r.yaml");
        qunsetenv("RANKSCOPE_NEMO");
        QCOMPARE(errorCount(e), 1);
        QVERIFY(e.problems[0].text.find("RANKSCOPE_NEMO is 9.9") != std::string::npos);
    }

    void damagedFactsAreRefused() {
        for (const char* json : {"", "{", "{}", "[]", "{\"format\": \"rankscope-facts\", \"version\": 2}"}) {
            const auto facts = readFacts(json, "bad.json");
            QVERIFY(!facts);
            QVERIFY(facts.error().message().find("bad.json") != std::string::npos);
        }
    }
};

RANKSCOPE_CORE_TEST(TestFacts)
#include "tst_facts.moc"
