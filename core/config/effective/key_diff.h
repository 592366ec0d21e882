// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// `key` is `section` or stands in it.
bool isUnder(std::string_view key, std::string_view section);

} // namespace rankscope::config
