// SPDX-License-Identifier: Apache-2.0
// Ranks whose boards are set by hand, and a detector that observes them ten times per second.
#pragma once

#include "core/diagnosis/detector/detector.h"

#include <QTest>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rankscope::diagnosis::test {

using namespace telemetry;

constexpr std::int64_t kMs = 1'000'000, kSecond = 1'000 * kMs;
using Ranks = std::vector<int>;

/// Ranks that do not move until the test moves them, observed every 100 ms.
struct Stage {
    explicit Stage(int world, Settings settings = {})
        : detector(world, settings), records(static_cast<std::size_t>(world)) {
        for (int r = 0; r < world; ++r) {
            RankObservation o{r, BoardSnapshot{}, {}, std::nullopt, {}};
            o.board->rank = r;
            o.board->worldSize = world;
            o.board->pid = 1000 + r;
            o.board->device = "cpu";
            o.board->stage = RankStage::Running;
            o.board->step = 10;
            o.board->phase = Phase::Forward;
            o.board->updatedNs = o.board->phaseSinceNs = now;
            o.process.state = ProcessView::State::Running;
            seen.ranks.push_back(std::move(o));
        }
    }
    BoardSnapshot& board(int r) { return *seen.ranks[static_cast<std::size_t>(r)].board; }
    ProcessView& process(int r) { return seen.ranks[static_cast<std::size_t>(r)].process; }
    void enter(int r, std::uint64_t sequence, const std::string& tag, std::int64_t count = 1, std::uint32_t group = 0) {
        for (auto& c : board(r).collectives)
            if (!c.used || c.group == group) {
                c = {true,
                     group,
                     sequence,
                     CollectiveOp::AllReduce,
                     6,
                     count,
                     now,
                     tag,
                     std::min(c.used ? c.done : sequence, sequence),
                     0};
                return;
            }
    }
    /// Lets the ranks report that they are a process group.
    void group(std::uint32_t number, const Ranks& ranks) {
        GroupRecord record;
        record.group = number;
        record.size = static_cast<int>(ranks.size());
        record.firstRank = ranks.front() / 8 * 8;
        for (const int rank : ranks) {
            const auto bit = static_cast<std::size_t>(rank - record.firstRank);
            record.members[bit / 8] = static_cast<std::uint8_t>(record.members[bit / 8] | 1u << bit % 8);
        }
        for (const int rank : ranks)
            tell(rank, record, -1);
    }
    /// The rank's collective of a group has completed.
    void leave(int r, std::uint32_t group = 0) {
        for (auto& c : board(r).collectives)
            if (c.used && c.group == group) {
                c.done = c.sequence + 1;
                c.doneNs = now;
            }
    }
    BoardCollective& newest(int r, std::uint32_t group) {
        return *std::find_if(board(r).collectives.begin(), board(r).collectives.end(),
                             [group](const auto& c) { return c.used && c.group == group; });
    }
    void phase(int r, Phase p) {
        board(r).phase = p;
        board(r).phaseSinceNs = board(r).updatedNs = now;
    }
    template <class R> void tell(int r, R record, std::int64_t step) {
        record.header.step = step;
        records[static_cast<std::size_t>(r)].push_back(AnyRecord::of(record));
    }
    void step(int r, std::int64_t n, double loss = 1, int flags = 0, std::int64_t masked = 50) {
        StepRecord s;
        s.beginNs = now - 200 * kMs;
        s.endNs = now;
        s.loss = loss;
        s.flags = flags;
        s.maskedFrames = masked;
        tell(r, s, n);
    }
    void look(RunOutcomeSeen end = RunOutcomeSeen::Running) {
        now += 100 * kMs;
        seen.nowNs = now;
        seen.end = end;
        for (std::size_t r = 0; r < records.size(); ++r)
            seen.ranks[r].records = records[r];
        for (const Transition& t : detector.advance(seen))
            incidents[t.incident.id] = t.incident;
        for (auto& r : records)
            r.clear();
    }
    void pass(std::int64_t ns, const std::function<void()>& each = {}) {
        for (std::int64_t until = now + ns; now < until;) {
            if (each)
                each();
            look();
        }
    }
    /// Runs ten normal steps on all ranks, so that the threshold is the normal one.
    void warmUp() {
        for (int n = 0; n < 10; ++n) {
            for (int r = 0; r < static_cast<int>(records.size()); ++r) {
                step(r, n);
                board(r).updatedNs = board(r).phaseSinceNs = now;
            }
            look();
        }
        for (int r = 0; r < static_cast<int>(records.size()); ++r)
            board(r).updatedNs = board(r).phaseSinceNs = now;
        QVERIFY(incidents.empty());
    }
    const Incident& only() const {
        static const Incident none;
        return incidents.size() == 1 ? incidents.begin()->second : none;
    }

    std::int64_t now = 100 * kSecond;
    Detector detector;
    std::vector<std::vector<AnyRecord>> records;
    Observation seen;
    std::map<std::int64_t, Incident> incidents;
};

} // namespace rankscope::diagnosis::test
