// SPDX-License-Identifier: Apache-2.0
#include "tests/core/diagnosis/simulated_fleet.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <limits>

namespace rankscope::diagnosis::test {

using namespace telemetry;

namespace {

std::int64_t ns(double seconds) {
    return static_cast<std::int64_t>(seconds * 1e9);
}

} // namespace

SimulatedFleet::SimulatedFleet(FleetOptions options, std::vector<PlannedFault> faults)
    : m_o(options), m_faults(std::move(faults)), m_random(options.seed),
      m_ranks(static_cast<std::size_t>(options.world)), m_records(m_ranks.size()), m_begins(m_ranks.size()),
      m_step(options.firstStep - 1) {
    for (int r = 0; r < m_o.world; ++r) {
        Rank& rank = m_ranks[static_cast<std::size_t>(r)];
        rank.board.rank = r;
        rank.board.worldSize = m_o.world;
        rank.board.pid = 1000 + r;
        rank.board.device = "cpu";
        rank.board.stage = RankStage::Starting;
        rank.board.updatedNs = m_now;
        rank.process.state = ProcessView::State::Running;
        rank.ns = m_now + ns(uniform(2, 4)); // time for importing and building
        rank.events.push_back({rank.ns,
                               [at = rank.ns](BoardSnapshot& b, ProcessView&) {
                                   b.stage = RankStage::Running;
                                   b.updatedNs = at;
                               },
                               {}});
        m_observation.ranks.push_back({r, std::nullopt, {}, std::nullopt, {}});
    }
    const auto all =
        std::max_element(m_ranks.begin(), m_ranks.end(), [](const Rank& a, const Rank& b) { return a.ns < b.ns; });
    const std::int64_t joined = all->ns + ns(0.1);
    for (Rank& rank : m_ranks)
        rank.ns = rank.events.front().atNs = joined;
}

const Observation& SimulatedFleet::tick(RunOutcomeSeen end) {
    m_now += m_o.tickNs;
    while (!m_broken &&
           std::any_of(m_ranks.begin(), m_ranks.end(), [&](const Rank& r) { return !r.gone && r.ns <= m_now; }))
        buildStep();
    m_observation.nowNs = m_now;
    m_observation.end = end;
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
        Rank& rank = m_ranks[r];
        m_records[r].clear();
        for (; rank.next < rank.events.size() && rank.events[rank.next].atNs <= m_now; ++rank.next) {
            const Event& e = rank.events[rank.next];
            if (e.change)
                e.change(rank.board, rank.process);
            if (e.record)
                m_records[r].push_back(*e.record);
        }
        if (rank.next > 256) {
            rank.events.erase(rank.events.begin(), rank.events.begin() + static_cast<std::ptrdiff_t>(rank.next));
            rank.next = 0;
        }
        m_observation.ranks[r].board = rank.board;
        m_observation.ranks[r].process = rank.process;
        m_observation.ranks[r].records = m_records[r];
    }
    setResources();
    return m_observation;
}

/// If a quota throttles a rank, the supervisor has measured all ranks.
void SimulatedFleet::setResources() {
    for (const PlannedFault& f : m_faults) {
        if (f.kind != FleetFault::Throttled)
            continue;
        for (RankObservation& r : m_observation.ranks) {
            ResourceView view;
            const bool held = r.rank == f.rank && f.acts(m_step);
            view.cpuShare = held ? 1 / f.seconds : 0.95;
            view.cpuThrottledShare = held ? 0.9 : 0;
            view.cpuQuota = held ? 1 / f.seconds : -1;
            r.resources = view;
        }
    }
}

double SimulatedFleet::jitter() {
    return 1 + std::abs(std::normal_distribution<double>(0, 0.08)(m_random));
}

