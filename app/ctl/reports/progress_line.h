// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/supervise/progress_reporter.h"

#include <cstdint>
#include <string>

namespace rankscope::ctl {

/// Shows progress on stderr: on a terminal, one line that is rewritten; else a line every few seconds. Incidents and
/// changes of state always get their own line.
class ProgressLine {
public:
    /// `stamped`: if stderr is a file, each line begins with its time, so that it can be merged with the ranks' logs.
    explicit ProgressLine(bool stamped = false);
    void show(const launch::Progress& progress);
    void clear();

private:
    void write(const std::string& line, bool lasting);

    bool m_stamped = false, m_terminal = false, m_open = false;
    std::int64_t m_lastNs = 0;
    std::int64_t m_incident = 0; ///< the newest one printed
    bool m_stalled = false;      ///< as last printed
    std::string m_trouble;
    launch::RunState m_state = launch::RunState::Starting;
};

} // namespace rankscope::ctl
