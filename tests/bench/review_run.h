// SPDX-License-Identifier: Apache-2.0
// A recorded run of any size, brought into its store in rounds as the supervisor does: losses and waits with heavy
// tails, rare spikes, some values that are not finite. The same size gives the same values.
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

/// What rank r measures in step s; a function of both alone.
struct Measured {
    double loss = 0; ///< NaN in about one step of 200,000
    std::int64_t frames = 0, lateNs = 0;
};
Measured measured(int rank, std::int64_t step);

inline constexpr std::int64_t kStepNs = 200'000'000;

/// The records of one step of all ranks, appended to `out` by rank.
void appendStep(std::vector<std::vector<telemetry::AnyRecord>>& out, std::int64_t step, std::int64_t startNs);

/// DIR/<ranks>x<steps>, made when it is not there yet (progress goes to stderr) or was not made to its end.
Result<launch::RunPaths> recordedRun(const std::filesystem::path& dir, RunSize size);

/// A run that is going on, with this process as its supervisor; append() commits one round.
class LiveRun {
public:
    static Result<LiveRun> begin(const std::filesystem::path& dir, RunSize size);
    Result<void> append(std::int64_t steps);
    const launch::RunPaths& paths() const { return m_paths; }
    std::int64_t steps() const { return m_steps; }
    Result<void> end(); ///< finishes the store; run.json says that it is done

private:
    LiveRun(launch::RunPaths paths, launch::RunInfo info, store::RunWriter store);

    launch::RunPaths m_paths;
    launch::RunInfo m_info;
    store::RunWriter m_store;
    std::vector<std::uint64_t> m_slots;
    std::int64_t m_steps = 0;
};

} // namespace rankscope::bench
