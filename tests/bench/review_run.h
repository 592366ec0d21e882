// SPDX-License-Identifier: Apache-2.0
// A synthetic run of any size, stored in rounds as the supervisor does it: losses and waits with heavy tails, rare
// spikes, some values that are not finite. The same size gives the same values.
#pragma once

#include "core/launch/run/run_folder.h"
#include "core/store/write/run_writer.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace rankscope::bench {

struct RunSize {
    int ranks = 8;
    std::int64_t steps = 1'250'000;
};

/// What a rank measures in a step; depends only on rank and step.
struct Measured {
    double loss = 0; ///< NaN in about one step of 200,000
    std::int64_t frames = 0, lateNs = 0;
};
Measured measured(int rank, std::int64_t step);

inline constexpr std::int64_t kStepNs = 200'000'000;

/// Appends the records of one step to `out`, which has one element per rank.
void appendStep(std::vector<std::vector<telemetry::AnyRecord>>& out, std::int64_t step, std::int64_t startNs);

/// Returns the run DIR/<ranks>x<steps>; makes it if it is missing or incomplete (progress goes to stderr).
Result<launch::RunPaths> recordedRun(const std::filesystem::path& dir, RunSize size);

/// A live run with this process as its supervisor; append() commits one round.
class LiveRun {
public:
    static Result<LiveRun> begin(const std::filesystem::path& dir, RunSize size);
    Result<void> append(std::int64_t steps);
    const launch::RunPaths& paths() const { return m_paths; }
    std::int64_t steps() const { return m_steps; }
    Result<void> end(); ///< finishes the store and records the run's end in run.json

private:
    LiveRun(launch::RunPaths paths, launch::RunInfo info, store::RunWriter store);

    launch::RunPaths m_paths;
    launch::RunInfo m_info;
    store::RunWriter m_store;
    std::vector<std::uint64_t> m_slots;
    std::int64_t m_steps = 0;
};

} // namespace rankscope::bench
