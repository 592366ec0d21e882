// SPDX-License-Identifier: Apache-2.0
// JSON from elsewhere. The library copies and writes values by recursion: what is nested without bounds would end the
// process, so it counts as no JSON here.
#pragma once

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
std::string textIn(const nlohmann::json& object, const char* key);

/// None: it is no whole number, or none that T holds. The library would convert any number, even one of 1e80.
template <std::integral T> std::optional<T> wholeNumber(const nlohmann::json& value) {
    const auto within = [](auto number) {
        return std::in_range<T>(number) ? std::optional(static_cast<T>(number)) : std::nullopt;
    };
    return value.is_number_unsigned()  ? within(value.get<std::uint64_t>())
           : value.is_number_integer() ? within(value.get<std::int64_t>())
                                       : std::nullopt;
}

/// As json::get_to, but where a whole number is wanted there has to be one, and one that fits; throws
/// std::invalid_argument that says what is there instead.
template <class T> void readInto(const nlohmann::json& value, T& into) {
    value.get_to(into);
}
template <std::integral T>
requires(!std::same_as<T, bool>) void readInto(const nlohmann::json& value, T& into) {
    const auto number = wholeNumber<T>(value);
    if (!number)
        throw std::invalid_argument(shownJson(value) + " is no whole number from " +
                                    std::to_string(std::numeric_limits<T>::min()) + " to " +
                                    std::to_string(std::numeric_limits<T>::max()));
    into = *number;
}
template <std::integral T> void readInto(const nlohmann::json& value, std::vector<T>& into) {
    into.clear();
    for (const auto& one : value.get_ref<const nlohmann::json::array_t&>())
        readInto(one, into.emplace_back());
}

} // namespace rankscope
