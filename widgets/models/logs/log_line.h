// SPDX-License-Identifier: GPL-3.0-or-later
// A line of the merged log, and the filter for such lines.
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

inline constexpr int kCommandLog = -3; ///< stands for a rank: what a watched command writes

struct LogLine {
    enum class LogOrigin : std::uint8_t { Rank, Supervisor, Command, Note };
    int rank = -1; ///< -1: the supervisor; or kCommandLog
    LogOrigin source = LogOrigin::Rank;
    telemetry::NoteSeverity level = telemetry::NoteSeverity::Info;
    bool ownTime = false;    ///< false: the time is that of the previous line
    std::int64_t timeMs = 0; ///< wall clock since 1970
    std::int64_t offset = 0; ///< in its file; the id of a note
    QString text;            ///< without the time at its start
};
using LogLines = QList<LogLine>;

/// Parses a line that starts with "2025-01-31 12:04:31.123", "2025-01-31T12:04:31Z" or "12:04:31", each also in
/// brackets, and the usual level words; anything else stays in the text. `before`: the previous line of the same file,
/// may be null; `dayMs`: any moment of the day that a time without a date belongs to.
LogLine parseLogLine(const RawLine& raw, int rank, const LogLine* before, std::int64_t dayMs);
/// Returns whether the note of the store is one that the rank also wrote into its log.
bool repeats(const LogLine& note, const LogLine& line);
/// Returns the notes except those that `lines`, in order of time, also has as log lines.
LogLines withoutRepeated(const LogLines& notes, const LogLines& lines);
LogLine fromNote(const store::Note& note, std::int64_t runStartRealtimeNs);

struct LogFilter {
    int rank = -2; ///< -2: all, -1: the supervisor only; or kCommandLog
    telemetry::NoteSeverity least = telemetry::NoteSeverity::Debug;
    QRegularExpression text; ///< empty pattern: all

    bool accepts(const LogLine& line) const;
    /// Returns whether it filters neither by text nor by level: it keeps every line of the ranks it asks for.
    bool isOpen() const { return text.pattern().isEmpty() && least <= telemetry::NoteSeverity::Debug; }
    bool asksFor(int ofRank) const { return rank == -2 || rank == ofRank; }
};

/// Returns a pattern that gives up on a line after `steps` steps, so that endless backtracking cannot block a page.
QRegularExpression boundedPattern(const QRegularExpression& pattern, int steps);

/// Merges lists by time that are each in order; lines of one list keep their order.
LogLines mergeByTime(std::vector<LogLines> lists);

} // namespace rankscope::ui
