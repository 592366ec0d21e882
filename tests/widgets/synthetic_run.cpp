// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/synthetic_run.h"

#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/launch/host/host_facts.h"

#include <QtGlobal>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace rankscope::test {

using namespace telemetry;

static void must(const Result<void>& result) {
    if (!result)
        qFatal("%s", result.error().message().c_str());
}

SyntheticRun::SyntheticRun(int worldSize, launch::RunState state, std::int64_t totalSteps, store::Retention retention)
    : m_slots(static_cast<std::size_t>(worldSize), 0) {
    m_paths.dir = std::filesystem::path(m_dir.path().toStdString()) / "20250131-120000-synthetic-1a2b";
    for (int r = 0; r < worldSize; ++r)
        std::filesystem::create_directories(m_paths.rank(r));
    m_info.id = m_paths.dir.filename().string();
    m_info.name = "synthetic";
    m_info.worldSize = worldSize;
    m_info.totalSteps = totalSteps;
    m_info.supervisorPid = ::getpid();
    m_info.supervisorStartTicks = processStat(::getpid())->startTicks;
    m_info.host = launch::hostName();
    m_info.bootId = launch::bootId();
    m_info.startNs = monotonicNs() - 3600'000'000'000;
    m_info.startRealtimeNs = realtimeNs() - 3600'000'000'000;
    m_nowNs = m_info.startNs;
    const store::RunMeta meta{m_info.id, worldSize, m_info.startNs, m_info.startRealtimeNs, totalSteps};
    auto opened = store::RunWriter::open(m_paths.store(), meta, retention);
    if (!opened)
        qFatal("%s", opened.error().message().c_str());
    m_store.emplace(std::move(*opened));
    setState(state);
}

void SyntheticRun::setState(launch::RunState state, const std::string& cause) {
    m_info.state = state;
    m_info.cause = cause;
    m_info.reason = launch::readReason({}, -1, -1, cause, m_info.worldSize);
    m_info.endRealtimeNs = launch::isLive(state) ? 0 : m_info.startRealtimeNs + (m_nowNs - m_info.startNs);
    must(launch::writeRunInfo(m_paths, m_info));
}

void SyntheticRun::setResumedFrom(const std::string& id) {
    m_info.resumedFrom = id;
    must(launch::writeRunInfo(m_paths, m_info));
}

void SyntheticRun::moveBeside(const SyntheticRun& other, const std::string& id) {
    m_store.reset();
    const auto to = other.m_paths.dir.parent_path() / id;
    std::filesystem::rename(m_paths.dir, to);
    m_paths.dir = to;
    m_info.id = id;
    must(launch::writeRunInfo(m_paths, m_info));
}

void SyntheticRun::commit(const std::vector<std::vector<AnyRecord>>& ranks,
                          const std::vector<diagnosis::Transition>& transitions) {
    std::vector<store::RunWriter::Chunk> chunks;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        m_slots[r] += ranks[r].size();
        JournalCounters counters;
        counters.records = m_slots[r];
        chunks.push_back({static_cast<int>(r), ranks[r], {0, m_slots[r]}, counters});
    }
    must(m_store->commit(chunks, transitions));
}

template <class R> static R stamped(std::int64_t step, std::int64_t atNs) {
    R record;
    record.header.step = step;
    record.header.timeNs = atNs;
    return record;
}

static void addMore(std::vector<AnyRecord>& into, const RankStep& rank, std::int64_t step, std::int64_t begin) {
    for (PhaseRecord phase : rank.phases) {
        phase.header.step = step;
        phase.header.timeNs = phase.beginNs += begin;
        phase.endNs += begin;
        into.push_back(AnyRecord::of(phase));
    }
    for (CollectiveRecord collective : rank.collectives) {
        collective.header.step = step;
        collective.header.timeNs = collective.doneNs += begin;
        collective.arrivedNs += begin;
        collective.startedNs += begin;
        into.push_back(AnyRecord::of(collective));
    }
}

