// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/review_run.h"

#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/launch/host/host_facts.h"
#include "core/store/sqlite/sqlite.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <limits>

namespace rankscope::bench {

using namespace telemetry;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kStepsPerRound = 512;

/// splitmix64
std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/// In (0, 1), by rank, step and purpose.
double uniform(int rank, std::int64_t step, std::uint64_t purpose) {
    const std::uint64_t key = static_cast<std::uint64_t>(step) * 4096 + static_cast<std::uint64_t>(rank);
    return (static_cast<double>(mixed(key ^ purpose << 56) >> 11) + 0.5) / 9007199254740992.0;
}

diagnosis::Transition incidentAt(std::int64_t id, std::int64_t step, int ranks, std::int64_t startNs, bool opens) {
    diagnosis::Incident in;
    in.id = id;
    in.cause = diagnosis::Cause::DataLoading;
    in.phase = Phase::DataWait;
    in.holders = {static_cast<int>(id % ranks)};
    for (int r = 0; r < ranks; ++r)
        if (r != in.holders.front())
            in.waiters.push_back(r);
    in.collective = {"gradient:0", CollectiveOp::AllReduce, 0, static_cast<std::uint64_t>(step), true};
    in.step = step;
    in.openedNs = startNs + step * kStepNs;
    in.detectedNs = in.openedNs + 2'000'000'000;
    if (opens)
        return {diagnosis::Transition::TransitionKind::Opened, in};
    in.closedNs = in.openedNs + 100 * kStepNs;
    in.closed = diagnosis::CloseReason::Recovered;
    return {diagnosis::Transition::TransitionKind::Closed, in};
}

} // namespace

