// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/config/schema/key_lookup.h"
#include "core/config/schema/key_schema.h"
#include "core/config/schema/value_check.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <map>
#include <set>

using namespace rankscope::config;
using namespace rankscope::config::test;

class TestFacts : public QObject {
    Q_OBJECT

    /// Returns a YAML file with these flat keys, in order.
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

    /// Returns the keys with a default in the code, for classes that a recipe need not name.
    static std::map<std::string, const KeySpec*> defaultsOf(const KeySchema& facts) {
        std::map<std::string, const KeySpec*> out;
        for (const auto& section : facts.sections)
            for (const auto& key : section.keys)
                if (key.code && section.assumed && section.at.find('[') == std::string::npos)
                    out[joinKey(section.at, key.name)] = &key;
        return out;
    }

private Q_SLOTS:
    void versions() {
        COMPARE_TEXT(builtinSchema().nemoVersion, "2.7.3");
        for (const auto json : kNemoFactsJsons) {
            QVERIFY(json.find("\"lightning\": \"2.4.0\"") != std::string_view::npos);
            QVERIFY(json.find("\"torch\": \"2.11.0\"") != std::string_view::npos);
        }
        QCOMPARE(builtinSchema().yaml.size(), std::size_t{176});
    }

    void everyKeyIsFoundOnNemosFile() {
        const KeySchema& facts = builtinSchema();
        const Effective e = evaluate(asYaml(facts.yaml), "nemo.yaml");
        QCOMPARE(errorCount(e), 1); // the training manifest is ??? in the file
        std::size_t differing = 0;
        for (const auto& [key, value] : facts.yaml) {
            const KeyRow* row = e.find(key);
            QVERIFY2(row, key.c_str());
            QVERIFY(row->yours && row->nemoYaml);
            QVERIFY2(sameValue(parseValue(*row->yours), parseValue(value)), key.c_str());
            differing += row->differs ? 1 : 0;
        }
        QCOMPARE(differing, std::size_t{0});
        for (const auto& [key, spec] : defaultsOf(facts)) {
            const KeyRow* row = e.find(key);
            const bool section = std::any_of(facts.yaml.begin(), facts.yaml.end(), [&](const auto& kv) {
                return kv.first.rfind(key + ".", 0) == 0; // NeMo's file gives the argument as a section
            });
            const bool shown =
                key.rfind("trainer.strategy.", 0) != 0 && key.rfind("model.test_ds.", 0) != 0 && !section;
            QVERIFY2((row != nullptr) == shown, key.c_str());
            if (row) {
                QVERIFY(row->code);
                COMPARE_TEXT(*row->code, *spec->code);
                COMPARE_TEXT(row->codeSource, spec->source);
                QVERIFY(row->effective);
            }
        }
    }

    void everyDefaultFitsItsOwnRule() {
        for (const auto& section : builtinSchema().sections)
            for (const auto& key : section.keys) {
                const std::string name = section.at + "." + key.name;
                QVERIFY2(!key.types.empty(), name.c_str());
                if (!key.code)
                    continue;
                const Node node = parseValue(*key.code);
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
        QCOMPARE(kNemoFactsJsons.size(), std::size_t{2});
        COMPARE_TEXT(std::string(kNemoFactsJsons.front()), sourceText("configs/nemo/nemo-3.0.0.json"));
        COMPARE_TEXT(std::string(kNemoFactsJsons.back()), sourceText("configs/nemo/nemo-2.7.3.json"));
        COMPARE_TEXT(std::string(kRankscopeKeysJsons.front()), sourceText("core/config/schema/rankscope_keys.json"));
    }

    void anotherVersionCanBeLoaded() {
        std::string json = replaced(std::string(kNemoFactsJsons.back()), "\"nemo\": \"2.7.3\"", "\"nemo\": \"9.9\"");
        json = replaced(json, "\"sync_max_audio_length\": {\"type\": \"bool\", \"default\": true",
                        "\"sync_max_audio_length\": {\"type\": \"bool\", \"default\": false");
        const auto facts = readFacts(json, "other.json");
        QVERIFY(facts);
        COMPARE_TEXT(facts->nemoVersion, "9.9");
        const Effective e = evaluate(goodRecipe(), "r.yaml", {"~model.encoder.sync_max_audio_length"}, *facts);
        COMPARE_TEXT(e.find("model.encoder.sync_max_audio_length")->effective.value(), "false");
    }

    /// A second version next to the built-in one, with other keys, other defaults and another YAML.
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
        QCOMPARE(factsVersions(), (std::vector<std::string>{"3.0.0", "2.7.3"}));
        QCOMPARE(schemaOf("2.7.3"), &builtinSchema());
        QVERIFY(!schemaOf("9.9"));
        QVERIFY(!factsProblem(nullptr) && !factsProblem("2.7.3"));
        QVERIFY(factsProblem("9.9")->text.english().find("supported: 3.0.0, 2.7.3") != std::string::npos);
        qputenv("RANKSCOPE_NEMO", "9.9");
        const Effective e = evaluate(goodRecipe(), "r.yaml");
        qunsetenv("RANKSCOPE_NEMO");
        QCOMPARE(errorCount(e), 1);
        QVERIFY(e.problems[0].text.english().find("RANKSCOPE_NEMO is 9.9") != std::string::npos);
    }

