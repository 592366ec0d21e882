// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::config {

/// A key whose value is not the same in two effective configurations. A list is one value; "not there" without one.
struct KeyDifference {
    std::string key, first, second;
};

/// Of two texts of effective.yaml, by key in alphabetical order.
std::vector<KeyDifference> differences(const std::string& first, const std::string& second);

/// What it means when ranks of one run do not agree on a key.
enum class RankKey : std::uint8_t {
    Same,    ///< they would wait for each other for ever, or train something else: such a run must not start
    Alike,   ///< the run goes on, but a rank may be slower or be judged otherwise
    OfHost,  ///< paths and names, which may well differ between hosts
    Ignored, ///< faults: meant for single ranks
};
RankKey rankKey(std::string_view key);

/// A run goes on from a checkpoint with the recipe that made it: what its numbers follow from must be the same. Where
/// it ends, what it logs and saves, how it is watched, and where its files lie may differ. The error names the keys
/// with both values. Both texts are effective.yaml's; `where`: the checkpoint.
Result<void> checkSameTraining(const std::string& before, const std::string& now, const std::string& where);

/// Keys whose values differ between two effective.yaml texts, apart from those that no step's cost depends on: the
/// number of ranks, where the run ends, what it is called, what it logs and saves, and Rankscope's own. Empty: steps of
/// both do the same work.
std::vector<std::string> differingWork(const std::string& a, const std::string& b);

} // namespace rankscope::config
