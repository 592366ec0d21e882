// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::config {

/// A key whose value differs between two effective configurations. A list is one value; "not there" if there is none.
struct KeyDifference {
    std::string key, first, second;
};

/// Returns the differences between two texts of effective.yaml, by key in alphabetical order.
std::vector<KeyDifference> keyDiff(const std::string& first, const std::string& second);

/// The consequence if ranks of one run do not agree on a key.
enum class KeyScope : std::uint8_t {
    MustMatch,   ///< they would wait for each other forever, or train something else: such a run must not start
    ShouldMatch, ///< the run continues, but a rank may be slower or be judged differently
    PerHost,     ///< paths and names, which may differ between hosts
    Ignored,     ///< faults, which are meant for single ranks
};
KeyScope rankKey(std::string_view key);

/// Checks that a run can resume from a checkpoint: every setting that its results depend on must be the one the
/// checkpoint was made with. Where the run ends, what it logs and saves, how it is watched and where its files are may
/// differ. The error names each differing key with both values. `before` and `now` are the texts of effective.yaml;
/// `where` names the checkpoint.
Result<void> checkResumable(const std::string& before, const std::string& now, const std::string& where);

/// Returns the keys whose values differ between two texts of effective.yaml, except for those that do not change the
/// cost of a step: the number of ranks, where the run ends, its name, what it logs and saves, and Rankscope's own keys.
/// Empty: the steps of both do the same work.
std::vector<std::string> workloadDiff(const std::string& a, const std::string& b);

} // namespace rankscope::config
