// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/config/schema/nemo_version.h"

#include <string>

namespace rankscope::trainer {

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
