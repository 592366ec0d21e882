// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/statistics/collective_calls.h"

#include "core/diagnosis/model/sanitized_observation.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {
constexpr std::size_t kMaxPending = 50'000; // wrong sequence numbers of a rank must not use up the memory
constexpr std::size_t kVariants = 8;        // different calls of one collective that are distinguished
constexpr std::size_t kAgreedGroups = 64, kAgreedTags = 256; // bound the memory, whatever the records contain
} // namespace

EnteredCollective::EnteredCollective(std::size_t worldSize)
    : arrived(worldSize), phase(worldSize, Phase::None), step(worldSize, -1), variant(worldSize) {}

std::vector<CollectiveCall> EnteredCollective::calls() const {
    std::vector<CollectiveCall> reported;
    for (std::size_t r = 0; r < arrived.size(); ++r) {
        if (arrived[r] == 0)
            continue;
        const Variant& v = callOf(r);
        reported.push_back({static_cast<int>(r), v.op, v.dtype, v.count, v.tag, phase[r], arrived[r], step[r]});
    }
    return reported;
}

std::optional<EnteredCollective> CollectiveCalls::add(int rank, const CollectiveRecord& c, int members) {
    const Key key{c.group, c.sequence};
    const auto at = m_pending.try_emplace(key, static_cast<std::size_t>(m_world)).first;
    EnteredCollective& pending = at->second;
    const auto r = static_cast<std::size_t>(rank);
    if (pending.arrived[r] == 0)
        ++pending.count;
    pending.arrived[r] = std::max<std::int64_t>(1, c.arrivedNs);
    pending.phase[r] = c.phase < Phase::Count ? c.phase : Phase::None;
    pending.step[r] = c.header.step;
    const std::string_view tag = getText(c.tag, sizeof c.tag);
    const CollectiveOp op = c.op < CollectiveOp::Count ? c.op : CollectiveOp::Other;
    const bool gathers = op == CollectiveOp::AllGather || op == CollectiveOp::Gather; // may differ in their counts
    auto same =
        std::find_if(pending.variants.begin(), pending.variants.end(), [&](const EnteredCollective::Variant& v) {
            return v.op == op && v.dtype == c.dtype && v.tag == tag && (gathers || v.count == c.count);
        });
    if (same == pending.variants.end() && pending.variants.size() < kVariants)
        same = pending.variants.insert(same, {op, c.dtype, c.count, std::string(tag)});
    pending.variant[r] = static_cast<std::uint8_t>(
        std::min<std::ptrdiff_t>(same - pending.variants.begin(), static_cast<std::ptrdiff_t>(kVariants) - 1));
    if (pending.variants.size() > 1 && !isPointToPoint(c.op))
        remember(key, pending);
    if (pending.count == members) {
        agree(key, pending);
        return std::move(m_pending.extract(at).mapped());
    }
    if (m_pending.size() > kMaxPending)
        m_pending.erase(m_pending.begin());
    return std::nullopt;
}

/// Counts a call that all members of the group have made alike. After a difference all later calls are shifted.
void CollectiveCalls::agree(const Key& key, const EnteredCollective& all) {
    const auto& [group, sequence] = key;
    if (m_odd || all.variants.size() != 1 || (m_agreed.size() >= kAgreedGroups && !m_agreed.contains(group)))
        return;
    AgreedCalls& agreed = m_agreed[group];
    const std::int64_t step = *std::max_element(all.step.begin(), all.step.end());
    if (step != agreed.step)
        agreed.inLastStep = std::exchange(agreed.inStep, {});
    agreed.step = step;
    const EnteredCollective::Variant& call = all.variants.front();
    if (agreed.inStep.size() < kAgreedTags || agreed.inStep.contains(call.tag))
        ++agreed.inStep[call.tag];
    if (agreed.newestCount.size() < kAgreedTags || agreed.newestCount.contains(call.tag))
        agreed.newestCount[call.tag] = call.count;
    agreed.pattern.add(sequence, {-1, call.op, call.dtype, call.count, call.tag});
}

void CollectiveCalls::remember(const Key& key, const EnteredCollective& odd) {
    if (m_odd && Key(m_odd->group, m_odd->sequence) != key)
        return; // the first one is the error: all later ones are shifted
    m_odd = OddCollective{key.first, key.second, odd.calls()};
}

const AgreedCalls* CollectiveCalls::agreed(std::uint32_t group) const {
    const auto at = m_agreed.find(group);
    return at == m_agreed.end() ? nullptr : &at->second;
}

std::vector<CollectiveCall> CollectiveCalls::pending(std::uint32_t group, std::uint64_t sequence) const {
    const auto at = m_pending.find({group, sequence});
    return at == m_pending.end() ? std::vector<CollectiveCall>{} : at->second.calls();
}

