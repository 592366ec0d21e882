// SPDX-License-Identifier: Apache-2.0
#include "app/trainer/verify/verify.h"

#include "app/trainer/verify/verify_model.h"
#include "core/base/console/console.h"
#include "core/base/files/file.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/values/result.h"
#include "core/config/effective/load_recipe.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/schema/key_schema.h"
#include "core/trainer/checkpoint/weights.h"

#include <ATen/Context.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
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

void printTable(const std::vector<VerifyCheck>& checks, const VerifyVersion& version) {
    using console::text;
    console::say({"computed as in NeMo {} ({})", config::toText(version.nemo), version.because});
    // fmt counts a Chinese character as two columns, as terminals do
    console::print("{:<30} {:>11}  {:>12}  {:>9}  {:<6} {}\n", text("check"), text("worst"), text("allowed"),
                   text("noise"), "", text("where"));
    for (const auto& c : checks) {
        const std::string noise = c.noise ? fmt::format("{:.2g}", *c.noise) : "";
        console::print("{:<30} {:>11.4g}  {:>2} {:>9.4g}  {:>9}  {:<6} {}\n", text(c.name), c.worst,
                       c.atLeast ? ">=" : "<=", c.limit, noise, text(c.passed() ? Message("PASS") : Message("FAIL")),
                       text(c.tensor));
    }
    const Message noise(
        "noise: how much the model's result changes when the last bit of its weights changes. A result that changes\n"
        "a lot may deviate more, by up to {:g} times the usual (running means of batch norms: by a quarter of the "
        "largest)",
        kVerifyMostNoise);
    console::print("{}\n", noise.text(console::outputLanguage()));
    const auto failed = std::count_if(checks.begin(), checks.end(), [](const VerifyCheck& c) { return !c.passed(); });
    if (failed == 0)
        console::say({"PASS: all {} kinds are within tolerance", checks.size()});
    else
        console::say({"FAIL: {} of {} kinds are not within tolerance", failed, checks.size()});
}

nlohmann::json toJson(const std::vector<VerifyCheck>& checks, const VerifyVersion& version,
                      const std::string& referenceVersion) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& c : checks) {
        // JSON has no infinity and no NaN
        const nlohmann::json worst = std::isfinite(c.worst) ? nlohmann::json(c.worst) : nlohmann::json();
        list.push_back({{"check", c.name.english()},
                        {"worst", worst},
                        {"limit", c.limit},
                        {"noise", c.noise && std::isfinite(*c.noise) ? nlohmann::json(*c.noise) : nlohmann::json()},
                        {"at_least", c.atLeast},
                        {"where", c.tensor.english()},
                        {"passed", c.passed()}});
    }
    return {{"passed", allPassed(checks)},
            {"nemo", config::toText(version.nemo)},
            {"nemo_because", version.because.english()},
            {"reference_nemo", referenceVersion},
            {"checks", list}};
}

/// Turns off TF32, because references are computed in full float32.
void useFullFloat32() {
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
}

int complain(const Message& message) {
    console::sayError({"verify: {}", message});
    return kBadInput;
}
int complain(const Error& error) {
    return complain(Message(error.message(console::errorLanguage())));
}

/// Returns the version that the recipe file itself specifies; empty if none.
std::string versionOfRecipe(const std::string& text) {
    const auto loaded = config::load(text, {}, config::builtinSchema());
    const config::Node* said = config::find(loaded.resolved, "rankscope.nemo");
    return said && said->isScalar() ? said->text : std::string();
}

Message ofReference(const std::string& version) {
    return {"the reference was written by NeMo {}", version};
}

} // namespace

Result<VerifyVersion> verifyVersion(const std::string& asked, const std::string& recipeText,
                                    const std::string& recipeFile, const std::string& referenceVersion) {
    const auto known = fmt::format("{}", fmt::join(config::factsVersions(), ", "));
    if (!asked.empty()) {
        const auto version = config::nemoVersionOf(asked);
        if (!version)
            return fail(Errc::BadInput, {"--nemo {}: known versions are {}", asked, known});
        return VerifyVersion{*version, referenceVersion.empty() ? Message(std::string("--nemo"))
                                                                : Message("--nemo; {}", ofReference(referenceVersion))};
    }
    const auto reference = config::nemoVersionFor(referenceVersion);
    const std::string said = versionOfRecipe(recipeText);
    if (const auto recipe = config::nemoVersionOf(said)) {
        if (reference && *reference != *recipe)
            return fail(Errc::BadInput,
                        {"rankscope.nemo is {}, but {}: choose one of the two with --nemo", said,
                         ofReference(referenceVersion)},
                        recipeFile);
        return VerifyVersion{*recipe, "the recipe's rankscope.nemo"};
    }
    if (reference)
        return VerifyVersion{*reference, ofReference(referenceVersion)};
    return VerifyVersion{config::kUnsaidNemo, "neither the recipe nor the reference gives a version"};
}

static Result<int> verify(const std::string& referencePath, const std::string& configPath, bool json,
                          const std::string& weightsPath, const std::string& nemo, const std::string& device) {
    RS_TRY_ASSIGN(const auto text, readFile(configPath));
    RS_TRY_ASSIGN(const auto reference, readReference(referencePath));
    RS_TRY_ASSIGN(const auto version, verifyVersion(nemo, text, configPath, reference.nemo));
    RS_TRY_ASSIGN(
        const auto recipe,
        config::readRecipe(text, configPath, {fmt::format("++rankscope.nemo={}", config::toText(version.nemo))}));
    StateDict initial = reference.file.under("state.");
    if (!weightsPath.empty()) {
        RS_TRY_ASSIGN(auto weights, readWeights(weightsPath));
        initial = std::move(weights.tensors);
    }
    try {
        useFullFloat32();
        const auto checks = verifyModel(recipe.model, reference, initial, c10::Device(device));
        if (!checks)
            return complain({"{}: {}", referencePath, checks.error().message(console::errorLanguage())});
        if (json)
            console::print("{}\n", toJson(*checks, version, reference.nemo).dump(2));
        else
            printTable(*checks, version);
        return allPassed(*checks) ? kPassed : kFailed;
    } catch (const std::invalid_argument& e) {
        return complain({"{} with {}: {}", referencePath, configPath, e.what()});
    } catch (const c10::Error& e) {
        return complain({"{} does not fit {}: {}", referencePath, configPath, e.what_without_backtrace()});
    } catch (const std::exception& e) {
        return complain({"{} does not fit {}: {}", referencePath, configPath, e.what()});
    }
}

int runVerify(const std::string& reference, const std::string& config, bool json, const std::string& weights,
              const std::string& nemo, const std::string& device) {
    const auto code = verify(reference, config, json, weights, nemo, device);
    return code ? *code : complain(code.error());
}

} // namespace rankscope::trainer