Measured measured(int rank, std::int64_t step) {
    Measured m;
    const double u = uniform(rank, step, 1), tail = std::pow(u, -0.2) - 1; // Pareto: rarely far above the rest
    m.loss = 1.5 + 6 * std::exp(-static_cast<double>(step) / 200'000) + 0.05 * rank + 0.15 * tail;
    const double rare = uniform(rank, step, 2);
    if (rare < 1.0 / 50'000)
        m.loss += 40 * (1 + uniform(rank, step, 3)); // a spike that lasts one step
    else if (rare > 1 - 1.0 / 200'000)
        m.loss = std::numeric_limits<double>::quiet_NaN();
    m.frames = 200 + static_cast<std::int64_t>(400 * std::pow(uniform(rank, step, 4), -0.25));
    m.lateNs = static_cast<std::int64_t>(2e6 * (std::pow(uniform(rank, step, 5), -0.4) - 1));
    if (uniform(rank, step, 6) < 1.0 / 20'000)
        m.lateNs += 100'000'000; // within its step, so that a step's start is still its number times the step length
    m.lateNs = std::min<std::int64_t>(m.lateNs, 150'000'000);
    return m;
}

void appendStep(std::vector<std::vector<AnyRecord>>& out, std::int64_t step, std::int64_t startNs) {
    const std::int64_t begin = startNs + step * kStepNs;
    for (std::size_t r = 0; r < out.size(); ++r) {
        const Measured m = measured(static_cast<int>(r), step);
        const auto add = [&](auto record, std::int64_t atNs) {
            record.header.step = step;
            record.header.timeNs = atNs;
            out[r].push_back(AnyRecord::of(record));
        };
        BatchRecord batch;
        batch.size = 8;
        batch.framesMin = m.frames / 3;
        batch.framesMax = m.frames;
        batch.framesSum = 5 * m.frames;
        batch.paddedFrames = 8 * m.frames;
        batch.paddingShare = 0.375;
        add(batch, begin + 1'000'000);
        const auto phase = [&](Phase which, std::int64_t from, std::int64_t to) {
            PhaseRecord record;
            record.phase = which;
            record.beginNs = begin + from;
            record.endNs = begin + to;
            add(record, record.endNs);
        };
        phase(Phase::DataWait, 0, 1'000'000 + m.lateNs / 2);
        phase(Phase::Forward, 1'000'000 + m.lateNs / 2, 20'000'000 + m.lateNs);
        phase(Phase::Backward, 20'000'000 + m.lateNs, 190'000'000);
        CollectiveRecord c;
        c.op = CollectiveOp::AllReduce;
        c.sequence = static_cast<std::uint64_t>(step);
        c.count = 1 << 20;
        c.phase = Phase::Backward;
        c.arrivedNs = c.startedNs = begin + 30'000'000 + m.lateNs;
        c.doneNs = begin + 185'000'000;
        c.exposedNs = c.doneNs - c.arrivedNs;
        putText(c.tag, sizeof c.tag, "gradient:0");
        add(c, c.doneNs);
        StepRecord row;
        row.loss = m.loss;
        row.flags = std::isfinite(m.loss) ? 0 : 1;
        row.learningRate = 1e-3 / std::sqrt(1 + static_cast<double>(step) / 1000);
        row.gradientNorm = 1 + m.loss / 10;
        row.maskedFrames = m.frames;
        row.samplesPerSecond = 1e6;
        row.beginNs = begin;
        row.endNs = begin + kStepNs - 1'000'000;
        add(row, row.endNs);
    }
}

LiveRun::LiveRun(launch::RunPaths paths, launch::RunInfo info, store::RunWriter store)
    : m_paths(std::move(paths)), m_info(std::move(info)), m_store(std::move(store)),
      m_slots(static_cast<std::size_t>(m_info.worldSize)) {}

Result<LiveRun> LiveRun::begin(const fs::path& dir, RunSize size) {
    launch::RunPaths paths{dir};
    std::error_code ec;
    fs::remove_all(dir, ec);
    for (int r = 0; r < size.ranks; ++r)
        fs::create_directories(paths.rank(r), ec);
    if (ec)
        return fail(Errc::Io, "cannot be made: " + ec.message(), dir.string());
    launch::RunInfo info;
    info.id = dir.filename().string();
    info.name = "bench";
    info.state = launch::RunState::Running;
    info.worldSize = size.ranks;
    info.totalSteps = size.steps;
    info.supervisorPid = ::getpid();
    const auto self = processStat(::getpid());
    info.supervisorStartTicks = self ? self->startTicks : 0;
    info.host = launch::hostName();
    info.bootId = launch::bootId();
    info.startNs = monotonicNs();
    info.startRealtimeNs = realtimeNs();
    auto store = store::RunWriter::open(paths.store(),
                                        {info.id, size.ranks, info.startNs, info.startRealtimeNs, info.totalSteps});
    if (!store)
        return tl::unexpected(store.error());
    RS_TRY(launch::writeRunInfo(paths, info));
    return LiveRun(std::move(paths), std::move(info), std::move(*store));
}

Result<void> LiveRun::append(std::int64_t steps) {
    std::vector<std::vector<AnyRecord>> records(m_slots.size());
    std::vector<diagnosis::Transition> transitions;
    const std::int64_t apart = std::max<std::int64_t>(m_info.totalSteps / 12, 1000); // a dozen incidents
    for (const std::int64_t end = m_steps + steps; m_steps < end; ++m_steps) {
        appendStep(records, m_steps, m_info.startNs);
        const std::int64_t phase = m_steps % apart;
        if (m_steps > apart && (phase == 0 || phase == 100))
            transitions.push_back(
                incidentAt(m_steps / apart, m_steps - phase, m_info.worldSize, m_info.startNs, phase == 0));
    }
    std::vector<store::RunWriter::Chunk> chunks;
    for (std::size_t r = 0; r < records.size(); ++r) {
        m_slots[r] += records[r].size();
        JournalCounters counters;
        counters.records = m_slots[r];
        chunks.push_back({static_cast<int>(r), records[r], {0, m_slots[r]}, counters});
    }
    return m_store.commit(chunks, transitions);
}

Result<void> LiveRun::end() {
    std::vector<std::vector<AnyRecord>> records(m_slots.size());
    std::vector<store::RunWriter::Chunk> chunks;
    for (std::size_t r = 0; r < records.size(); ++r) {
        EndRecord record;
        record.header.step = m_steps - 1;
        record.header.timeNs = m_info.startNs + m_steps * kStepNs;
        records[r].push_back(AnyRecord::of(record));
        chunks.push_back({static_cast<int>(r), records[r], {0, ++m_slots[r]}, {}});
    }
    RS_TRY(m_store.commit(chunks, {}));
    RS_TRY(m_store.finish());
    m_info.state = launch::RunState::Finished;
    m_info.endRealtimeNs = m_info.startRealtimeNs + m_steps * kStepNs;
    return launch::writeRunInfo(m_paths, m_info);
}

Result<launch::RunPaths> recordedRun(const fs::path& dir, RunSize size) {
    const launch::RunPaths paths{dir / fmt::format("20260101-000000-bench-{}x{}", size.ranks, size.steps)};
    if (const auto info = launch::readRunInfo(paths); info && info->state == launch::RunState::Finished)
        return paths;
    const std::int64_t began = monotonicNs();
    auto run = LiveRun::begin(paths.dir, size);
    if (!run)
        return tl::unexpected(run.error());
    while (run->steps() < size.steps) {
        RS_TRY(run->append(std::min(kStepsPerRound, size.steps - run->steps())));
        if (run->steps() % (kStepsPerRound * 100) == 0)
            fmt::print(stderr, "\rmaking the run: {:3} %", 100 * run->steps() / size.steps);
    }
    RS_TRY(run->end());
    const double seconds = static_cast<double>(monotonicNs() - began) / 1e9;
    const auto rows = static_cast<double>(size.steps) * size.ranks;
    fmt::print(stderr, "\rmade {:.1f} M rows of steps in {:.0f} s ({:.0f} rows/s, six records each), {:.0f} MiB\n",
               rows / 1e6, seconds, rows / seconds, static_cast<double>(fs::file_size(paths.store())) / (1 << 20));
    return paths;
}

} // namespace rankscope::bench
