// SPDX-License-Identifier: Apache-2.0
// Python tracebacks, row by row: the last line of each, which is the exception.
#pragma once

#include "core/explain/messages/log_facts.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::explain {

/// Follows the tracebacks of several processes in one file. Rows of one process come in order; which process a row is
/// of is known by its prefix.
class TracebackReader {
public:
    struct Exception {
        RankEnd end;
        /// It was raised while the process handled the one before, which it replaces.
        bool continues = false;
    };

    /// Returns whether further rows are wanted.
    bool isActive() const { return !m_open.empty(); }
    /// Takes a row without its prefixes; `process` tells processes apart and is empty without prefixes. Returns the
    /// exception if the row is one's line.
    std::optional<Exception> take(std::string_view process, std::string_view row);

    /// Returns whether a row begins a traceback.
    static bool begins(std::string_view row);
    /// Reads an exception's line, such as "torch.OutOfMemoryError: CUDA out of memory. …"; none: it is not one, or one
    /// of a launcher about its processes.
    static std::optional<RankEnd> readException(std::string_view row);

private:
    struct Open {
        int count = 0; ///< tracebacks of processes that cannot be told apart
        int rows = 0;
        bool continues = false;
    };
    std::map<std::string, Open, std::less<>> m_open;
};

} // namespace rankscope::explain
