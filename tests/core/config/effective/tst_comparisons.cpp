// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/key_diff.h"
#include "core/config/effective/nemo_comparison.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

using namespace rankscope::config;
using namespace rankscope::config::test;

class TestCompare : public QObject {
    Q_OBJECT

    static Effective with(const std::vector<std::string>& overrides) {
        return evaluate(goodRecipe(), "r.yaml", overrides);
    }
    static const nlohmann::json* entry(const nlohmann::json& json, const std::string& key) {
        for (const auto& item : json.at("keys"))
            if (item.at("key") == key)
                return &item;
        return nullptr;
    }

private Q_SLOTS:
    void equalFiles() {
        const Effective a = with({}), b = with({});
        QVERIFY(!differs(a, &b));
        COMPARE_TEXT(compareTable(a, &b, true, 100), "no differences\n");
        COMPARE_TEXT(compareTable(a, &b, true, 100, rankscope::Language::Chinese), "没有差异\n");
        QVERIFY(compareJson(a, &b, true).at("keys").empty());
        QVERIFY(compareJson(a, &b, false).at("keys").size() == a.rows.size());
    }

    void workThatStepsDo() {
        const std::string mine = with({}).text;
        // the number of ranks, the run's length and Rankscope's own keys do not change the work of a step
        const auto alone = with({"trainer.devices=1", "trainer.max_steps=7", "name=other", "+rankscope.seed=3"});
        QCOMPARE(workloadDiff(mine, alone.text), std::vector<std::string>{});
        const auto other = with({"model.train_ds.batch_size=31", "model.encoder.sync_max_audio_length=false"});
        QCOMPARE(workloadDiff(mine, other.text),
                 (std::vector<std::string>{"model.encoder.sync_max_audio_length", "model.train_ds.batch_size"}));
        QCOMPARE(workloadDiff(other.text, mine).size(), std::size_t{2});
    }

    void numbersCompareAsNumbers() {
        const Effective a = with({}), b = with({"model.optim.weight_decay=0.001"}); // 1e-3 in the file
        QVERIFY(!differs(a, &b));
    }

    void onlyWhatDiffers() {
        const Effective a = with({}),
                        b = with({"model.encoder.sync_max_audio_length=false", "+model.encoder.global_tokens=0"});
        QVERIFY(differs(a, &b));
        const auto json = compareJson(a, &b, true);
        QCOMPARE(json.at("keys").size(), std::size_t{1});
        const auto* item = entry(json, "model.encoder.sync_max_audio_length");
        QVERIFY(item);
        QVERIFY(item->at("mine") == "true" && item->at("other") == "false" && item->at("affects_ranks") == true);
        const std::string table = compareTable(a, &b, true, 100);
        QVERIFY(table.find("* ") != std::string::npos);
        QVERIFY(table.find("model.encoder.sync_max_audio_length") != std::string::npos);
        QVERIFY(table.find("model.optim.lr") == std::string::npos);
    }

    void keysOfOneSideOnly() {
        const Effective a = with({}), b = with({"+model.train_ds.max_utts=5"});
        const auto json = compareJson(a, &b, true);
        const auto* item = entry(json, "model.train_ds.max_utts");
        QVERIFY(item);
        QVERIFY(item->at("mine").is_null() && item->at("other") == "5");
    }

    void againstNemo() {
        const Effective mine = with({"~model.train_ds.bucketing_strategy"});
        QVERIFY(differs(mine, nullptr)); // d_model
        const auto json = compareJson(mine, nullptr, true);
        QVERIFY(json.at("nemo") == "2.7.3");
        const auto* width = entry(json, "model.encoder.d_model");
        QVERIFY(width && width->at("effective") == "256" && width->at("nemo_yaml") == "512");
        QVERIFY(!entry(json, "model.encoder.dropout"));
        QVERIFY(entry(json, "model.train_ds.bucketing_strategy")); // NeMo's file has it, this one does not
        const auto all = compareJson(mine, nullptr, false);
        const auto* sync = entry(all, "model.encoder.global_tokens");
        QVERIFY(sync && sync->at("origin") == "NeMo code" && sync->at("code_source") == "NeMo ConformerEncoder");
    }

    void againstTheVersionOfTheRecipe() {
        const Effective mine = evaluate(newRecipe(), "r.yaml");
        const auto json = compareJson(mine, nullptr, false);
        QVERIFY(json.at("nemo") == "3.0.0");
        const auto* style = entry(json, "model.encoder.conv_context_style");
        QVERIFY(style && style->at("nemo_code") == "regular" && style->at("differs") == false);
        QVERIFY(compareTable(mine, nullptr, false, 160).find("NeMo 3.0.0 YAML") != std::string::npos);
        const std::string chinese = compareTable(mine, nullptr, false, 160, rankscope::Language::Chinese);
        for (const char* word : {"生效值", "NeMo 3.0.0 代码", "来源", "你的文件"})
            QVERIFY2(chinese.find(word) != std::string::npos, word);
        const Effective before = evaluate(newRecipe(), "r.yaml", {"++rankscope.nemo=2.7.3"});
        const auto versions = compareJson(before, &mine, true);
        const auto* nemo = entry(versions, "rankscope.nemo");
        QVERIFY(nemo && nemo->at("mine") == "2.7.3" && nemo->at("other") == "3.0.0");
        QVERIFY(entry(versions, "exp_manager.log_global_rank_0_only"));
    }

    void tableKeepsItsWidth() {
        const Effective mine =
            with({"model.train_ds.manifest_filepath=/a/very/long/path/over/many/folders/数据/训练/train.json"});
        for (const int width : {72, 100, 160}) {
            const QString table = QString::fromStdString(compareTable(mine, nullptr, false, width));
            for (const auto& line : table.split('\n'))
                QVERIFY2(line.size() <= width + 2 || line.startsWith("* affects"), qPrintable(line));
            QVERIFY(table.contains("model.") && table.contains("trainer."));
        }
    }

    /// A run is named by its folder, and a recipe by its key `name`: both may contain anything.
    void namesDoNotForgeRows() {
        const Effective mine = with({"model.encoder.d_model=128"});
        Effective other = with({});
        other.name = "x\nFAKE  finished\x1b[31m";
        const std::string table = compareTable(mine, &other, true, 160);
        QVERIFY2(table.find("x FAKE  finished?[31m") != std::string::npos, table.c_str());
        QVERIFY2(table.find("\nFAKE") == std::string::npos, table.c_str());
    }
};

RANKSCOPE_CORE_TEST(TestCompare)
#include "tst_comparisons.moc"
