// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/run_argument.h"

#include "app/ctl/reports/words.h"
#include "core/base/files/paths.h"
#include "core/base/values/result.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_folder.h"

namespace rankscope::ctl {

Result<launch::RunPaths> runOf(const RunArgs& args) {
    const auto runs = runsDirOf(args.runsDir);
    // a path to a run does not need a folder of runs
    return launch::findRun(runs ? *runs : std::filesystem::path("."), args.run);
}

Result<launch::RunPaths> currentRunOf(const RunArgs& args) {
    RS_TRY_ASSIGN(auto run, runOf(args));
    RS_TRY_ASSIGN(const auto current, launch::currentRun(run));
    tellMissing(current);
    return run;
}

void tellMissing(const launch::CurrentRun& run) {
    if (run.missing)
        tellError({run.missing->why.code, launch::missingText(*run.missing), run.info.id});
}

Result<std::filesystem::path> runsDirOf(const std::string& given) {
    return given.empty() ? defaultRunsDir() : Result<std::filesystem::path>(given);
}

int reportError(const Error& error) {
    tellError(error);
    return launch::kBadInput;
}

} // namespace rankscope::ctl