    /// A recipe that names no version means what it meant before recipes could name one.
    void theRecipeNamesItsVersion() {
        const Effective silent = evaluate(goodRecipe(), "r.yaml"), now = evaluate(newRecipe(), "r.yaml");
        COMPARE_TEXT(silent.nemoVersion, "2.7.3");
        COMPARE_TEXT(now.nemoVersion, "3.0.0");
        COMPARE_TEXT(silent.find("rankscope.nemo")->effective.value(), "2.7.3");
        QVERIFY(silent.find("rankscope.nemo")->origin == Origin::Code);
        COMPARE_TEXT(now.find("rankscope.nemo")->effective.value(), "3.0.0");
        QVERIFY(now.find("rankscope.nemo")->affectsRanks && !now.find("rankscope.nemo")->differs);
        // keys that only one of the versions has, and keys of both
        QVERIFY(!silent.find("model.encoder.conv_context_style"));
        COMPARE_TEXT(now.find("model.encoder.conv_context_style")->code.value(), "regular");
        COMPARE_TEXT(now.find("model.encoder.conv_context_style")->codeSource, "NeMo ConformerEncoder");
        QVERIFY(silent.find("exp_manager.log_local_rank_0_only") && !now.find("exp_manager.log_local_rank_0_only"));
        COMPARE_TEXT(now.find("model.encoder.d_model")->nemoYaml.value(), "512");
        QCOMPARE(schemaOf("3.0.0")->yaml.size(), schemaOf("2.7.3")->yaml.size());

        COMPARE_TEXT(evaluate(goodRecipe(), "r.yaml", {"++rankscope.nemo=3.0.0"}).nemoVersion, "3.0.0");
        COMPARE_TEXT(evaluate(newRecipe(), "r.yaml", {"rankscope.nemo=2.7.3"}).nemoVersion, "2.7.3");
        QVERIFY(readRecipe(silent.text, "effective.yaml")->model.nemo == NemoVersion::V2_7_3);
        QVERIFY(readRecipe(now.text, "effective.yaml")->model.nemo == NemoVersion::V3_0_0);
        QVERIFY(readRecipe(goodRecipe(), "r.yaml", {"++rankscope.nemo=3.0.0"})->model.nemo == NemoVersion::V3_0_0);
    }

    void aKeyOfAnotherVersionIsNamed() {
        const auto said = [](const std::string& text, const std::string& override, const std::string& key) {
            const Effective e = evaluate(text, "r.yaml", {override});
            const Problem* problem = problemOf(e, key);
            return problem && problem->severity == Problem::Severity::Error ? problem->text.english() : std::string();
        };
        COMPARE_TEXT(said(goodRecipe(), "+model.encoder.conv_context_style=dcc", "model.encoder.conv_context_style"),
                     "model.encoder.conv_context_style is not a key in NeMo 2.7.3, but NeMo 3.0.0 takes it "
                     "(rankscope.nemo: 3.0.0)");
        COMPARE_TEXT(said(newRecipe(), "+exp_manager.log_local_rank_0_only=true", "exp_manager.log_local_rank_0_only"),
                     "exp_manager.log_local_rank_0_only is not a key in NeMo 3.0.0, but NeMo 2.7.3 takes it "
                     "(rankscope.nemo: "
                     "2.7.3)");
        const std::string style = "model.encoder.att_context_style";
        COMPARE_TEXT(said(goodRecipe(), style + "=chunked_limited_with_rc", style),
                     style +
                         " is chunked_limited_with_rc, must be one of regular, chunked_limited; NeMo 3.0.0 takes it "
                         "(rankscope.nemo: 3.0.0)");
        COMPARE_TEXT(said(newRecipe(), style + "=chunked_limited_with_rc", style), "");
        QVERIFY(said(goodRecipe(), "++rankscope.nemo=2.8.0", "rankscope.nemo").find("must be one of 2.7.3, 3.0.0") !=
                std::string::npos);
        QVERIFY(said(goodRecipe(), "++rankscope.nemo=3.0", "rankscope.nemo").find("must be a text") !=
                std::string::npos);
    }

