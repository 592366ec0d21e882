// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/config/schema/nemo_version.h"

#include <string>

namespace rankscope::trainer {

/// Computes the values of a NeMo reference (REFERENCE.safetensors, with its initial weights) with the model of
/// CONFIG.yaml and prints the worst deviation of each kind, as a table or as JSON. Returns the exit code: 0 all within
/// tolerance, 1 not all, 2 an input is missing, damaged or not supported (reported on stderr). `weights`: a file with
/// the initial weights to use instead; empty: the reference's own. `nemo`: the version of NeMo to follow; empty: see
/// verifyVersion(). `device`: "cpu", or "cuda" if a GPU can be used.
int runVerify(const std::string& reference, const std::string& config, bool json, const std::string& weights = {},
              const std::string& nemo = {}, const std::string& device = "cpu");

/// Holds the NeMo version that a model follows and where it was specified.
struct VerifyVersion {
    config::NemoVersion nemo = config::kUnsaidNemo;
    Message because;
};

/// Returns the requested version (empty: none), else the recipe's, else the version that wrote the reference (empty:
/// unknown) or the known version that computes like it. Returns an error if recipe and reference contradict each other,
/// or if the requested version is not known.
Result<VerifyVersion> verifyVersion(const std::string& asked, const std::string& recipeText,
                                    const std::string& recipeFile, const std::string& referenceVersion);

} // namespace rankscope::trainer
