// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/logs/log_part.h"

#include <QObject>

#include <memory>
#include <thread>
#include <vector>

namespace rankscope::ui {

/// How far the whole of the logs was looked through for the filter.
struct LogSearch {
    bool needed = false; ///< more than what is held, or matches are to be stepped through
    bool running = false, whole = false, tooMany = false;
    double progress = 0;
    qint64 matches = 0, givenUp = 0;
};

/// Looks through all of a run's logs in a thread of its own and holds the matches that it found.
class LogSearcher final : public QObject {
    Q_OBJECT
public:
    explicit LogSearcher(QObject* parent) : QObject(parent) {}
    ~LogSearcher() override { clear(); }

    /// `bytes`: how many there are to look through; `dayMs` as in scanLogs(). Ended by finished().
    void start(const std::vector<LogSource>& sources, const LogFilter& filter, std::int64_t bytes, std::int64_t dayMs);
    /// Ends a search early; the matches that were found are kept.
    void cancel();
    /// Forgets the search and its matches. Waits for less than a block: the scan looks up after each.
    void clear();
    /// Adds those of the newest lines that match.
    void add(const LogLines& lines);
    /// Emits changed() with the progress of a search that is running.
    void publish();

    const LogSearch& state() const { return m_search; }
    /// Whether all matches that were found are listed in matches().
    bool isListed() const { return m_search.needed && !m_search.running && !m_search.tooMany; }
    const std::vector<LogMatch>& matches() const { return m_result.matches; }
    /// Index of the match at a place, or else of the first one after it.
    qsizetype matchAt(const LogPlace& place) const;
    /// Index of the match after or before a line; it is out of range at either end.
    qsizetype nextMatch(const LogLine& from, bool forward) const;
    /// Whether a line was written after the search had read the end of its file.
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
