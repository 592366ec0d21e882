// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/effective/effective.h"
#include "core/config/yaml/node.h"

#include <string_view>
#include <vector>

namespace rankscope::config {

// configs/nemo/*.json, the newest first, and rankscope_keys.json, compiled in: no file is needed at run time.
extern const std::vector<std::string_view> kNemoFactsJsons;
extern const std::string_view kRankscopeKeysJson;

/// The versions of NeMo whose facts are compiled in, newest first. builtinFacts() are those of a recipe that does not
/// say rankscope.nemo: 2.7.3's, or those of the version that the environment's RANKSCOPE_NEMO names.
std::vector<std::string> factsVersions();
/// Null: not known here.
const Facts* factsOf(std::string_view nemoVersion);
/// The facts of the version that the tree's rankscope.nemo names; `facts` where it names none that is known, and where
/// they are others than builtinFacts(): those are meant as they were given.
const Facts& factsFor(const Node& root, const Facts& facts);
/// Another version that is known here and has this key; null: none.
const Facts* otherVersionWith(const std::string& key, const Facts& facts);
/// RANKSCOPE_NEMO names a version that is not known here: every recipe has this problem then.
std::optional<Problem> factsProblem(const char* chosen);

} // namespace rankscope::config
