// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/model/settings.h"
#include "core/telemetry/board/board.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rankscope::diagnosis {

inline constexpr std::size_t kBoardNumbers = 61, kBoardTexts = 6;

/// A board as numbers and texts, those that change most often first; without the input's shape, which no cause depends
/// on.
struct FlatBoard {
    std::array<std::int64_t, kBoardNumbers> numbers{};
    std::array<std::string, kBoardTexts> texts;
};
FlatBoard flatten(const telemetry::BoardSnapshot& board);
/// Numbers that are no value of their enumeration become its first value.
telemetry::BoardSnapshot unflatten(const FlatBoard& flat);

void saveSettings(WireWriter& out, const Settings& settings);
Settings loadSettings(WireReader& in);

} // namespace rankscope::diagnosis
