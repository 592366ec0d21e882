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
    std::string nemo; ///< rankscope.nemo to use for both; empty: each one's own
    bool json = false, onlyDifferent = false;
};
/// Compares two configurations. Returns kCheckFailed if they differ.
Result<int> compare(const CompareArgs& args);

/// Prints the effective configuration, as rankscope-trainer reads it.
Result<int> resolve(const std::string& config, const std::vector<std::string>& overrides);

struct WeightsArgs {
    std::string reference, config, weights, nemo; ///< verify
    std::string device = "cpu";                   ///< verify: "cpu" or "cuda"
    std::string in, out, outConfig;               ///< weights, convert
    bool json = false;
};
/// These three commands replace this process with rankscope-trainer.
Result<int> verify(const WeightsArgs& args);
Result<int> weights(const WeightsArgs& args);
Result<int> convert(const WeightsArgs& args);

} // namespace rankscope::ctl
