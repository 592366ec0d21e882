// SPDX-License-Identifier: Apache-2.0
// The sizes in NeMo's table have NeMo's number of parameters.
#include "core/base/files/file.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/plan/cost/model_shapes.h"
#include "core/trainer/ssl/nest_model.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <fmt/format.h>

using namespace rankscope;
using namespace rankscope::trainer;

class TestModelSizes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parametersAreNemos_data();
    void parametersAreNemos();
    void smallIsBuilt();
    void aPlanKnowsEveryTensor_data();
    void aPlanKnowsEveryTensor();
};

namespace {

struct ParameterCount {
    std::int64_t parameters = 0, trainable = 0, tensors = 0;
};

config::ModelConfig shippedModel(const std::string& file) {
    const auto text = readFile(fmt::format("{}/{}", RANKSCOPE_CONFIGS, file));
    if (!text)
        throw std::runtime_error(text.error().message());
    const auto effective = config::evaluate(*text, file, {"model.train_ds.manifest_filepath=a.json"});
    const auto recipe = config::readRecipe(effective.text, file);
    if (!recipe)
        throw std::runtime_error(recipe.error().message());
    return recipe->model;
}

ParameterCount countOf(const config::ModelConfig& config) {
    const NestModel model(config);
    ParameterCount count;
    for (const auto& [name, tensor] : model->stateDict()) {
        ++count.tensors;
        const bool buffer = name.find("running_") != std::string::npos ||
                            name.find("num_batches") != std::string::npos ||
                            name.find("featurizer") != std::string::npos;
        count.parameters += buffer ? 0 : tensor.numel();
    }
    for (const auto& [name, tensor] : model->trainable())
        count.trainable += tensor.numel();
    return count;
}

/// Layers are alike: models of one and of two layers give the count of any, without allocating gigabytes.
ParameterCount extrapolated(config::ModelConfig config) {
    const std::int64_t layers = config.encoder.nLayers;
    config.encoder.nLayers = 1;
    const ParameterCount one = countOf(config);
    config.encoder.nLayers = 2;
    const ParameterCount two = countOf(config);
    const auto at = [&](std::int64_t first, std::int64_t second) { return first + (layers - 1) * (second - first); };
    return {at(one.parameters, two.parameters), at(one.trainable, two.trainable), at(one.tensors, two.tensors)};
}

} // namespace

/// From NeMo 2.7.3: tests/data/nemo/make_variants.py sizes.
void TestModelSizes::parametersAreNemos_data() {
    QTest::addColumn<qint64>("parameters");
    QTest::addColumn<qint64>("trainable");
    QTest::addColumn<qint64>("tensors");
    QTest::newRow("nest_small.yaml") << qint64(14191616) << qint64(14050224) << qint64(659);
    QTest::newRow("nest_medium.yaml") << qint64(28375376) << qint64(28233984) << qint64(659);
    QTest::newRow("nest_large.yaml") << qint64(113106000) << qint64(112964608) << qint64(699);
    QTest::newRow("nest_xlarge.yaml") << qint64(615844944) << qint64(615703552) << qint64(715);
    QTest::newRow("nest_xxlarge.yaml") << qint64(1069081680) << qint64(1068940288) << qint64(1237);
}

void TestModelSizes::parametersAreNemos() {
    QFETCH(qint64, parameters);
    QFETCH(qint64, trainable);
    QFETCH(qint64, tensors);
    const ParameterCount count = extrapolated(shippedModel(QTest::currentDataTag()));
    QCOMPARE(count.parameters, parameters);
    QCOMPARE(count.trainable, trainable);
    QCOMPARE(count.tensors, tensors);
}

void TestModelSizes::smallIsBuilt() {
    const config::ModelConfig config = shippedModel("nest_small.yaml");
    const ParameterCount built = countOf(config), told = extrapolated(config);
    QCOMPARE(built.parameters, told.parameters);
    QCOMPARE(built.trainable, told.trainable);
    QCOMPARE(built.tensors, told.tensors);
}