/// Returns the longest utterance of a batch; lengths are log-normal.
double SimulatedFleet::longest(int rank) {
    std::lognormal_distribution<double> length(std::log(m_o.meanLength) - 0.18, 0.6);
    double most = 0;
    for (int i = 0; i < m_o.batchSize; ++i)
        most = std::max(most, std::clamp(length(m_random), 1.0, m_o.maxLength));
    const PlannedFault* fault = faultOf(rank, FleetFault::LongBatch);
    return fault ? fault->seconds / (3 * m_o.secondsPerSecond) : most;
}

const PlannedFault* SimulatedFleet::faultOf(int rank, FleetFault kind) const {
    for (const PlannedFault& f : m_faults)
        if (f.rank == rank && f.acts(m_step) && f.kind == kind)
            return &f;
    return nullptr;
}

void SimulatedFleet::append(Rank& rank, std::int64_t atNs, AnyRecord record) {
    rank.events.push_back({atNs, {}, record});
}

void SimulatedFleet::phase(int r, Phase phase, double seconds) {
    Rank& rank = m_ranks[static_cast<std::size_t>(r)];
    if (rank.gone)
        return;
    const std::int64_t begin = rank.ns, end = begin + ns(seconds);
    rank.events.push_back({begin,
                           [=](BoardSnapshot& b, ProcessView&) {
                               b.phase = phase;
                               b.phaseSinceNs = b.updatedNs = begin;
                           },
                           {}});
    PhaseRecord record;
    record.header.step = m_step;
    record.phase = phase;
    record.beginNs = begin;
    record.endNs = end;
    append(rank, end, AnyRecord::of(record));
    rank.ns = end;
}

void SimulatedFleet::place(int r, ForwardSite place, int layer) {
    Rank& rank = m_ranks[static_cast<std::size_t>(r)];
    if (rank.gone)
        return;
    rank.events.push_back({rank.ns,
                           [=, at = rank.ns](BoardSnapshot& b, ProcessView&) {
                               b.place = place;
                               b.layer = layer;
                               b.updatedNs = at;
                           },
                           {}});
}

void SimulatedFleet::enter(Rank& rank, std::uint64_t sequence, const std::string& tag, std::int64_t count,
                           std::int64_t atNs) {
    rank.events.push_back({atNs,
                           [=](BoardSnapshot& b, ProcessView&) {
                               BoardCollective& c = b.collectives[0];
                               c.used = true;
                               c.sequence = sequence;
                               c.op = CollectiveOp::AllReduce;
                               c.count = count;
                               c.arrivedNs = b.updatedNs = atNs;
                               c.tag = tag;
                           },
                           {}});
}

void SimulatedFleet::leave(Rank& rank, std::uint64_t sequence, std::int64_t atNs) {
    rank.events.push_back({atNs,
                           [=](BoardSnapshot& b, ProcessView&) {
                               b.collectives[0].done = std::max(b.collectives[0].done, sequence + 1);
                               b.collectives[0].doneNs = atNs;
                           },
                           {}});
}

/// Simulates the next collective of all ranks; no rank leaves it before the last one has entered.
void SimulatedFleet::meet(const std::string& tag, std::int64_t count, bool blocks, double transferSeconds) {
    if (m_o.world == 1)
        return;
    const std::uint64_t sequence = m_sequence++;
    std::int64_t latest = 0;
    bool all = true;
    for (Rank& rank : m_ranks) {
        all = all && !rank.gone;
        latest = std::max(latest, rank.ns);
        if (!rank.gone)
            enter(rank, sequence, tag, count, rank.ns);
    }
    m_broken = m_broken || !all;
    if (m_broken)
        return;
    const std::vector<std::int64_t> left = leavingTimes(tag, latest, latest + ns(transferSeconds * jitter()));
    for (Rank& rank : m_ranks) {
        const std::int64_t done = left[static_cast<std::size_t>(rank.board.rank)];
        CollectiveRecord record;
        record.header.step = m_step;
        record.op = CollectiveOp::AllReduce;
        record.sequence = sequence;
        record.count = count;
        record.phase = m_validates ? Phase::Validate : blocks ? Phase::Forward : Phase::Backward;
        record.arrivedNs = rank.ns;
        record.doneNs = done;
        putText(record.tag, sizeof record.tag, tag);
        leave(rank, sequence, done);
        append(rank, done, AnyRecord::of(record));
        rank.ns = blocks ? done : rank.ns;
    }
}

