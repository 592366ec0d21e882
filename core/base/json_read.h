// SPDX-License-Identifier: Apache-2.0
// JSON from elsewhere. The library copies and writes values by recursion: what is nested without bounds would end the
// process, so it counts as no JSON here.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

inline constexpr int kDeepestJson = 100; ///< lists and objects inside each other

/// None: it is no JSON, or nested too deeply.
std::optional<nlohmann::json> readJson(std::string_view text);
/// The same of CBOR.
std::optional<nlohmann::json> readCbor(std::string_view bytes);

/// For a message: a list or an object by its kind, any other value as it is written, shortened.
std::string shownJson(const nlohmann::json& value);

/// A member of an object when it is there and of that type, else what was given.
bool flagIn(const nlohmann::json& object, const char* key, bool otherwise = false);
double numberIn(const nlohmann::json& object, const char* key, double otherwise = 0);
/// Of a number that is no integer, or none that fits: `otherwise`.
std::int64_t integerIn(const nlohmann::json& object, const char* key, std::int64_t otherwise = 0);

} // namespace rankscope
