// SPDX-License-Identifier: Apache-2.0
#include "core/config/hydra/brace_expansion.h"

#include "core/base/values/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope::config {
namespace {

using NameList = std::vector<std::string>;

constexpr int kMaxDepth = 16;
constexpr std::size_t kLongestPattern = 4'096;
constexpr std::array<std::string_view, 5> kOpening{"{", "_OP_", "(", "[", "<"};
constexpr std::array<std::string_view, 5> kClosing{"}", "_CL_", ")", "]", ">"};

/// Returns the length in bytes of the bracket that begins at `at`; 0 if there is none.
std::size_t bracket(const std::array<std::string_view, 5>& brackets, std::string_view text, std::size_t at) {
    for (const std::string_view one : brackets)
        if (text.substr(at, one.size()) == one)
            return one.size();
    return 0;
}

struct BraceGroup {
    /// Positions of the opening bracket, of its content, and after the closing one.
    std::size_t begin = 0, inside = 0, insideEnd = 0, end = 0;
    std::vector<std::size_t> commas; ///< of this nesting level
};

/// Returns the first bracket from `from` on and its closing one. Its end is npos if it is not closed.
std::optional<BraceGroup> firstGroup(std::string_view text, std::size_t from) {
    std::optional<BraceGroup> group;
    int depth = 0;
    for (std::size_t i = from; i < text.size();) {
        const std::size_t opens = bracket(kOpening, text, i), closes = bracket(kClosing, text, i);
        if (opens > 0) {
            if (depth++ == 0)
                group = BraceGroup{i, i + opens, 0, std::string_view::npos, {}};
        } else if (closes > 0 && depth > 0) {
            if (--depth == 0) {
                group->insideEnd = i;
                group->end = i + closes;
                return group;
            }
        } else if (text[i] == ',' && depth == 1) {
            group->commas.push_back(i);
        }
        i += std::max<std::size_t>({opens, closes, 1});
    }
    return group;
}

std::optional<std::int64_t> integer(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || std::abs(value) > 1'000'000'000'000)
        return std::nullopt;
    return value;
}

bool padded(std::string_view number) {
    const std::string_view digits = number.substr(number.starts_with('-') ? 1 : 0);
    return digits.size() > 1 && digits.front() == '0';
}

std::vector<std::string_view> splitDots(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t at = text.find(".."); at != std::string_view::npos; at = text.find("..")) {
        parts.push_back(text.substr(0, at));
        text.remove_prefix(at + 2);
    }
    parts.push_back(text);
    return parts;
}

/// Returns the names of 3..7, 03..11, 9..1, 0..10..5 or a..e; none if `text` is not a range.
std::optional<NameList> range(std::string_view text, std::size_t limit) {
    const auto parts = splitDots(text);
    if (parts.size() != 2 && parts.size() != 3)
        return std::nullopt;
    const auto letter = [](std::string_view s) {
        return s.size() == 1 && std::isalpha(static_cast<unsigned char>(s[0]));
    };
    const bool letters = letter(parts[0]) && letter(parts[1]);
    const auto from = letters ? std::optional<std::int64_t>(parts[0][0]) : integer(parts[0]);
    const auto to = letters ? std::optional<std::int64_t>(parts[1][0]) : integer(parts[1]);
    const auto step = parts.size() == 3 ? integer(parts[2]) : std::optional<std::int64_t>(1);
    if (!from || !to || !step)
        return std::nullopt;
    const std::int64_t by = std::max<std::int64_t>(std::abs(*step), 1);
    const std::size_t width = padded(parts[0]) || padded(parts[1]) ? std::max(parts[0].size(), parts[1].size()) : 0;
    const std::int64_t count = std::abs(*to - *from) / by + 1;
    NameList names;
    for (std::int64_t i = 0; i < count && names.size() <= limit; ++i) {
        const std::int64_t value = *from <= *to ? *from + i * by : *from - i * by;
        names.push_back(letters ? std::string(1, static_cast<char>(value)) : fmt::format("{:0{}}", value, width));
    }
    return names;
}

class Expansion {
public:
    Expansion(const std::string& pattern, std::size_t limit) : m_pattern(pattern), m_limit(limit) {}

    Result<NameList> of(std::string_view text, int depth = 0) const {
        std::size_t from = 0; // brackets before it are ordinary characters
        while (const auto group = firstGroup(text, from)) {
            const bool real = text[group->begin] == '{' || text[group->begin] == '_';
            if (group->end == std::string_view::npos) {
                if (real)
                    return wrong("has an opening brace that is never closed");
                from = group->begin + 1;
                continue;
            }
            RS_TRY_ASSIGN(const NameList middle, choices(text, *group, depth));
            if (!middle.empty())
                return product(text.substr(0, group->begin), middle, text.substr(group->end), depth);
            from = group->inside;
        }
        return NameList{std::string(text)};
    }

private:
    Result<NameList> wrong(Message what) const { return fail(Errc::BadInput, std::move(what), m_pattern); }

    /// Returns the alternatives in the brackets; empty if they contain neither a range nor a list.
    Result<NameList> choices(std::string_view text, const BraceGroup& group, int depth) const {
        if (depth >= kMaxDepth)
            return wrong("nests its braces too deeply");
        if (group.commas.empty()) {
            auto names = range(text.substr(group.inside, group.insideEnd - group.inside), m_limit);
            return names ? checked(std::move(*names)) : NameList{};
        }
        NameList names;
        std::size_t begin = group.inside;
        for (std::size_t i = 0; i <= group.commas.size(); ++i) {
            const std::size_t end = i < group.commas.size() ? group.commas[i] : group.insideEnd;
            RS_TRY_ASSIGN(const NameList part, of(text.substr(begin, end - begin), depth + 1));
            names.insert(names.end(), part.begin(), part.end());
            begin = end + 1;
        }
        return checked(std::move(names));
    }

    Result<NameList> product(std::string_view head, const NameList& middle, std::string_view rest, int depth) const {
        RS_TRY_ASSIGN(const NameList tails, of(rest, depth)); // never deeper than the number of brackets left
        if (middle.size() > m_limit / tails.size())
            return wrong("expands to too many files");
        NameList names;
        for (const std::string& one : middle)
            for (const std::string& tail : tails)
                names.push_back(fmt::format("{}{}{}", head, one, tail));
        return names;
    }

    Result<NameList> checked(NameList names) const {
        if (names.size() > m_limit)
            return wrong("expands to too many files");
        return names;
    }

    const std::string& m_pattern;
    std::size_t m_limit;
};

} // namespace

Result<NameList> expandBraces(const std::string& pattern, std::size_t limit) {
    if (pattern.size() > kLongestPattern)
        return fail(Errc::BadInput, {"is longer than {} bytes", kLongestPattern}, pattern.substr(0, 60) + "...");
    return Expansion(pattern, limit).of(pattern);
}

} // namespace rankscope::config
