// SPDX-License-Identifier: Apache-2.0
// Reads JSON from untrusted sources. The library copies and writes values recursively, so unbounded nesting would crash
// the process; values that are nested too deeply are rejected here.
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

/// Returns none if the text is not JSON, or is nested too deeply.
std::optional<nlohmann::json> readJson(std::string_view text);
/// Does the same for CBOR.
std::optional<nlohmann::json> readCbor(std::string_view bytes);

/// Returns a value as text for a message: only the kind of a list or an object, any other value as JSON, shortened.
std::string dumpJson(const nlohmann::json& value);

/// Returns a member of an object if it exists and has that type, else `fallback`.
bool boolOr(const nlohmann::json& object, const char* key, bool fallback = false);
double doubleOr(const nlohmann::json& object, const char* key, double fallback = 0);
/// Returns `fallback` also for a number that is not an integer or does not fit.
std::int64_t intOr(const nlohmann::json& object, const char* key, std::int64_t fallback = 0);
std::string textIn(const nlohmann::json& object, const char* key);

/// Returns none if the value is not a whole number or does not fit T. The library would convert any number, even 1e80.
template <std::integral T> std::optional<T> wholeNumber(const nlohmann::json& value) {
    const auto within = [](auto number) {
        return std::in_range<T>(number) ? std::optional(static_cast<T>(number)) : std::nullopt;
    };
    return value.is_number_unsigned()  ? within(value.get<std::uint64_t>())
           : value.is_number_integer() ? within(value.get<std::int64_t>())
                                       : std::nullopt;
}

/// Reads a value as json::get_to does, but an integer must be a whole number that fits; otherwise throws
/// std::invalid_argument, which names the value found.
template <class T> void assignIfValid(const nlohmann::json& value, T& into) {
    value.get_to(into);
}
template <std::integral T>
requires(!std::same_as<T, bool>) void assignIfValid(const nlohmann::json& value, T& into) {
    const auto number = wholeNumber<T>(value);
    if (!number)
        throw std::invalid_argument(dumpJson(value) + " is not a whole number from " +
                                    std::to_string(std::numeric_limits<T>::min()) + " to " +
                                    std::to_string(std::numeric_limits<T>::max()));
    into = *number;
}
template <std::integral T> void assignIfValid(const nlohmann::json& value, std::vector<T>& into) {
    into.clear();
    for (const auto& one : value.get_ref<const nlohmann::json::array_t&>())
        assignIfValid(one, into.emplace_back());
}

} // namespace rankscope
