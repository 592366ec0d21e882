// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one part of a run's merged log from files of any size. The place is found by bisection, and only the part is
// read.
#pragma once

#include "widgets/models/logs/log_scan.h"

#include <optional>

namespace rankscope::ui {

/// Where to look.
struct LogPlace {
    std::optional<std::int64_t> timeMs; ///< the first line at or after it
    std::optional<double> fraction;     ///< of all bytes, 0 to 1
    std::optional<LogMatch> line;       ///< this very line
    bool jump = false;                  ///< the user asked for it, and did not only scroll
};

struct LogPart {
    LogLines lines;
    bool older = false, newer = false; ///< the files have more before, after it
    qsizetype focus = -1;              ///< the requested row
    bool jump = false;                 ///< as in the place that was asked for
    double from = 0, to = 1;           ///< of the whole log, by bytes
};

inline constexpr std::size_t kPartBytes = 4u << 20; ///< of all files together
inline constexpr std::size_t kPartLines = 20'000;

/// Returns the lines around a place that the filter keeps, from the files it asks for. Reads up to sixteen times
/// kPartBytes until there are some.
LogPart partAround(const std::vector<LogSource>& sources, const LogFilter& filter, const LogPlace& place,
                   std::int64_t dayMs);
/// Returns the lines around one of many matches.
LogPart partOfMatches(const std::vector<LogSource>& sources, const std::vector<LogMatch>& matches, qsizetype around,
                      std::int64_t dayMs);

} // namespace rankscope::ui
