// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/logs/log_part.h"

#include <QObject>

#include <memory>
#include <thread>
#include <vector>

namespace rankscope::ui {

/// Progress of the search through all of the logs.
struct LogSearch {
    bool needed = false; ///< the filter needs more than the lines held, or the user steps through matches
    bool running = false, whole = false, tooMany = false;
    double progress = 0;
    qint64 matches = 0, givenUp = 0;
};

/// Searches all of a run's logs in a separate thread and holds the matches found.
class LogSearcher final : public QObject {
    Q_OBJECT
public:
    explicit LogSearcher(QObject* parent) : QObject(parent) {}
    ~LogSearcher() override { clear(); }

    /// Starts a search, which ends with finished(). `bytes`: how many there are to search; `dayMs` as in scanLogs().
    void start(const std::vector<LogSource>& sources, const LogFilter& filter, std::int64_t bytes, std::int64_t dayMs);
    /// Ends a search early; the matches found so far are kept.
    void cancel();
    /// Drops the search and its matches. Waits for at most one block: the scan checks for cancellation after each.
    void clear();
    /// Adds the matches among the newest lines.
    void add(const LogLines& lines);
    /// Emits changed() with the progress of a running search.
    void publish();

    const LogSearch& state() const { return m_search; }
    /// Returns whether all matches found are listed in matches().
    bool isListed() const { return m_search.needed && !m_search.running && !m_search.tooMany; }
    const std::vector<LogMatch>& matches() const { return m_result.matches; }
    /// Returns the index of the match at a place, or otherwise of the first one after it.
    qsizetype matchAt(const LogPlace& place) const;
    /// Returns the index of the match after or before a line; out of range at either end.
    qsizetype nextMatch(const LogLine& from, bool forward) const;
    /// Returns whether a line was written after the search had read to the end of its file.
    bool isNewer(const LogLine& line) const;

signals:
    void changed(const rankscope::ui::LogSearch& search);
    void finished();

private:
    void takeResult(LogScanResult result);

    LogFilter m_filter; ///< with a bounded pattern
    std::int64_t m_bytes = 0;
    std::thread m_scan;
    std::shared_ptr<LogScanState> m_state;
    LogScanResult m_result;
    LogSearch m_search;
};

} // namespace rankscope::ui
