// SPDX-License-Identifier: Apache-2.0
// Simulates ranks with a simulated clock. They fill boards and records as the trainer does, so the detector can be
// driven through hours in milliseconds.
#pragma once

#include "core/diagnosis/detector/detector.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace rankscope::diagnosis::test {

using namespace telemetry;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;

/// What one rank does in one step, before it enters the step's only collective of each kind.
struct Work {
    std::int64_t loadNs = 5 * kMs, forwardNs = 60 * kMs, backwardNs = 100 * kMs;
    std::int64_t frames = 800;
    std::int64_t checkpointNs = 0; ///< after the optimizer, in the same step
    std::int64_t layerSyncs =
        2; ///< SyncBatchNorm layers: forward is cut into this many parts, each ending in a collective
};

class SimulatedRun {
public:
    using WorkOf = std::function<Work(int rank, std::int64_t step)>;

    SimulatedRun(int world, Settings settings, WorkOf work)
        : m_detector(world, settings), m_work(std::move(work)), m_ranks(static_cast<std::size_t>(world)) {
        for (int r = 0; r < world; ++r) {
            auto& rank = m_ranks[static_cast<std::size_t>(r)];
            rank.board.rank = r;
            rank.board.worldSize = world;
            rank.board.pid = 1000 + r;
            rank.board.stage = RankStage::Running;
            rank.board.updatedNs = m_now;
            rank.process.state = ProcessView::State::Running;
            plan(r);
        }
    }

    struct Rank {
        BoardSnapshot board;
        ProcessView process;
        std::vector<AnyRecord> records;
        std::int64_t frozenUntil = 0; ///< stopped or dead: does nothing before this time
        // events of the current step, in order
        struct Event {
            enum class Kind { Phase, Enter, Finish } kind;
            Phase phase = Phase::None;
            std::string tag;
            std::int64_t lastsNs = 0; ///< Phase: time in it before the next event
        };
        std::vector<Event> script;
        std::size_t next = 0;
        std::int64_t step = 0, readyNs = 0, stepBegan = 0, frames = 0;
        bool inCollective = false;
        std::uint64_t sequence = 0;
    };

    /// Advances the clock in ticks of 50 ms, the detector's interval; ranks move at their own times in between.
    void runFor(std::int64_t ns) {
        const std::int64_t until = m_now + ns;
        while (m_now < until) {
            const std::int64_t tickEnd = m_now + 50 * kMs;
            for (; m_now < tickEnd; m_now += kMs)
                stepRanks();
            observe();
        }
    }
    /// Freezes the whole run, including the detector, for this long.
    void freeze(std::int64_t ns) {
        unwatched.beginNs = m_now;
        m_now += ns;
        for (auto& r : m_ranks)
            r.readyNs += ns;
    }
    /// Stops only the detector for this long.
    void runUnwatched(std::int64_t ns) {
        unwatched.beginNs = m_now;
        for (const std::int64_t until = m_now + ns; m_now < until; m_now += kMs)
            stepRanks();
    }
    void observe(RunOutcomeSeen end = RunOutcomeSeen::Running) {
        Observation o = observation(end);
        o.unwatched = std::exchange(unwatched, {});
        for (auto& t : m_detector.advance(o))
            transitions.push_back(t);
        for (auto& r : m_ranks)
            r.records.clear();
    }
    Observation observation(RunOutcomeSeen end = RunOutcomeSeen::Running) {
        Observation o;
        o.nowNs = m_now;
        o.end = end;
        for (std::size_t r = 0; r < m_ranks.size(); ++r)
            o.ranks.push_back(
                {static_cast<int>(r), m_ranks[r].board, m_ranks[r].process, std::nullopt, m_ranks[r].records});
        return o;
    }

    std::vector<Incident> incidents() const {
        std::vector<Incident> all;
        for (const auto& t : transitions) {
            const auto it = std::find_if(all.begin(), all.end(), [&](const auto& i) { return i.id == t.incident.id; });
            if (it == all.end())
                all.push_back(t.incident);
            else
                *it = t.incident;
        }
        return all;
    }

    Rank& rank(int r) { return m_ranks[static_cast<std::size_t>(r)]; }
    std::int64_t now() const { return m_now; }
    Detector& detector() { return m_detector; }

