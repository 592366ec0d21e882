// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/optim/optimizer_cases.h"

#include "core/base/files/file.h"

#include <QtGlobal>

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

namespace rankscope::trainer {

using Json = nlohmann::json;

static config::OptimConfig optimConfig(const std::string& name, const Json& options) {
    config::OptimConfig c;
    c.name = name;
    c.weightDecay = options.value("weight_decay", name == "adamw" ? 0.01 : 0);
    c.betas = options.value("betas", c.betas);
    c.eps = options.value("eps", c.eps);
    c.amsgrad = options.value("amsgrad", false);
    c.maximize = options.value("maximize", false);
    c.decoupledWeightDecay = options.value("decoupled_weight_decay", false);
    c.momentum = options.value("momentum", 0.0);
    c.dampening = options.value("dampening", 0.0);
    c.nesterov = options.value("nesterov", false);
    return c;
}

std::vector<OptimizerReference> optimizerReferences(const std::string& file) {
    const auto text = readFile(file);
    if (!text)
        qFatal("%s", text.error().message().c_str());
    std::vector<OptimizerReference> references;
    const Json all = Json::parse(*text);
    for (const Json& one : all.at("cases")) {
        const auto name = one.at("name").get<std::string>();
        const Json& options = one.at("options");
        references.push_back({name + " " + options.dump(), optimConfig(name, options), one.at("a"), one.at("b")});
    }
    return references;
}

config::OptimConfig defaultOptions(const std::string& name) {
    return optimConfig(name, Json::object());
}

double gradientOf(int parameter, int step, int i) {
    return std::sin(1.7 * step + i + parameter) * std::pow(1 + step % 4, 2) / 8;
}

static config::OptimConfig anyOptions() {
    const auto tenths = [](int from, int to) { return *rc::gen::inRange(from, to) / 10.0; };
    config::OptimConfig c;
    c.name = *rc::gen::elementOf(std::vector<std::string>{"adamw", "adam", "sgd"});
    c.betas = {tenths(0, 10), *rc::gen::elementOf(std::vector<double>{0.5, 0.9, 0.98, 0.999})};
    c.eps = *rc::gen::elementOf(std::vector<double>{1e-8, 1e-3, 1});
    c.weightDecay = tenths(0, 5);
    c.amsgrad = *rc::gen::arbitrary<bool>();
    c.maximize = *rc::gen::arbitrary<bool>();
    c.decoupledWeightDecay = *rc::gen::arbitrary<bool>();
    c.momentum = tenths(0, 10);
    c.nesterov = c.momentum > 0 && *rc::gen::arbitrary<bool>();
    c.dampening = c.nesterov ? 0 : tenths(0, 10);
    return c;
}

bool holdsForAnyOptions(const std::string& what, const std::function<bool(const OptimizerTrial&)>& agrees) {
    return rc::check(what, [&] {
        OptimizerTrial trial;
        trial.options = anyOptions();
        trial.isFloat32 = *rc::gen::arbitrary<bool>();
        // without memory, the denominator divides by cancellation errors and throws weights far off
        trial.options.betas[1] = std::max(trial.options.betas[1], trial.isFloat32 ? 0.9 : 0.5);
        trial.size = *rc::gen::inRange(1, 40);
        RC_ASSERT(agrees(trial));
    });
}

} // namespace rankscope::trainer
