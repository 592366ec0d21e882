// SPDX-License-Identifier: Apache-2.0
#include "core/plan/result/planned_collective.h"

#include "core/base/text/unit_format.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace rankscope::plan {
namespace {

Message termText(const CountTerm& term) {
    std::string product;
    for (const std::int64_t factor : term.factors)
        product += (product.empty() ? "" : " x ") + formatCount(factor);
    return {"{} ({})", product, term.what};
}

} // namespace

std::int64_t CountTerm::count() const {
    return std::accumulate(factors.begin(), factors.end(), std::int64_t{1}, std::multiplies<>());
}

std::string_view inBatchesName(PlannedCollective::InBatches when) {
    using InBatches = PlannedCollective::InBatches;
    return when == InBatches::First ? "first_batch" : when == InBatches::Last ? "last_batch" : "every_batch";
}

Message countArithmetic(const PlannedCollective& collective) {
    if (collective.terms.empty())
        return {formatCount(collective.elements)};
    Message sum = termText(collective.terms.front());
    if (collective.terms.size() == 1 && collective.terms.front().factors.size() == 1)
        return sum;
    for (std::size_t i = 1; i < collective.terms.size(); ++i)
        sum = Message("{} + {}", std::move(sum), termText(collective.terms[i]));
    return {"{} = {}", std::move(sum), Count{collective.elements}};
}

std::vector<CollectivePlan> sumByTag(const TrainerCollectives& collectives) {
    std::vector<CollectivePlan> sums;
    for (const PlannedCollective& c : collectives.step) {
        const auto same = [&](const CollectivePlan& s) {
            return s.tag == c.tag && s.op == c.op && s.phase == c.phase && s.dtype == c.dtype;
        };
        auto sum = std::ranges::find_if(sums, same);
        if (sum == sums.end())
            sum = sums.insert(sums.end(), {c.tag, c.op, c.phase, c.dtype, 0, 0, c.blocks, c.certain, c.elements,
                                           c.elements, c.terms.size() > 1 ? countArithmetic(c) : Message()});
        const std::int64_t calls = c.calls * (c.when == PlannedCollective::InBatches::Every ? collectives.batches : 1);
        sum->calls += calls;
        sum->bytes += calls * c.elements * elementBytes(c.dtype);
        sum->certain = sum->certain && c.certain;
        if (c.elements != sum->mostElements || c.elements != sum->leastElements)
            sum->count = {};
        sum->leastElements = std::min(sum->leastElements, c.elements);
        sum->mostElements = std::max(sum->mostElements, c.elements);
    }
    return sums;
}

int elementBytes(std::string_view dtype) {
    static constexpr std::pair<std::string_view, int> kSizes[] = {
        {"float64", 8}, {"int64", 8}, {"float32", 4}, {"int32", 4}, {"float16", 2}, {"bfloat16", 2}, {"uint8", 1}};
    const auto* const found = std::ranges::find(kSizes, dtype, &std::pair<std::string_view, int>::first);
    return found == std::end(kSizes) ? 0 : found->second;
}

} // namespace rankscope::plan