void SyntheticRun::addSteps(std::int64_t count, const std::function<RankStep(int rank, std::int64_t step)>& describe) {
    const auto n = static_cast<std::size_t>(m_info.worldSize);
    std::vector<std::vector<AnyRecord>> records(n);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto step = static_cast<std::int64_t>(m_begins.size());
        const std::int64_t begin = m_nowNs;
        m_begins.push_back(begin);
        std::vector<RankStep> ranks;
        std::int64_t late = 0;
        for (int r = 0; r < m_info.worldSize; ++r) {
            ranks.push_back(describe(r, step));
            late = std::max(late, ranks.back().lateNs);
        }
        const std::int64_t done = begin + kStepNs / 2 + late + 1'000'000, end = begin + kStepNs + late;
        for (std::size_t r = 0; r < n; ++r) {
            auto batch = stamped<BatchRecord>(step, begin);
            batch.size = ranks[r].batch;
            batch.framesMin = ranks[r].frames / 2;
            batch.framesMax = ranks[r].frames;
            batch.framesSum = 3 * ranks[r].frames;
            batch.paddedFrames = ranks[r].batch * ranks[r].frames;
            auto collective = stamped<CollectiveRecord>(step, done);
            collective.op = CollectiveOp::AllReduce;
            collective.sequence = static_cast<std::uint64_t>(step);
            collective.count = 1000;
            collective.phase = Phase::Backward;
            collective.arrivedNs = collective.startedNs = begin + kStepNs / 2 + ranks[r].lateNs;
            collective.doneNs = done;
            putText(collective.tag, sizeof collective.tag, "gradient:0");
            auto row = stamped<StepRecord>(step, end);
            row.loss = ranks[r].loss;
            row.flags = std::isfinite(row.loss) ? 0 : 1;
            row.beginNs = begin;
            row.endNs = end;
            if (ranks[r].batch > 0)
                records[r].push_back(AnyRecord::of(batch));
            records[r].push_back(AnyRecord::of(collective));
            addMore(records[r], ranks[r], step, begin);
            records[r].push_back(AnyRecord::of(row));
        }
        m_nowNs = end;
    }
    commit(records, {});
}

void SyntheticRun::addStack(std::int64_t incident, int rank, const char* role, const std::string& innermost) {
    store::StackRow row;
    row.incident = incident;
    row.rank = rank;
    row.role = role;
    row.takenNs = m_info.startNs + 2'500'000'000;
    row.thread = 100 + rank;
    row.name = "trainer";
    row.doing = "runs";
    row.frames = innermost + "\nmain+0x7 (rankscope-trainer)";
    if (!m_store->stacks(std::vector{row}))
        qFatal("cannot store a stack");
}

void SyntheticRun::addValidation(double loss) {
    std::vector<std::vector<AnyRecord>> records(static_cast<std::size_t>(m_info.worldSize));
    auto row = stamped<ValidationRecord>(static_cast<std::int64_t>(m_begins.size()) - 1, m_nowNs + kStepNs);
    row.loss = row.localLoss = loss;
    row.batches = 3;
    row.beginNs = m_nowNs;
    row.endNs = m_nowNs += kStepNs;
    for (auto& rank : records)
        rank.push_back(AnyRecord::of(row));
    commit(records, {});
}

void SyntheticRun::addCheckpoint(std::int64_t step) {
    std::vector<std::vector<AnyRecord>> records(static_cast<std::size_t>(m_info.worldSize));
    auto phase = stamped<PhaseRecord>(step, stepBegin(step) + kStepNs);
    phase.phase = Phase::Checkpoint;
    phase.beginNs = stepBegin(step) + kStepNs - 5'000'000;
    phase.endNs = stepBegin(step) + kStepNs;
    records[0].push_back(AnyRecord::of(phase));
    commit(records, {});
}