void CollectiveCalls::savePending(ByteEncoder& out) const {
    out.number(m_pending.size());
    for (const auto& [key, p] : m_pending) {
        out.number(key.first);
        out.number(key.second);
        out.number(p.variants.size());
        for (const EnteredCollective::Variant& v : p.variants) {
            out.number(static_cast<std::uint64_t>(v.op));
            out.number(v.dtype);
            out.integer(v.count);
            out.text(v.tag);
        }
        for (std::size_t r = 0; r < p.arrived.size(); ++r) {
            out.integer(p.arrived[r]);
            if (p.arrived[r] == 0)
                continue;
            out.number(static_cast<std::uint64_t>(p.phase[r]));
            out.integer(p.step[r]);
            out.number(p.variant[r]);
        }
    }
}

bool CollectiveCalls::loadPending(ByteDecoder& in) {
    m_pending.clear();
    const auto world = static_cast<std::size_t>(m_world);
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        const auto group = static_cast<std::uint32_t>(in.number());
        EnteredCollective& p = m_pending[{group, in.number()}];
        p = EnteredCollective(world);
        p.variants.resize(std::min<std::size_t>(in.count(), 256));
        for (EnteredCollective::Variant& v : p.variants) {
            v.op = in.below(CollectiveOp::Count);
            v.dtype = static_cast<std::uint8_t>(in.number());
            v.count = in.integer();
            v.tag = in.text();
        }
        for (std::size_t r = 0; r < world && in.ok(); ++r) {
            p.arrived[r] = clampTime(in.integer());
            if (p.arrived[r] == 0)
                continue;
            ++p.count;
            p.phase[r] = in.below(Phase::Count);
            p.step[r] = stepWithin(in.integer());
            p.variant[r] = in.below(static_cast<std::uint8_t>(p.variants.size()));
        }
    }
    return in.ok();
}

void CollectiveCalls::saveAgreed(ByteEncoder& out) const {
    const auto save = [&out](const auto& byTag) {
        out.number(byTag.size());
        for (const auto& [tag, count] : byTag) {
            out.text(tag);
            out.integer(count);
        }
    };
    out.number(m_agreed.size());
    for (const auto& [group, calls] : m_agreed) {
        out.number(group);
        out.integer(calls.step);
        save(calls.inStep);
        save(calls.inLastStep);
        save(calls.newestCount);
        calls.pattern.save(out);
    }
}

bool CollectiveCalls::loadAgreed(ByteDecoder& in, bool havePatterns) {
    m_agreed.clear();
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        AgreedCalls& calls = m_agreed[static_cast<std::uint32_t>(in.number())];
        calls.step = stepWithin(in.integer());
        for (auto* of : {&calls.inStep, &calls.inLastStep})
            for (std::size_t tags = in.count(); tags > 0 && in.ok(); --tags) {
                const std::string tag = in.text();
                (*of)[tag] = static_cast<int>(std::clamp<std::int64_t>(in.integer(), 0, INT32_MAX - 1));
            }
        for (std::size_t tags = in.count(); tags > 0 && in.ok(); --tags) {
            const std::string tag = in.text();
            calls.newestCount[tag] = in.integer();
        }
        if (havePatterns && !calls.pattern.load(in))
            return false;
    }
    return in.ok();
}

void CollectiveCalls::saveOdd(ByteEncoder& out) const {
    out.boolean(m_odd.has_value());
    if (!m_odd)
        return;
    out.number(m_odd->group);
    out.number(m_odd->sequence);
    out.number(m_odd->calls.size());
    for (const CollectiveCall& c : m_odd->calls) {
        out.integer(c.rank);
        out.number(static_cast<std::uint64_t>(c.op));
        out.number(c.dtype);
        for (const std::int64_t v : {c.count, c.arrivedNs, c.step})
            out.integer(v);
        out.number(static_cast<std::uint64_t>(c.phase));
        out.text(c.tag);
    }
}

bool CollectiveCalls::loadOdd(ByteDecoder& in) {
    m_odd.reset();
    if (!in.boolean())
        return in.ok();
    m_odd.emplace();
    m_odd->group = static_cast<std::uint32_t>(in.number());
    m_odd->sequence = in.number();
    m_odd->calls.resize(in.count());
    for (CollectiveCall& c : m_odd->calls) {
        c.rank = static_cast<int>(in.integer());
        c.op = in.below(CollectiveOp::Count);
        c.dtype = static_cast<std::uint8_t>(in.number());
        c.count = in.integer();
        c.arrivedNs = clampTime(in.integer());
        c.step = stepWithin(in.integer());
        c.phase = in.below(Phase::Count);
        c.tag = in.text();
        if (c.rank < 0 || c.rank >= m_world)
            in.fail();
    }
    return in.ok();
}

} // namespace rankscope::diagnosis
