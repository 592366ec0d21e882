// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_folders.h"

#include "core/base/files/atomic_file.h"
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/launch/host/host_facts.h"
#include "core/store/write/run_writer.h"
#include "core/telemetry/format/records.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace rankscope::test {

using namespace telemetry;

static void must(const Result<void>& result) {
    if (result)
        return;
    std::fprintf(stderr, "%s\n", result.error().message().c_str());
    std::abort();
}

template <class R> static R stamped(std::int64_t step, std::int64_t atNs) {
    R record;
    record.header.step = step;
    record.header.timeNs = atNs;
    return record;
}

static std::vector<AnyRecord> recordsOf(const FolderSpec& spec, int rank, std::int64_t startNs) {
    std::vector<AnyRecord> records;
    const auto validate = [&](std::int64_t step, std::int64_t at, double loss) {
        auto row = stamped<ValidationRecord>(step, at);
        row.loss = row.localLoss = loss;
        row.batches = 3;
        row.beginNs = at - 1;
        row.endNs = at;
        records.push_back(AnyRecord::of(row));
    };
    std::int64_t end = startNs;
    for (std::int64_t i = 0; i < spec.steps; ++i) {
        const std::int64_t step = spec.firstStep + i, begin = end;
        end += spec.stepNs ? spec.stepNs(step) : kFolderStepNs;
        if (spec.withBatches) {
            auto batch = stamped<BatchRecord>(step, begin);
            batch.size = static_cast<decltype(batch.size)>(spec.batch(rank, step));
            batch.framesMin = batch.framesMax = 100;
            batch.framesSum = batch.paddedFrames = 100 * spec.batch(rank, step);
            records.push_back(AnyRecord::of(batch));
        }
        auto reduce = stamped<CollectiveRecord>(step, end);
        reduce.op = CollectiveOp::AllReduce;
        reduce.sequence = static_cast<std::uint64_t>(step);
        reduce.count = 1000;
        reduce.phase = Phase::Backward;
        // the highest rank arrives last
        reduce.arrivedNs = reduce.startedNs = begin + kFolderStepNs / 2 + rank * 1'000'000;
        reduce.doneNs = begin + kFolderStepNs / 2 + spec.worldSize * 1'000'000;
        putText(reduce.tag, sizeof reduce.tag, "gradient:0");
        records.push_back(AnyRecord::of(reduce));
        auto row = stamped<StepRecord>(step, end);
        row.loss = spec.loss(rank, step);
        row.flags = std::isfinite(row.loss) ? 0 : 1;
        row.beginNs = begin;
        row.endNs = end;
        records.push_back(AnyRecord::of(row));
        if (spec.validated && step % 10 == 9)
            validate(step, end, spec.validated(rank, step));
    }
    if (spec.validation > 0)
        validate(spec.firstStep + spec.steps - 1, end, spec.validation);
    return records;
}

static launch::RunInfo infoOf(const FolderSpec& spec) {
    launch::RunInfo info;
    info.id = spec.id;
    info.name = spec.name;
    info.relaunchedFrom = spec.relaunchedFrom;
    info.resumedFrom = spec.resumedFrom;
    info.state = spec.state;
    info.worldSize = spec.worldSize;
    info.totalSteps = spec.steps;
    info.supervisorPid = ::getpid();
    info.supervisorStartTicks = processStat(::getpid())->startTicks;
    info.host = launch::hostName();
    info.bootId = launch::bootId();
    info.startNs = 1'000'000'000;
    info.startRealtimeNs = spec.startRealtimeNs;
    info.endRealtimeNs = launch::isLive(spec.state) ? 0 : spec.startRealtimeNs + spec.lastedNs;
    if (spec.state == launch::RunState::Failed)
        info.cause = "rank 1 ended with exit code 139";
    info.attached = spec.watched;
    return info;
}

void writeFolderInfo(const launch::RunPaths& paths, const FolderSpec& spec) {
    must(launch::writeRunInfo(paths, infoOf(spec)));
}

launch::RunPaths makeFolder(const std::filesystem::path& root, const FolderSpec& spec) {
    const launch::RunPaths paths{root / spec.id};
    std::filesystem::create_directories(paths.dir);
    if (!spec.yaml.empty())
        must(writeFileAtomic(paths.effective(), spec.yaml));
    if (spec.withStore) {
        const launch::RunInfo info = infoOf(spec);
        auto store = store::RunWriter::open(paths.store(),
                                            {spec.id, spec.worldSize, info.startNs, info.startRealtimeNs, spec.steps});
        if (!store)
            must(tl::unexpected(store.error()));
        std::vector<std::vector<AnyRecord>> records;
        for (int rank = 0; rank < spec.worldSize; ++rank)
            records.push_back(recordsOf(spec, rank, info.startNs));
        std::vector<store::RunWriter::Chunk> chunks;
        for (int rank = 0; rank < spec.worldSize; ++rank) {
            const auto& mine = records[static_cast<std::size_t>(rank)];
            JournalCounters counters;
            counters.records = mine.size();
            chunks.push_back({rank, mine, {0, mine.size()}, counters});
        }
        must(store->commit(chunks, {}));
        must(store->finish());
    }
    writeFolderInfo(paths, spec); // written last: a folder without it is not a run yet
    return paths;
}

} // namespace rankscope::test
