// SPDX-License-Identifier: Apache-2.0
// The faults that can be injected into a run to try out and test the diagnosis: rankscope.faults and --fault.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::config {

struct FaultKind {
    std::string_view name;
    std::string_view does;                     ///< one line, for help
    std::vector<std::string_view> keys;        ///< the keys it takes in addition to kind and rank
    std::vector<std::string_view> phases = {}; ///< the phases its key `phase` accepts; the first is the default
};

std::span<const FaultKind> faultKinds();
const FaultKind* faultKind(std::string_view name); ///< null: unknown

/// Returns what is wrong with one value of a fault; none if it is fine. `key` is its name in that sentence; the last
/// part is a key of rankscope.faults[]. Type and range are checked elsewhere.
std::optional<Message> faultMisfit(const FaultKind& kind, const std::string& key, const std::string& value);

/// Parses "KIND:rank=1,step=40,seconds=5", the form of `rankscopectl launch --fault`. Errors name the part that is
/// wrong.
Result<FaultConfig> parseFault(const std::string& text);

/// Returns the fault as one item of rankscope.faults: "{kind: dead, rank: 1, …}".
std::string faultYaml(const FaultConfig& fault);

/// Returns a description for logs and lists: "data_loading on rank 1 at step 60, 5 s".
std::string faultSpecText(const FaultConfig& fault);

} // namespace rankscope::config
