// SPDX-License-Identifier: Apache-2.0
// Names of collectives by operation and number of elements.
#include "core/base/files/file.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/explain/collectives/collective_name.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::explain;

static CollectiveCall callOf(CollectiveOp op, std::int64_t in, std::int64_t out = 0, std::string dtype = {}) {
    CollectiveCall call;
    call.op = op;
    call.elementsIn = in;
    if (out > 0)
        call.elementsOut = out;
    call.dtype = std::move(dtype);
    return call;
}

class TestCollectiveName : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void buffersOfAConformer() {
        const auto names = nameCollective(callOf(CollectiveOp::Broadcast, 5'158'880), knownRecipes());
        QCOMPARE(names.size(), std::size_t{2}); // or the table of 17 layers has one frame more
        QCOMPARE(names[1].recipe, std::string("nest_large.yaml"));
        QCOMPARE(names[0].tag, std::string("broadcast:buffers"));
        QCOMPARE(names[0].arithmetic.english(),
                 std::string("400 (window) + 80 x 257 (mel filter bank) + 9,999 x 512 (position table) + 18 x 2 x 512 "
                             "(running mean and variance of the batch norms) = 5,158,880"));
        QVERIFY(nameCollective(callOf(CollectiveOp::Broadcast, 5'158'881), knownRecipes()).empty());
    }

    void buffersOfAKnownRecipe() {
        const auto names =
            nameCollective(callOf(CollectiveOp::Broadcast, 9'999 * 512 + 17 * 1024 + 80 * 257 + 400), knownRecipes());
        QCOMPARE(names.size(), std::size_t{1});
        QCOMPARE(names[0].recipe, std::string("nest_large.yaml"));
        const auto counters = nameCollective(callOf(CollectiveOp::Broadcast, 17, 17, "Long"), knownRecipes());
        QCOMPARE(counters.at(0).recipe, std::string("nest_large.yaml"));
        QVERIFY(nameCollective(callOf(CollectiveOp::Broadcast, 17, 17, "Float"), knownRecipes()).empty());
    }

    void batchNormOfFourRanks() {
        for (const auto& recipes : {knownRecipes(), std::vector<RecipeCollectives>{}}) {
            const auto names = nameCollective(callOf(CollectiveOp::AllGather, 513, 2'052), recipes);
            QCOMPARE(names.size(), std::size_t{1});
            QCOMPARE(names[0].tag, std::string("sync_batchnorm"));
            QVERIFY(names[0].arithmetic.english().ends_with("= 513; of 4 ranks 2,052"));
        }
        QVERIFY(nameCollective(callOf(CollectiveOp::AllGather, 513, 2'053), {}).empty());
        QVERIFY(nameCollective(callOf(CollectiveOp::AllGather, 512, 2'048), {}).empty());
    }

    void oneElementIsNeverCertain() {
        const auto names = nameCollective(callOf(CollectiveOp::AllReduce, 1), knownRecipes());
        QCOMPARE(names.size(), std::size_t{3});
        QCOMPARE(names[0].tag, std::string("sync_max_audio_length"));
        QCOMPARE(names[1].tag, std::string("metrics"));
        QCOMPARE(names[2].tag, std::string("barrier"));
    }

    void tableThatHasGrown() {
        constexpr std::int64_t kOthers = 17 * 1024 + 80 * 257 + 400;
        const auto broadcast = [](std::int64_t elements) { return callOf(CollectiveOp::Broadcast, elements); };
        const auto names = nameCollective(broadcast((2 * 6'001 - 1) * 512 + kOthers), knownRecipes());
        QCOMPARE(names.at(0).tag, std::string("broadcast:buffers"));
        QCOMPARE(names[0].recipe, std::string("nest_large.yaml"));
        QVERIFY(names[0].name.english().find("6,001 frames") != std::string::npos);
        QVERIFY(names[0].arithmetic.english().find("12,001 x 512 (position table)") != std::string::npos);
        QVERIFY(nameCollective(broadcast(12'000 * 512 + kOthers), knownRecipes()).empty()); // an even number of rows
        const auto mine = recipeCollectives("mine.yaml", plan::Trainer::NeMo, nestRecipe("large"));
        const auto ofMine = nameCollective(broadcast(5'158'880), {mine}); // a recipe that is given is the run's
        QCOMPARE(ofMine.size(), std::size_t{1});
        QVERIFY(ofMine[0].name.english().find("5,001 frames") != std::string::npos);
        config::Recipe local = nestRecipe("large");
        local.model.encoder.selfAttentionModel = "rel_pos_local_attn";
        local.model.encoder.attContextSize = {16, 16};
        const auto fixed = recipeCollectives("local.yaml", plan::Trainer::NeMo, local);
        QCOMPARE(nameCollective(broadcast(33 * 512 + kOthers), {fixed}).at(0).recipe, std::string("local.yaml"));
        QVERIFY(nameCollective(broadcast(35 * 512 + kOthers), {fixed}).empty());
    }

    void bucketsOfGradients() {
        const auto large = recipeCollectives("mine.yaml", plan::Trainer::NeMo, nestRecipe("large"));
        int buckets = 0;
        for (const auto& planned : large.collectives.step) {
            if (planned.tag != "gradient")
                continue;
            ++buckets;
            const auto names = nameCollective(callOf(CollectiveOp::AllReduce, planned.elements), {large});
            QVERIFY(!names.empty());
            QCOMPARE(names[0].recipe, std::string("mine.yaml"));
        }
        QVERIFY(buckets > 3);
        const auto first = nameCollective(callOf(CollectiveOp::AllReduce, 112'964'608), {large});
        QVERIFY(first.at(0).name.english().find("first step") != std::string::npos);
        const auto unknown = nameCollective(callOf(CollectiveOp::AllReduce, 8'652'160), {});
        QCOMPARE(unknown.at(0).tag, std::string("gradient"));
        QVERIFY(unknown[0].recipe.empty());
        QVERIFY(nameCollective(callOf(CollectiveOp::AllReduce, 100), {}).empty());
    }

    void startAndSecondStep() {
        const auto large = recipeCollectives("mine.yaml", plan::Trainer::NeMo, nestRecipe("large"));
        const auto tagOf = [&](const CollectiveCall& call) { return nameCollective(call, {large}).at(0).tag; };
        QCOMPARE(tagOf(callOf(CollectiveOp::AllGather, 1, 4, "Long")), std::string("ddp:verify_parameters"));
        QCOMPARE(tagOf(callOf(CollectiveOp::Broadcast, 1'900, 1'900, "Long")), std::string("ddp:verify_parameters"));
        QCOMPARE(tagOf(callOf(CollectiveOp::Broadcast, 644, 644, "Int")), std::string("ddp:bucket_order"));
        config::Recipe meeting = nestRecipe("large");
        meeting.rankscope.lengthSync.barrier = true;
        const auto ours = recipeCollectives("ours.yaml", plan::Trainer::Rankscope, meeting);
        CollectiveCall barrier;
        barrier.op = CollectiveOp::Barrier;
        QCOMPARE(nameCollective(barrier, {ours}).at(0).tag, std::string("barrier:before_encoder"));
        QCOMPARE(nameCollective(barrier, {large}).at(0).tag, std::string("barrier"));
    }

    void knownSizesAreTheShippedRecipes_data() {
        QTest::addColumn<QString>("size");
        for (const char* size : {"small", "medium", "large", "xlarge", "xxlarge"})
            QTest::newRow(size) << size;
    }
    void knownSizesAreTheShippedRecipes() {
        QFETCH(QString, size);
        const std::string file = std::string(RANKSCOPE_SOURCE_DIR) + "/configs/nest_" + size.toStdString() + ".yaml";
        const std::vector<std::string> manifests{"model.train_ds.manifest_filepath=a.json",
                                                 "model.validation_ds.manifest_filepath=b.json"};
        const auto text = readFile(file);
        QVERIFY(text.has_value());
        const auto recipe = config::readRecipe(config::evaluate(*text, file, manifests).text, file);
        QVERIFY2(recipe.has_value(), recipe ? "" : recipe.error().message().c_str());
        const auto shipped = recipeCollectives("r", plan::Trainer::NeMo, *recipe).collectives,
                   known = recipeCollectives("r", plan::Trainer::NeMo, nestRecipe(size.toStdString())).collectives;
        for (const auto list : {&plan::TrainerCollectives::start, &plan::TrainerCollectives::firstStep,
                                &plan::TrainerCollectives::rebuild, &plan::TrainerCollectives::step}) {
            QCOMPARE((known.*list).size(), (shipped.*list).size());
            for (std::size_t i = 0; i < (known.*list).size(); ++i) {
                QCOMPARE((known.*list)[i].elements, (shipped.*list)[i].elements);
                QCOMPARE((known.*list)[i].tag, (shipped.*list)[i].tag);
            }
        }
    }

    void typesInAllSpellings() {
        QCOMPARE(canonicalType("Float"), std::string("float32"));
        QCOMPARE(canonicalType("torch.float32"), std::string("float32"));
        QCOMPARE(canonicalType("c10::Half"), std::string("float16"));
        QCOMPARE(canonicalType("Long"), std::string("int64"));
        QCOMPARE(canonicalType(""), std::string());
    }
};

RANKSCOPE_CORE_TEST(TestCollectiveName)
#include "tst_collective_name.moc"