/// Returns when each rank leaves: all at the same time. If a rank is stopped inside, some ranks (of more than three)
/// leave before the stop, and the others one by one after it continues.
std::vector<std::int64_t> SimulatedFleet::leavingTimes(const std::string& tag, std::int64_t latest, std::int64_t done) {
    std::vector<std::int64_t> left(m_ranks.size(), done);
    const bool last = tag == "gradient:" + std::to_string(m_o.buckets - 1);
    for (int r = 0; r < m_o.world && last; ++r) {
        const PlannedFault* fault = faultOf(r, FleetFault::StoppedInside);
        if (!fault)
            continue;
        const std::int64_t from = latest + ns(0.0002), to = from + ns(fault->seconds);
        Rank& rank = m_ranks[static_cast<std::size_t>(r)];
        rank.events.push_back(
            {from,
             [=](BoardSnapshot&, ProcessView& p) { p = {ProcessView::State::Stopped, 0, SIGSTOP, from, false, {}}; },
             {}});
        rank.events.push_back(
            {to, [=](BoardSnapshot&, ProcessView& p) { p = {ProcessView::State::Running, 0, 0, to, false, {}}; }, {}});
        for (int other = 0; other < m_o.world; ++other) {
            const bool before = m_o.world > 3 && (other - r) % 3 == 0 && other != r;
            left[static_cast<std::size_t>(other)] = before ? done : to + ns(uniform(0.02, 0.6));
        }
    }
    return left;
}

