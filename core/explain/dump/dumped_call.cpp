// SPDX-License-Identifier: Apache-2.0
#include "core/explain/dump/dumped_call.h"

#include "core/base/text/terminal_safe.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace rankscope::explain {
namespace {

constexpr int kHighestRankInDump = 1'000'000;

char lowerAscii(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

CollectiveOp opOfProfilingName(std::string_view name) {
    name.remove_prefix(name.find(':') + 1); // npos + 1 == 0
    name = name.substr(0, std::min<std::size_t>(name.find(' '), 100));
    std::string op;
    for (const char c : name)
        if (c != '_')
            op += lowerAscii(c);
    if (op.find("barrier") != std::string::npos) // "all_reduce_barrier"
        return CollectiveOp::Barrier;
    // Longer names come before those that they begin with.
    constexpr std::pair<std::string_view, CollectiveOp> kOps[] = {
        {"allreduce", CollectiveOp::AllReduce}, {"allgather", CollectiveOp::AllGather},
        {"alltoall", CollectiveOp::AllToAll},   {"reducescatter", CollectiveOp::ReduceScatter},
        {"reduce", CollectiveOp::Reduce},       {"broadcast", CollectiveOp::Broadcast},
        {"gather", CollectiveOp::Gather},       {"scatter", CollectiveOp::Scatter},
        {"send", CollectiveOp::Send},           {"recv", CollectiveOp::Receive},
    };
    for (const auto& [beginning, known] : kOps)
        if (op.starts_with(beginning))
            return known;
    return CollectiveOp::Unknown;
}

std::string dtypeOfDump(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
        {"Float", "float32"}, {"Double", "float64"}, {"Half", "float16"}, {"Long", "int64"},
        {"Int", "int32"},     {"Short", "int16"},    {"Char", "int8"},    {"Byte", "uint8"},
    };
    for (const auto& [written, known] : kTypes)
        if (name == written)
            return std::string(known);
    std::string lower = printableLine(name.substr(0, 40));
    std::transform(lower.begin(), lower.end(), lower.begin(), lowerAscii);
    return lower;
}

std::optional<std::vector<int>> ranksOfText(std::string_view text) {
    if (text.size() < 2 || text.front() != '[' || text.back() != ']')
        return std::nullopt;
    text = text.substr(1, text.size() - 2);
    std::vector<int> ranks;
    while (!text.empty()) {
        int rank = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
        if (error != std::errc() || rank < 0 || rank > kHighestRankInDump)
            return std::nullopt;
        ranks.push_back(rank);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.starts_with(", "))
            text.remove_prefix(2);
        else if (!text.empty())
            return std::nullopt;
    }
    return ranks;
}

} // namespace rankscope::explain