/// What core/plan computes from the recipe alone matches the built model: names, shapes, types, order, what is trained.
void TestModelSizes::aPlanKnowsEveryTensor_data() {
    QTest::addColumn<QStringList>("overrides");
    const QStringList small{"model.encoder.n_layers=2", "model.encoder.d_model=32", "model.quantizer.num_classes=64",
                            "model.decoder.num_classes=64"};
    const QStringList postConv{"model.mask_position=post_conv", "model.quantizer.combine_time_steps=1"};
    QTest::newRow("as shipped") << QStringList{"model.encoder.n_layers=2"};
    QTest::newRow("small") << small;
    QTest::newRow("no biases") << (small + QStringList{"model.encoder.use_bias=false"});
    QTest::newRow("striding") << (small + QStringList{"model.encoder.subsampling=striding",
                                                      "model.encoder.subsampling_factor=4",
                                                      "model.encoder.subsampling_conv_channels=-1"});
    QTest::newRow("stacking") << (small + QStringList{"model.encoder.subsampling=stacking_norm"});
    QTest::newRow("causal") << (small + postConv + QStringList{"model.encoder.causal_downsampling=true"});
    for (const char* norm : {"layer_norm", "group_norm4", "instance_norm", "fused_batch_norm"})
        QTest::newRow(norm) << (small + QStringList{QStringLiteral("model.encoder.conv_norm_type=%1").arg(norm)});
    QTest::newRow("absolute positions") << (small + QStringList{"model.encoder.self_attention_model=abs_pos"});
    QTest::newRow("tied") << (small + QStringList{"model.encoder.untie_biases=false"});
    QTest::newRow("reduced") << (small + QStringList{"+model.encoder.reduction=striding",
                                                     "+model.encoder.reduction_position=0",
                                                     "+model.encoder.reduction_factor=2",
                                                     "model.quantizer.combine_time_steps=16",
                                                     "model.loss.combine_time_steps=16"});
    QTest::newRow("two books") << (small + QStringList{"model.num_books=2"});
    QTest::newRow("post_conv") << (small + postConv);
    QTest::newRow("not frozen") << (small + QStringList{"model.quantizer.freeze=false", "model.masking.freeze=false"});
}

void TestModelSizes::aPlanKnowsEveryTensor() {
    QFETCH(QStringList, overrides);
    const auto text = readFile(fmt::format("{}/nest_small.yaml", RANKSCOPE_CONFIGS));
    QVERIFY(text);
    std::vector<std::string> words{"model.train_ds.manifest_filepath=a.json"};
    for (const QString& word : overrides)
        words.push_back(word.toStdString());
    const auto effective = config::evaluate(*text, "nest_small.yaml", words);
    const auto recipe = config::readRecipe(effective.text, "nest_small.yaml");
    QVERIFY2(recipe, recipe ? "" : recipe.error().message().c_str());
    const NestModel model(recipe->model);
    const auto shapes = plan::modelShapes(recipe->model);
    const auto state = model->stateDict();
    std::size_t next = 0;
    for (const auto& [name, tensor] : state) {
        QVERIFY2(next < shapes.size(), name.c_str());
        const auto& planned = shapes[next++];
        QCOMPARE(planned.name, name);
        QVERIFY2(tensor.sizes().vec() == planned.shape, name.c_str());
        QCOMPARE(static_cast<int>(tensor.element_size()), planned.elementBytes);
        QVERIFY2(tensor.requires_grad() == planned.trainable, name.c_str());
    }
    QCOMPARE(next, shapes.size());
    const auto places = plan::trainableTensors(shapes);
    const auto trained = model->trainable();
    QCOMPARE(places.size(), trained.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        QCOMPARE(shapes[places[i]].name, trained[i].first);
}

RANKSCOPE_CORE_TEST(TestModelSizes)
#include "tst_model_sizes.moc"
