// SPDX-License-Identifier: Apache-2.0
// Tests that need a GPU. Without a GPU or the NCCL plug-in they are skipped, with the reason.
#include "core/trainer/distributed/nccl/nccl_plugin.h"
#include "core/trainer/distributed/parallel/device_stream_timer.h"
#include "core/trainer/loop/precision/autocast_precision.h"
#include "core/trainer/loop/training_hooks.h"
#include "core/trainer/optim/optimizers.h"
#include "core/trainer/ssl/nest_model.h"
#include "core/trainer/tensor_files/safetensors.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cmath>
#include <cstdlib>

using namespace rankscope;
using namespace rankscope::trainer;

namespace {

const at::Device kGpu(at::kCUDA, 0);

// Before main(), because Qt Test reads the environment in a separate thread.
[[maybe_unused]] const int kDeterministicMatmul = ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);

struct DeviceStep {
    double loss = 0;
    std::vector<torch::Tensor> gradients; ///< on the CPU
    bool overflowed = false;
};

DeviceStep stepOf(at::Device device, const std::string& name, const std::string& variant) {
    auto reference = readSafetensors(referencePath(variant + ".safetensors"));
    if (!reference)
        throw std::runtime_error(reference.error().message());
    NestModel model(referenceConfig(variant));
    model->loadStateDict(reference->under("state."));
    model->to(device);
    model->train();
    Batch batch;
    batch.audio = reference->find("in.audio");
    batch.audioLen = reference->find("in.audio_len");
    batch.noisy = reference->find("in.noisy_audio");
    batch.noisyLen = reference->find("in.noisy_audio_len");
    const Precision precision(name, device);
    torch::manual_seed(5); // masks are drawn on the CPU
    ForwardHooks hooks;
    const torch::Tensor loss = [&] {
        const AutocastScope autocast = precision.forward();
        return model->loss(model->forward(toDevice(batch, device), true, hooks));
    }();
    DeviceStep step;
    step.loss = loss.item<double>();
    GradScaler* scaler = precision.scaler();
    (scaler ? scaler->scale(loss) : loss).backward();
    std::vector<torch::Tensor> parameters;
    for (const auto& [parameterName, parameter] : model->trainable())
        parameters.push_back(parameter);
    if (scaler) {
        scaler->unscale(parameters);
        step.overflowed = scaler->overflowed();
    }
    for (const auto& parameter : parameters)
        step.gradients.push_back(parameter.grad().cpu());
    return step;
}

double apart(const DeviceStep& actual, const DeviceStep& expected) {
    double difference = 0, length = 0;
    for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
        difference += std::pow((actual.gradients[i] - expected.gradients[i]).norm().item<double>(), 2);
        length += std::pow(expected.gradients[i].norm().item<double>(), 2);
    }
    return std::sqrt(difference / length);
}

} // namespace

class TestGpu : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        const auto count = cudaDeviceCount();
        if (!count)
            QSKIP(qPrintable(QString("no GPU can be used: %1").arg(QString::fromStdString(count.error().message()))));
        if (*count == 0)
            QSKIP("this machine has no NVIDIA GPU, or no driver for it");
    }

    void stepEqualsTheCpu_data() {
        QTest::addColumn<QString>("precision");
        QTest::addColumn<QString>("variant");
        QTest::addColumn<double>("loss");
        QTest::addColumn<double>("gradients");
        QTest::newRow("float32") << "32"
                                 << "pre_conv" << 1e-3 << 1e-2;
        QTest::newRow("float32, layer norm") << "32"
                                             << "layer_norm" << 1e-3 << 1e-2;
        QTest::newRow("float32, two books") << "32"
                                            << "two_books_cos" << 1e-3 << 1e-2;
        QTest::newRow("bfloat16") << "bf16-mixed"
                                  << "pre_conv" << 0.02 << 0.06;
        QTest::newRow("float16") << "16-mixed"
                                 << "pre_conv" << 0.02 << 0.06;
    }
    void stepEqualsTheCpu() {
        QFETCH(QString, precision);
        QFETCH(QString, variant);
        QFETCH(double, loss);
        QFETCH(double, gradients);
        const DeviceStep cpu = stepOf(at::kCPU, "32", variant.toStdString()),
                         gpu = stepOf(kGpu, precision.toStdString(), variant.toStdString());
        QVERIFY2(std::abs(gpu.loss - cpu.loss) < loss, qPrintable(QString("%1, CPU %2").arg(gpu.loss).arg(cpu.loss)));
        QVERIFY(!gpu.overflowed);
        const double distance = apart(gpu, cpu);
        QVERIFY2(distance < gradients, qPrintable(QString::number(distance)));
    }

    void deterministicStepsAreEqual() {
        config::TrainerConfig trainer;
        trainer.deterministic = "true";
        useDeterminism(trainer);
        for (const char* variant : {"pre_conv", "two_books_cos"}) {
            const DeviceStep one = stepOf(kGpu, "32", variant), two = stepOf(kGpu, "32", variant);
            QCOMPARE(one.loss, two.loss);
            for (std::size_t i = 0; i < one.gradients.size(); ++i)
                QVERIFY(torch::equal(one.gradients[i], two.gradients[i]));
        }
        useDeterminism({});
    }

    void pinnedBatchesAreCopied() {
        Batch batch;
        batch.audio = torch::randn({2, 1000}).pin_memory();
        batch.noisy = torch::randn({2, 1000}).pin_memory();
        batch.audioLen = batch.noisyLen = torch::tensor({1000, 700}, torch::kInt64).pin_memory();
        QVERIFY(batch.audio.is_pinned());
        const NestInput input = toDevice(batch, kGpu);
        QVERIFY(input.audio.is_cuda());
        QVERIFY(torch::equal(input.audio.cpu(), batch.audio) && torch::equal(input.noisyLen.cpu(), batch.noisyLen));
    }

    void streamTimesFollowTheDevice() {
        DeviceStreamTimer timer(kGpu);
        const auto a = torch::randn({4096, 4096}, kGpu);
        torch::matmul(a, a).sum().item<float>(); // initialization that happens only once
        for (int round = 0; round < 2; ++round) {
            timer.mark();
            auto b = a;
            for (int i = 0; i < 50; ++i)
                b = torch::matmul(b, a);
            timer.mark();
            timer.mark();
            const auto times = timer.times();
            QCOMPARE(times.size(), std::size_t(3));
            // 50 products of 4096^3 are 6.9e12 multiply-adds: no GPU does them in 1 ms, while queueing them takes less
            QVERIFY(times[1] - times[0] > 1'000'000);
            QVERIFY(times[2] - times[1] < times[1] - times[0]);
        }
        QVERIFY(timer.times().empty());
    }
};

RANKSCOPE_CORE_TEST(TestGpu)
#include "tst_gpu.moc"
