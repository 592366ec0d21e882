// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a run's merged log anywhere in files of any size: its place is found by halving, and only it is read.
#pragma once

#include "widgets/models/logs/log_scan.h"

#include <optional>

namespace rankscope::ui {

/// Where to look.
struct LogPlace {
    std::optional<std::int64_t> timeMs; ///< the first line at or after it
    std::optional<double> fraction;     ///< of all bytes, 0 to 1
    std::optional<LogMatch> line;       ///< this very line
};

struct LogPart {
    LogLines lines;
    bool older = false, newer = false; ///< the files have more before, after
    qsizetype focus = -1;              ///< the row that was asked for
    double from = 0, to = 1;           ///< of the whole log, by bytes
};

inline constexpr std::size_t kPartBytes = 4u << 20; ///< of all files together
inline constexpr std::size_t kPartLines = 20'000;

/// Lines around a place that the filter keeps; of the files that it asks for. Reads on until there are some, up to
/// sixteen times kPartBytes.
LogPart partAround(const std::vector<LogSource>& sources, const LogFilter& filter, const LogPlace& place,
                   std::int64_t dayMs);
/// Lines around one of many matches.
LogPart partOfMatches(const std::vector<LogSource>& sources, const std::vector<LogMatch>& matches, qsizetype around,
                      std::int64_t dayMs);

} // namespace rankscope::ui
