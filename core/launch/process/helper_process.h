// SPDX-License-Identifier: Apache-2.0
// A short-lived program beside the run: a command hook, or a look into a rank. It has a session of its own, a time
// limit, and its output is bounded; nothing here ever waits for it. It ends with its supervisor, however that ends.
#pragma once

#include "core/base/files/file.h"
#include "core/base/values/error.h"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::launch {

class HelperProcess {
public:
    struct Command {
        std::vector<std::string> argv; ///< no shell; argv[0] without a slash is looked for in PATH
        std::string input;             ///< its stdin, whole
        double seconds = 10;           ///< then it and its children are killed
        std::size_t mostOutput = 64 << 10;
    };
    struct End {
        bool timedOut = false, signalled = false;
        int code = 0; ///< exit code, or the signal's number
        std::string out, errors;
        bool cut = false; ///< there was more output than `mostOutput`
        /// "ended with exit code 3: no such address"; empty when it ended well.
        std::string problem() const;
    };

    /// Call from the thread that lives as long as the program may.
    static Result<HelperProcess> start(const Command& command, std::int64_t nowNs);
    HelperProcess(HelperProcess&& other) noexcept;
    HelperProcess& operator=(HelperProcess&& other) = delete;
    ~HelperProcess(); ///< kills what still runs; waits for nothing

    pid_t pid() const { return m_pid; } ///< of the session that the program runs in
    /// Reads what is there; the end, once.
    std::optional<End> poll(std::int64_t nowNs);

private:
    HelperProcess() = default;
    void read(UniqueFd& fd, std::string& text);
    void kill() const;

    pid_t m_pid = -1; ///< the guard's, which leads the session
    UniqueFd m_out, m_errors;
    std::int64_t m_killAtNs = 0;
    std::size_t m_mostOutput = 0;
    End m_end;
};

} // namespace rankscope::launch
