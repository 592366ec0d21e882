// SPDX-License-Identifier: Apache-2.0
// Every schedule, from the text of a recipe to the learning rate of each step, compared with the results of NeMo's own
// classes (data/make_optim_references.py).
#include "core/base/files/file.h"
#include "core/config/effective/read_recipe.h"
#include "core/trainer/optim/learning_rate_schedule.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <functional>
#include <set>

using namespace rankscope;
using namespace rankscope::trainer;
using Json = nlohmann::json;

namespace {

const char* const kSchedules[] = {"WarmupPolicy",
                                  "WarmupHoldPolicy",
                                  "SquareAnnealing",
                                  "SquareRootAnnealing",
                                  "CosineAnnealing",
                                  "NoamAnnealing",
                                  "NoamHoldAnnealing",
                                  "WarmupHoldAnnealOneMinusSquareRoot",
                                  "WarmupHoldAnnealLinear",
                                  "WarmupAnnealing",
                                  "PolynomialDecayAnnealing",
                                  "PolynomialHoldDecayAnnealing",
                                  "InverseSquareRootAnnealing",
                                  "T5InverseSquareRootAnnealing"};

Json references() {
    const auto text = readFile(std::string(RANKSCOPE_MODEL_TEST_DATA) + "/schedules_nemo.json");
    if (!text)
        qFatal("%s", text.error().message().c_str());
    return Json::parse(*text).at("cases");
}

/// Reads `optim` from a NeMo model section that contains it.
config::OptimConfig fromRecipe(const Json& optim) {
    const std::string text = R"(
sample_rate: 16000
num_classes: 64
num_books: 1
code_dim: 8
squeeze_single: false
mask_position: pre_conv
preprocessor: {_target_: AudioToMelSpectrogramPreprocessor, features: 80}
masking: {_target_: RandomBlockMasking, feat_in: 80}
quantizer: {_target_: RandomProjectionVectorQuantizer, feat_in: 80, code_dim: 8, num_books: 1, num_classes: 64,
  dist_fn: l2, combine_time_steps: 8}
encoder: {_target_: ConformerEncoder, feat_in: 80, n_layers: 1, d_model: 32, subsampling: dw_striding,
  subsampling_factor: 8, conv_kernel_size: 9}
decoder: {_target_: MultiSoftmaxDecoder, feat_in: 32, num_classes: 64, num_decoders: 1}
loss: {_target_: MultiMLMLoss, combine_time_steps: 8, num_decoders: 1}
optim: )" + optim.dump() + "\n";
    const auto recipe = config::readRecipe(text, "recipe.yaml");
    if (!recipe)
        qFatal("%s", recipe.error().message().c_str());
    return recipe->model.optim;
}

config::OptimConfig optimOf(const Json& sched, double lr) {
    return fromRecipe({{"name", "adamw"}, {"lr", lr}, {"sched", sched}});
}

QString refusal(const config::OptimConfig& c, const RunLength& run = {}) {
    try {
        const LearningRateSchedule schedule(c, run);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "accepted";
}

} // namespace

