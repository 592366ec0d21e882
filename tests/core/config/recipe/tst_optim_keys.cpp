// SPDX-License-Identifier: Apache-2.0
// model.optim and model.optim.sched accept the arguments of the class that their name selects, with its defaults.
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <map>

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

class TestOptim : public QObject {
    Q_OBJECT

    /// Returns a valid recipe with another `optim`, which extends from "  optim:" to "trainer:".
    static std::string recipe(const std::string& optim) {
        std::string text = goodRecipe();
        const auto begin = text.find("\n  optim:") + 1, end = text.find("\ntrainer:");
        return text.replace(begin, end - begin, "  optim: " + optim + "\n");
    }
    static Effective evaluated(const std::string& optim) { return evaluate(recipe(optim), "r.yaml"); }
    static OptimConfig read(const std::string& optim) {
        const auto typed = readRecipe(recipe(optim), "r.yaml");
        if (!typed)
            qFatal("%s", typed.error().message().c_str());
        return typed->model.optim;
    }
    static std::string withSched(const std::string& sched) { return "{name: adamw, lr: 0.5, sched: " + sched + "}"; }

private Q_SLOTS:
    void optimizers() {
        const auto adamw = read("{name: adamw, lr: 2, amsgrad: true, maximize: true}");
        QCOMPARE(adamw.weightDecay, 0.01);
        QVERIFY(adamw.amsgrad && adamw.maximize && adamw.sched.name.empty());
        const auto adam = read("{name: adam, betas: [0.8, 0.9], eps: 1e-6, decoupled_weight_decay: true}");
        QCOMPARE(adam.lr, 1e-3);
        QCOMPARE(adam.weightDecay, 0.0);
        QCOMPARE(adam.eps, 1e-6);
        QVERIFY((adam.betas == std::array<double, 2>{0.8, 0.9}));
        QVERIFY(adam.decoupledWeightDecay && !adam.amsgrad);
        const auto sgd = read("{name: sgd, lr: 0.1, momentum: 0.9, weight_decay: 0.02, nesterov: true}");
        COMPARE_TEXT(sgd.name, "sgd");
        QCOMPARE(sgd.momentum, 0.9);
        QCOMPARE(sgd.dampening, 0.0);
        QCOMPARE(sgd.weightDecay, 0.02);
        QVERIFY(sgd.nesterov && !sgd.maximize);
        QCOMPARE(read("{name: sgd, momentum: 0.9, dampening: 0.5}").dampening, 0.5);
        QCOMPARE(read("{name: sgd}").weightDecay, 0.0);
    }

    /// Without a name: NeMo's adam, or the class that _target_ names.
    void withoutName() {
        const auto adam = read("{lr: 0.1}");
        COMPARE_TEXT(adam.name, "adam");
        QCOMPARE(adam.weightDecay, 0.0);
        const Effective e = evaluated("{lr: 0.1}");
        COMPARE_TEXT(e.find("model.optim.weight_decay")->codeSource, "torch Adam");
        QVERIFY(e.text.find("name: adam  # NeMo code") != std::string::npos);
        for (const auto& [target, name] : std::map<std::string, std::string>{{"torch.optim.AdamW", "adamw"},
                                                                             {"torch.optim.adamw.AdamW", "adamw"},
                                                                             {"torch.optim.Adam", "adam"},
                                                                             {"torch.optim.SGD", "sgd"}})
            COMPARE_TEXT(read("{_target_: " + target + ", lr: 0.1}").name, name);
        QCOMPARE(read("{_target_: torch.optim.SGD, momentum: 0.9, nesterov: true}").momentum, 0.9);
        COMPARE_TEXT(read("{name: adamw, _target_: torch.optim.AdamW}").name, "adamw");
    }

