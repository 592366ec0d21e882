// SPDX-License-Identifier: GPL-3.0-or-later
// Follows all logs of a run in a thread of its own, filters there, and sends what the filter keeps.
#pragma once

#include "core/launch/run_folder.h"
#include "widgets/models/log_line.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

namespace rankscope::ui {

using LogLinesPtr = std::shared_ptr<const LogLines>;
using NotesPtr = std::shared_ptr<const std::vector<store::Note>>;

struct LogRun {
    launch::RunPaths paths;
    int worldSize = 0;
    std::int64_t startRealtimeNs = 0;
};

class LogFeed final : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kMaxLines = 200'000;

    LogFeed() = default;

    // all in the feed's thread: call by QMetaObject::invokeMethod
    void open(const LogRun& run);
    void close();
    void setFilter(const LogFilter& filter);
    void addNotes(const NotesPtr& notes);
    void loadOlder();

signals:
    /// Everything that the filter keeps; `older`: the files have more before it; `total`: lines held, unfiltered.
    void replaced(const rankscope::ui::LogLinesPtr& lines, bool older, qsizetype total);
    void appended(const rankscope::ui::LogLinesPtr& lines, qsizetype total);

private:
    struct File {
        LogFile file;
        int rank = -1;
        LogLine last; ///< for lines without a time of their own
        bool any = false;
    };

    void poll();
    LogLines parse(File& file, const std::vector<RawLine>& raw, bool newer);
    void append(LogLines lines);
    void trim();
    void sendAll();
    bool hasOlder() const;

    LogRun m_run;
    LogFilter m_filter;
    std::vector<File> m_files;
    LogLines m_lines;
    std::int64_t m_lastNote = 0;
    bool m_first = true;
    QTimer* m_timer = nullptr;
};

} // namespace rankscope::ui
