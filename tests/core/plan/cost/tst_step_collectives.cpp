// SPDX-License-Identifier: Apache-2.0
// The collectives of NeMo's step and of ours, call by call. Figures of NeMo are those that two ranks of NeMo 2.7.3 and
// 3.0.0 recorded on Gloo (tests/nemo/collectives.py), where nothing else is said.
#include "core/base/files/file.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/plan/cost/step_collectives.h"
#include "core/plan/result/plan_json.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::plan;

using Calls = std::vector<PlannedCollective>;
using Counts = std::vector<std::int64_t>;

static config::Recipe recipeOf(const std::string& name, std::vector<std::string> overrides) {
    const auto text = readFile(qEnvironmentVariable("RANKSCOPE_SOURCE_DIR").toStdString() + "/configs/" + name);
    if (!text)
        qFatal("%s", text.error().message().c_str());
    for (const char* set : {"train", "validation"})
        overrides.push_back(std::string("model.") + set + "_ds.manifest_filepath=a.json");
    auto recipe = config::readRecipe(config::evaluate(*text, name, overrides).text, name);
    if (!recipe)
        qFatal("%s", recipe.error().message().c_str());
    return std::move(*recipe);
}

static TrainerCollectives of(Trainer trainer, const std::string& name, const std::vector<std::string>& overrides,
                             int ranks = 2) {
    const auto recipe = recipeOf(name, overrides);
    return plannedCollectives(trainer, recipe, modelShapes(recipe.model), ranks);
}

static TrainerCollectives nemo(const std::string& name, std::vector<std::string> overrides = {}, int ranks = 2) {
    overrides.insert(overrides.begin(), "trainer.sync_batchnorm=false"); // as recorded: PyTorch's needs a GPU
    return of(Trainer::NeMo, name, overrides, ranks);
}

/// Returns "op elements" of each call.
static QString text(const Calls& calls) {
    QStringList all;
    for (const PlannedCollective& c : calls)
        for (std::int64_t i = 0; i < c.calls; ++i)
            all << QString::fromStdString(c.op + " " + std::to_string(c.elements) + " " + c.dtype);
    return all.join("; ");
}

static Counts gradients(const Calls& calls) {
    Counts counts;
    for (const PlannedCollective& c : calls)
        if (c.tag == "gradient")
            counts.push_back(c.elements);
    return counts;
}

static const PlannedCollective* find(const Calls& calls, const std::string& tag, const std::string& op = {}) {
    for (const PlannedCollective& c : calls)
        if (c.tag == tag && (op.empty() || c.op == op))
            return &c;
    return nullptr;
}

