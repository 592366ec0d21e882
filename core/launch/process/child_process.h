// SPDX-License-Identifier: Apache-2.0
// One rank's process. It leads its own process group (Ctrl-C reaches only the supervisor, which stops all ranks in
// step), dies with its supervisor, and has exactly one end.
#pragma once

#include "core/base/files/unique_fd.h"
#include "core/base/values/error.h"
#include "core/launch/process/rank_process.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// A child of this process. If it still runs, it is killed when this object is destroyed.
class ChildProcess final : public RankProcess {
public:
    /// What is started.
    struct ChildCommand {
        std::vector<std::string> argv;                                ///< argv[0]: the program's path
        std::vector<std::pair<std::string, std::string>> environment; ///< added to this process's environment
        std::filesystem::path log; ///< in the rank's folder; stdout and stderr are appended to it
        /// Variables that it does not get; "NAME_*" means all that begin with NAME_.
        std::vector<std::string> withheld = {};
    };

    /// Starts the program and returns once it runs; an Error says why it could not be started. Call it from a thread
    /// that lives as long as the child: the kernel kills the child when that thread ends.
    static Result<ChildProcess> start(const ChildCommand& command);
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) = delete;
    ~ChildProcess() override; ///< kills the process if it still runs, and waits for it

    pid_t pid() const override { return m_pid; }
    std::uint64_t startTicks() const override { return m_startTicks; }
    /// When the end is seen, the rest of the process group is killed.
    std::optional<ProcessEnd> poll() override;
    bool ended() const { return m_ended; }
    int stopSignal() override;
    bool wasContinued() const override;
    void signal(int number) const override; ///< to the whole group

private:
    ChildProcess(pid_t pid, std::uint64_t startTicks) : m_pid(pid), m_startTicks(startTicks) {}
    pid_t m_pid = -1;
    std::uint64_t m_startTicks = 0;
    bool m_ended = false;
    int m_stopSignal = 0;
};

/// The two ends of a pipe.
struct Pipe {
    UniqueFd reading, writing;
};
/// Makes a pipe that exec closes. `make`: what the Error says cannot be done, "make a pipe".
Result<Pipe> makePipe(Message make, const std::string& where);
/// Returns this process's environment with these variables, and without those that are withheld (ChildCommand).
std::vector<std::string> environmentWith(const std::vector<std::pair<std::string, std::string>>& added,
                                         const std::vector<std::string>& withheld = {});
/// Returns `strings` in the form that exec takes; they must outlive the result.
std::vector<char*> execPointers(const std::vector<std::string>& strings);
/// For a child whose exec failed: writes errno to `fd`, whose other end execFailure() reads, and ends the child.
/// Async-signal-safe.
[[noreturn]] void failExec(int fd);
/// Waits for the exec of a child that alone holds the other end. Returns errno of the failure; 0: the program runs.
int execFailure(int fd);

} // namespace rankscope::launch
