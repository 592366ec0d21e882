// SPDX-License-Identifier: Apache-2.0
// How OmegaConf interprets a plain scalar: PyYAML's YAML 1.1 (yes/no/on/off, 0x10, 1_000, 1:30) with its float fix
// (1e-3).
#pragma once

#include "core/config/yaml/node.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::config {

enum class Type : std::uint8_t { Null, Bool, Int, Float, String, List, Map };
std::string_view typeName(Type type); ///< "null", "bool", …, "section"

Type typeOf(const Node& node);
std::optional<bool> asBool(const Node& node);
std::optional<std::int64_t> asInt(const Node& node); ///< none if it does not fit into 64 bits
std::optional<double> asDouble(const Node& node);    ///< also of an int

bool isMissing(const Node& node);        ///< ???
bool hasInterpolation(const Node& node); ///< a scalar that contains ${

/// Returns YAML in one line: "null", "[-1, -1]", "{kind: dead, rank: 1}", "\"5\"".
ValueText toText(const Node& node);
/// Returns the value as str() gives it in Python: the form in which an interpolation is inserted into a string.
std::string toPython(const Node& node);
/// Returns whether two values are equal: 5 and 5.0, null and ~, [1] and a block list are; 5 and "5" are not.
bool sameValue(const Node& a, const Node& b);

/// Returns the seconds of a value of Lightning's `max_time`: "DD:HH:MM:SS", or a map with the names of Python's
/// timedelta (weeks, days, hours, minutes, seconds, milliseconds, microseconds). None if it is neither, or not above
/// zero.
std::optional<double> secondsOf(const Node& value);

} // namespace rankscope::config