    std::vector<Transition> transitions;
    UnwatchedTime unwatched; ///< before the next observation

private:
    void plan(int r) {
        Rank& rank = m_ranks[static_cast<std::size_t>(r)];
        const Work w = m_work(r, rank.step);
        using K = Rank::Event::Kind;
        rank.script = {{K::Phase, Phase::DataWait, "", w.loadNs},
                       {K::Phase, Phase::Preprocess, "", 4 * kMs},
                       {K::Enter, Phase::None, "sync_max_audio_length", 0}};
        for (std::int64_t l = 0; l < w.layerSyncs; ++l) {
            rank.script.push_back({K::Phase, Phase::Forward, "", w.forwardNs / w.layerSyncs});
            rank.script.push_back({K::Enter, Phase::None, "sync_batchnorm:layers." + std::to_string(l), 0});
        }
        rank.script.push_back({K::Phase, Phase::Backward, "", w.backwardNs});
        rank.script.push_back({K::Enter, Phase::None, "gradient:0", 0});
        rank.script.push_back({K::Phase, Phase::Optimizer, "", 3 * kMs});
        if (w.checkpointNs > 0)
            rank.script.push_back({K::Phase, Phase::Checkpoint, "", w.checkpointNs});
        rank.script.push_back({K::Finish, Phase::None, "", 0});
        rank.next = 0;
        rank.stepBegan = m_now;
        rank.readyNs = m_now;
        rank.board.step = rank.step;
        rank.board.batchSize = 4;
        rank.frames = w.frames;
    }

    void stepRanks() {
        for (std::size_t r = 0; r < m_ranks.size(); ++r)
            while (advance(static_cast<int>(r))) {
            }
    }

    void endPhase(Rank& rank) {
        if (rank.board.phase == Phase::None)
            return;
        PhaseRecord p;
        p.header.step = rank.step;
        p.phase = rank.board.phase;
        p.beginNs = rank.board.phaseSinceNs;
        p.endNs = m_now;
        rank.records.push_back(AnyRecord::of(p));
    }

    bool advance(int r) {
        Rank& rank = m_ranks[static_cast<std::size_t>(r)];
        if (m_now < rank.frozenUntil || rank.process.state != ProcessView::State::Running)
            return false;
        if (rank.inCollective && !complete(rank))
            return false;
        if (m_now < rank.readyNs)
            return false;
        const auto event = rank.script[rank.next++];
        rank.board.updatedNs = m_now;
        switch (event.kind) {
        case Rank::Event::Kind::Phase:
            if (rank.board.phase != event.phase) {
                endPhase(rank);
                rank.board.phase = event.phase;
                rank.board.phaseSinceNs = m_now;
            }
            if (event.phase == Phase::Preprocess) {
                rank.board.longestFrames = rank.frames;
                rank.board.longestSamples = rank.frames * 160;
                BatchRecord b;
                b.header.step = rank.step;
                b.framesMax = rank.frames;
                b.samplesMax = rank.frames * 160;
                b.size = 4;
                rank.records.push_back(AnyRecord::of(b));
            }
            rank.readyNs = m_now + event.lastsNs;
            return true;
        case Rank::Event::Kind::Enter:
            enter(rank, event.tag);
            return true;
        case Rank::Event::Kind::Finish: {
            endPhase(rank);
            rank.board.phase = Phase::None;
            StepRecord s;
            s.header.step = rank.step;
            s.beginNs = rank.stepBegan;
            s.endNs = m_now;
            s.loss = loss;
            s.flags = std::isnan(loss) ? 1 : 0;
            s.maskedFrames = maskedFrames;
            rank.records.push_back(AnyRecord::of(s));
            ++rank.step;
            plan(r);
            return true;
        }
        }
        return false;
    }

    void enter(Rank& rank, const std::string& tag) {
        auto& c = rank.board.collectives[0];
        c.used = true;
        c.sequence = rank.sequence;
        c.tag = tag;
        c.arrivedNs = m_now;
        rank.inCollective = true;
        ++rank.sequence;
    }

    /// If all ranks have entered the collective that this one is waiting in, leaves it and returns true.
    bool complete(Rank& rank) {
        const auto& mine = rank.board.collectives[0];
        for (const auto& other : m_ranks) {
            const auto& c = other.board.collectives[0];
            if (!c.used || c.sequence < mine.sequence)
                return false;
        }
        auto& c = rank.board.collectives[0];
        c.done = c.sequence + 1;
        c.doneNs = m_now;
        rank.inCollective = false;
        CollectiveRecord record;
        record.header.step = rank.step;
        record.sequence = c.sequence;
        record.phase = rank.board.phase;
        record.arrivedNs = c.arrivedNs;
        record.doneNs = m_now;
        std::strncpy(record.tag, c.tag.c_str(), sizeof record.tag - 1);
        rank.records.push_back(AnyRecord::of(record));
        return true;
    }

public:
    double loss = 3.0;
    std::int64_t maskedFrames = 100;

private:
    Detector m_detector;
    WorkOf m_work;
    std::vector<Rank> m_ranks;
    std::int64_t m_now = 100 * kSecond;
};

} // namespace rankscope::diagnosis::test
