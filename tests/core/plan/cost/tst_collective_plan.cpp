// SPDX-License-Identifier: Apache-2.0
// The collectives of a step, compared with what two ranks recorded that trained configs/quickstart.yaml. accept_plan
// compares with a new run; the values here need no trainer.
#include "core/base/files/file.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/plan/cost/gradient_buckets.h"
#include "core/plan/cost/memory_estimate.h"
#include "core/plan/cost/step_collectives.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <numeric>

using namespace rankscope;
using namespace rankscope::plan;

static config::Recipe recipeOf(std::vector<std::string> overrides) {
    const auto text = readFile(qEnvironmentVariable("RANKSCOPE_SOURCE_DIR").toStdString() + "/configs/quickstart.yaml");
    if (!text)
        qFatal("%s", text.error().message().c_str());
    auto recipe = config::readRecipe(config::evaluate(*text, "q.yaml", overrides).text, "q.yaml");
    if (!recipe)
        qFatal("%s", recipe.error().message().c_str());
    return std::move(*recipe);
}

static const CollectivePlan* in(const std::vector<CollectivePlan>& all, const std::string& tag, const std::string& op) {
    for (const CollectivePlan& c : all)
        if (c.tag == tag && c.op == op)
            return &c;
    return nullptr;
}

class TestPlanCollectives : public QObject {
    Q_OBJECT

    static std::vector<CollectivePlan> of(const std::vector<std::string>& overrides, int ranks = 2) {
        const auto recipe = recipeOf(overrides);
        return sumByTag(plannedCollectives(Trainer::Rankscope, recipe, modelShapes(recipe.model), ranks));
    }

private Q_SLOTS:
    void asRecorded() {
        const auto all = of({});
        QCOMPARE(all.size(), std::size_t{4});
        QCOMPARE(in(all, "sync_max_audio_length", "all-reduce")->bytes, std::int64_t{4});
        const auto* gather = in(all, "sync_batchnorm", "all-gather");
        QVERIFY(gather && gather->blocks && gather->phase == "forward");
        QCOMPARE(gather->calls, std::int64_t{3});
        QCOMPARE(gather->bytes, std::int64_t{3 * 129 * 4});
        QCOMPARE(in(all, "sync_batchnorm", "all-reduce")->bytes, std::int64_t{3 * 128 * 4});
        const auto* gradient = in(all, "gradient", "all-reduce");
        QVERIFY(gradient && !gradient->blocks && !gradient->certain);
        QCOMPARE(gradient->calls, std::int64_t{2});
        QCOMPARE(gradient->bytes, std::int64_t{359'680 * 4});
        QVERIFY(of({}, 1).empty());
        const char* gloo = "trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy,process_group_backend:"
                           "gloo}"; // which creates a process group of one rank
        QCOMPARE(of({gloo}, 1).size(), std::size_t{4});
    }

    /// The order in which backward finishes gradients, bucket by bucket.
    void bucketsAsRecorded() {
        using Sizes = std::vector<std::int64_t>;
        const auto buckets = [](const std::vector<std::string>& overrides) {
            const auto recipe = recipeOf(overrides);
            Sizes sizes;
            for (const GradientBucket& bucket : gradientBuckets(recipe.trainer, modelShapes(recipe.model)))
                sizes.push_back(bucket.elements);
            return sizes;
        };
        QCOMPARE(buckets({}), (Sizes{268'352, 91'328}));
        QCOMPARE(buckets({"+rankscope.ddp.bucket_cap_mb=0.1"}),
                 (Sizes{33'280, 33'216, 30'272, 37'312, 33'344, 30'272, 37'312, 33'344, 30'272, 37'312, 23'744}));
        QCOMPARE(buckets({"+rankscope.ddp.bucket_cap_mb=0.3", "trainer.strategy=ddp_find_unused_parameters_true"}),
                 (Sizes{33'472, 84'224, 84'288, 78'976, 78'720}));
    }

    void whatSettingsChange() {
        const auto timed = of({"+rankscope.length_sync.timeout_s=5", "trainer.accumulate_grad_batches=2",
                               "trainer.sync_batchnorm=false"});
        const auto* sync = in(timed, "sync_max_audio_length", "all-reduce");
        QVERIFY(sync && sync->dtype == "int64" && sync->calls == 2 && sync->bytes == 16);
        QVERIFY(!in(timed, "sync_batchnorm", "all-gather"));
        std::int64_t buffers = 0;
        for (const CollectivePlan& c : timed)
            buffers += c.tag == "broadcast:buffers" ? c.bytes : 0;
        QCOMPARE(buffers, std::int64_t{21'344 * 4 + 3 * 8});
        QVERIFY(!in(of({"model.encoder.sync_max_audio_length=false"}), "sync_max_audio_length", "all-reduce"));
        const auto half = of({"+rankscope.ddp.comm_hook=bf16_compress_hook"});
        QCOMPARE(in(half, "gradient", "all-reduce")->bytes, std::int64_t{359'680 * 2});
        QVERIFY(!in(of({"+rankscope.ddp.comm_hook=noop_hook"}), "gradient", "all-reduce"));
        const auto unused = of({"trainer.strategy=ddp_find_unused_parameters_true"});
        QCOMPARE(in(unused, "untagged", "all-reduce")->bytes, std::int64_t{125 * 4});
        QVERIFY(in(unused, "gradient", "all-reduce")->certain);
        QVERIFY(in(of({"+trainer.max_time=00:01:00:00"}), "metrics", "all-reduce"));
    }

    void memoryGrowsWithWhatItHolds() {
        const auto recipe = recipeOf({});
        const auto shapes = modelShapes(recipe.model);
        const MemoryPlan small = planMemory(recipe, shapes, {4, 20}, false),
                         large = planMemory(recipe, shapes, {4, 60}, false);
        QCOMPARE(small.gradients, std::int64_t{359'680 * 4});
        QCOMPARE(small.optimizer, std::int64_t{359'680 * 8});
        QVERIFY(large.activations > 3 * small.activations); // attention's scores grow with the square
        QCOMPARE(large.total, large.weights + large.gradients + large.optimizer + large.activations + large.program);
        // measured in 60 steps of the quickstart: 254 MiB; its largest batch is 4 x 11.4 s
        const double estimated = static_cast<double>(planMemory(recipe, shapes, {4, 45.6}, false).total) / (1 << 20);
        QVERIFY2(estimated > 0.75 * 254 && estimated < 1.5 * 254, qPrintable(QString::number(estimated)));
        QCOMPARE(planMemory(recipeOf({"model.optim.name=sgd", "~model.optim.betas"}), shapes, {4, 20}, false).optimizer,
                 std::int64_t{0});
        QCOMPARE(planMemory(recipe, shapes, {}, false).activations,
                 planMemory(recipe, shapes, largestBatchOf(recipe.train), false).activations);
    }
};

RANKSCOPE_CORE_TEST(TestPlanCollectives)
#include "tst_collective_plan.moc"