/// All ranks but one enter the length sync; the odd one continues to a SyncBatchNorm or its gradients.
void SimulatedFleet::breakMismatched(int odd) {
    for (Rank& rank : m_ranks)
        if (rank.board.rank != odd)
            enter(rank, m_sequence, "sync_max_audio_length", 1, rank.ns);
    phase(odd, Phase::Forward, 0.1);
    Rank& rank = m_ranks[static_cast<std::size_t>(odd)];
    if (m_o.syncBatchNorms > 0) {
        enter(rank, m_sequence, "sync_batchnorm:encoder.layers.0", 513, rank.ns);
    } else {
        phase(odd, Phase::Backward, 0.2);
        for (int b = 0; b < m_o.buckets; ++b)
            enter(rank, m_sequence + static_cast<std::uint64_t>(b), "gradient:" + std::to_string(b), 100'000, rank.ns);
    }
    m_broken = true;
}

void SimulatedFleet::load(int r, const PlannedFault* fault) {
    Rank& rank = m_ranks[static_cast<std::size_t>(r)];
    m_begins[static_cast<std::size_t>(r)] = rank.ns;
    const std::int64_t step = m_step;
    rank.events.push_back({rank.ns,
                           [=, at = rank.ns](BoardSnapshot& b, ProcessView&) {
                               b.step = step;
                               b.updatedNs = at;
                           },
                           {}});
    const bool restart = m_step % m_o.stepsPerEpoch == 0; // workers start again with each epoch
    phase(r, Phase::DataWait, (restart ? uniform(0.1, 1.0) : 0.002 * jitter()) + (fault ? fault->seconds : 0));
    const double seconds = longest(r);
    rank.frames = static_cast<std::int64_t>(100 * seconds);
    BatchRecord batch;
    batch.header.step = m_step;
    batch.size = m_o.batchSize;
    batch.framesMax = rank.frames;
    batch.samplesMax = rank.frames * 160;
    append(rank, rank.ns, AnyRecord::of(batch));
    rank.events.push_back({rank.ns,
                           [frames = rank.frames, size = m_o.batchSize](BoardSnapshot& b, ProcessView&) {
                               b.longestFrames = frames;
                               b.longestSamples = frames * 160;
                               b.batchSize = size;
                           },
                           {}});
    phase(r, Phase::ToDevice, 0.001);
    const PlannedFault* slow = faultOf(r, FleetFault::Preprocess);
    phase(r, Phase::Preprocess, 0.05 * m_o.secondsPerSecond * seconds * jitter() + (slow ? slow->seconds : 0));
    phase(r, Phase::Augment, 0.001 * jitter());
}

void SimulatedFleet::train() {
    const double warmUp =
        m_step < m_o.firstStep + 3 ? m_o.warmUpSeconds / (1.0 + static_cast<double>(m_step - m_o.firstStep)) : 0;
    std::vector<double> forward(m_ranks.size());
    for (int r = 0; r < m_o.world; ++r) {
        Rank& rank = m_ranks[static_cast<std::size_t>(r)];
        const double length = static_cast<double>(rank.frames) / 100;
        const bool hiccup = uniform(0, 1) < m_o.hiccups;
        forward[static_cast<std::size_t>(r)] =
            m_o.secondsPerSecond * length * jitter() + warmUp * uniform(0.6, 1) + (hiccup ? uniform(0.05, 0.6) : 0);
        if (const PlannedFault* fault = faultOf(r, FleetFault::Forward))
            forward[static_cast<std::size_t>(r)] += fault->seconds;
        for (const FleetFault kind : {FleetFault::SlowRank, FleetFault::Throttled})
            if (const PlannedFault* fault = faultOf(r, kind))
                forward[static_cast<std::size_t>(r)] *= fault->seconds; // backward is derived from it
        if (const PlannedFault* fault = faultOf(r, FleetFault::Stopped)) {
            const std::int64_t from = rank.ns + ns(0.001), to = from + ns(fault->seconds);
            rank.events.push_back({from,
                                   [=](BoardSnapshot&, ProcessView& p) {
                                       p = {ProcessView::State::Stopped, 0, SIGSTOP, from, false, {}};
                                   },
                                   {}});
            rank.events.push_back(
                {to,
                 [=](BoardSnapshot&, ProcessView& p) { p = {ProcessView::State::Running, 0, 0, to, false, {}}; },
                 {}});
            forward[static_cast<std::size_t>(r)] += fault->seconds;
        }
        if (faultOf(r, FleetFault::Killed)) {
            rank.events.push_back({rank.ns,
                                   [at = rank.ns](BoardSnapshot&, ProcessView& p) {
                                       p = {ProcessView::State::Signalled, 0, SIGKILL, at, false, {}};
                                   },
                                   {}});
            rank.gone = true;
        }
    }
    const int parts = std::max(1, m_o.syncBatchNorms);
    for (int layer = 0; layer < parts && !m_broken; ++layer) {
        for (int r = 0; r < m_o.world; ++r) {
            place(r, ForwardSite::Layer, layer);
            phase(r, Phase::Forward, forward[static_cast<std::size_t>(r)] / parts);
        }
        if (layer < m_o.syncBatchNorms)
            meet("sync_batchnorm:encoder.layers." + std::to_string(layer), 513, true, 0.0005);
    }
    for (int bucket = 0; bucket < m_o.buckets && !m_broken; ++bucket) {
        for (int r = 0; r < m_o.world; ++r) {
            if (bucket == 0)
                place(r, ForwardSite::None);
            phase(r, Phase::Backward, 2 * (forward[static_cast<std::size_t>(r)]) / (2 * m_o.buckets) * jitter());
        }
        meet("gradient:" + std::to_string(bucket), 100'000, bucket + 1 == m_o.buckets, 0.002);
    }
}

void SimulatedFleet::finishStep() {
    for (int r = 0; r < m_o.world; ++r) {
        Rank& rank = m_ranks[static_cast<std::size_t>(r)];
        phase(r, Phase::Optimizer, 0.004 * jitter());
        StepRecord s;
        s.header.step = m_step;
        s.beginNs = m_begins[static_cast<std::size_t>(r)];
        s.endNs = rank.ns;
        s.loss = 3.0 + uniform(0, 0.1);
        s.maskedFrames = 100;
        if (faultOf(r, FleetFault::NotFinite))
            s.loss = std::numeric_limits<double>::quiet_NaN();
        if (faultOf(r, FleetFault::Empty)) {
            s.loss = std::numeric_limits<double>::quiet_NaN();
            s.maskedFrames = 0;
        }
        s.flags = std::isnan(s.loss) ? 1 : 0;
        append(rank, rank.ns, AnyRecord::of(s));
        rank.events.push_back({rank.ns,
                               [at = rank.ns](BoardSnapshot& b, ProcessView&) {
                                   b.phase = Phase::None;
                                   b.phaseSinceNs = b.updatedNs = at;
                               },
                               {}});
    }
}

void SimulatedFleet::validate() {
    m_validates = true;
    std::vector<std::int64_t> begins;
    for (const Rank& rank : m_ranks)
        begins.push_back(rank.ns);
    for (std::int64_t batch = 0; batch < m_o.validationBatches; ++batch) {
        for (int r = 0; r < m_o.world; ++r) {
            phase(r, Phase::DataWait, (batch == 0 ? uniform(0.1, 0.8) : 0.001));
            phase(r, Phase::Validate, m_o.secondsPerSecond * longest(r) * jitter());
        }
        if (m_o.lengthSync)
            meet("sync_max_audio_length", 1, true, 0.0003);
    }
    meet("metrics", 4, true, 0.0003);
    m_validates = false;
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
        ValidationRecord v;
        v.header.step = m_step;
        v.batches = m_o.validationBatches;
        v.beginNs = begins[r];
        v.endNs = m_ranks[r].ns;
        append(m_ranks[r], v.endNs, AnyRecord::of(v));
    }
}

void SimulatedFleet::checkpoint() {
    for (int r = 0; r < m_o.world; ++r) {
        const PlannedFault* slow = faultOf(r, FleetFault::Checkpoint);
        phase(r, Phase::Checkpoint,
              (r == 0 ? m_o.checkpointSeconds * uniform(0.7, 1.3) : 0.003) + (slow ? slow->seconds : 0));
    }
}

void SimulatedFleet::buildStep() {
    ++m_step;
    for (int r = 0; r < m_o.world; ++r)
        load(r, faultOf(r, FleetFault::Loader));
    for (int r = 0; r < m_o.world && !m_broken; ++r)
        if (faultOf(r, FleetFault::SkipsSync) && m_o.lengthSync && m_o.world > 1)
            breakMismatched(r);
    if (m_o.lengthSync && !m_broken)
        meet("sync_max_audio_length", 1, true, 0.0003);
    if (!m_broken)
        train();
    if (!m_broken && std::any_of(m_ranks.begin(), m_ranks.end(), [](const Rank& r) { return r.gone; }))
        m_broken = true;
    if (!m_broken) {
        finishStep();
        if (m_o.validateEvery > 0 && m_step % m_o.validateEvery == m_o.validateEvery - 1)
            validate();
        const bool slow = std::any_of(m_faults.begin(), m_faults.end(), [&](const PlannedFault& f) {
            return f.kind == FleetFault::Checkpoint && f.acts(m_step);
        });
        if (slow || (m_o.checkpointEvery > 0 && m_step % m_o.checkpointEvery == m_o.checkpointEvery - 1))
            checkpoint();
    }
    for (Rank& rank : m_ranks)
        std::stable_sort(rank.events.begin() + static_cast<std::ptrdiff_t>(rank.next), rank.events.end(),
                         [](const Event& a, const Event& b) { return a.atNs < b.atNs; });
}

} // namespace rankscope::diagnosis::test
