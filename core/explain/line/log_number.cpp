// SPDX-License-Identifier: Apache-2.0
#include "core/explain/line/log_number.h"

#include "core/base/text/terminal_safe.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace rankscope::explain {

namespace {

constexpr std::size_t kMostRanksInAList = 4'096;

struct NamedOp {
    std::string_view name; ///< without underscores, in lower case
    CollectiveOp op;
};

/// A longer name comes before one that it begins with.
constexpr std::array kNamedOps{
    NamedOp{"allreduce", CollectiveOp::AllReduce}, NamedOp{"allgather", CollectiveOp::AllGather},
    NamedOp{"alltoall", CollectiveOp::AllToAll},   NamedOp{"reducescatter", CollectiveOp::ReduceScatter},
    NamedOp{"broadcast", CollectiveOp::Broadcast}, NamedOp{"reduce", CollectiveOp::Reduce},
    NamedOp{"gather", CollectiveOp::Gather},       NamedOp{"scatter", CollectiveOp::Scatter},
    NamedOp{"barrier", CollectiveOp::Barrier},     NamedOp{"send", CollectiveOp::Send},
    NamedOp{"recv", CollectiveOp::Receive},
};

} // namespace

std::optional<std::int64_t> logNumber(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> logCount(std::string_view text) {
    const auto number = logNumber(text);
    return number && *number >= 0 ? number : std::nullopt;
}

std::optional<int> logRank(std::string_view text) {
    const auto number = logCount(text);
    return number && *number <= kHighestRank ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::optional<int> logWorldSize(std::string_view text) {
    const auto number = logCount(text);
    return number && *number >= 1 && *number <= kHighestRank + 1 ? std::optional(static_cast<int>(*number))
                                                                 : std::nullopt;
}

std::vector<int> logRanks(std::string_view text) {
    std::vector<int> ranks;
    while (!text.empty() && ranks.size() < kMostRanksInAList) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view item = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        while (!item.empty() && item.front() == ' ')
            item.remove_prefix(1);
        const std::size_t dash = item.find('-');
        const auto first = logRank(item.substr(0, dash));
        const auto last = dash == item.npos ? first : logRank(item.substr(dash + 1));
        for (int rank = first.value_or(0); first && last && rank <= *last && ranks.size() < kMostRanksInAList; ++rank)
            ranks.push_back(rank);
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

CollectiveOp collectiveOp(std::string_view written) {
    if (const auto colon = written.rfind(':'); colon != written.npos)
        written.remove_prefix(colon + 1);
    std::string name;
    for (const char c : written.substr(0, 64))
        if (c != '_' && c != ' ')
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const NamedOp& known : kNamedOps)
        if (name.starts_with(known.name))
            return known.op;
    return CollectiveOp::Unknown;
}

std::string shownText(std::string_view text, std::size_t most) {
    std::string shown = printableLine(text.substr(0, most));
    while (!shown.empty() && shown.back() == ' ')
        shown.pop_back();
    return shown;
}

} // namespace rankscope::explain