class TestSchedule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asNeMo_data() {
        QTest::addColumn<QByteArray>("text");
        for (const Json& one : references())
            QTest::newRow(one.at("sched").dump().c_str()) << QByteArray::fromStdString(one.dump());
    }
    void asNeMo() {
        QFETCH(QByteArray, text);
        const Json one = Json::parse(text.toStdString());
        const LearningRateSchedule schedule(optimOf(one.at("sched"), one.at("lr")), {one.at("max_steps"), 0});
        const auto steps = one.at("steps").get<std::vector<std::int64_t>>();
        const auto rates = one.at("rates").get<std::vector<double>>();
        QVERIFY(!steps.empty() && steps.size() == rates.size());
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const double ours = schedule.at(steps[i]);
            QVERIFY2(
                std::abs(ours - rates[i]) <= 1e-14 * std::abs(rates[i]) + 1e-17,
                qPrintable(
                    QString("step %1: %2, NeMo %3").arg(steps[i]).arg(ours, 0, 'g', 17).arg(rates[i], 0, 'g', 17)));
        }
    }

    void everyScheduleHasAReference() {
        std::set<std::string> seen;
        for (const Json& one : references())
            seen.insert(one.at("sched").at("name").get<std::string>());
        QCOMPARE(seen, std::set<std::string>(std::begin(kSchedules), std::end(kSchedules)));
    }

    void noamAsInTheReferenceModel() {
        const LearningRateSchedule schedule(referenceConfig("pre_conv").optim);
        const double expected[] = {0.011048543456039806, 0.011048543456039806, 0.02209708691207961,
                                   0.03314563036811942};
        for (int i = 0; i < 4; ++i)
            QVERIFY(std::abs(schedule.at(i) - expected[i]) < 1e-15);
    }

    void constantWithoutSchedule() {
        const LearningRateSchedule schedule(fromRecipe({{"name", "sgd"}, {"lr", 0.5}}));
        QCOMPARE(schedule.at(0), 0.5);
        QCOMPARE(schedule.at(12345), 0.5);
    }

    void theEndIsTheTrainersThenTheSchedulesThenTheEpochs() {
        const auto last = [](const Json& maxSteps, const RunLength& run) {
            Json sched{{"name", "WarmupAnnealing"}, {"min_lr", 0.25}};
            if (!maxSteps.is_null())
                sched["max_steps"] = maxSteps;
            const LearningRateSchedule schedule(optimOf(sched, 1), run);
            std::int64_t step = 0;
            while (schedule.at(step) > 0.25)
                ++step;
            return step;
        };
        QCOMPARE(last({}, {30, 0}), 30);
        QCOMPARE(last(20, {30, 40}), 30);
        QCOMPARE(last(-1, {30, 40}), 30);
        QCOMPARE(last(20, {-1, 40}), 20);
        QCOMPARE(last({}, {-1, 40}), 40);
    }

    void ratiosAreOfTheWholeRun() {
        const LearningRateSchedule schedule(optimOf({{"name", "WarmupPolicy"}, {"warmup_ratio", 0.1}}, 1), {-1, 90});
        QVERIFY(schedule.at(8) < 1);
        QCOMPARE(schedule.at(9), 1.0);
        QCOMPARE(schedule.at(4), 0.5);
    }

    void endlessRuns() {
        // only these two need no end
        const LearningRateSchedule warmup(optimOf({{"name", "WarmupPolicy"}, {"warmup_steps", 3}}, 1));
        QCOMPARE(warmup.at(0), 0.25);
        QCOMPARE(warmup.at(1'000'000'000), 1.0);
        QVERIFY(LearningRateSchedule(referenceConfig("pre_conv").optim).at(1'000'000'000) > 0);
        for (const std::string name : kSchedules) {
            config::OptimConfig c;
            c.sched.name = name;
            c.sched.dModel = 4;
            c.sched.warmupSteps = c.sched.constantSteps = 2;
            if (name != "WarmupPolicy" && name != "NoamAnnealing")
                QVERIFY2(refusal(c).startsWith("model.optim.sched.max_steps: " + QString::fromStdString(name)),
                         name.c_str());
        }
    }

    void refusalsNameTheKey_data() {
        QTest::addColumn<QByteArray>("sched");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* sched, const char* says) { QTest::newRow(sched) << QByteArray(sched) << says; };
        row(R"({"name": "WarmupPolicy", "warmup_ratio": 0.1})", "model.optim.sched.warmup_ratio: 0.1 of a run without");
        row(R"({"name": "WarmupHoldPolicy", "hold_ratio": 0.1})", "model.optim.sched.hold_ratio: 0.1 of a run without");
        row(R"({"name": "CosineAnnealing", "max_steps": -1})",
            "model.optim.sched.max_steps: -1 turns the schedule off");
        row(R"({"name": "CosineAnnealing", "max_steps": 9, "min_lr": 0.5, "constant_steps": 2})",
            "model.optim.sched.min_lr: 0.5 must be below lr 0.5");
    }
    void refusalsNameTheKey() {
        QFETCH(QByteArray, sched);
        QFETCH(QString, says);
        const QString text = refusal(optimOf(Json::parse(sched.toStdString()), 0.5));
        QVERIFY2(text.startsWith(says), qPrintable(text));
    }

    void refusalsOfWhatARecipeCannotSay() {
        const auto changed = [](const std::function<void(config::OptimConfig::Sched&)>& change) {
            auto c = referenceConfig("pre_conv").optim;
            change(c.sched);
            return refusal(c, {100, 0});
        };
        const QString at = "model.optim.sched.";
        QCOMPARE(changed([](auto&) {}), QString("accepted"));
        QVERIFY(changed([](auto& s) { s.name = "StepLR"; }).startsWith(at + "name: StepLR is not supported"));
        QVERIFY(changed([](auto& s) { s.warmupRatio = 0.5; }).startsWith(at + "warmup_ratio: 0.5 and warmup_steps 4"));
        QVERIFY(changed([](auto& s) { s.warmupSteps = -4; }).startsWith(at + "warmup_steps: -4"));
        QVERIFY(changed([](auto& s) { s.warmupSteps = {}, s.warmupRatio = 1.5; }).startsWith(at + "warmup_ratio: 1.5"));
        QVERIFY(changed([](auto& s) { s.dModel = 0; }).startsWith(at + "d_model: 0"));
        QVERIFY(changed([](auto& s) { s.minLr = 1; }).startsWith(at + "min_lr: 1 is above lr 0.5"));
        QVERIFY(changed([](auto& s) { s.name = "CosineAnnealing", s.minLr = 1; }).startsWith(at + "min_lr: 1"));
        QVERIFY(changed([](auto& s) { s.name = "NoamHoldAnnealing", s.warmupSteps = 0; }).startsWith(at + "warmup_st"));
        QVERIFY(changed([](auto& s) { s.name = "T5InverseSquareRootAnnealing"; }).startsWith(at + "constant_steps"));
    }

    /// For any numbers, the rate is finite, between floor and peak, and rises to the peak before it falls.
    void shapes() {
        const bool holds = rc::check("shape of a schedule", [] {
            config::OptimConfig c;
            c.lr = *rc::gen::inRange(1, 5000) / 1000.0;
            c.sched.name = *rc::gen::elementOf(std::vector<std::string>(std::begin(kSchedules), std::end(kSchedules)));
            c.sched.minLr = c.lr * *rc::gen::inRange(0, 100) / 100.0;
            c.sched.dModel = 1;
            c.sched.warmupSteps = *rc::gen::inRange(1, 50);
            if (*rc::gen::arbitrary<bool>())
                c.sched.holdSteps = *rc::gen::inRange(0, 60);
            c.sched.constantSteps = *rc::gen::inRange(1, 60);
            c.sched.power = *rc::gen::inRange(1, 40) / 10.0;
            c.sched.decayRate = *rc::gen::inRange(1, 20) / 10.0;
            const std::int64_t end = *rc::gen::inRange(0, 200);
            const LearningRateSchedule schedule(c, {end, 0});
            if (c.sched.name == "T5InverseSquareRootAnnealing" || c.sched.name == "NoamAnnealing")
                c.lr = std::max(c.lr, 1.0); // the first has a fixed peak, the second one below lr
            const std::int64_t warmup = c.sched.name[0] == 'T' ? 0 : *c.sched.warmupSteps;
            double before = 0;
            for (std::int64_t step = 0; step <= end; ++step) {
                const double rate = schedule.at(step);
                RC_ASSERT(std::isfinite(rate));
                RC_ASSERT(rate >= 0 && rate <= c.lr * (1 + 1e-12));
                // NoamAnnealing's floor may be above its peak
                const bool onFloor = c.sched.name == "NoamAnnealing" && step == warmup + 1;
                if (step > warmup && step > 0 && !onFloor) {
                    RC_ASSERT(rate <= before * (1 + 1e-12));
                }
                if (step > 1 && step <= warmup) {
                    RC_ASSERT(rate >= before);
                }
                before = rate;
            }
        });
        QVERIFY(holds);
    }
};

RANKSCOPE_CORE_TEST(TestSchedule)
#include "tst_learning_rate_schedule.moc"
