// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace rankscope::config {

/// A place in a YAML file.
struct Position {
    int line = 0, column = 0; ///< from 1, columns in bytes; 0: unknown
};

/// Something that is wrong with a recipe, or worth knowing about it.
struct Problem {
    enum class Severity : std::uint8_t { Error, Warning, Info } severity = Severity::Error;
    std::string key; ///< dotted; empty: no single key is to blame
    Position at;
    std::string text;          ///< with the nearest known key where one is near
    bool blocksLaunch = false; ///< a warning that only editing can live with: Rankscope's trainer cannot do it yet
};

/// An error that no single key is to blame for.
inline Problem errorAt(Position at, std::string text) {
    return {Problem::Severity::Error, {}, at, std::move(text)};
}

} // namespace rankscope::config
