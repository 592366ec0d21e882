// SPDX-License-Identifier: Apache-2.0
#include "app/trainer/verify/verify_version.h"

#include "core/config/effective/load_recipe.h"
#include "core/config/schema/key_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rankscope::trainer {
namespace {

/// Of the file itself: empty when it does not say one.
std::string versionOfRecipe(const std::string& text) {
    const auto loaded = config::load(text, {}, config::builtinFacts());
    const config::Node* said = config::find(loaded.resolved, "rankscope.nemo");
    return said && said->isScalar() ? said->text : std::string();
}

std::string ofReference(const std::string& version) {
    return fmt::format("the reference was written by NeMo {}", version);
}

} // namespace

Result<VerifyVersion> verifyVersion(const std::string& asked, const std::string& recipeText,
                                    const std::string& recipeFile, const std::string& referenceVersion) {
    const auto known = fmt::format("{}", fmt::join(config::factsVersions(), ", "));
    if (!asked.empty()) {
        const auto version = config::nemoVersionOf(asked);
        if (!version)
            return fail(Errc::BadInput, fmt::format("--nemo {}: known are {}", asked, known));
        return VerifyVersion{*version,
                             referenceVersion.empty() ? "--nemo" : "--nemo; " + ofReference(referenceVersion)};
    }
    const auto reference = config::nemoVersionFor(referenceVersion);
    const std::string said = versionOfRecipe(recipeText);
    if (const auto recipe = config::nemoVersionOf(said)) {
        if (reference && *reference != *recipe)
            return fail(Errc::BadInput,
                        fmt::format("rankscope.nemo is {}, but {}: say with --nemo which of the two counts", said,
                                    ofReference(referenceVersion)),
                        recipeFile);
        return VerifyVersion{*recipe, "the recipe's rankscope.nemo"};
    }
    if (reference)
        return VerifyVersion{*reference, ofReference(referenceVersion)};
    return VerifyVersion{config::kUnsaidNemo, "neither the recipe nor the reference says a version"};
}

} // namespace rankscope::trainer
