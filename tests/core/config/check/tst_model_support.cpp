// SPDX-License-Identifier: Apache-2.0
// No key of the model is ignored silently: it changes the typed recipe, blocks a launch, or gets a note that it has no
// effect.
#include "core/config/check/model_support.h"
#include "core/config/effective/load_recipe.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe_reader.h"
#include "core/config/schema/key_lookup.h"
#include "core/config/schema/key_schema.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

class TestModelKeys : public QObject {
    Q_OBJECT

    static bool sameModel(const ModelConfig& a, const ModelConfig& b) {
        return a.preprocessor == b.preprocessor && a.masking == b.masking && a.quantizer == b.quantizer &&
               a.encoder == b.encoder && a.decoder == b.decoder && a.loss == b.loss;
    }
    static Loaded with(const std::vector<std::string>& overrides, const std::string& nemo = "2.7.3") {
        std::vector<std::string> all{"rankscope.nemo=" + nemo};
        all.insert(all.end(), overrides.begin(), overrides.end());
        return load(newRecipe(), all, builtinSchema());
    }
    static ModelConfig modelOf(const Loaded& loaded) { return readModelConfig(loaded.resolved, builtinSchema()); }

    /// Returns values that are valid for this key.
    static std::vector<std::string> valuesOf(const KeySpec& key) {
        std::vector<std::string> values = key.choices;
        if (key.takes("bool"))
            values.insert(values.end(), {"true", "false"});
        if (key.takes("int"))
            values.insert(values.end(), {"1", "2", "3"});
        if (key.takes("float"))
            values.insert(values.end(), {"0.5", "0.25"});
        if (key.takes("list"))
            values.insert(values.end(), {"[3, 1]", "[[3, 1], [5, 1]]"});
        if (key.takes("string") && key.choices.empty())
            values.emplace_back(key.name == "conv_context_size" ? "causal" : "layer_norm");
        if (key.takes("map"))
            values.emplace_back("{fixed_mean: [0.5]}");
        if (key.takes("any"))
            values.emplace_back("5");
        if (key.takes("null"))
            values.emplace_back("null");
        return values;
    }

    static void rowsOf(const std::string& nemo) {
        const KeySchema& facts = *schemaOf(nemo);
        const Loaded base = with({}, nemo);
        int keys = 0;
        for (const char* at :
             {"model.preprocessor", "model.masking", "model.quantizer", "model.encoder", "model.decoder", "model.loss"})
            for (const KeySpec& key : facts.section(at)->keys) {
                if (key.name == "_target_")
                    continue;
                ++keys;
                const std::string full = std::string(at) + "." + key.name;
                const auto now = effectiveNode(base.resolved, full, facts);
                for (const std::string& value : valuesOf(key))
                    if (!now || !sameValue(*now, parseValue(value)))
                        QTest::newRow((nemo + " " + full + "=" + value).c_str())
                            << QString::fromStdString(nemo) << QString::fromStdString(full)
                            << QString::fromStdString(value);
            }
        QVERIFY(keys > 80);
    }

private Q_SLOTS:
    void nothingIsIgnored_data() {
        QTest::addColumn<QString>("nemo");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        for (const std::string& nemo : factsVersions())
            rowsOf(nemo);
    }
    void nothingIsIgnored() {
        QFETCH(QString, nemo);
        QFETCH(QString, key);
        QFETCH(QString, value);
        if (key == "model.encoder.att_context_size" && value == "null")
            return; // for NeMo the same as [-1, -1], which is in the file
        const Loaded loaded = with({"++" + key.toStdString() + "=" + value.toStdString()}, nemo.toStdString());
        if (!sameModel(modelOf(loaded), modelOf(with({}, nemo.toStdString()))))
            return;
        const auto told = [&](const Problem& p) { return p.key == key.toStdString(); };
        QVERIFY2(std::any_of(loaded.problems.begin(), loaded.problems.end(), told), "ignored silently");
    }

    /// As NeMo 3.0.0 builds it, the encoder attends to all frames in this style, and nothing reads conv_context_style.
    void keysOfNemo3() {
        const auto said = [](const std::vector<std::string>& overrides, const std::string& key) -> std::string {
            const Effective e = evaluate(newRecipe(), "r.yaml", overrides);
            const auto error = launchError(e, "r.yaml");
            const Problem* problem = problemOf(e, key);
            return error ? error->what.english() : problem ? problem->text.english() : "";
        };
        const std::string style = "model.encoder.att_context_style", chunks = "model.encoder.att_chunk_context_size";
        const std::vector<std::string> limited{style + "=chunked_limited_with_rc", "+" + chunks + "=[[70],[1,2],[0,1]]",
                                               "model.encoder.att_context_size=[70,13]"};
        QVERIFY(said(limited, style).find("has no effect in training") != std::string::npos);
        const std::string size = "model.encoder.att_context_size";
        const std::vector<std::string> withChunk{style + "=chunked_limited_with_rc", size + "=[8,2,2]"};
        COMPARE_TEXT(said(withChunk, size), "");
        QVERIFY(said({size + "=[8,2,2]"}, size).find("must be [left, right]") != std::string::npos);
        QVERIFY(said({"++rankscope.nemo=2.7.3", size + "=[[8,2,2]]"}, size).find("must be [left, right]") !=
                std::string::npos);
        for (const auto& overrides : {limited, withChunk}) {
            const ModelConfig built = asBuilt(modelOf(load(newRecipe(), overrides, builtinSchema())));
            COMPARE_TEXT(built.encoder.attContextStyle, "regular");
            QCOMPARE(built.encoder.attContextSize, (std::array<int, 2>{-1, -1}));
        }
        QVERIFY(
            said({"+model.encoder.conv_context_style=dcc"}, "model.encoder.conv_context_style").find("has no effect") !=
            std::string::npos);
        QVERIFY(said({"+model.masking.max_mask_ratio=0.5"}, "model.masking.max_mask_ratio").find("has no effect") !=
                std::string::npos);
        QVERIFY(said({"+" + chunks + "=[[70],[1,2],[0,1]]"}, chunks).find("only for att_context_style") !=
                std::string::npos);
        QVERIFY(said({style + "=chunked_limited_with_rc", "+" + chunks + "=[[70],[1]]"}, chunks)
                    .find("must be [left, chunk, right]") != std::string::npos);
        QVERIFY(said({style + "=chunked_limited_with_rc", "model.encoder.self_attention_model=rel_pos_local_attn",
                      "model.encoder.att_context_size=[64,64]"},
                     style)
                    .find("regular or chunked_limited with rel_pos_local_attn") != std::string::npos);
        QVERIFY(said({"++rankscope.nemo=2.7.3", "+model.masking.max_mask_ratio=0.5"}, "model.masking.max_mask_ratio")
                    .empty());
    }

