// SPDX-License-Identifier: Apache-2.0
// One rank's process. It leads a process group of its own (Ctrl-C reaches the supervisor alone, which stops all ranks
// in step), dies with its supervisor, and has exactly one end.
#pragma once

#include "core/base/files/unique_fd.h"
#include "core/base/values/error.h"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

class ChildProcess {
public:
    struct Command {
        std::vector<std::string> argv;                                ///< argv[0]: the program's path
        std::vector<std::pair<std::string, std::string>> environment; ///< added to this process's own
        std::filesystem::path log;                                    ///< stdout and stderr are appended to it
        std::vector<std::string> withheld = {}; ///< variables that it does not get; "NAME_*" is all that begin so
    };
    struct End {
        bool signalled = false;
        int code = 0; ///< exit code, or the signal's number
        std::int64_t seenNs = 0;
        bool known = true; ///< false: it is gone, and somebody else took note of how it ended
    };

    /// Returns once the program runs; an Error tells why it could not be started. Call from the thread that lives as
    /// long as the child shall: the kernel kills the child when that thread ends.
    static Result<ChildProcess> start(const Command& command);
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) = delete;
    ~ChildProcess(); ///< kills what still runs, and waits for it

    pid_t pid() const { return m_pid; }
    std::uint64_t startTicks() const { return m_startTicks; }
    /// The end, the first time it is seen; never again. What is left of the group goes with it.
    std::optional<End> poll();
    bool ended() const { return m_ended; }
    /// The signal that stopped it last (SIGSTOP, SIGTSTP, …); 0: none yet.
    int stopSignal();
    /// Whether it was stopped and went on since the last call.
    bool wasContinued() const;
    /// To the whole group; nothing after the end.
    void signal(int number) const;

private:
    ChildProcess(pid_t pid, std::uint64_t startTicks) : m_pid(pid), m_startTicks(startTicks) {}
    pid_t m_pid = -1;
    std::uint64_t m_startTicks = 0;
    bool m_ended = false;
    int m_stopSignal = 0;
};

struct Pipe {
    UniqueFd reading, writing;
};
/// Closed by an exec. An Error says that it cannot `make` it.
Result<Pipe> makePipe(const char* make, const std::string& where);
/// `strings` as exec takes them; they have to outlive the result.
std::vector<char*> execPointers(const std::vector<std::string>& strings);
/// For a child whose exec failed: writes errno to `fd`, the other end of which execFailure() reads, and ends the child.
/// Async-signal-safe.
[[noreturn]] void failExec(int fd);
/// Waits for the exec of a child that holds the other end alone. errno of the failure; 0: the program runs.
int execFailure(int fd);

} // namespace rankscope::launch
