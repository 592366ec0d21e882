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
        const auto names = nameCollective(callOf(CollectiveOp::Broadcast, 5'158'880), knownSteps());
        QCOMPARE(names.size(), std::size_t{1});
        QCOMPARE(names[0].tag, std::string("broadcast:buffers"));
        QCOMPARE(names[0].arithmetic.english(),
                 std::string("9,999 x 512 (position table) + 18 x 2 x 512 (batch norm statistics) + 80 x 257 (mel "
                             "filter bank) + 400 (window) = 5,158,880"));
        QVERIFY(nameCollective(callOf(CollectiveOp::Broadcast, 5'158'881), knownSteps()).empty());
    }

    void buffersOfAKnownRecipe() {
        const auto names =
            nameCollective(callOf(CollectiveOp::Broadcast, 9'999 * 512 + 17 * 1024 + 80 * 257 + 400), knownSteps());
        QCOMPARE(names.size(), std::size_t{1});
        QCOMPARE(names[0].recipe, std::string("nest_large.yaml"));
        const auto counters = nameCollective(callOf(CollectiveOp::Broadcast, 17, 17, "Long"), knownSteps());
        QCOMPARE(counters.at(0).recipe, std::string("nest_large.yaml"));
        QVERIFY(nameCollective(callOf(CollectiveOp::Broadcast, 17, 17, "Float"), knownSteps()).empty());
    }

    void batchNormOfFourRanks() {
        for (const auto& steps : {knownSteps(), std::vector<RecipeStep>{}}) {
            const auto names = nameCollective(callOf(CollectiveOp::AllGather, 513, 2'052), steps);
            QCOMPARE(names.size(), std::size_t{1});
            QCOMPARE(names[0].tag, std::string("sync_batchnorm"));
            QVERIFY(names[0].arithmetic.english().ends_with("= 513; of 4 ranks 2,052"));
        }
        QVERIFY(nameCollective(callOf(CollectiveOp::AllGather, 513, 2'053), {}).empty());
        QVERIFY(nameCollective(callOf(CollectiveOp::AllGather, 512, 2'048), {}).empty());
    }

    void oneElementIsNeverCertain() {
        const auto names = nameCollective(callOf(CollectiveOp::AllReduce, 1), knownSteps());
        QCOMPARE(names.size(), std::size_t{3});
        QCOMPARE(names[0].tag, std::string("sync_max_audio_length"));
        QCOMPARE(names[1].tag, std::string("metrics"));
        QCOMPARE(names[2].tag, std::string("barrier"));
    }

    void bucketsOfGradients() {
        const auto large = nemoStep("mine.yaml", nestRecipe("large"));
        int buckets = 0;
        for (const StepCall& call : large.calls) {
            if (call.tag != "gradient")
                continue;
            ++buckets;
            const auto names = nameCollective(callOf(CollectiveOp::AllReduce, call.elements), {large});
            QVERIFY(!names.empty());
            QCOMPARE(names[0].recipe, std::string("mine.yaml"));
        }
        QVERIFY(buckets > 3);
        const auto unknown = nameCollective(callOf(CollectiveOp::AllReduce, 8'652'160), {});
        QCOMPARE(unknown.at(0).tag, std::string("gradient"));
        QVERIFY(unknown[0].recipe.empty());
        QVERIFY(nameCollective(callOf(CollectiveOp::AllReduce, 100), {}).empty());
    }

    void knownSizesAreTheShippedRecipes_data() {
        QTest::addColumn<QString>("size");
        for (const char* size : {"small", "medium", "large", "xlarge", "xxlarge"})
            QTest::newRow(size) << size;
    }
    void knownSizesAreTheShippedRecipes() {
        QFETCH(QString, size);
        const std::string file = std::string(RANKSCOPE_SOURCE_DIR) + "/configs/nest_" +
                                 size.toStdString() + ".yaml";
        const std::vector<std::string> manifests{"model.train_ds.manifest_filepath=a.json",
                                                 "model.validation_ds.manifest_filepath=b.json"};
        const auto text = readFile(file);
        QVERIFY(text.has_value());
        const auto recipe = config::readRecipe(config::evaluate(*text, file, manifests).text, file);
        QVERIFY2(recipe.has_value(), recipe ? "" : recipe.error().message().c_str());
        const auto shipped = nemoStep("r", *recipe), known = nemoStep("r", nestRecipe(size.toStdString()));
        QCOMPARE(known.calls.size(), shipped.calls.size());
        for (std::size_t i = 0; i < known.calls.size(); ++i) {
            QCOMPARE(known.calls[i].elements, shipped.calls[i].elements);
            QCOMPARE(known.calls[i].tag, shipped.calls[i].tag);
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
