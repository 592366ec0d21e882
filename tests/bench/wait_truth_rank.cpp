// SPDX-License-Identifier: Apache-2.0
#include "core/base/values/clock.h"
#include "core/telemetry/journal/journal_writer.h"
#include "core/trainer/distributed/observe/observed_group.h"
#include "core/trainer/distributed/parallel/model_collectives.h"
#include "tests/bench/wait_truth.h"

#include <torch/csrc/distributed/c10d/FileStore.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <thread>

namespace rankscope::bench {

using namespace trainer;
using telemetry::Phase;

/// Returns the time of a clock that is neither the one that measures waits nor adjusted like it.
static std::int64_t independentNs() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

static std::int64_t sleptNs(double seconds) {
    const std::int64_t begin = independentNs();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    return independentNs() - begin;
}

static Result<std::unique_ptr<ObservedGroup>> join(const TruthOptions& o,
                                                   const std::shared_ptr<observer::RankTelemetry>& telemetry) {
    GroupOptions options;
    options.collectiveTimeout = std::chrono::minutes(5);
    auto store = c10::make_intrusive<c10d::FileStore>((o.dir / "meet").string(), o.ranks);
    return ObservedGroup::over(store, o.rank, o.ranks, true, options, telemetry);
}

static int run(const TruthOptions& o) {
    disableFlightRecorder();
    const auto rankDir = o.dir / "ranks" / std::to_string(o.rank);
    std::filesystem::create_directories(rankDir);
    auto board = telemetry::BoardWriter::create(rankDir / "board");
    auto journal = telemetry::JournalWriter::create(rankDir);
    if (!board || !journal) {
        fmt::print(stderr, "rank {}: {}\n", o.rank, (board ? journal.error() : board.error()).message());
        return 1;
    }
    const auto telemetry = std::make_shared<observer::RankTelemetry>(std::move(*board), std::move(*journal));
    auto group = join(o, telemetry);
    if (!group) {
        fmt::print(stderr, "rank {}: {}\n", o.rank, group.error().message());
        return 1;
    }
    std::ofstream truth(o.truthFile(o.rank));
    std::int64_t step = 0;
    (*group)->barrier("begin");
    for (const Delay& delay : o.draw()) {
        telemetry::StepRecord record;
        record.header.step = step;
        record.beginNs = monotonicNs();
        telemetry->beginStep(step, 0);
        telemetry->phase(Phase::DataWait);
        if (delay.rank == o.rank)
            truth << step << ' ' << sleptNs(delay.seconds) << '\n';
        telemetry->phase(Phase::Forward);
        syncMaxAudioLength(**group, 100 + o.rank);
        telemetry->phase(Phase::None);
        record.endNs = monotonicNs();
        telemetry->journal().append(record);
        ++step;
    }
    (*group)->barrier("end");
    return truth.flush() ? 0 : 1;
}

int runTruthRank(const TruthOptions& options) {
    try {
        return run(options);
    } catch (const std::exception& error) {
        fmt::print(stderr, "rank {}: {}\n", options.rank, error.what());
        return 1;
    }
}

} // namespace rankscope::bench
