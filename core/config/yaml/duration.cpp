// SPDX-License-Identifier: Apache-2.0
#include "core/config/yaml/duration.h"

#include "core/config/yaml/scalar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope::config {
namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

/// Takes a number of so many digits from the front of a text.
std::optional<int> takeNumber(std::string_view& text, std::size_t fewestDigits, std::size_t mostDigits) {
    std::size_t digits = 0;
    int number = 0;
    for (; digits < std::min(text.size(), mostDigits) && text[digits] >= '0' && text[digits] <= '9'; ++digits)
        number = number * 10 + (text[digits] - '0');
    text.remove_prefix(digits);
    return digits < fewestDigits ? std::nullopt : std::optional(number);
}

std::optional<double> ofText(std::string_view text) {
    constexpr std::string_view kSpaces = " \t\n\v\f\r";
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    text.remove_suffix(text.size() - (text.find_last_not_of(kSpaces) + 1)); // npos + 1 is 0
    const auto days = takeNumber(text, 1, 6);
    double seconds = days ? *days * kDay : 0;
    for (const double unit : {kHour, kMinute, 1.0}) {
        if (!days || !text.starts_with(':'))
            return std::nullopt;
        text.remove_prefix(1);
        const auto number = takeNumber(text, 2, 2);
        if (!number)
            return std::nullopt;
        seconds += *number * unit;
    }
    return text.empty() ? std::optional(seconds) : std::nullopt;
}

std::optional<double> ofMap(const Node& map) {
    static constexpr std::array<std::pair<std::string_view, double>, 7> units{{{"weeks", 7 * kDay},
                                                                               {"days", kDay},
                                                                               {"hours", kHour},
                                                                               {"minutes", kMinute},
                                                                               {"seconds", 1},
                                                                               {"milliseconds", 1e-3},
                                                                               {"microseconds", 1e-6}}};
    double sum = 0;
    for (const auto& entry : map.entries) {
        const auto unit =
            std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.first == entry.key.text; });
        const auto count = asDouble(entry.value);
        if (unit == units.end() || !count)
            return std::nullopt;
        sum += *count * unit->second;
    }
    return sum;
}

} // namespace

std::optional<double> secondsOf(const Node& value) {
    const auto seconds = value.isMap() ? ofMap(value) : value.isScalar() ? ofText(value.text) : std::nullopt;
    return seconds && std::isfinite(*seconds) && *seconds > 0 ? seconds : std::nullopt;
}

} // namespace rankscope::config
