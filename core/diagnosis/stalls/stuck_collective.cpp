// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/stalls/stuck_collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

constexpr std::string_view kLengthSync = "sync_max_audio_length", kGradient = "gradient:", kAnyGradient = "gradient:*";

/// The part of the run that a rank is in, by its calls. Ranks in different parts have unequal numbers of batches.
enum class RunPart : std::uint8_t { Training, Validation, End };

RunPart partOf(const CollectiveCall& c, const Settings& settings) {
    if (!settings.recipe) // a program may call anything in between; its boards tell more
        return RunPart::Training;
    if (c.tag == "check:weights" || c.tag == "barrier:end" || c.phase == Phase::Barrier)
        return RunPart::End;
    return c.phase == Phase::Validate ? RunPart::Validation : RunPart::Training;
}

/// Returns the setting that decides whether a rank makes this call at all; empty if there is none.
std::string settingOf(const CollectiveCall& a, const CollectiveCall& b) {
    for (const CollectiveCall* c : {&a, &b}) {
        if (c->tag == kLengthSync && a.tag != b.tag)
            return "model.encoder.sync_max_audio_length";
        if (c->tag.starts_with("sync_batchnorm:") && !(c == &a ? b : a).tag.starts_with("sync_batchnorm:"))
            return "trainer.sync_batchnorm";
        if (c->tag == "checkpoint" && a.tag != b.tag)
            return "exp_manager.checkpoint_callback_params";
    }
    return {};
}

struct CallVariant {
    const CollectiveCall* call;
    std::size_t ranks = 1;
};

std::vector<CallVariant> variantsOf(const std::vector<CollectiveCall>& calls) {
    constexpr std::size_t kMost = 32; // boards may say anything
    std::vector<CallVariant> variants;
    for (const CollectiveCall& c : calls) {
        const auto at =
            std::find_if(variants.begin(), variants.end(), [&](const CallVariant& v) { return sameCall(*v.call, c); });
        if (at != variants.end())
            ++at->ranks;
        else if (variants.size() < kMost)
            variants.push_back({&c});
    }
    return variants;
}

/// Returns what each rank called: "ranks 0, 2 all-reduce train.py:40 of 1 element, rank 1 broadcast train.py:52 of 8
/// elements".
std::string describeAll(const std::vector<CollectiveCall>& calls) {
    constexpr std::size_t kMostRanks = 16;
    std::string text;
    for (const CallVariant& v : variantsOf(calls)) {
        std::vector<int> ranks;
        for (const CollectiveCall& c : calls)
            if (sameCall(c, *v.call))
                ranks.push_back(c.rank);
        const std::size_t more = ranks.size() - std::min(ranks.size(), kMostRanks);
        ranks.resize(ranks.size() - more);
        text +=
            fmt::format("{}rank{} {}{} {}", text.empty() ? "" : ", ", ranks.size() + more == 1 ? "" : "s",
                        fmt::join(ranks, ", "), more == 0 ? "" : fmt::format(" and {} more", more), describe(*v.call));
    }
    return text;
}

const CollectiveCall* reference(const std::vector<CallVariant>& variants, const Settings& settings) {
    const CallVariant* best = &variants.front();
    for (const CallVariant& v : variants) {
        const auto follows = [&](const CollectiveCall& c) {
            return settings.recipe && (c.tag == kLengthSync) == settings.lengthSync;
        };
        const bool conforms = follows(*v.call), bestConforms = follows(*best->call);
        if (v.ranks > best->ranks || (v.ranks == best->ranks && conforms && !bestConforms))
            best = &v;
    }
    return best->call;
}

} // namespace

std::string describe(const CollectiveCall& c) {
    if (isAnyGradient(c))
        return "an all-reduce of gradients";
    return fmt::format("{} {} of {} element{}", opName(c.op), c.tag.empty() ? "without a tag" : c.tag, c.count,
                       c.count == 1 ? "" : "s");
}

bool isGradient(std::string_view tag) {
    return tag.starts_with(kGradient);
}

