// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/logs/log_feed.h"

#include <algorithm>
#include <limits>

namespace rankscope::ui {

namespace {
constexpr int kPollMs = 250;
constexpr std::size_t kTailBytes = 1u << 20; ///< over all files at first
constexpr std::size_t kChunkBytes = 256u << 10;
constexpr std::int64_t kOutOfOrderMs = 2000; ///< lines of several ranks that arrive in one poll may overlap so much
} // namespace

void LogFeed::open(const LogRun& run) {
    close();
    m_run = run;
    m_sources.push_back({run.paths.dir / "supervisor.log", -1});
    for (int r = 0; r < run.worldSize; ++r)
        m_sources.push_back({run.paths.log(r), r});
    for (const LogSource& source : m_sources)
        m_files.push_back({LogFile(source.path, source.depth()), source.rank, {}, false});
    if (!m_timer) {
        m_timer = new QTimer(this);
        connect(m_timer, &QTimer::timeout, this, &LogFeed::poll);
    }
    m_timer->start(kPollMs);
    poll();
}

void LogFeed::close() {
    if (m_timer)
        m_timer->stop();
    endSearch();
    m_view = View::Tail;
    m_files.clear();
    m_sources.clear();
    m_lines.clear();
    m_notes.clear();
    m_lastNote = 0;
    m_first = true;
}

LogLines LogFeed::parse(File& file, const std::vector<RawLine>& raw, bool newer) {
    LogLines lines;
    lines.reserve(static_cast<qsizetype>(raw.size()));
    LogLine last = file.last;
    bool any = newer && file.any;
    for (const auto& r : raw) {
        lines.append(parseLogLine(r, file.rank, any ? &last : nullptr, dayMs()));
        last = lines.back();
        any = true;
    }
    if (newer) {
        file.last = last;
        file.any = any;
    }
    return lines;
}

void LogFeed::poll() {
    std::error_code ec;
    if (!m_first && !m_files.empty() && !std::filesystem::exists(m_run.paths.dir, ec))
        return; // the run's folder is gone: what was read stays
    const std::size_t tail = std::max<std::size_t>(kTailBytes / std::max<std::size_t>(1, m_files.size()), 16u << 10);
    std::vector<LogLines> lists;
    bool behind = false;
    for (auto& f : m_files) {
        lists.push_back(parse(f, f.file.readNew(kChunkBytes, tail), true));
        behind = behind || f.file.behind();
    }
    LogLines fresh = mergeByTime(std::move(lists));
    if (std::exchange(m_first, false)) {
        m_lines = std::move(fresh);
        trim();
        sendAll();
    } else if (!fresh.isEmpty()) {
        append(std::move(fresh));
        if (dropRepeatedNotes() && m_view == View::Tail)
            sendAll();
    }
    if (m_search.running)
        tellSearch();
    m_timer->setInterval(behind ? 10 : kPollMs);
}

/// New lines go to the end; only what is far out of order (notes that came late) is merged in.
void LogFeed::append(LogLines lines) {
    if (!m_lines.isEmpty() && lines.front().timeMs < m_lines.back().timeMs - kOutOfOrderMs) {
        addMatches(lines);
        m_lines = mergeByTime({std::move(m_lines), std::move(lines)});
        trim();
        if (m_view == View::Tail)
            sendAll();
        return;
    }
    auto kept = std::make_shared<LogLines>();
    for (const auto& line : lines)
        if (shows(line))
            kept->append(line);
    addMatches(lines);
    m_lines.append(std::move(lines));
    trim();
    if (!kept->isEmpty() && m_view != View::Part && m_partAtEnd)
        emit appended(kept, m_lines.size());
}

/// Notes that came before the line: those are among the newest.
bool LogFeed::dropRepeatedNotes() {
    LogLines notes;
    for (const LogLine& line : m_lines)
        if (line.source == LogLine::Source::Note)
            notes.append(line);
    const LogLines kept = withoutRepeated(notes, m_lines);
    if (kept.size() == notes.size())
        return false;
    const auto isKept = [&](const LogLine& note) {
        return std::any_of(kept.begin(), kept.end(), [&](const LogLine& k) { return k.offset == note.offset; });
    };
    m_lines.removeIf([&](const LogLine& line) { return line.source == LogLine::Source::Note && !isKept(line); });
    return true;
}

void LogFeed::trim() {
    const qsizetype excess = m_lines.size() - kMaxLines;
    if (excess <= 0)
        return;
    m_lines.remove(0, excess);
    for (auto& f : m_files) {
        const auto first = std::find_if(m_lines.begin(), m_lines.end(), [&](const LogLine& line) {
            return line.rank == f.rank && line.source != LogLine::Source::Note;
        });
        if (first != m_lines.end())
            f.file.forgetBefore(first->offset);
    }
}

bool LogFeed::hasOlder() const {
    return std::any_of(m_files.begin(), m_files.end(), [](const File& f) { return f.file.hasOlder(); });
}

void LogFeed::sendAll() {
    auto kept = std::make_shared<LogLines>();
    std::copy_if(m_lines.begin(), m_lines.end(), std::back_inserter(*kept),
                 [this](const LogLine& line) { return shows(line); });
    m_view = View::Tail;
    m_partAtEnd = true;
    emit replaced(kept, hasOlder(), m_lines.size());
}

void LogFeed::addNotes(const NotesPtr& notes) {
    LogLines lines;
    for (const auto& note : *notes) {
        if (note.id <= m_lastNote)
            continue;
        m_lastNote = note.id;
        lines.append(fromNote(note, m_run.startRealtimeNs));
    }
    if (lines.isEmpty())
        return;
    m_notes.append(lines);
    lines = withoutRepeated(lines, m_lines);
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.timeMs < b.timeMs; });
    if (!lines.isEmpty())
        append(std::move(lines));
}

void LogFeed::loadOlder() {
    if (!hasOlder())
        return;
    if (m_lines.size() >= kMaxLines) { // no more is held: from here on parts are read where they are looked at
        LogPlace place;
        place.timeMs = m_lines.front().timeMs;
        around(place);
        return;
    }
    std::vector<LogLines> lists;
    for (auto& f : m_files)
        lists.push_back(parse(f, f.file.readOlder(kChunkBytes), false));
    lists.push_back(std::move(m_lines));
    m_lines = mergeByTime(std::move(lists));
    dropRepeatedNotes();
    sendAll();
}

} // namespace rankscope::ui
