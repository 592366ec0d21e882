// SPDX-License-Identifier: GPL-3.0-or-later
// One line of the merged log, and what the filter keeps.
#pragma once

#include "core/store/read/run_reader.h"
#include "core/telemetry/format/records.h"
#include "widgets/models/logs/log_file.h"

#include <QList>
#include <QRegularExpression>
#include <QString>

#include <cstdint>
#include <vector>

namespace rankscope::ui {

struct LogLine {
    enum class Source : std::uint8_t { Rank, Supervisor, Note };
    int rank = -1; ///< -1: the supervisor
    Source source = Source::Rank;
    telemetry::Severity level = telemetry::Severity::Info;
    bool ownTime = false;    ///< false: the time is that of the line before it
    std::int64_t timeMs = 0; ///< wall clock since 1970
    std::int64_t offset = 0; ///< in its file; the id of a note
    QString text;            ///< without the time that it began with
};
using LogLines = QList<LogLine>;

/// Understands "2025-01-31 12:04:31.123", "2025-01-31T12:04:31Z", "12:04:31", each also in brackets, and the usual
/// level words; what it does not understand stays in the text. `before`: the line before it of the same file, may be
/// null; `dayMs`: any moment of the day that a bare time of day belongs to.
LogLine parseLogLine(const RawLine& raw, int rank, const LogLine* before, std::int64_t dayMs);
/// A note of the store that the rank wrote into its log as well.
bool repeats(const LogLine& note, const LogLine& line);
/// Without the notes that `lines`, in order of time, has as lines of a log.
LogLines withoutRepeated(const LogLines& notes, const LogLines& lines);
LogLine fromNote(const store::Note& note, std::int64_t runStartRealtimeNs);

struct LogFilter {
    int rank = -2; ///< -2: all, -1: the supervisor only
    telemetry::Severity least = telemetry::Severity::Debug;
    QRegularExpression text; ///< empty pattern: all

    bool accepts(const LogLine& line) const;
    /// Neither text nor level: every line of the ranks that it asks for.
    bool isOpen() const { return text.pattern().isEmpty() && least <= telemetry::Severity::Debug; }
    bool asksFor(int ofRank) const { return rank == -2 || rank == ofRank; }
};

/// A pattern that gives up a line after so many steps: one that backtracks without end must not hold up a page.
QRegularExpression boundedPattern(const QRegularExpression& pattern, int steps);

/// Merges lists that are each in order, by time; lines of one list keep their order.
LogLines mergeByTime(std::vector<LogLines> lists);

} // namespace rankscope::ui