bool isAnyGradient(const CollectiveCall& call) {
    return call.tag == kAnyGradient;
}

void CollectiveMismatch::setOdd(const std::vector<int>& ranks) {
    odd.clear();
    others.clear();
    for (const CollectiveCall& c : calls)
        (std::ranges::binary_search(ranks, c.rank) ? odd : others).push_back(c.rank);
}

const CollectiveCall& CollectiveMismatch::oddCall() const {
    return *std::find_if(calls.begin(), calls.end(), [&](const CollectiveCall& c) { return c.rank == odd.front(); });
}

const CollectiveCall& CollectiveMismatch::otherCall() const {
    return *std::find_if(calls.begin(), calls.end(), [&](const CollectiveCall& c) { return c.rank == others.front(); });
}

bool namesALine(std::string_view tag) {
    const auto at = tag.rfind(".py:");
    return at != std::string_view::npos && tag.size() > at + 4 &&
           tag.find_first_not_of("0123456789", at + 4) == std::string_view::npos;
}

bool sameCall(const CollectiveCall& a, const CollectiveCall& b) {
    if (isPointToPoint(a.op) && isPointToPoint(b.op))
        return true;
    const bool counts = a.count == b.count || a.op == CollectiveOp::AllGather || a.op == CollectiveOp::Gather;
    return a.op == b.op && a.tag == b.tag && a.dtype == b.dtype && counts;
}

std::optional<CollectiveMismatch> mismatchOf(std::uint32_t group, std::uint64_t sequence,
                                             std::vector<CollectiveCall> calls, const Settings& settings) {
    const auto variants = variantsOf(calls);
    if (variants.size() < 2)
        return std::nullopt;
    CollectiveMismatch m;
    m.group = group;
    m.sequence = sequence;
    RunPart latest = RunPart::Training, earliest = RunPart::End;
    for (const CollectiveCall& c : calls) {
        latest = std::max(latest, partOf(c, settings));
        earliest = std::min(earliest, partOf(c, settings));
        m.sinceNs = m.sinceNs == 0 ? c.arrivedNs : std::min(m.sinceNs, c.arrivedNs);
    }
    if (latest != earliest && earliest == RunPart::Training)
        m.cause = Cause::UnevenBatches;
    const CollectiveCall* usual = reference(variants, settings);
    for (const CollectiveCall& c : calls) {
        const bool odd =
            m.cause == Cause::UnevenBatches ? partOf(c, settings) != RunPart::Training : !sameCall(c, *usual);
        (odd ? m.odd : m.others).push_back(c.rank);
    }
    const auto follows = [&](const CallVariant& v) { return settings.recipe && v.call->tag == kLengthSync; };
    m.isSideKnown = m.cause == Cause::UnevenBatches || std::ranges::any_of(variants, follows) ||
                    std::ranges::count(variants, m.others.size(), &CallVariant::ranks) == 1;
    m.calls = std::move(calls);
    const CollectiveCall &one = m.otherCall(), &other = m.oddCall();
    const bool ordered = one.rank < other.rank;
    const CollectiveCall &a = ordered ? one : other, &b = ordered ? other : one;
    const bool lines = std::ranges::any_of(m.calls, [](const CollectiveCall& c) { return namesALine(c.tag); });
    m.text =
        lines ? describeAll(m.calls) : fmt::format("rank {} {}, rank {} {}", a.rank, describe(a), b.rank, describe(b));
    if (m.cause == Cause::MismatchedCollective && settings.recipe)
        m.setting = settingOf(a, b);
    return m;
}

