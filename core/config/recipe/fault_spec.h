// SPDX-License-Identifier: Apache-2.0
// The faults that a run may be asked for, to see and to test what is said of them: rankscope.faults and --fault.
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
    std::string_view does;                     ///< in a line, for help
    std::vector<std::string_view> keys;        ///< that it takes besides kind and rank
    std::vector<std::string_view> phases = {}; ///< that its key phase takes; the first is where it acts by itself
};

std::span<const FaultKind> faultKinds();
const FaultKind* faultKind(std::string_view name); ///< null: there is none

/// One value of a fault; none: fine. `key` is of rankscope.faults[], its type and range are checked elsewhere.
std::optional<std::string> faultMisfit(const FaultKind& kind, const std::string& key, const std::string& value);

/// "KIND:rank=1,step=40,seconds=5", as `rankscopectl launch --fault` takes it. Errors name the part that is wrong.
Result<FaultConfig> parseFault(const std::string& text);

/// As one item of rankscope.faults: "{kind: dead, rank: 1, …}".
std::string faultYaml(const FaultConfig& fault);

/// For logs and lists: "data_loading on rank 1 at step 60, 5 s".
std::string describe(const FaultConfig& fault);

} // namespace rankscope::config
