// SPDX-License-Identifier: Apache-2.0
// `weights`, `convert` and `verify --weights`, as the command line runs them.
#include "app/trainer/verify/verify.h"
#include "app/trainer/verify/verify_model.h"
#include "app/trainer/weights/weights_commands.h"
#include "core/base/files/file.h"
#include "core/trainer/checkpoint/weights.h"
#include "core/trainer/ssl/nest_model.h"
#include "core/trainer/tensor_files/nemo_file.h"
#include "core/trainer/tensor_files/safetensors.h"
#include "tests/core/trainer/checkpoint/support.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

using namespace rankscope;
using namespace rankscope::trainer;
using namespace rankscope::trainer::test;

namespace {

Weights read(const std::string& path) {
    auto weights = readWeights(path);
    if (!weights)
        throw std::runtime_error(weights.error().message());
    return std::move(*weights);
}

} // namespace

class TestWeightsCommands : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyWayRound();
    void everyVariantAsNemo_data();
    void everyVariantAsNemo();
    void verifyWithNemosFile();
    void badInput();
    void anErrorIsOneLine();
    void whatCannotBeWritten();

private:
    std::string at(const char* name) const { return m_dir.filePath(name).toStdString(); }
    const std::string m_nemo = referencePath("pre_conv.nemo"), m_yaml = referencePath("pre_conv.yaml");
    QTemporaryDir m_dir;
};

void TestWeightsCommands::everyWayRound() {
    // .nemo -> .safetensors -> .ckpt -> .nemo
    QCOMPARE(runConvert(m_nemo, at("a.safetensors"), ""), 0);
    QCOMPARE(runConvert(at("a.safetensors"), at("b.ckpt"), ""), 0);
    QCOMPARE(runConvert(at("b.ckpt"), at("c.nemo"), m_yaml), 0);
    const Weights first = read(m_nemo), second = read(at("a.safetensors")), third = read(at("b.ckpt")),
                  last = read(at("c.nemo"));
    QCOMPARE(first.tensors.size(), std::size_t(99));
    QCOMPARE(second.format, WeightsFormat::Safetensors);
    QCOMPARE(third.format, WeightsFormat::TorchCheckpoint);
    QCOMPARE(last.format, WeightsFormat::Nemo);
    QVERIFY(sameState(first.tensors, last.tensors)); // in the same order, unlike a safetensors file
    for (const Weights* w : {&second, &third, &last})
        QCOMPARE(weightsHash(w->tensors), weightsHash(first.tensors));
    QVERIFY(last.modelConfig.find("target: nemo.collections.") != std::string::npos);
    // a .nemo file uses its own configuration, but accepts another one
    QCOMPARE(runConvert(at("c.nemo"), at("d.nemo"), ""), 0);
    QVERIFY(bytesOf(at("d.nemo")) == bytesOf(at("c.nemo")));
    for (const auto& file : {m_nemo, at("a.safetensors"), at("b.ckpt"), at("c.nemo")}) {
        QCOMPARE(runWeights(file, false), 0);
        QCOMPARE(runWeights(file, true), 0);
    }
}

void TestWeightsCommands::everyVariantAsNemo_data() {
    QTest::addColumn<QString>("variant");
    for (const char* variant :
         {"pre_conv", "layer_norm", "local_att", "no_bias", "no_overlap", "post_conv", "squeeze", "two_books_cos"})
        QTest::newRow(variant) << variant;
}

void TestWeightsCommands::everyVariantAsNemo() {
    QFETCH(QString, variant);
    const std::string name = variant.toStdString();
    const auto state = readSafetensors(referencePath(name + ".safetensors"))->under("state.");
    QVERIFY(writeSafetensors(at("state.safetensors"), state).has_value());
    QCOMPARE(runConvert(at("state.safetensors"), at("v.nemo"), referencePath(name + ".yaml")), 0);
    const Weights back = read(at("v.nemo"));
    QCOMPARE(weightsHash(back.tensors), weightsHash(state));
    NestModel model(referenceConfig(name));
    model->loadStateDict(back.tensors);
    QVERIFY(sameState(model->stateDict(), back.tensors));
}