class TestStepCollectives : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void syncBatchNormOnTheCpuIsNotNemos() {
        const std::vector<std::string> onCpu{"trainer.sync_batchnorm=true", "trainer.accelerator=cpu"};
        QVERIFY(of(Trainer::NeMo, "nest_small.yaml", onCpu).obstacle.english().find("SyncBatchNorm") !=
                std::string::npos);
        QVERIFY(of(Trainer::Rankscope, "nest_small.yaml", onCpu).obstacle.empty());
        QVERIFY(of(Trainer::NeMo, "nest_small.yaml", {"trainer.sync_batchnorm=true"}).obstacle.empty());
        QVERIFY(of(Trainer::NeMo, "nest_small.yaml", {"trainer.sync_batchnorm=false", "trainer.accelerator=cpu"})
                    .obstacle.empty());
        QVERIFY(
            of(Trainer::NeMo, "nest_small.yaml",
               {"trainer.sync_batchnorm=true", "trainer.accelerator=cpu", "model.encoder.conv_norm_type=layer_norm"})
                .obstacle.empty());
    }
    void smallAsRecorded() {
        const auto all = nemo("nest_small.yaml");
        QCOMPARE(text(all.start), "all-gather 1 int64; broadcast 1792 int64; broadcast 15846960 float32; "
                                  "broadcast 131072 float64; broadcast 16 int64");
        QCOMPARE(all.start.front().elementsOut, std::int64_t{2});
        QCOMPARE(text(all.firstStep), "broadcast 1786416 float32; broadcast 16 int64; all-reduce 1 float32; "
                                      "all-reduce 14050224 float32");
        QCOMPARE(all.oneBucketSteps, 1);
        QCOMPARE(text(all.rebuild), "broadcast 607 int32; broadcast 3 int32");
        QCOMPARE(text(all.step),
                 "broadcast 1786416 float32; broadcast 16 int64; all-reduce 1 float32; all-reduce 1441792 float32; "
                 "all-reduce 6638992 float32; all-reduce 5969440 float32");
        QCOMPARE(text(all.validation), "broadcast 1786416 float32; broadcast 16 int64; all-reduce 1 float32");
        QCOMPARE(find(all.validation, "sync_max_audio_length")->when, PlannedCollective::InBatches::Every);
        QCOMPARE(find(all.validation, "broadcast:buffers")->when, PlannedCollective::InBatches::First);
    }

    void largeAsRecorded() {
        const auto all = nemo("nest_large.yaml");
        QCOMPARE(text(all.start), "all-gather 1 int64; broadcast 1900 int64; broadcast 65624576 float32; "
                                  "broadcast 52508208 float32; broadcast 131072 float64; broadcast 17 int64");
        QCOMPARE(gradients(all.firstStep), Counts{112'964'608});
        QCOMPARE(text(all.rebuild), "broadcast 644 int32; broadcast 17 int32");
        QCOMPARE(find(all.step, "broadcast:buffers")->elements, std::int64_t{5'157'856});
        QCOMPARE(gradients(all.step), (Counts{4'194'304, 7'370'752, 7'363'072, 6'575'616, 6'843'392, 6'577'152,
                                              6'575'616, 6'575'104, 6'575'104, 6'575'104, 7'362'560, 7'363'072,
                                              7'363'584, 7'363'072, 6'575'616, 6'843'392, 4'868'096}));
    }

    void postConvAsRecorded() {
        const std::vector<std::string> settings{"model.mask_position=post_conv", "model.quantizer.combine_time_steps=1",
                                                "trainer.strategy=ddp_find_unused_parameters_true"};
        const auto small = nemo("nest_small.yaml", settings);
        QCOMPARE(gradients(small.step), (Counts{8192, 7'007'968, 6'583'504, 450'560}));
        QCOMPARE(small.step.back().tag, std::string("ddp:used_parameters"));
        QCOMPARE(small.step.back().elements, std::int64_t{606});
        QVERIFY(small.firstStep == small.step); // the buckets are in the model's order from the first step on
        QVERIFY(small.rebuild.empty() && small.oneBucketSteps == 0);
        const auto large = nemo("nest_large.yaml", settings);
        QCOMPARE(gradients(large.step), (Counts{8192, 7'611'392, 6'581'760, 6'838'272, 7'363'072, 7'363'584, 7'363'072,
                                                7'362'048, 6'575'104, 6'575'104, 6'575'104, 6'575'104, 6'577'152,
                                                6'581'760, 6'838'272, 7'363'072, 7'501'824, 1'310'720}));
        QCOMPARE(text(large.start), "all-gather 1 int64; broadcast 1900 int64; broadcast 65625088 float32; "
                                    "broadcast 52506080 float32; broadcast 131072 float64; broadcast 17 int64");
    }

    void variantsAsRecorded() {
        const std::string tiny[] = {"model.encoder.d_model=64", "model.encoder.n_heads=4", "model.encoder.n_layers=3"};
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.end(), std::begin(tiny), std::end(tiny));
            return nemo("nest_large.yaml", more);
        };
        const std::string ddp = "trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy,";
        QCOMPARE(gradients(with({ddp + "bucket_cap_mb:0.3}"}).step),
                 (Counts{524'288, 92'352, 80'192, 83'968, 218'368, 133'888, 5'376}));
        const auto fixed = with({ddp + "static_graph:true}"});
        QCOMPARE(text(fixed.firstStep), "broadcast 661280 float32; broadcast 3 int64; all-reduce 1 float32; "
                                        "all-reduce 125 int32; all-reduce 1138432 float32");
        QCOMPARE(fixed.oneBucketSteps, 2);
        const auto silent = with({ddp + "broadcast_buffers:false}"});
        QCOMPARE(text(silent.step), "all-reduce 1 float32; all-reduce 524288 float32; all-reduce 614144 float32");
        QCOMPARE(silent.start[2].elements, std::int64_t{1'148'752});
        QCOMPARE(text(silent.validation), "all-reduce 1 float32");
        QCOMPARE(text(with({"model.encoder.conv_norm_type=layer_norm"}).step).section("; ", 0, 1),
                 "broadcast 660896 float32; all-reduce 1 float32");
        const auto local =
            with({"model.encoder.self_attention_model=rel_pos_local_attn", "model.encoder.att_context_size=[16,16]"});
        QCOMPARE(find(local.step, "broadcast:buffers")->elements, std::int64_t{33 * 64 + 3 * 2 * 64 + 80 * 257 + 400});
        QVERIFY(!find(with({"model.encoder.sync_max_audio_length=false"}).step, "sync_max_audio_length"));
        QVERIFY(text(with({"+trainer.max_time=00:01:00:00"}).step).endsWith("broadcast 1 int64; broadcast 4 uint8"));
        const auto two = with({"trainer.accumulate_grad_batches=2"});
        QCOMPARE(two.batches, std::int64_t{2});
        QCOMPARE(find(two.step, "broadcast:buffers")->when, PlannedCollective::InBatches::First);
        QCOMPARE(find(two.step, "sync_max_audio_length")->when, PlannedCollective::InBatches::Every);
        QCOMPARE(find(two.step, "gradient")->when, PlannedCollective::InBatches::Last);
        for (const CollectivePlan& sum : sumByTag(two))
            QCOMPARE(sum.calls, std::int64_t{sum.tag == "sync_max_audio_length" || sum.tag == "gradient" ? 2 : 1});
    }

    /// NeMo does not read the section `rankscope`.
    void keysOfOursAreNotNemos() {
        const auto all =
            nemo("nest_small.yaml", {"+rankscope.ddp.broadcast_buffers=false", "+rankscope.ddp.bucket_cap_mb=1",
                                     "+rankscope.length_sync.barrier=true", "+rankscope.length_sync.timeout_s=5"});
        QVERIFY(all.step == nemo("nest_small.yaml").step);
    }

    /// The table has as many rows as the longest batch needs mel frames, once that is more than pos_emb_max_len.
    void aTableThatGrowsIsNotCertain() {
        const auto certain = [](const std::string& duration) {
            return find(nemo("nest_small.yaml", {"model.train_ds.max_duration=" + duration}).step, "broadcast:buffers")
                ->certain;
        };
        QVERIFY(certain("49"));
        QVERIFY(!certain("60"));
        QVERIFY(!certain("null"));
        QVERIFY(nemo("nest_small.yaml").start[2].certain);
    }

    void countsAreProved() {
        const auto all = nemo("nest_large.yaml", {"model.encoder.n_layers=18"});
        QCOMPARE(
            QString::fromStdString(countArithmetic(*find(all.step, "broadcast:buffers")).english()),
            "400 (window) + 80 x 257 (mel filter bank) + 9,999 x 512 (position table) + 18 x 2 x 512 (running mean "
            "and variance of the batch norms) = 5,158,880");
        for (const auto* list : {&all.start, &all.firstStep, &all.rebuild, &all.step, &all.validation})
            for (const PlannedCollective& c : *list) {
                std::int64_t sum = 0;
                for (const CountTerm& term : c.terms)
                    sum += term.count();
                QCOMPARE(sum, c.elements);
                QVERIFY(!c.terms.empty());
            }
        QCOMPARE(QString::fromStdString(countArithmetic(*find(all.step, "gradient")).english()), "4,194,304 (decoder)");
    }

    /// From PyTorch's sources: 2 C + 1 numbers are gathered in each layer, and 2 C summed before the gradients of the
    /// layer's weight and bias.
    void syncBatchNorm() {
        const auto all = of(Trainer::NeMo, "nest_large.yaml", {"trainer.sync_batchnorm=true"}, 4);
        QVERIFY(all.obstacle.empty());
        const auto* gather = find(all.step, "sync_batchnorm", "all-gather");
        QVERIFY(gather && gather->calls == 17 && gather->elements == 1025 && gather->elementsOut == 4100);
        std::int64_t sums = 0;
        std::size_t runs = 0;
        for (const PlannedCollective& c : all.step)
            if (c.tag == "sync_batchnorm" && c.op == "all-reduce") {
                QCOMPARE(c.elements, std::int64_t{1024});
                sums += c.calls;
                ++runs;
            }
        QCOMPARE(sums, std::int64_t{17});
        QVERIFY(runs > 5);                            // between the buckets
        QVERIFY(find(all.step, "broadcast:buffers")); // PyTorch broadcasts them all the same
        const auto ours = of(Trainer::Rankscope, "nest_large.yaml", {"trainer.sync_batchnorm=true"}, 4);
        QVERIFY(!find(ours.step, "broadcast:buffers"));
    }

    /// Ours has no position table among its buffers, and broadcasts them only where they differ.
    void oursBroadcastsWhatDrifts() {
        const auto ours = of(Trainer::Rankscope, "nest_small.yaml", {"trainer.sync_batchnorm=false"});
        QCOMPARE(find(ours.step, "broadcast:buffers")->elements, std::int64_t{80 * 257 + 400 + 16 * 2 * 176});
        QVERIFY(find(ours.step, "broadcast:buffers")->certain);
        QVERIFY(!find(of(Trainer::Rankscope, "nest_small.yaml",
                         {"trainer.sync_batchnorm=false", "model.encoder.conv_norm_type=layer_norm"})
                          .step,
                      "broadcast:buffers"));
    }

    void oneRankExchangesNothing() {
        const auto alone = nemo("nest_small.yaml", {}, 1);
        QVERIFY(alone.start.empty() && alone.step.empty() && alone.validation.empty());
    }

    void sums() {
        const auto sums = sumByTag(nemo("nest_small.yaml"));
        QCOMPARE(sums.size(), std::size_t{4});
        QCOMPARE(sums[0].bytes, std::int64_t{4 * 1'786'416});
        QCOMPARE(sums[0].count, countArithmetic(nemo("nest_small.yaml").step.front()));
        QCOMPARE(sums[3].calls, std::int64_t{3});
        QCOMPARE(sums[3].leastElements, std::int64_t{1'441'792});
        QCOMPARE(sums[3].mostElements, std::int64_t{6'638'992});
        QVERIFY(sums[3].count.empty());
    }

    void json() {
        Plan plan;
        plan.collectives = {nemo("nest_small.yaml")};
        const auto json = planJson(plan);
        const auto& first = json["collectives_in_order"]["nemo"]["step"][0];
        QCOMPARE(first["elements_in"].get<std::int64_t>(), std::int64_t{1'786'416});
        QCOMPARE(first["when"].get<std::string>(), std::string("first_batch"));
        QCOMPARE(first["terms"][2]["what"].get<std::string>(), std::string("position table"));
        QVERIFY((first["terms"][2]["factors"] == nlohmann::json{9999, 176}));
    }
};

RANKSCOPE_CORE_TEST(TestStepCollectives)
#include "tst_step_collectives.moc"
