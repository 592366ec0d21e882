// SPDX-License-Identifier: Apache-2.0
// Every variant of the model with separate code, and the front end, compared with what NeMo computed for the same YAML.
#include "app/trainer/verify/verify.h"
#include "app/trainer/verify/verify_model.h"
#include "core/base/files/file.h"
#include "core/config/effective/load_recipe.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe_reader.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFileInfo>
#include <QTest>

#include <nlohmann/json.hpp>

using namespace rankscope;
using namespace rankscope::trainer;

class TestVariants : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyVariantIsNemos_data();
    void everyVariantIsNemos();
    void frontEnds_data();
    void frontEnds();
    void growthOfThePositionTableChangesNothing();
};

namespace {

const std::set<std::string> kVariants{"abs_pos",
                                      "causal_convolution",
                                      "causal_downsampling",
                                      "causal_striding",
                                      "chunked",
                                      "chunked_all_left",
                                      "dropout",
                                      "fused_batch_norm",
                                      "group_norm",
                                      "instance_norm",
                                      "local_attention",
                                      "mask_value",
                                      "no_subsampling",
                                      "pooling",
                                      "position_growth",
                                      "sdpa",
                                      "stacking",
                                      "stacking_norm",
                                      "stochastic_linear",
                                      "stochastic_uniform",
                                      "strided_reduction",
                                      "striding",
                                      "three_books",
                                      "uneven_convolution",
                                      "unfrozen"};

/// Returns the folder of the committed references, or the one that RANKSCOPE_NEMO_REFERENCES names (NAME.safetensors
/// and NAME.yaml).
QString folder() {
    const QString given = qEnvironmentVariable("RANKSCOPE_NEMO_REFERENCES");
    return given.isEmpty() ? QString::fromStdString(referencePath("variants")) : given;
}

/// Returns the model as in the version of NeMo that made the reference; if `nemo` is empty, as the recipe says.
config::ModelConfig modelOf(const std::string& path, const std::string& nemo = {}) {
    const auto text = readFile(path);
    if (!text)
        throw std::runtime_error(text.error().message());
    const auto version = verifyVersion({}, *text, path, nemo);
    if (!version)
        throw std::runtime_error(version.error().message());
    const auto recipe =
        config::readRecipe(*text, path, {"++rankscope.nemo=" + std::string(config::toText(version->nemo))});
    if (!recipe)
        throw std::runtime_error(recipe.error().message());
    return recipe->model;
}

Reference reference(const std::string& path) {
    auto read = readReference(path);
    if (!read)
        throw std::runtime_error(read.error().message());
    return std::move(*read);
}

/// Returns the typed form of a preprocessor section that is given as JSON.
config::PreprocessorConfig preprocessorOf(const std::string& json) {
    const auto loaded = config::load("model:\n  preprocessor: " + json + "\n", {}, config::builtinSchema());
    return config::readModelConfig(loaded.resolved, config::builtinSchema()).preprocessor;
}

} // namespace

void TestVariants::everyVariantIsNemos_data() {
    QTest::addColumn<QString>("path");
    std::set<std::string> found;
    for (const QFileInfo& file : QDir(folder()).entryInfoList({"*.yaml"}, QDir::Files, QDir::Name)) {
        found.insert(file.completeBaseName().toStdString());
        QTest::newRow(qPrintable(file.completeBaseName())) << file.absolutePath() + "/" + file.completeBaseName();
    }
    if (!qEnvironmentVariableIsSet("RANKSCOPE_NEMO_REFERENCES"))
        QVERIFY(found == kVariants);
}

void TestVariants::everyVariantIsNemos() {
    QFETCH(QString, path);
    const Reference expected = reference(path.toStdString() + ".safetensors");
    const auto checks = verifyModel(modelOf(path.toStdString() + ".yaml", expected.nemo), expected);
    QVERIFY2(checks.has_value(), checks ? "" : checks.error().what.english().c_str());
    QCOMPARE(checks->size(), std::size_t(11));
    QStringList failed;
    for (const auto& c : *checks)
        if (!c.passed())
            failed << QString("%1: worst %2, allowed %3, %4")
                          .arg(QString::fromStdString(c.name.english()))
                          .arg(c.worst)
                          .arg(c.limit)
                          .arg(QString::fromStdString(c.tensor.english()));
    QVERIFY2(failed.isEmpty(), qPrintable(failed.join("; ")));
}

void TestVariants::frontEnds_data() {
    QTest::addColumn<QString>("name");
    const auto file = readSafetensors(referencePath("variants/front_end.safetensors"));
    QVERIFY(file.has_value());
    int variants = 0;
    for (const auto& [name, keys] : file->metadata)
        if (file->find(name + ".mel").defined()) {
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
            ++variants;
        }
    QCOMPARE(variants, 17);
}

void TestVariants::frontEnds() {
    QFETCH(QString, name);
    const auto file = readSafetensors(referencePath("variants/front_end.safetensors"));
    QVERIFY(file.has_value());
    const std::string key = name.toStdString();
    const auto expected = file->find(key + ".mel"), lengths = file->find(key + ".len");
    MelPreprocessor frontEnd(preprocessorOf(file->metadata.at(key)));
    frontEnd->train(); // dither is drawn
    torch::manual_seed(std::stoull(file->metadata.at("seed")));
    const auto [mel, len] = frontEnd(file->find("audio"), file->find("audio_len"));
    QVERIFY(torch::equal(len, lengths));
    QVERIFY(mel.sizes() == expected.sizes());
    const double apart = (mel - expected).abs().max().item<double>();
    QVERIFY2(apart <= 1e-4, qPrintable(QString::number(apart)));
}

void TestVariants::growthOfThePositionTableChangesNothing() {
    const std::string path = referencePath("variants/position_growth");
    config::ModelConfig c = modelOf(path + ".yaml");
    const Reference ref = reference(path + ".safetensors");
    QCOMPARE(c.encoder.posEmbMaxLen, 9); // shorter than the audio
    const auto evaluated = [&](int tableLength) {
        c.encoder.posEmbMaxLen = tableLength;
        NestModel model(c);
        model->loadStateDict(ref.file.under("state."));
        model->eval();
        torch::NoGradGuard noGrad;
        ForwardHooks hooks;
        return model->forward(ref.input, false, hooks).logProbs;
    };
    QVERIFY(torch::equal(evaluated(9), evaluated(5000)));
}

RANKSCOPE_CORE_TEST(TestVariants)
#include "tst_variants.moc"
