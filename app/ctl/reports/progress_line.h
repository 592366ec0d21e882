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
    enum class Style {
        Ordinary,
        /// The lines are for a log. They are in English, and if stderr is a file, each begins with its time, so that
        /// they can be merged with the ranks' logs.
        Stamped,
        /// Another program writes to the same place: only what is new gets a line, which begins with "rankscope: ".
        Beside
    };
    explicit ProgressLine(Style style = Style::Ordinary);
    void show(const launch::Progress& progress);
    /// Writes a separate line.
    void say(const Message& message) { writeLasting(message); }
    void clear();

private:
    Language language() const;
    void writeLasting(const Message& message);
    void write(const std::string& line, bool lasting);

    Style m_style;
    bool m_terminal = false, m_open = false;
    std::int64_t m_lastNs = 0;
    std::int64_t m_incident = 0; ///< the newest one printed
    bool m_stalled = false;      ///< as last printed
    Message m_trouble;
    launch::RunState m_state = launch::RunState::Starting;
};

} // namespace rankscope::ctl
