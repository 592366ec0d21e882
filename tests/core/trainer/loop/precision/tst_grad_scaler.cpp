// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/precision/autocast_precision.h"
#include "core/trainer/loop/precision/grad_scaler.h"
#include "tests/support/test_runner.h"

#include <torch/optim/sgd.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <limits>
#include <stdexcept>

using namespace rankscope::trainer;

namespace {

QJsonObject reference() {
    QFile file(RANKSCOPE_LOOP_TEST_DATA "/grad_scaler_torch.json");
    if (!file.open(QIODevice::ReadOnly)) {
        qFatal("cannot read %s", qPrintable(file.fileName()));
    }
    return QJsonDocument::fromJson(file.readAll()).object();
}

torch::Tensor tensorOf(const QJsonValue& list, qsizetype size) {
    auto out = torch::empty({size}, torch::kFloat32);
    for (qsizetype i = 0; i < size; ++i) {
        out[i] = static_cast<float>(list.toArray().at(i).toDouble());
    }
    return out;
}

bool equals(const torch::Tensor& actual, const QJsonValue& list) {
    return torch::equal(actual.detach(), tensorOf(list, actual.numel()));
}

GradScalerOptions optionsOf(const QJsonObject& json) {
    return {json["init_scale"].toDouble(), json["growth_factor"].toDouble(), json["backoff_factor"].toDouble(),
            json["growth_interval"].toInt()};
}

float eventOf(const QString& name) {
    const float infinity = std::numeric_limits<float>::infinity();
    return name == "inf" ? infinity : name == "-inf" ? -infinity : std::numeric_limits<float>::quiet_NaN();
}

} // namespace

class TestGradScaler : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // scale, gradients, decision, growth and back-off of torch.amp.GradScaler, bit for bit
    void stepsAsTorch() {
        const QJsonObject expected = reference();
        const QJsonObject inputs = expected["inputs"].toObject();
        auto first = tensorOf(inputs["100"], 4).requires_grad_(true);
        auto second = tensorOf(inputs["200"], 3).requires_grad_(true);
        auto unused = torch::zeros({2}).requires_grad_(true);
        const std::vector<torch::Tensor> parameters{first, second, unused};
        torch::optim::SGD optimizer(parameters, 0.125);
        GradScaler scaler(at::kCPU, optionsOf(expected["options"].toObject()));
        QCOMPARE(expected["steps"].toArray().size(), 17);
        int step = 0, skipped = 0;
        for (const QJsonValue& value : expected["steps"].toArray()) {
            const QJsonObject want = value.toObject();
            const auto x = tensorOf(inputs[QString::number(step++)], 4);
            optimizer.zero_grad();
            scaler.scale((first * x).sum() + (second * second * x.narrow(0, 0, 3)).sum()).backward();
            if (const QString event = want["event"].toString(); !event.isEmpty()) {
                first.mutable_grad()[1] = eventOf(event);
            }
            QVERIFY(equals(second.grad(), want["scaled"]));
            scaler.unscale(parameters);
            QVERIFY(equals(second.grad(), want["gradient"]));
            QCOMPARE(scaler.overflowed(), want["found"].toDouble() != 0);
            if (!scaler.overflowed()) {
                optimizer.step();
            }
            skipped += scaler.overflowed() ? 1 : 0;
            scaler.update();
            QCOMPARE(scaler.currentScale(), want["scale"].toDouble());
            QVERIFY(equals(first, want["first"]));
            QVERIFY(equals(second, want["second"]));
        }
        QCOMPARE(skipped, 4);
        QCOMPARE(scaler.skippedSteps(), std::int64_t{4});
    }

    void defaultsOfTorch() {
        const GradScaler scaler(at::kCPU);
        QCOMPARE(scaler.currentScale(), 65536.0);
        const GradScalerOptions options;
        QCOMPARE(options.growthFactor, 2.0);
        QCOMPARE(options.backoffFactor, 0.5);
        QCOMPARE(options.growthInterval, std::int64_t{2000});
    }

    void stateComesBack() {
        GradScalerOptions options;
        options.growthInterval = 3;
        GradScaler one(at::kCPU, options), two(at::kCPU, options);
        auto parameter = torch::ones({1}).requires_grad_(true);
        const auto advance = [&](GradScaler& scaler, float gradient) {
            parameter.mutable_grad() = torch::full({1}, gradient);
            scaler.unscale({parameter});
            scaler.update();
        };
        advance(one, eventOf("inf"));
        advance(one, 1);
        advance(one, 1);
        two.setState(one.state());
        QCOMPARE(two.currentScale(), 32768.0);
        QCOMPARE(two.skippedSteps(), std::int64_t{1});
        for (GradScaler* scaler : {&one, &two}) {
            advance(*scaler, 1); // the third finite step in a row
            QCOMPARE(scaler->currentScale(), 65536.0);
        }
        for (const char* bad : {"", "1 2", "0x1p+16 0 0 7", "-1 0 0", "nan 0 0", "1 -1 0", "1 0 -1", "x 0 0"}) {
            bool thrown = false;
            try {
                two.setState(bad);
            } catch (const std::invalid_argument&) {
                thrown = true;
            }
            QVERIFY2(thrown, bad);
            QCOMPARE(two.state(), one.state());
        }
    }

    void precisionsOfACpu() {
        QCOMPARE(Precision("32", at::kCPU).products(), at::kFloat);
        QVERIFY(Precision("32", at::kCPU).sentence().empty());
        const Precision bfloat("bf16-mixed", at::kCPU);
        QCOMPARE(bfloat.products(), at::kBFloat16);
        QVERIFY(!bfloat.scaler() && bfloat.warning().empty());
        QVERIFY(bfloat.sentence().find("this CPU has ") != std::string::npos);
        const Precision half("16-mixed", at::kCPU); // Lightning replaces it, with a warning
        QCOMPARE(half.products(), at::kBFloat16);
        QVERIFY(!half.scaler());
        QVERIFY(half.warning().find("16-mixed needs a GPU") != std::string::npos);
        QVERIFY_EXCEPTION_THROWN(Precision("64-true", at::kCPU), std::invalid_argument);
    }

    void autocastOnlyWhileItLives() {
        const auto a = torch::ones({2, 2}), b = torch::ones({2, 2});
        const Precision mixed("bf16-mixed", at::kCPU);
        {
            const AutocastScope autocast = mixed.forward();
            QCOMPARE(torch::matmul(a, b).scalar_type(), at::kBFloat16);
            {
                const AutocastScope full(at::kCPU, at::kFloat);
                QCOMPARE(torch::matmul(a, b).scalar_type(), at::kFloat);
            }
            QCOMPARE(torch::matmul(a, b).scalar_type(), at::kBFloat16);
        }
        QCOMPARE(torch::matmul(a, b).scalar_type(), at::kFloat);
        const AutocastScope none = Precision("32", at::kCPU).forward();
        QCOMPARE(torch::matmul(a, b).scalar_type(), at::kFloat);
    }
};

RANKSCOPE_CORE_TEST(TestGradScaler)
#include "tst_grad_scaler.moc"