    /// The effective.yaml of a 3.0.0 recipe contains all defaults of 3.0.0. It can still be read as 2.7.3, which lacks
    /// two of the keys.
    void aDefaultOfAnotherVersionIsNoError() {
        const std::string written = evaluate(newRecipe(), "r.yaml").text;
        QVERIFY(written.find("conv_context_style: regular") != std::string::npos);
        const Effective old = evaluate(written, "effective.yaml", {"++rankscope.nemo=2.7.3"});
        QVERIFY2(old.ok(), old.problems.empty() ? "" : old.problems.front().text.english().c_str());
        const Problem* problem = problemOf(old, "model.encoder.conv_context_style");
        QVERIFY(problem && problem->severity == Problem::Severity::Info);
        COMPARE_TEXT(problem->text.english(),
                     "model.encoder.conv_context_style is not a key in NeMo 2.7.3 and has no effect: it "
                     "has the default of NeMo 3.0.0");
        for (const char* key : {"model.encoder.conv_context_style", "model.encoder.att_chunk_context_size"})
            QVERIFY2(old.find(key) && !old.find(key)->differs, key);
        QVERIFY(!evaluate(written, "effective.yaml", {"++rankscope.nemo=2.7.3", "model.encoder.conv_context_style=dcc"})
                     .ok());
        QVERIFY(isDefaultOfSomeVersions("model.encoder.att_chunk_context_size", Node()));
        QVERIFY(!isDefaultOfSomeVersions("model.encoder.conv_context_style", Node::plain("dcc")));
        QVERIFY(!isDefaultOfSomeVersions("model.encoder.xscaling", Node::plain("true"))); // every version has it
    }

    void versionsOfOtherReleases() {
        QVERIFY(nemoVersionOf("3.0.0") == NemoVersion::V3_0_0 && nemoVersionOf("2.7.3") == NemoVersion::V2_7_3);
        QVERIFY(!nemoVersionOf("3.0") && !nemoVersionOf("") && !nemoVersionOf("3.0.0rc1"));
        for (const char* old : {"1.23.0", "2.7.3", "2.7.4", "2.10"})
            QVERIFY2(nemoVersionFor(old) == NemoVersion::V2_7_3, old);
        for (const char* later : {"3.0.0", "3.0.0rc1", "3.1", "4"})
            QVERIFY2(nemoVersionFor(later) == NemoVersion::V3_0_0, later);
        for (const char* none : {"", "main", "v3.0.0", "3..0", "-1.0"})
            QVERIFY2(!nemoVersionFor(none), none);
    }

    void factsMaySayWhatDiffersFromOthers() {
        const auto with = [](const std::string& what) {
            return readFacts(R"({"format": "rankscope-facts", "version": 1, "base": "2.7.3", "sources": {"nemo": "9.9",
                "lightning": "1", "torch": "1"}, "changes": [)" +
                                 what + "]}",
                             "other.json");
        };
        const auto facts = with(R"({"at": "model.encoder", "keys": {"n_heads": {"type": "int", "default": 6},
            "use_bias": null, "more": {"type": "bool", "default": true}}})");
        QVERIFY2(facts, facts ? "" : facts.error().message().c_str());
        COMPARE_TEXT(facts->nemoVersion, "9.9");
        COMPARE_TEXT(facts->key("model.encoder.n_heads")->code.value(), "6");
        QVERIFY(!facts->key("model.encoder.use_bias") && facts->key("model.encoder.more"));
        QVERIFY(facts->key("model.encoder.d_model"));
        QVERIFY(with(R"({"at": "model.nothing", "keys": {}})").error().message().find("model.nothing") !=
                std::string::npos);
        const auto none =
            readFacts(R"({"format": "rankscope-facts", "version": 1, "base": "1.0", "sources": {}})", "x");
        QVERIFY(!none && none.error().message().find("NeMo 1.0") != std::string::npos);
    }

    void wrongValuesAreToldInChinese() {
        const auto chinese = [](const char* key, const char* value) {
            const auto wrong = checkValue(key, *builtinSchema().key(key), parseValue(value));
            return wrong ? wrong->text(rankscope::Language::Chinese) : std::string();
        };
        COMPARE_TEXT(chinese("trainer.sync_batchnorm", "3"),
                     "trainer.sync_batchnorm 必须是 true 或 false，而不是整数 3");
        COMPARE_TEXT(chinese("trainer.sync_batchnorm", "{a: 1}"),
                     "trainer.sync_batchnorm 必须是 true 或 false，而不是配置段");
        const std::string similar = chinese("trainer.precision", "bf16-mixd");
        QVERIFY2(similar.starts_with("trainer.precision 为 bf16-mixd，必须是以下之一：16、32、") &&
                     similar.ends_with("；是否想写 bf16-mixed？"),
                 similar.c_str());
        COMPARE_TEXT(chinese("trainer.precision", "32"), "");
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
#include "tst_key_schema.moc"
