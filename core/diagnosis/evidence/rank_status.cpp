// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/rank_status.h"

#include "core/base/text/unit_format.h"
#include "core/diagnosis/evidence/run_stall.h"
#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/sanitized_observation.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

constexpr std::int64_t kVisibleWaitNs = 200'000'000; ///< shorter waits would make the tile flicker at every step

struct Words {
    bool zh;

    std::string since(std::int64_t now, std::int64_t then) const {
        return formatDuration(std::max<std::int64_t>(0, now - timeWithin(then)));
    }

    std::string tag(const std::string& t) const {
        constexpr std::string_view bucket = "gradient:";
        if (t.starts_with(bucket))
            return (zh ? "梯度桶 " : "gradient bucket ") + t.substr(bucket.size());
        return t;
    }
    std::string dead(const ProcessView& p, std::int64_t step) const {
        std::string how = p.state == ProcessView::State::Signalled
                              ? fmt::format("{}{}{}{}{}", zh ? "退出码 " : "exit ", 128 + p.signal, zh ? "（" : " (",
                                            signalName(p.signal), zh ? "）" : ")")
                          : p.state == ProcessView::State::Exited
                              ? fmt::format("{}{}", zh ? "退出码 " : "exit ", p.exitCode)
                              : std::string(zh ? "进程已消失" : "process gone");
        if (step >= 0)
            how += zh ? fmt::format("，第 {} 步", formatCount(step)) : fmt::format(" at step {}", formatCount(step));
        return how;
    }
    std::string holds(const Incident& in, std::int64_t now) const {
        const std::string phase(phaseName(in.phase));
        const std::string time = since(now, in.openedNs);
        if (in.waiters.empty())
            return zh ? fmt::format("{} 无进展：{}", time, phase) : fmt::format("no progress for {}: {}", time, phase);
        const auto n = in.waiters.size();
        return zh ? fmt::format("拖住 {} 个 rank {}：{}", n, time, phase)
                  : fmt::format("holds {} rank{} {}: {}", n, n == 1 ? "" : "s", time, phase);
    }
    std::string computing(const BoardSnapshot& b) const {
        std::string text(phaseName(b.phase));
        if (b.phase == Phase::None)
            return zh ? "步间" : "between phases";
        const bool placed = b.phase == Phase::Forward || b.phase == Phase::Backward;
        if (placed && b.place == Place::Layer && b.layer >= 0)
            return zh ? fmt::format("{}，第 {} 层", text, b.layer) : fmt::format("{}, layer {}", text, b.layer);
        if (placed && b.place != Place::None)
            return fmt::format("{}, {}", text, placeName(b.place));
        return text;
    }
};

const BoardCollective* oldestOpen(const BoardSnapshot& b) {
    const BoardCollective* oldest = nullptr;
    for (const auto& c : b.collectives)
        if (c.open() && (!oldest || c.enteredNs < oldest->enteredNs))
            oldest = &c;
    return oldest;
}

/// Finds the ranks that have not entered a collective; computed once per collective and used for every waiting rank.
class Missing {
public:
    explicit Missing(const Observation& observation) : m_o(observation) {}

    struct Ranks {
        int first = -1;
        std::size_t count = 0;
    };
    const Ranks& of(const BoardCollective& c) {
        const auto [at, fresh] = m_known.try_emplace({c.group, c.sequence});
        if (fresh)
            for (const auto& r : m_o.ranks) {
                const BoardCollective* theirs = collectiveOf(r, c.group);
                if (theirs && theirs->sequence >= c.sequence)
                    continue;
                at->second.first = at->second.count++ == 0 ? r.rank : at->second.first;
            }
        return at->second;
    }

private:
    const Observation& m_o;
    std::map<std::pair<std::uint32_t, std::uint64_t>, Ranks> m_known;
};

