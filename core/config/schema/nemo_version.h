// SPDX-License-Identifier: Apache-2.0
// The versions of NeMo that the trainer can follow: rankscope.nemo.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope::config {

enum class NemoVersion : std::uint8_t { V2_7_3, V3_0_0 };

/// The version of a recipe without rankscope.nemo: older recipes and runs keep their meaning.
inline constexpr NemoVersion kUnsaidNemo = NemoVersion::V2_7_3;

std::string_view toText(NemoVersion version);
/// Returns none if the version is not known.
std::optional<NemoVersion> nemoVersionOf(std::string_view text);
/// Returns the version to follow for something made by another one: the newest known version that is not newer, or else
/// the oldest. None if the text is not a version.
std::optional<NemoVersion> nemoVersionFor(std::string_view text);

} // namespace rankscope::config
