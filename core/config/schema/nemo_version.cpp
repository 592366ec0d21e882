// SPDX-License-Identifier: Apache-2.0
#include "core/config/schema/nemo_version.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace rankscope::config {
namespace {

using Numbers = std::array<int, 3>;

constexpr std::array kVersions{std::pair{NemoVersion::V2_7_3, std::string_view("2.7.3")},
                               std::pair{NemoVersion::V3_0_0, std::string_view("3.0.0")}}; // oldest first

/// Returns {3, 1, 0} for "3.1.0rc0"; omitted parts count as 0.
std::optional<Numbers> numbersOf(std::string_view text) {
    Numbers numbers{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (int& number : numbers) {
        const auto [stop, error] = std::from_chars(at, end, number);
        if (error != std::errc() || number < 0)
            return std::nullopt;
        at = stop;
        if (at == end || *at != '.')
            break;
        ++at;
    }
    return numbers;
}

} // namespace

std::string_view toText(NemoVersion version) {
    const auto* it = std::ranges::find_if(kVersions, [&](const auto& v) { return v.first == version; });
    return it == kVersions.end() ? std::string_view("unknown") : it->second;
}

std::optional<NemoVersion> nemoVersionOf(std::string_view text) {
    const auto* it = std::ranges::find_if(kVersions, [&](const auto& v) { return v.second == text; });
    return it == kVersions.end() ? std::nullopt : std::optional(it->first);
}

std::optional<NemoVersion> nemoVersionFor(std::string_view text) {
    const auto wanted = numbersOf(text);
    if (!wanted)
        return std::nullopt;
    NemoVersion found = kVersions.front().first;
    for (const auto& [version, name] : kVersions)
        if (*numbersOf(name) <= *wanted)
            found = version;
    return found;
}

} // namespace rankscope::config