namespace {

CollectiveCall callOf(const RankObservation& r, const BoardCollective& c) {
    return {r.rank, c.op, c.dtype, c.count, c.tag, r.board->phase, c.arrivedNs, r.board->step};
}

/// Returns whether the rank's board is complete. A killed rank may have left a half-written board; one that ended by
/// itself, or was aborted in a call that it waited in, has not.
bool isTrusted(const RankObservation& r) {
    if (isAbortedByMismatch(r.process))
        return r.board.has_value();
    return r.board && r.process.state != ProcessView::State::Signalled && r.process.state != ProcessView::State::Gone;
}

std::optional<CollectiveMismatch> atTheSameNumber(const ObservedGroup& group, const Settings& settings,
                                                  const PastCalls& past) {
    std::map<std::uint64_t, std::vector<CollectiveCall>> byNumber;
    for (const auto* r : group.members)
        if (const BoardCollective* c = isTrusted(*r) ? collectiveOf(*r, group.number) : nullptr)
            byNumber[c->sequence].push_back(callOf(*r, *c));
    for (auto& [sequence, calls] : byNumber) {
        for (CollectiveCall& left : past(group.number, sequence)) {
            const auto at = std::ranges::lower_bound(calls, left.rank, {}, &CollectiveCall::rank);
            if (at == calls.end() || at->rank != left.rank)
                calls.insert(at, std::move(left));
        }
        if (!std::ranges::all_of(calls, [&](const CollectiveCall& c) { return sameCall(calls.front(), c); }))
            return mismatchOf(group.number, sequence, std::move(calls), settings);
    }
    return std::nullopt;
}

/// Returns the number of the collective that all ranks are inside and none has completed; none if there is none.
std::optional<std::uint64_t> insideAll(const ObservedGroup& group) {
    std::uint64_t inside = 0;
    for (const auto* r : group.members) {
        const BoardCollective* c = collectiveOf(*r, group.number);
        if (!c || !c->open() || isDead(r->process) || (r != group.members.front() && c->done != inside))
            return std::nullopt;
        inside = c->done;
    }
    return inside;
}

/// Returns whether only gradients let the rank's calling thread continue. On a GPU it continues after any call.
bool isAheadByGradients(const RankObservation& r) {
    return !r.board->device.starts_with("cuda");
}

std::optional<CollectiveMismatch> insideDifferentCalls(const ObservedGroup& group, const Settings& settings) {
    const auto inside = insideAll(group);
    if (!inside)
        return std::nullopt;
    std::vector<CollectiveCall> calls;
    bool blocked = false, ahead = false;
    for (const auto* r : group.members) {
        const BoardCollective* c = collectiveOf(*r, group.number);
        const bool passed = c->sequence != *inside;
        if (passed && !isAheadByGradients(*r))
            return std::nullopt;
        CollectiveCall call = callOf(*r, *c);
        if (passed || isGradient(c->tag)) {
            call.op = CollectiveOp::AllReduce;
            call.dtype = 0;
            call.count = 0;
            call.tag = kAnyGradient;
        } else {
            blocked = true;
        }
        ahead = ahead || passed;
        calls.push_back(std::move(call));
    }
    return blocked && ahead ? mismatchOf(group.number, *inside, std::move(calls), settings) : std::nullopt;
}

} // namespace

std::optional<CollectiveMismatch> findMismatch(const Observation& o, const Settings& settings,
                                               const ProcessGroups& groups, const PastCalls& past) {
    for (const ObservedGroup& group : groupsOf(o, groups)) {
        if (auto found = atTheSameNumber(group, settings, past))
            return found;
        if (auto found = insideDifferentCalls(group, settings))
            return found;
    }
    return std::nullopt;
}

std::vector<StuckCollective> findStuckCollectives(const Observation& o, const ProcessGroups& groups) {
    std::vector<StuckCollective> jams;
    for (const ObservedGroup& group : groupsOf(o, groups)) {
        if (group.members.size() < 2 || !insideAll(group))
            continue;
        StuckCollective jam;
        for (const auto* r : group.members) {
            jam.ranks.push_back(r->rank);
            const BoardCollective* c = collectiveOf(*r, group.number);
            if (!jam.collective.known || c->sequence < jam.collective.sequence)
                jam.collective = refOf(*c);
            jam.sinceNs = std::max(jam.sinceNs, c->arrivedNs);
        }
        jams.push_back(std::move(jam));
    }
    return jams;
}

} // namespace rankscope::diagnosis
