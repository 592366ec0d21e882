// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/statistics/call_pattern.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

constexpr std::size_t kMostCalls = 1024, kMostKinds = 256; // bound the memory, whatever the records contain
constexpr std::size_t kUnknown = SIZE_MAX;                 // a call that was not recorded
/// How often the usual call must have come after the same calls; more often if it does not follow from the last one.
constexpr int kEnough = 2, kEnoughOfVarying = 3;

bool sameLine(const CollectiveCall& a, const CollectiveCall& b) {
    return a.op == b.op && a.tag == b.tag;
}

bool matches(const CollectiveCall& kind, const CollectiveCall& call, bool exactly) {
    if (isAnyGradient(call))
        return isGradient(kind.tag);
    return exactly ? sameCall(kind, call) : sameLine(kind, call);
}

/// A place of the past, and what came there.
struct EarlierPlace {
    std::size_t same = 0; ///< how many calls before it were the same as before the place in question
    bool isA = false, isB = false;
};

/// Finds the least number of preceding calls after which only one of the two calls came, and most times that one.
std::optional<bool> callAfter(const std::vector<EarlierPlace>& places) {
    int enough = kEnough;
    for (std::size_t least = 1;; ++least) {
        int a = 0, b = 0, all = 0;
        for (const EarlierPlace& p : places)
            if (p.same >= least) {
                a += p.isA;
                b += p.isB;
                ++all;
            }
        if (a + b == 0)
            return std::nullopt;
        if ((a == 0 || b == 0) && a + b >= enough && 2 * (a + b) > all)
            return a > 0;
        if (a > 0 && b > 0)
            enough = kEnoughOfVarying;
    }
}

} // namespace

void CallPattern::add(std::uint64_t sequence, const CollectiveCall& call) {
    auto kind = std::ranges::find_if(m_kinds, [&](const CollectiveCall& k) { return sameCall(k, call); });
    if (kind == m_kinds.end()) {
        if (m_kinds.size() >= kMostKinds) { // sizes that differ each time: the order begins again
            m_kinds.clear();
            m_calls.clear();
        }
        m_kinds.push_back({-1, call.op, call.dtype, call.count, call.tag});
        kind = m_kinds.end() - 1;
    }
    m_calls[sequence] = static_cast<std::size_t>(kind - m_kinds.begin());
    if (m_calls.size() > kMostCalls)
        m_calls.erase(m_calls.begin());
}

bool CallPattern::contains(const CollectiveCall& call) const {
    return std::ranges::any_of(m_kinds, [&](const CollectiveCall& kind) { return matches(kind, call, true); });
}

/// Returns the kinds of the calls before this one, the newest last.
std::vector<std::size_t> CallPattern::callsBefore(std::uint64_t sequence) const {
    const std::uint64_t first = sequence - std::min<std::uint64_t>(sequence, kMostCalls);
    std::vector<std::size_t> calls(static_cast<std::size_t>(sequence - first), kUnknown);
    for (auto at = m_calls.lower_bound(first); at != m_calls.end() && at->first < sequence; ++at)
        calls[static_cast<std::size_t>(at->first - first)] = at->second;
    return calls;
}

std::optional<bool> CallPattern::isUsual(std::uint64_t sequence, const CollectiveCall& a,
                                         const CollectiveCall& b) const {
    const std::vector<std::size_t> calls = callsBefore(sequence);
    for (const bool exactly : {true, false}) { // sizes may differ in each step
        if (!exactly && sameLine(a, b))
            break;
        const auto same = [&](std::size_t one, std::size_t other) {
            return one != kUnknown && other != kUnknown &&
                   (one == other || (!exactly && sameLine(m_kinds[one], m_kinds[other])));
        };
        std::vector<EarlierPlace> places;
        for (std::size_t at = 1; at < calls.size(); ++at) {
            EarlierPlace place;
            while (place.same < at && same(calls[at - 1 - place.same], calls[calls.size() - 1 - place.same]))
                ++place.same;
            if (place.same == 0 || calls[at] == kUnknown)
                continue;
            place.isA = matches(m_kinds[calls[at]], a, exactly);
            place.isB = matches(m_kinds[calls[at]], b, exactly);
            places.push_back(place);
        }
        if (const auto usual = callAfter(places))
            return usual;
    }
    return std::nullopt;
}

void CallPattern::save(ByteEncoder& out) const {
    out.number(m_kinds.size());
    for (const CollectiveCall& kind : m_kinds) {
        out.number(static_cast<std::uint64_t>(kind.op));
        out.number(kind.dtype);
        out.integer(kind.count);
        out.text(kind.tag);
    }
    out.number(m_calls.size());
    std::uint64_t before = 0;
    for (const auto& [sequence, kind] : m_calls) {
        out.number(sequence - std::exchange(before, sequence));
        out.number(kind);
    }
}

bool CallPattern::load(ByteDecoder& in) {
    m_kinds.assign(std::min(in.count(), kMostKinds), {});
    for (CollectiveCall& kind : m_kinds) {
        kind.op = in.below(CollectiveOp::Count);
        kind.dtype = static_cast<std::uint8_t>(in.number());
        kind.count = in.integer();
        kind.tag = in.text();
    }
    m_calls.clear();
    std::uint64_t sequence = 0;
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        sequence += in.number();
        m_calls[sequence] = in.below(m_kinds.size());
    }
    return in.ok();
}

} // namespace rankscope::diagnosis
