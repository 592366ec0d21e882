// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/effective.h"

#include <string_view>
#include <vector>

namespace rankscope::config {

// configs/nemo/*.json, the newest first, and rankscope_keys.json, compiled in: no file is needed at run time.
extern const std::vector<std::string_view> kNemoFactsJsons;
extern const std::string_view kRankscopeKeysJson;

/// The versions of NeMo whose facts are compiled in, newest first. builtinFacts() are the newest's, or those of the
/// version that the environment's RANKSCOPE_NEMO names.
std::vector<std::string> factsVersions();
/// Null: not known here.
const Facts* factsOf(std::string_view nemoVersion);
/// RANKSCOPE_NEMO names a version that is not known here: every recipe has this problem then.
std::optional<Problem> factsProblem(const char* chosen);

} // namespace rankscope::config
