// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/unique_fd.h"

#include <poll.h>

#include <string>
#include <vector>

namespace rankscope::launch {

/// Copies what a program writes to its standard output or error to a log and to the place where the caller wants it.
/// Nothing more is read while that place accepts nothing, so that the program waits for its reader as it would alone.
/// If that place is a pipe whose reader has closed it, this end is closed too, so that the program's next write fails
/// as it would without the copy.
class OutputCopy {
public:
    /// `from`: a pipe, or the master of a pseudoterminal. `to`: where it goes; none: only to the log. `log`: a file
    /// that is open for appending, or -1.
    OutputCopy(UniqueFd from, UniqueFd to, int log);

    /// Adds what must become ready before copy() can do something.
    void addTo(std::vector<pollfd>& fds) const;
    /// Reads and writes what is possible without waiting.
    void copy();
    /// Returns whether the program has closed its end, and everything is copied.
    bool ended() const { return !m_from && m_rest.empty(); }
    /// Returns why something was not written to `to` (errno); 0: everything was. A full disk loses only what comes
    /// meanwhile.
    int error() const { return m_error; }
    /// From now on, an empty pipe counts as closed, even if a program still has it open: only what is there is copied.
    void finish() { m_finishes = true; }
    /// Sets the size of the pseudoterminal to that of the terminal that the output goes to.
    void followSize();

private:
    bool read();
    void write();
    void giveUp(int error);

    UniqueFd m_from, m_to;
    int m_log, m_error = 0;
    bool m_finishes = false;
    std::string m_rest; ///< read and in the log, but not written to `to` yet
};

/// Returns a descriptor for the same file that can be written to without waiting, as far as its kind allows. The flags
/// of `fd`, which other programs share, are left alone.
UniqueFd openForCopy(int fd);

} // namespace rankscope::launch
