// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/observer/rank_telemetry.h"

#include <memory>
#include <string>
#include <string_view>

namespace rankscope::trainer {

/// Writes the lines of a rank's log: "2026-11-21 09:30:12.345 info rank 0: text". Any thread; each line is written in
/// one piece.
class RunLog {
public:
    RunLog(int rank, std::shared_ptr<observer::RankTelemetry> telemetry)
        : m_rank(rank), m_telemetry(std::move(telemetry)) {}

    void info(std::string_view text) const; ///< to stdout
    /// Writes to stderr, and a note to the journal.
    void warning(std::string_view text) const { note(telemetry::NoteSeverity::Warning, text); }
    void error(std::string_view text) const { note(telemetry::NoteSeverity::Error, text); }

private:
    void note(telemetry::NoteSeverity severity, std::string_view text) const;

    int m_rank;
    std::shared_ptr<observer::RankTelemetry> m_telemetry;
};

} // namespace rankscope::trainer
