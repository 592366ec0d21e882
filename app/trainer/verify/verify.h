// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/config/schema/nemo_version.h"

#include <string>

namespace rankscope::trainer {

/// Computes what a NeMo reference holds (REFERENCE.safetensors, with the weights it starts from) with the model of
/// CONFIG.yaml and prints the worst deviation of each kind, as a table or as JSON. Returns the exit code: 0 all within
/// tolerance, 1 one is not, 2 an input is missing, damaged or not supported (said on stderr). `weights`: a file whose
/// weights are started from instead; empty: the reference's own. `nemo`: the version of NeMo to compute as; empty: see
/// verifyVersion(). `device`: "cpu", or "cuda" where a GPU can be used.
int runVerify(const std::string& reference, const std::string& config, bool json, const std::string& weights = {},
              const std::string& nemo = {}, const std::string& device = "cpu");

/// The version of NeMo that a model is computed as, and who says so.
struct VerifyVersion {
    config::NemoVersion nemo = config::kUnsaidNemo;
    std::string because;
};

/// What was asked for (empty: nothing), else what the recipe says, else the version that wrote the reference (empty:
/// unknown), or the one that is known here and computes as that does. Error: recipe and reference contradict each
/// other, or the version that was asked for is not known.
Result<VerifyVersion> verifyVersion(const std::string& asked, const std::string& recipeText,
                                    const std::string& recipeFile, const std::string& referenceVersion);

} // namespace rankscope::trainer
