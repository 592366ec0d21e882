// SPDX-License-Identifier: Apache-2.0
// One function per subcommand: options in, exit code or Error out. Results go to stdout, everything else to stderr.
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/run_folder.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ctl {

struct LaunchArgs {
    std::string config, resume, relaunch, checkpoint;
    std::vector<std::string> overrides, faults;
    int ranks = 0;
    std::string runsDir;
    bool detach = false, json = false;
    std::vector<std::string> argv;
    std::string machine;        ///< of plan: another one than this
    std::int64_t calibrate = 0; ///< of plan: steps to measure first; 0: none
};
Result<int> launch(const LaunchArgs& args);

struct RunArgs {
    std::string runsDir, run;
    bool json = false, now = false, noWait = false, replay = false;
};
Result<int> list(const RunArgs& args);
Result<int> show(const RunArgs& args);
Result<int> stop(const RunArgs& args);
Result<int> diagnose(const RunArgs& args);
/// kCheckFailed when the recorded run, diagnosed again, gives other incidents than are stored.
Result<int> replay(const RunArgs& args);
Result<int> watch(const RunArgs& args);

struct ExportArgs {
    RunArgs run;
    std::string format, output; ///< or
    std::string csvDir;
    std::vector<std::string> series;
    std::vector<int> ranks;
    std::optional<std::int64_t> fromStep, toStep;
};
Result<int> exportRun(const ExportArgs& args);

struct ImportArgs {
    std::vector<std::string> paths;
    std::string config, name, runsDir;
    bool json = false;
    std::vector<std::string> argv;
};
Result<int> import(const ImportArgs& args);

struct StackArgs {
    std::string runsDir, run;
    int rank = -1; ///< -1: all
    int pid = 0;   ///< instead of a run
    bool json = false;
};
Result<int> stacks(const StackArgs& args);

struct WaitsArgs {
    RunArgs run;
    std::optional<std::int64_t> fromStep, toStep;
    std::optional<double> from, to; ///< seconds since the run's start
};
Result<int> waits(const WaitsArgs& args);

struct BatchArgs {
    RunArgs run;
    std::int64_t step = 0;
    int rank = 0;
};
Result<int> batch(const BatchArgs& args);

struct ScalingArgs {
    RunArgs run;
    std::string baseline; ///< empty: looked for
};
Result<int> scaling(const ScalingArgs& args);

struct CompareArgs {
    std::string config, with; ///< a YAML file, or a run
    std::string runsDir;
    std::string nemo; ///< as if both said this rankscope.nemo; empty: as they are
    bool json = false, onlyDifferent = false;
};
/// kCheckFailed when something differs.
Result<int> compare(const CompareArgs& args);
/// Becomes rankscope-trainer, with these arguments.
Result<int> runTrainer(const std::vector<std::string>& arguments);

/// Prints the effective configuration: what rankscope-trainer reads.
Result<int> resolve(const LaunchArgs& args);

/// Says what a launch would do; starts nothing.
Result<int> plan(const LaunchArgs& args);

struct CollectArgs {
    std::vector<std::string> folders;
    std::string config, runsDir;
    bool json = false;
    std::vector<std::string> argv;
};
Result<int> collect(const CollectArgs& args);

struct WeightsArgs {
    std::string reference, config, weights, nemo; ///< verify
    std::string device = "cpu";                   ///< verify: "cpu" or "cuda"
    std::string in, out, outConfig;               ///< weights, convert
    bool json = false;
};
Result<int> verify(const WeightsArgs& args);
Result<int> weights(const WeightsArgs& args);
Result<int> convert(const WeightsArgs& args);

/// The run that the arguments name.
Result<launch::RunPaths> runOf(const RunArgs& args);
/// The same; what a supervisor that was killed left undone is done first.
Result<launch::RunPaths> wholeRunOf(const RunArgs& args);
Result<std::filesystem::path> runsDirOf(const std::string& given);
/// "rankscopectl: where: what" on stderr; the exit code.
int complain(const Error& error);

} // namespace rankscope::ctl
