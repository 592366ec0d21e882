// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/run/run_folder.h"
#include "widgets/models/logs/log_line.h"
#include "widgets/models/logs/log_searcher.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

namespace rankscope::ui {

using LogLinesPtr = std::shared_ptr<const LogLines>;
using LogNotes = std::shared_ptr<const std::vector<store::Note>>;
using LogPartPtr = std::shared_ptr<const LogPart>;

struct LogRun {
    launch::RunPaths paths;
    int worldSize = 0;
    std::int64_t startRealtimeNs = 0;
    bool watched = false; ///< its output is in the log of its command
};

/// Follows all logs of a run in a separate thread, filters them there, and sends the lines the filter keeps. It holds
/// the end of the logs; earlier parts are read on demand and searched by a second thread.
class LogFeed final : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kMaxLines = 200'000;

    LogFeed();

    // everything runs in the feed's thread: call by QMetaObject::invokeMethod
    void open(const LogRun& run);
    void close();
    /// Sets the filter. `onlyMatches` false: all lines of the rank are shown, and the user steps through the matches.
    void setFilter(const LogFilter& filter, bool onlyMatches = true);
    void cancelSearch();
    /// Answered by placed(); if the place is the end of the logs, by replaced().
    void around(const LogPlace& place);
    void toTail();
    void toMatch(const LogLine& from, bool forward);
    void save(const QString& file);
    void addNotes(const LogNotes& notes);
    void loadOlder();

signals:
    /// All lines the filter keeps; `older`: the files have more before them; `total`: lines held, unfiltered.
    void replaced(const rankscope::ui::LogLinesPtr& lines, bool older, qsizetype total);
    void appended(const rankscope::ui::LogLinesPtr& lines, qsizetype total);
    /// A part of the logs other than their end.
    void placed(const rankscope::ui::LogPartPtr& part);
    void searched(const rankscope::ui::LogSearch& search);
    void message(const QString& text);

private:
    struct FeedFile {
        LogFile file;
        int rank = -1;
        LogLine last; ///< for lines without a time
        bool any = false;
    };

    enum class View { Tail, Part, Matches };

    void poll();
    void startSearch(const LogFilter& filter);
    void takeMatches();
    void sendMatches(qsizetype around, bool jump);
    void sendPart(LogPart part, bool jump);
    bool shows(const LogLine& line) const { return m_shown.accepts(line); }
    std::int64_t dayMs() const { return m_run.startRealtimeNs / 1'000'000; }
    LogLines parse(FeedFile& file, const std::vector<RawLine>& raw, bool newer);
    void append(LogLines lines);
    bool dropRepeatedNotes(); ///< that the files also contain
    void trim();
    void sendAll();
    bool hasOlder() const;

    LogRun m_run;
    LogFilter m_shown; ///< with a bounded pattern, or with none if the user steps through matches
    bool m_onlyMatches = true;
    View m_view = View::Tail;
    bool m_partAtEnd = true;
    std::vector<FeedFile> m_files;
    std::vector<LogSource> m_sources; ///< of the files, in their order
    LogLines m_lines, m_notes;
    LogSearcher m_searcher{this};
    std::int64_t m_lastNote = 0;
    bool m_first = true;
    QTimer m_timer{this};
};

} // namespace rankscope::ui