diagnosis::Incident SyntheticRun::addIncident(std::int64_t id, diagnosis::Cause cause, int holder, std::int64_t step,
                                              std::int64_t lastedNs, diagnosis::CloseReason closed) {
    diagnosis::Incident in;
    in.id = id;
    in.cause = cause;
    in.phase = Phase::DataWait;
    in.holders = {holder};
    for (int r = 0; r < m_info.worldSize; ++r)
        if (r != holder)
            in.waiters.push_back(r);
    in.collective = {"gradient:0", CollectiveOp::AllReduce, 0, static_cast<std::uint64_t>(step), true};
    in.step = step;
    const auto steps = static_cast<std::int64_t>(m_begins.size());
    in.openedNs = step < steps ? stepBegin(step) + kStepNs / 2 : stepBegin(steps - 1) + kStepNs;
    in.detectedNs = in.openedNs + 2'000'000'000;
    in.remedy = {"Set num_workers to 4", "model.train_ds.num_workers", "4"};
    in.evidence = diagnosis::evidenceFromJson({{"reading", "utt_0412.flac"},
                                               {"reading_path", "/data/speech/utt_0412.flac"},
                                               {"reading_s", 3.4},
                                               {"holder_phase_s", 3.4},
                                               {"queue_depth", 0},
                                               {"queue_capacity", 4},
                                               {"batch_size", 4},
                                               {"threshold_s", 2.0},
                                               {"typical_step_s", 0.1},
                                               {"place", "none"},
                                               {"layer", -1},
                                               {"pid", 4711}});
    std::vector<diagnosis::Transition> transitions{{diagnosis::Transition::TransitionKind::Opened, in}};
    if (lastedNs > 0) {
        in.closedNs = in.openedNs + lastedNs;
        in.closed = closed;
        transitions.push_back({diagnosis::Transition::TransitionKind::Closed, in});
    }
    commit(std::vector<std::vector<AnyRecord>>(static_cast<std::size_t>(m_info.worldSize)), transitions);
    return in;
}

void SyntheticRun::addCheck(int rank, const std::string& name, CheckStatus status, const std::string& text) {
    std::vector<std::vector<AnyRecord>> records(static_cast<std::size_t>(m_info.worldSize));
    auto check = stamped<CheckRecord>(-1, m_nowNs);
    check.status = status;
    putText(check.name, sizeof check.name, name);
    putText(check.text, sizeof check.text, text);
    records[static_cast<std::size_t>(rank)].push_back(AnyRecord::of(check));
    commit(records, {});
}

void SyntheticRun::addResources(int rank, std::int64_t step, std::int64_t rssBytes, std::int64_t cpuNs,
                                std::int64_t gpuBytes, int gpuPercent) {
    std::vector<std::vector<AnyRecord>> records(static_cast<std::size_t>(m_info.worldSize));
    auto row = stamped<ResourceRecord>(step, stepBegin(step));
    row.rssBytes = rssBytes;
    row.cpuNs = cpuNs;
    row.gpuUsedBytes = gpuBytes;
    row.gpuUtilisation = gpuPercent;
    records[static_cast<std::size_t>(rank)].push_back(AnyRecord::of(row));
    commit(records, {});
}

void SyntheticRun::addNote(NoteSeverity severity, const std::string& text) {
    must(m_store->note(severity, text, m_nowNs));
}

void SyntheticRun::addUnwatched(std::int64_t beginNs, std::int64_t endNs) {
    must(m_store->noteUnwatched({m_info.startNs + beginNs, m_info.startNs + endNs}, "The run was not watched"));
}

void SyntheticRun::addEnds(EndCause cause) {
    std::vector<std::vector<AnyRecord>> records(static_cast<std::size_t>(m_info.worldSize));
    for (auto& rank : records) {
        auto end = stamped<EndRecord>(static_cast<std::int64_t>(m_begins.size()) - 1, m_nowNs);
        end.cause = cause;
        rank.push_back(AnyRecord::of(end));
    }
    commit(records, {});
}

void SyntheticRun::writeLog(int rank, const std::string& text, bool append) {
    const auto path = rank < 0 ? m_paths.dir / "supervisor.log" : m_paths.log(rank);
    std::ofstream(path, append ? std::ios::app : std::ios::trunc) << text;
}

void SyntheticRun::finishStore() {
    must(m_store->finish());
    m_store.reset();
}

} // namespace rankscope::test
