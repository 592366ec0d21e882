// SPDX-License-Identifier: Apache-2.0
// The guard is the process between a supervisor and the command that it runs. Everything that the command starts
// remains its descendant (PR_SET_CHILD_SUBREAPER), so that it can end what the command has left, and everything if the
// supervisor is killed. If the guard is killed, the kernel kills the command. The guard copies the command's output as
// well, which therefore waits neither for a supervisor that is stopped nor for its disk.
#pragma once

#include "core/base/files/unique_fd.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// A program to run, and where its output goes.
struct CommandLine {
    std::vector<std::string> argv;                                ///< argv[0] without a slash is searched for in PATH
    std::vector<std::pair<std::string, std::string>> environment; ///< added to this process's environment
    std::filesystem::path log;                                    ///< file to which its output is appended
    /// Its output also goes to standard output and error of this process: through a pseudoterminal where that is a
    /// terminal, so that progress bars look as usual.
    bool forwards = true;
};

/// A report of the guard to its supervisor.
struct GuardReport {
    std::int32_t pid = 0;         ///< 0: output of the command could not be written, and `status` is the errno
    std::int32_t status = 0;      ///< as wait() reports it
    std::uint64_t startTicks = 0; ///< not 0: the command was started; 0: the process has ended
};

/// Requests to the guard, one byte each. The guard treats the end of the file as a request to kill.
inline constexpr char kGuardInterrupts = 'I', kGuardTerminates = 'T', kGuardKills = 'K';

/// The guard's ends of the pipes to its supervisor.
struct GuardPipes {
    UniqueFd reports, requests;
    UniqueFd failure; ///< closed when the command runs; else carries errno
};

/// Runs the guard in this process, a child of the supervisor without further threads. `log`: the command's log, open
/// for appending. Its exit code is 0 if nothing of the command is left.
[[noreturn]] void guardCommand(const CommandLine& command, const std::vector<std::string>& environment,
                               GuardPipes pipes, UniqueFd log);

} // namespace rankscope::launch
