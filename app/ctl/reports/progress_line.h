// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/supervise/progress_reporter.h"

#include <cstdint>
#include <string>

namespace rankscope::ctl {

/// Progress on stderr: one line that is rewritten on a terminal; else a line every few seconds. Incidents and changes
/// of state are always a line of their own.
class ProgressLine {
public:
    /// `stamped`: each line of a file begins with its time, so that it can be merged with the logs of the ranks.
    explicit ProgressLine(bool stamped = false);
    void show(const launch::Progress& progress);
    void clear();

private:
    void write(const std::string& line, bool lasting);

    bool m_stamped = false, m_terminal = false, m_open = false;
    std::int64_t m_lastNs = 0;
    std::int64_t m_incident = 0; ///< the newest that was told
    bool m_stalled = false;      ///< as it was told
    std::string m_trouble;
    launch::RunState m_state = launch::RunState::Starting;
};

} // namespace rankscope::ctl
