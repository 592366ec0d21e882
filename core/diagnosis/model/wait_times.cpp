// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/model/wait_times.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace rankscope::diagnosis {

TimeSpan overlapOf(const TimeSpan& a, const TimeSpan& b) {
    return {std::max(a.beginNs, b.beginNs), std::min(a.endNs, b.endNs)};
}

ArrivalWaits computeWaits(std::span<const std::int64_t> arrivedNs) {
    ArrivalWaits waits;
    const auto latest = std::max_element(arrivedNs.begin(), arrivedNs.end());
    if (latest == arrivedNs.end())
        return waits;
    waits.holder = static_cast<int>(latest - arrivedNs.begin());
    waits.latestNs = *latest;
    waits.waitNs.reserve(arrivedNs.size());
    for (const std::int64_t arrived : arrivedNs)
        waits.waitNs.push_back(waits.latestNs - arrived);
    return waits;
}

CountedTime::CountedTime(std::span<const TimeSpan> spans) {
    for (const TimeSpan& span : spans)
        add(span);
}

std::int64_t CountedTime::add(const TimeSpan& span, std::vector<TimeSpan>* fresh) {
    if (span.lengthNs() == 0)
        return 0;
    // merge the spans that touch it
    const auto first =
        std::partition_point(m_spans.begin(), m_spans.end(), [&](const TimeSpan& s) { return s.endNs < span.beginNs; });
    TimeSpan whole = span;
    std::int64_t added = 0, at = span.beginNs;
    const auto take = [&](std::int64_t untilNs) {
        const TimeSpan part{at, untilNs};
        added += part.lengthNs();
        if (fresh && part.lengthNs() > 0)
            fresh->push_back(part);
    };
    auto last = first;
    for (; last != m_spans.end() && last->beginNs <= span.endNs; ++last) {
        take(last->beginNs);
        at = std::max(at, last->endNs);
        whole = {std::min(whole.beginNs, last->beginNs), std::max(whole.endNs, last->endNs)};
    }
    take(span.endNs);
    if (first == last) {
        m_spans.insert(first, whole);
    } else {
        *first = whole;
        m_spans.erase(first + 1, last);
    }
    return added;
}

void CountedTime::closeGaps() {
    if (m_spans.size() > 1)
        m_spans = {{m_spans.front().beginNs, m_spans.back().endNs}};
}

std::vector<CountedPart> countOnce(std::span<const RankWait> waits) {
    const auto key = [&](std::size_t i) {
        const RankWait& w = waits[i];
        return std::tuple(w.span.beginNs, w.span.endNs, w.group, w.sequence);
    };
    std::vector<std::size_t> order(waits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<CountedPart> parts;
    parts.reserve(waits.size());
    const auto overlap = std::adjacent_find(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return waits[b].span.beginNs < waits[a].span.endNs;
    });
    if (overlap == order.end()) { // the usual case
        for (const std::size_t i : order)
            parts.push_back({i, waits[i].span});
        return parts;
    }
    CountedTime counted;
    std::vector<TimeSpan> fresh;
    const auto count = [&](std::size_t i, const TimeSpan& span) {
        fresh.clear();
        counted.add(span, &fresh);
        for (const TimeSpan& part : fresh)
            parts.push_back({i, part});
    };
    for (const std::size_t i : order)
        count(i, overlapOf(waits[i].span, {waits[i].span.beginNs, waits[i].span.beginNs + waits[i].blockedNs}));
    for (const std::size_t i : order)
        count(i, waits[i].span);
    return parts;
}

std::int64_t lengthOf(std::span<const TimeSpan> spans) {
    return std::accumulate(spans.begin(), spans.end(), std::int64_t{0},
                           [](std::int64_t sum, const TimeSpan& span) { return sum + span.lengthNs(); });
}

} // namespace rankscope::diagnosis