    /// A plan computes something for each layer.
    void layersWithoutEndAreRefused() {
        const auto said = [](const std::string& layers) {
            const auto error =
                launchError(evaluate(goodRecipe(), "r.yaml", {"model.encoder.n_layers=" + layers}), "r.yaml");
            return error ? error->what.english() : std::string();
        };
        COMPARE_TEXT(said("10000"), "");
        for (const char* layers : {"10001", "1000000", "100000000"})
            QVERIFY2(said(layers).find("from 1 to 10000") != std::string::npos, layers);
        QVERIFY(said("0").find("n_layers") != std::string::npos);
    }

    void aBlockedValueIsNamedWithItsPlace() {
        const std::string text = replaced(goodRecipe(), "conv_norm_type: batch_norm", "conv_norm_type: group_norm6");
        const Effective e = evaluate(text, "r.yaml");
        const auto error = launchError(e, "r.yaml");
        QVERIFY(error);
        const Problem* problem = problemOf(e, "model.encoder.conv_norm_type");
        QVERIFY(problem && problem->blocksLaunch && problem->at.line > 0);
        QVERIFY2(problem->text.english().find("the groups must divide d_model 256") != std::string::npos,
                 problem->text.english().c_str());
        QVERIFY(launchError(evaluate(replaced(text, "group_norm6", "group_norm8"), "r.yaml"), "r.yaml") ==
                std::nullopt);
    }

    void whatTheTrainerTakes_data() {
        QTest::addColumn<QStringList>("overrides");
        const auto row = [](const char* name, const QStringList& overrides) { QTest::newRow(name) << overrides; };
        row("abs_pos", {"model.encoder.self_attention_model=abs_pos"});
        row("local",
            {"model.encoder.self_attention_model=rel_pos_local_attn", "model.encoder.att_context_size=[64,64]"});
        row("one context in a list",
            {"model.encoder.att_context_size=[[70,13]]", "model.encoder.att_context_style=chunked_limited"});
        row("stacking", {"model.encoder.subsampling=stacking"});
        row("factor 4", {"model.encoder.subsampling_factor=4"});
        row("reduction", {"+model.encoder.reduction=pooling", "+model.encoder.reduction_position=3",
                          "+model.encoder.reduction_factor=2", "model.quantizer.combine_time_steps=16",
                          "model.loss.combine_time_steps=16"});
        row("splicing", {"model.preprocessor.frame_splicing=2", "model.encoder.feat_in=160",
                         "model.masking.feat_in=160", "model.quantizer.feat_in=160"});
        row("samples", {"model.preprocessor.window_size=null", "+model.preprocessor.n_window_size=401"});
        row("causal", {"model.mask_position=post_conv", "model.encoder.causal_downsampling=true",
                       "model.quantizer.combine_time_steps=1"});
        row("mask_value", {"+model.masking.mask_value=0.0"});
        row("sdpa", {"+model.encoder.use_pytorch_sdpa=true"});
    }
    void whatTheTrainerTakes() {
        QFETCH(QStringList, overrides);
        std::vector<std::string> list;
        for (const QString& text : overrides)
            list.push_back(text.toStdString());
        const Effective e = evaluate(goodRecipe(), "r.yaml", list);
        const auto error = launchError(e, "r.yaml");
        QVERIFY2(!error, error ? error->message().c_str() : "");
        const auto recipe = readRecipe(e.text, "effective.yaml");
        QVERIFY2(recipe, recipe ? "" : recipe.error().message().c_str());
        QVERIFY(modelProblems(recipe->model).empty());
    }

    void windowInSamplesIsExact() {
        const ModelConfig c =
            modelOf(with({"model.preprocessor.window_size=null", "+model.preprocessor.n_window_size=401",
                          "model.preprocessor.window_stride=null", "+model.preprocessor.n_window_stride=163"}));
        QCOMPARE(c.preprocessor.windowLength(), 401);
        QCOMPARE(c.preprocessor.hopLength(), 163);
    }

    void normGroups_data() {
        QTest::addColumn<int>("groups");
        QTest::newRow("group_norm8") << 8;
        QTest::newRow("group_norm") << 0;
        QTest::newRow("group_norm0") << 0;
        QTest::newRow("group_norm4x") << 0;
        QTest::newRow("group_norm99999999999") << 0;
        QTest::newRow("batch_norm") << 0;
    }
    void normGroups() {
        QFETCH(int, groups);
        QCOMPARE(config::normGroups(QTest::currentDataTag()), groups);
    }
};

RANKSCOPE_CORE_TEST(TestModelKeys)
#include "tst_model_support.moc"