    /// What the trainer does not support is rejected by its own name.
    void refusedByName_data() {
        QTest::addColumn<QString>("optim");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* optim, const char* says) { QTest::newRow(optim) << optim << says; };
        row("{_target_: torch.optim.RAdam, lr: 0.1}",
            "model.optim._target_ is torch.optim.RAdam: not supported by the trainer yet; it takes torch.optim.AdamW");
        row("{_target_: apex.optimizers.AdamW}", "model.optim._target_ is apex.optimizers.AdamW: not supported");
        row("{_target_: torch.optim.AdamW, name: sgd}",
            "model.optim._target_ is torch.optim.AdamW while model.optim.name is sgd");
        row("{name: adamw, args: {betas: [0.8, 0.9]}}", "model.optim.args is not supported");
        row("{name: novograd}", "model.optim.name is novograd: not supported");
    }
    void refusedByName() {
        QFETCH(QString, optim);
        QFETCH(QString, says);
        const Effective e = evaluated(optim.toStdString());
        const auto error = launchError(e, "r.yaml");
        QVERIFY(error);
        QVERIFY2(QString::fromStdString(error->what.english()).startsWith(says), error->what.english().c_str());
        QVERIFY2(error->where.starts_with("r.yaml:"), error->where.c_str());
    }
    void groupsAndFrozenParts() {
        for (const char* key :
             {"+model.optim_param_groups={encoder: {lr: 0.1}}", "+model.freeze_updates={enabled: true}"}) {
            const auto error = launchError(evaluate(goodRecipe(), "r.yaml", {key}), "r.yaml");
            QVERIFY2(error && error->what.english().find("is not supported by the trainer yet: ") != std::string::npos,
                     key);
        }
        QVERIFY(!launchError(evaluate(goodRecipe(), "r.yaml", {"+model.freeze_updates={enabled: false}"}), "r.yaml"));
    }

    void schedules() {
        const auto cosine = read(withSched("{name: CosineAnnealing, warmup_ratio: 0.1, constant_steps: 7, min_lr: 0.1, "
                                           "max_steps: 100}"))
                                .sched;
        QCOMPARE(cosine.warmupRatio.value(), 0.1);
        QVERIFY(!cosine.warmupSteps && !cosine.constantRatio && !cosine.holdSteps);
        QCOMPARE(cosine.constantSteps.value(), 7);
        QCOMPARE(cosine.maxSteps.value(), 100);
        QCOMPARE(cosine.minLr, 0.1);
        const auto noam = read(withSched("{name: NoamHoldAnnealing, warmup_steps: 5, hold_ratio: 0.3}")).sched;
        QCOMPARE(noam.decayRate, 0.5);
        QCOMPARE(noam.holdRatio.value(), 0.3);
        QCOMPARE(noam.warmupSteps.value(), 5);
        const auto poly =
            read(withSched("{name: PolynomialHoldDecayAnnealing, power: 2, cycle: true, hold_steps: 0}")).sched;
        QCOMPARE(poly.power, 2.0);
        QVERIFY(poly.cycle);
        QCOMPARE(poly.holdSteps.value(), 0); // set: not the same as null
        QCOMPARE(read(withSched("{name: SquareAnnealing}")).sched.minLr, 1e-5);
        QCOMPARE(read(withSched("{name: SquareRootAnnealing}")).sched.minLr, 0.0);
        const auto t5 = read(withSched("{name: T5InverseSquareRootAnnealing, constant_steps: 9}")).sched;
        QCOMPARE(t5.constantSteps.value(), 9);
    }

    void everySupportedNameIsKnownAndLaunches() {
        int schedules = 0;
        for (const auto& section : builtinSchema().sections) {
            if (section.at == "model.optim") {
                const Effective e = evaluated("{name: " + section.selectorValue + "}");
                QVERIFY2(!launchError(e, "r.yaml"), section.selectorValue.c_str());
            }
            if (section.at != "model.optim.sched")
                continue;
            ++schedules;
            std::string sched = "{name: " + section.selectorValue;
            for (const auto& key : section.keys)
                if (key.required && key.name != "name")
                    sched += ", " + key.name + ": 64";
            const bool warms = section.selectorValue == "NoamHoldAnnealing";
            const Effective e = evaluated(withSched(sched + (warms ? ", warmup_steps: 2}" : "}")));
            const auto error = launchError(e, "r.yaml");
            QVERIFY2(!error, error ? error->message().c_str() : "");
        }
        QCOMPARE(schedules, 14);
    }

    void defaultsAreThoseOfTheNamedClass() {
        const Effective sgd = evaluated("{name: sgd, lr: 0.1}");
        const KeyRow* decay = sgd.find("model.optim.weight_decay");
        QVERIFY(decay);
        COMPARE_TEXT(decay->code.value(), "0");
        COMPARE_TEXT(decay->codeSource, "torch SGD");
        COMPARE_TEXT(sgd.find("model.optim.lr")->codeSource, "torch SGD");
        QVERIFY(!sgd.find("model.optim.betas"));
        QVERIFY(sgd.text.find("momentum: 0  # torch SGD") != std::string::npos);
        const Effective again = evaluate(sgd.text, "effective.yaml");
        QVERIFY2(!launchError(again, "e"), launchError(again, "e") ? launchError(again, "e")->message().c_str() : "");
        COMPARE_TEXT(again.find("model.optim.momentum")->effective.value(), "0");

        const Effective square = evaluated(withSched("{name: SquareAnnealing}"));
        COMPARE_TEXT(square.find("model.optim.sched.min_lr")->code.value(), "1e-05");
        COMPARE_TEXT(square.find("model.optim.sched.min_lr")->codeSource, "NeMo SquareAnnealing");
        QVERIFY(!square.find("model.optim.sched.d_model"));
        QVERIFY(square.find("model.optim.sched.min_lr")->differs); // from NeMo's NEST file

        // no defaults are claimed for an unknown class
        const Effective novograd = evaluated("{name: novograd, lr: 0.1, betas: [0.9, 0.1]}");
        QVERIFY(!novograd.find("model.optim.eps"));
        QVERIFY(!novograd.find("model.optim.betas")->code);
    }

    void overridesReachTheKeysOfEveryClass() {
        const Effective e = evaluate(goodRecipe(), "r.yaml",
                                     {"model.optim.name=sgd", "~model.optim.betas", "+model.optim.momentum=0.5",
                                      "model.optim.sched={name: CosineAnnealing, warmup_steps: 10}"});
        QVERIFY2(!launchError(e, "r.yaml"),
                 launchError(e, "r.yaml") ? launchError(e, "r.yaml")->message().c_str() : "");
        COMPARE_TEXT(e.find("model.optim.momentum")->effective.value(), "0.5");
    }

    void wrong_data() {
        QTest::addColumn<QString>("optim");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("says");
        const auto row = [](const std::string& optim, const char* key, const char* says) {
            QTest::newRow(optim.c_str()) << QString::fromStdString(optim) << key << says;
        };
        row("{name: adamw, momentum: 0.9}", "model.optim.momentum",
            "is not an argument of torch AdamW, but of torch SGD");
        row("{name: sgd, betas: [0.9, 0.98]}", "model.optim.betas",
            "is not an argument of torch SGD, but of torch AdamW");
        row("{name: sgd, momentun: 0.9}", "model.optim.momentun", "did you mean model.optim.momentum");
        row("{name: sgd, momentum: -1}", "model.optim.momentum", "must be at least 0");
        row("{name: sgd, nesterov: true}", "model.optim.nesterov", "needs a model.optim.momentum above 0");
        row("{name: sgd, nesterov: yes, momentum: 0.9, dampening: 0.1}", "model.optim.nesterov", "no dampening");
        row(withSched("{warmup_steps: 4}"), "model.optim.sched.name", "is missing");
        row(withSched("{name: CosineAnnealing, d_model: 4}"), "model.optim.sched.d_model",
            "is not an argument of NeMo CosineAnnealing, but of NeMo NoamAnnealing");
        row(withSched("{name: CosineAnnealing, warmup_step: 4}"), "model.optim.sched.warmup_step",
            "did you mean model.optim.sched.warmup_steps");
        row(withSched("{name: CosineAnnealing, warmup_steps: 4, warmup_ratio: 0.1}"), "model.optim.sched.warmup_ratio",
            "set only one");
        row(withSched("{name: WarmupHoldPolicy, hold_steps: 0, hold_ratio: 0.1}"), "model.optim.sched.hold_ratio",
            "set only one");
        row(withSched("{name: CosineAnnealing, constant_steps: 4, constant_ratio: 0.1}"),
            "model.optim.sched.constant_ratio", "set only one");
        row(withSched("{name: CosineAnnealing, min_lr: 0.6}"), "model.optim.sched.min_lr", "must not be above");
        row(withSched("{name: CosineAnnealing, max_steps: -2}"), "model.optim.sched.max_steps", "must be at least -1");
        row(withSched("{name: CosineAnnealing, warmup_ratio: 1.5}"), "model.optim.sched.warmup_ratio", "at most 1");
        row(withSched("{name: NoamHoldAnnealing, hold_steps: 4}"), "model.optim.sched.warmup_steps", "is needed by");
        row(withSched("{name: T5InverseSquareRootAnnealing}"), "model.optim.sched.constant_steps", "is missing");
        row(withSched("{name: T5InverseSquareRootAnnealing, constant_steps: 2, constant_ratio: 0.1}"),
            "model.optim.sched.constant_ratio", "must be null");
        row(withSched("{name: PolynomialDecayAnnealing, hold_steps: 2}"), "model.optim.sched.hold_steps",
            "is not an argument of NeMo PolynomialDecayAnnealing");
        row(withSched("{name: NoamAnnealing}"), "model.optim.sched.d_model", "is missing");
    }
    void wrong() {
        QFETCH(QString, optim);
        QFETCH(QString, key);
        QFETCH(QString, says);
        const Effective e = evaluated(optim.toStdString());
        QVERIFY(!e.ok());
        const Problem* problem = problemOf(e, key.toStdString());
        QVERIFY2(problem, e.problems[0].text.english().c_str());
        QVERIFY(problem->severity == Problem::Severity::Error);
        QVERIFY2(QString::fromStdString(problem->text.english()).contains(says), problem->text.english().c_str());
    }
};

RANKSCOPE_CORE_TEST(TestOptim)
#include "tst_optim_keys.moc"
