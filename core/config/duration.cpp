// SPDX-License-Identifier: Apache-2.0
#include "core/config/duration.h"

#include "core/config/scalar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope::config {
namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

std::optional<double> ofText(const std::string& text) {
    static const std::regex form(R"(\s*(\d{1,6}):(\d\d):(\d\d):(\d\d)\s*)");
    std::smatch part;
    if (!std::regex_match(text, part, form))
        return std::nullopt;
    return std::stod(part[1]) * kDay + std::stod(part[2]) * kHour + std::stod(part[3]) * kMinute + std::stod(part[4]);
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
