// SPDX-License-Identifier: Apache-2.0
// Commands about recipes and weight files.
#pragma once

#include "core/base/values/error.h"

#include <string>
#include <vector>

namespace rankscope::ctl {

struct CompareArgs {
    std::string config, with; ///< a YAML file, or a run
    std::string runsDir;
    std::string nemo; ///< as if both said this rankscope.nemo; empty: as they are
    bool json = false, onlyDifferent = false;
};
/// kCheckFailed when something differs.
Result<int> compare(const CompareArgs& args);

/// Prints the effective configuration: what rankscope-trainer reads.
Result<int> resolve(const std::string& config, const std::vector<std::string>& overrides);

struct WeightsArgs {
    std::string reference, config, weights, nemo; ///< verify
    std::string device = "cpu";                   ///< verify: "cpu" or "cuda"
    std::string in, out, outConfig;               ///< weights, convert
    bool json = false;
};
/// These three become rankscope-trainer.
Result<int> verify(const WeightsArgs& args);
Result<int> weights(const WeightsArgs& args);
Result<int> convert(const WeightsArgs& args);

} // namespace rankscope::ctl
