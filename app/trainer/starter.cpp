// SPDX-License-Identifier: Apache-2.0
// The installed rankscope-trainer: finds LibTorch, sets the loader's search path and execs the trainer, so that callers
// (rankscopectl, torchrun, srun) need not know where LibTorch is installed.
#include "core/base/files/paths.h"
#include "core/base/process/libtorch_location.h"
#include "core/base/console/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace {

constexpr int kBadInput = 2; ///< same as the trainer's

int complain(const rankscope::Error& error) {
    rankscope::console::sayError({"rankscope-trainer: {}", error.message(rankscope::console::errorLanguage())});
    return kBadInput;
}

/// Puts the folder before the user's own ones in the loader's search path, so that no other LibTorch is used.
void tellLoader(const std::string& folder) {
    const char* before = std::getenv("LD_LIBRARY_PATH");
    const std::string value = before && *before ? folder + ":" + before : folder;
    ::setenv("LD_LIBRARY_PATH", value.c_str(), 1);
}

} // namespace

int main(int, char** argv) {
    const auto starter = rankscope::programDir() / "rankscope-trainer";
    const auto program = rankscope::installedTrainer(starter);
    if (program.empty())
        return complain({rankscope::Errc::NotFound,
                         "the trainer program, ../lib/rankscope/rankscope-trainer, is missing: reinstall Rankscope",
                         starter.string()});
    const auto libTorch = rankscope::findLibTorch(starter);
    if (!libTorch)
        return complain(libTorch.error());
    tellLoader((*libTorch / "lib").string());
    ::execv(program.c_str(), argv);
    return complain(rankscope::systemError("start the program", program.string(), errno));
}
