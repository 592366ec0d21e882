// SPDX-License-Identifier: Apache-2.0
// A short-lived program next to the run: a command hook, or the inspection of a rank. It has its own session, a time
// limit and bounded output; nothing here ever waits for it. It ends with its supervisor, however that ends.
#pragma once

#include "core/base/files/file.h"
#include "core/base/values/error.h"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::launch {

/// A running helper. If it still runs, it is killed when this object is destroyed. Times are monotonic ns.
class HelperProcess {
public:
    /// What is started, and its limits.
    struct HelperCommand {
        std::vector<std::string> argv;     ///< no shell; argv[0] without a slash is searched for in PATH
        std::string input;                 ///< its whole stdin
        double seconds = 10;               ///< after which it and its children are killed
        std::size_t mostOutput = 64 << 10; ///< bytes that are kept of each of its streams
    };
    /// How a helper ended, and what it wrote.
    struct HelperEnd {
        bool timedOut = false, signalled = false;
        int code = 0; ///< exit code, or the signal's number
        std::string out, errors;
        bool cut = false; ///< there was more output than `mostOutput`
        /// Returns "ended with exit code 3: no such address"; empty if it ended well.
        std::string problem() const;
    };

    /// Starts the program. Call it from a thread that lives as long as the program may run.
    static Result<HelperProcess> start(const HelperCommand& command, std::int64_t nowNs);
    HelperProcess(HelperProcess&& other) noexcept;
    HelperProcess& operator=(HelperProcess&& other) = delete;
    ~HelperProcess(); ///< kills what still runs; does not wait

    pid_t pid() const { return m_pid; } ///< leader of the session that the program runs in
    /// Reads the available output; returns the end, once.
    std::optional<HelperEnd> poll(std::int64_t nowNs);

private:
    HelperProcess() = default;
    void read(UniqueFd& fd, std::string& text);
    void kill() const;

    pid_t m_pid = -1; ///< of the guard, which leads the session
    UniqueFd m_out, m_errors;
    std::int64_t m_killAtNs = 0;
    std::size_t m_mostOutput = 0;
    HelperEnd m_end;
};

} // namespace rankscope::launch
