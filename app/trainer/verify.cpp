// SPDX-License-Identifier: Apache-2.0
#include "app/trainer/verify.h"

#include "app/trainer/verify_model.h"
#include "core/base/console.h"
#include "core/base/file.h"
#include "core/trainer/checkpoint/weights.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <exception>

namespace rankscope::trainer {
namespace {

constexpr int kPassed = 0, kFailed = 1, kBadInput = 2;

bool allPassed(const std::vector<VerifyCheck>& checks) {
    return std::all_of(checks.begin(), checks.end(), [](const VerifyCheck& c) { return c.passed(); });
}

void printTable(const std::vector<VerifyCheck>& checks) {
    console::print("{:<30} {:>11}  {:>12}  {:<6} {}\n", "check", "worst", "allowed", "", "where");
    for (const auto& c : checks)
        console::print("{:<30} {:>11.4g}  {:>2} {:>9.4g}  {:<6} {}\n", c.name, c.worst,
                       c.atLeast ? ">=" : "<=", c.limit, c.passed() ? "PASS" : "FAIL", c.tensor);
    const auto failed = std::count_if(checks.begin(), checks.end(), [](const VerifyCheck& c) { return !c.passed(); });
    if (failed == 0)
        console::print("PASS: all {} kinds are within tolerance\n", checks.size());
    else
        console::print("FAIL: {} of {} kinds are not within tolerance\n", failed, checks.size());
}

nlohmann::json toJson(const std::vector<VerifyCheck>& checks) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& c : checks) {
        // JSON has no infinity and no NaN
        const nlohmann::json worst = std::isfinite(c.worst) ? nlohmann::json(c.worst) : nlohmann::json();
        list.push_back({{"check", c.name},
                        {"worst", worst},
                        {"limit", c.limit},
                        {"at_least", c.atLeast},
                        {"where", c.tensor},
                        {"passed", c.passed()}});
    }
    return {{"passed", allPassed(checks)}, {"checks", list}};
}

int complain(const std::string& message) {
    console::printError("verify: {}\n", message);
    return kBadInput;
}

} // namespace

int runVerify(const std::string& referencePath, const std::string& configPath, bool json,
              const std::string& weightsPath) {
    const auto text = readFile(configPath);
    if (!text)
        return complain(text.error().message());
    const auto recipe = config::readRecipe(*text, configPath);
    if (!recipe)
        return complain(recipe.error().message());
    const auto reference = readReference(referencePath);
    if (!reference)
        return complain(reference.error().message());
    StateDict initial = reference->file.under("state.");
    if (!weightsPath.empty()) {
        auto weights = readWeights(weightsPath);
        if (!weights)
            return complain(weights.error().message());
        initial = std::move(weights->tensors);
    }
    try {
        const auto checks = verifyModel(recipe->model, *reference, initial);
        if (!checks)
            return complain(fmt::format("{}: {}", referencePath, checks.error().message()));
        if (json)
            console::print("{}\n", toJson(*checks).dump(2));
        else
            printTable(*checks);
        return allPassed(*checks) ? kPassed : kFailed;
    } catch (const std::invalid_argument& e) {
        return complain(fmt::format("{} with {}: {}", referencePath, configPath, e.what()));
    } catch (const c10::Error& e) {
        return complain(fmt::format("{} does not fit {}: {}", referencePath, configPath, e.what_without_backtrace()));
    } catch (const std::exception& e) {
        return complain(fmt::format("{} does not fit {}: {}", referencePath, configPath, e.what()));
    }
}

} // namespace rankscope::trainer