void TestWeightsCommands::verifyWithNemosFile() {
    auto reference = readReference(referencePath("pre_conv.safetensors"));
    QVERIFY(reference.has_value());
    const auto config = referenceConfig("pre_conv");
    const auto own = verifyModel(config, *reference);
    const auto nemos = verifyModel(config, *reference, read(m_nemo).tensors);
    QVERIFY(own && nemos);
    QCOMPARE(nemos->size(), own->size());
    // The weights are exactly the same. Results computed from them may be rounded differently, because vectorized loops
    // depend on the addresses of tensors, and four steps amplify that in the running statistics.
    QCOMPARE(weightsHash(read(m_nemo).tensors),
             weightsHash(readSafetensors(referencePath("pre_conv.safetensors"))->under("state.")));
    for (const auto& kind : *nemos)
        QVERIFY2(kind.passed(), kind.name.english().c_str());
    const std::string file = referencePath("pre_conv.safetensors");
    QCOMPARE(runVerify(file, m_yaml, false, m_nemo), 0);
    StateDict other = read(m_nemo).tensors;
    other.front().second = other.front().second * 1.5;
    QVERIFY(writeSafetensors(at("other.safetensors"), other).has_value());
    QCOMPARE(runVerify(file, m_yaml, false, at("other.safetensors")), 1);
    QCOMPARE(runVerify(file, m_yaml, false, at("none")), 2);
    QCOMPARE(runVerify(file, m_yaml, false, file), 2); // tensors with other names
}

void TestWeightsCommands::badInput() {
    QCOMPARE(runWeights(at("none"), false), 2);
    QCOMPARE(runWeights(m_yaml, false), 2);
    QCOMPARE(runWeights(m_dir.path().toStdString(), false), 2);
    putBytes(at("empty"), "");
    QCOMPARE(runWeights(at("empty"), false), 2);
    QCOMPARE(runConvert(m_nemo, at("x.bin"), ""), 2);                                   // unknown format
    QCOMPARE(runConvert(at("none"), at("x.ckpt"), ""), 2);                              // no such file
    QCOMPARE(runConvert(m_nemo, at("x.ckpt"), at("none.yaml")), 2);                     // no such recipe
    QCOMPARE(runConvert(m_nemo, at("x.ckpt"), referencePath("two_books_cos.yaml")), 2); // another model's recipe
    QVERIFY(writeSafetensors(at("w.safetensors"), {{"w", torch::ones({2})}}).has_value());
    QCOMPARE(runConvert(at("w.safetensors"), at("x.nemo"), ""), 2);     // a .nemo needs a configuration
    QCOMPARE(runConvert(at("w.safetensors"), at("x.nemo"), m_yaml), 2); // the tensors do not fit this configuration
    QVERIFY(!QDir(m_dir.path()).entryList(QDir::Files | QDir::Hidden).contains(QRegularExpression("^\\.?x\\.")));
}

/// Also if the name of a file holds a line break.
void TestWeightsCommands::anErrorIsOneLine() {
    const std::string odd = at("x\nFAKE"), log = at("said");
    const std::function<int()> commands[] = {[&] { return runWeights(odd, false); },
                                             [&] { return runConvert(odd, at("x.ckpt"), ""); },
                                             [&] { return runVerify(odd, m_yaml, false); }};
    for (const auto& command : commands) {
        const int before = ::dup(STDERR_FILENO),
                  file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        QVERIFY(before >= 0 && file >= 0);
        ::dup2(file, STDERR_FILENO);
        const int code = command();
        ::dup2(before, STDERR_FILENO);
        ::close(before);
        ::close(file);
        QCOMPARE(code, 2);
        const auto said = readFile(log);
        QVERIFY(said);
        QCOMPARE(std::count(said->begin(), said->end(), '\n'), std::ptrdiff_t{1});
        QVERIFY2(said->find("x FAKE") != std::string::npos, said->c_str());
    }
}

void TestWeightsCommands::whatCannotBeWritten() {
    QCOMPARE(runConvert(m_nemo, at("no/folder/x.ckpt"), ""), 2);
    QCOMPARE(runConvert(m_nemo, "/dev/full/x.ckpt", ""), 2);
    QVERIFY(QDir(m_dir.path()).mkpath("taken.ckpt"));
    QCOMPARE(runConvert(m_nemo, at("taken.ckpt"), ""), 2);
}

RANKSCOPE_CORE_TEST(TestWeightsCommands)
#include "tst_weights_commands.moc"
