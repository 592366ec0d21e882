// SPDX-License-Identifier: Apache-2.0
// The versions of NeMo that the trainer computes as: rankscope.nemo.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope::config {

enum class NemoVersion : std::uint8_t { V2_7_3, V3_0_0 };

/// What a recipe means that does not say rankscope.nemo: older recipes and runs stay as they were.
inline constexpr NemoVersion kUnsaidNemo = NemoVersion::V2_7_3;

std::string_view toText(NemoVersion version);
/// None: not a version that is known here.
std::optional<NemoVersion> nemoVersionOf(std::string_view text);
/// The version to compute as for what another one made: the newest that is not newer, else the oldest. None: the text
/// is no version.
std::optional<NemoVersion> nemoVersionFor(std::string_view text);

} // namespace rankscope::config
