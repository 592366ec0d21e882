// SPDX-License-Identifier: Apache-2.0
#include "core/base/text/unit_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope {

std::string formatDuration(std::int64_t ns, Language language) {
    const bool zh = language == Language::Chinese;
    if (ns < 0)
        return "-" + formatDuration(-std::max(ns, -INT64_MAX), language);
    if (ns < 1'000)
        return fmt::format("{} ns", ns);
    if (ns < 1'000'000)
        return fmt::format("{} µs", (ns + 500) / 1'000);
    if (ns < 999'500'000)
        return fmt::format("{} ms", (ns + 500'000) / 1'000'000);
    const double seconds = static_cast<double>(ns) * 1e-9;
    if (seconds < 99.95)
        return fmt::format("{:.1f} {}", seconds, zh ? "秒" : "s");
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    const auto two = [](std::int64_t large, const char* unit, std::int64_t small, const char* smaller) {
        return fmt::format("{} {} {:02} {}", large, unit, small, smaller);
    };
    if (whole < 3600)
        return two(whole / 60, zh ? "分" : "min", whole % 60, zh ? "秒" : "s");
    if (whole < 48L * 3600)
        return two(whole / 3600, zh ? "小时" : "h", whole / 60 % 60, zh ? "分" : "min");
    return two(whole / 86400, zh ? "天" : "d", whole / 3600 % 24, zh ? "小时" : "h");
}

std::string formatBytes(std::int64_t bytes) {
    static constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = static_cast<double>(bytes);
    int unit = 0;
    while (std::abs(value) >= 1000 && unit < 4) {
        value /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 ? 0 : std::abs(value) < 10 ? 2 : std::abs(value) < 100 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

std::string formatCount(std::int64_t n) {
    std::string digits = std::to_string(n < 0 ? -n : n);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return n < 0 ? "-" + digits : digits;
}

std::string joinInts(const std::vector<int>& values, Language language) {
    return fmt::format("{}", fmt::join(values, language == Language::Chinese ? "、" : ", "));
}

std::string formatRanks(const std::vector<int>& ranks, Language language) {
    const bool zh = language == Language::Chinese;
    if (ranks.size() > 8)
        return fmt::format("{} {}", ranks.size(), zh ? "个 rank" : "ranks");
    return (zh || ranks.size() == 1 ? "rank " : "ranks ") + joinInts(ranks, language);
}

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitute});
        }
    }
    return row[b.size()];
}

std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t bestDistance = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const auto& c : candidates) {
        if (std::max(word.size(), c.size()) - std::min(word.size(), c.size()) >= bestDistance)
            continue; // the distance is at least the difference in length
        const std::size_t d = editDistance(word, c);
        if (d < bestDistance) {
            bestDistance = d;
            best = c;
        }
    }
    return best;
}

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
    for (const unsigned char c : bytes) {
        seed ^= c;
        seed *= 1099511628211ull;
    }
    return seed;
}

} // namespace rankscope