RankStatus running(const RankObservation& r, const Observation& o, const Incident* holds, Missing& missing,
                   const Words& w) {
    const BoardSnapshot& b = *r.board;
    if (holds)
        return {RankState::Holder, w.holds(*holds, o.nowNs)};
    if (const BoardCollective* c = oldestOpen(b); c && o.nowNs - c->enteredNs >= kVisibleWaitNs) {
        const auto& who = missing.of(*c);
        const std::string time = w.since(o.nowNs, c->enteredNs);
        const std::string what = w.tag(c->tag);
        const std::string whom = who.count == 1 ? fmt::format("rank {}", who.first)
                                 : w.zh         ? fmt::format("{} 个 rank", who.count)
                                                : fmt::format("{} ranks", who.count);
        if (who.count == 0)
            return {RankState::Waiting,
                    w.zh ? fmt::format("在 {} 中 {}", what, time) : fmt::format("inside {} for {}", what, time)};
        return {RankState::Waiting, w.zh ? fmt::format("等待 {} {}，{}", whom, time, what)
                                         : fmt::format("waits {} for {}, {}", time, whom, what)};
    }
    return {RankState::Computing, w.computing(b)};
}

/// For a rank with several open incidents, the current stall counts, not the slow steps before it.
bool tellsMore(const Incident& in, const Incident& than) {
    return holdsUp(in) != holdsUp(than) ? holdsUp(in) : in.openedNs >= than.openedNs;
}

/// Returns, by rank, the open incident of which it is a holder; null if there is none.
std::vector<const Incident*> holdsOf(const Observation& o, const std::vector<Incident>& open) {
    std::vector<const Incident*> holds(o.ranks.size(), nullptr);
    for (const auto& in : open) {
        if (in.cause == Cause::NotFinite || in.cause == Cause::EmptyBatch || in.cause == Cause::AskedToLeave)
            continue;
        for (const int h : in.holders) {
            if (h < 0 || static_cast<std::size_t>(h) >= holds.size())
                continue;
            const Incident*& known = holds[static_cast<std::size_t>(h)];
            if (!known || tellsMore(in, *known))
                known = &in;
        }
    }
    return holds;
}

RankStatus statusOf(const RankObservation& r, const Observation& o, const Incident* holds, Missing& missing,
                    std::size_t joined, const Words& w) {
    const std::int64_t step = r.board ? r.board->step : -1;
    const bool finished = r.board && telemetry::hasLeft(r.board->stage);
    if (isBadEnd(r.process) && !(r.process.state == ProcessView::State::Gone && finished))
        return {RankState::Dead, w.dead(r.process, step)};
    if (isDead(r.process) || finished) {
        const std::string steps = formatCount(step + 1);
        return {RankState::Finished,
                w.zh ? fmt::format("{} 步", steps) : fmt::format("{} step{}", steps, step == 0 ? "" : "s")};
    }
    if (r.process.state == ProcessView::State::Stopped) {
        const std::string by = signalName(r.process.signal ? r.process.signal : SIGSTOP);
        const std::string time = w.since(o.nowNs, r.process.sinceNs);
        return {RankState::Stopped,
                w.zh ? fmt::format("{} 前被 {} 暂停", time, by) : fmt::format("stopped by {} {} ago", by, time)};
    }
    if (!r.board || r.board->stage == RankStage::Starting)
        return {RankState::Starting, w.zh ? "启动中" : "starting"};
    if (r.board->stage == RankStage::Joining)
        return {RankState::Starting, w.zh ? fmt::format("加入 {}/{}", joined, o.ranks.size())
                                          : fmt::format("joining {} of {}", joined, o.ranks.size())};
    if (r.board->stage == RankStage::Failed)
        return {RankState::Dead, w.zh ? "正在失败退出" : "ending after a failure"};
    return running(r, o, holds, missing, w);
}

} // namespace

std::vector<RankStatus> rankStatuses(const Observation& observation, const std::vector<Incident>& open,
                                     Language language) {
    const PlausibleObservation plausible(observation);
    const Observation& o = plausible.get();
    const Words words{language == Language::Chinese};
    const auto joined = static_cast<std::size_t>(std::count_if(
        o.ranks.begin(), o.ranks.end(), [](const auto& r) { return r.board && r.board->stage >= RankStage::Joining; }));
    std::vector<RankStatus> result;
    result.reserve(o.ranks.size());
    Missing missing(o);
    const auto holds = holdsOf(o, open);
    for (std::size_t r = 0; r < o.ranks.size(); ++r)
        result.push_back(statusOf(o.ranks[r], o, holds[r], missing, joined, words));
    return result;
}

} // namespace rankscope::diagnosis
