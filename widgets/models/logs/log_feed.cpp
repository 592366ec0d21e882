// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/logs/log_feed.h"

#include "core/base/files/atomic_file.h"

#include <QDateTime>
#include <QSaveFile>

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr int kPollMs = 250;
constexpr std::size_t kTailBytes = 1u << 20; ///< over all files, at first
constexpr std::size_t kChunkBytes = 256u << 10;
/// Lines of several ranks that arrive in one poll may overlap by this much.
constexpr std::int64_t kOutOfOrderMs = 2000;

QByteArray asText(const LogLine& line) {
    const QString who = line.rank == kCommandLog ? QStringLiteral("command")
                        : line.rank < 0          ? QStringLiteral("supervisor")
                                                 : QStringLiteral("rank %1").arg(line.rank);
    const QString when =
        line.ownTime ? QDateTime::fromMSecsSinceEpoch(line.timeMs).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz "))
                     : QString();
    static const char* const kLevels[] = {"debug ", "", "warning ", "error "};
    const auto level = std::clamp(static_cast<int>(line.level), 0, 3);
    return (when + QLatin1String(kLevels[level]) + who + QStringLiteral(": ") + line.text + u'\n').toUtf8();
}
} // namespace

LogFeed::LogFeed() {
    connect(&m_timer, &QTimer::timeout, this, &LogFeed::poll);
    connect(&m_searcher, &LogSearcher::changed, this, &LogFeed::searched);
    connect(&m_searcher, &LogSearcher::finished, this, &LogFeed::takeMatches);
}

void LogFeed::open(const LogRun& run) {
    close();
    m_run = run;
    m_sources = logSources(run.paths, run.worldSize);
    for (const LogSource& source : m_sources)
        m_files.push_back({LogFile(source.path, source.depth()), source.rank, {}, false});
    m_timer.start(kPollMs);
    poll();
}

void LogFeed::close() {
    m_timer.stop();
    m_searcher.clear();
    m_view = View::Tail;
    m_files.clear();
    m_sources.clear();
    m_lines.clear();
    m_notes.clear();
    m_lastNote = 0;
    m_first = true;
}

LogLines LogFeed::parse(FeedFile& file, const std::vector<RawLine>& raw, bool newer) {
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
        return; // the run's folder is gone: keep what was read
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
    if (m_searcher.state().running)
        m_searcher.publish();
    m_timer.setInterval(behind ? 10 : kPollMs);
}

/// Appends new lines to the end; only lines far out of order (late notes) are merged in.
void LogFeed::append(LogLines lines) {
    if (!m_lines.isEmpty() && lines.front().timeMs < m_lines.back().timeMs - kOutOfOrderMs) {
        m_searcher.add(lines);
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
    m_searcher.add(lines);
    m_lines.append(std::move(lines));
    trim();
    if (!kept->isEmpty() && m_view != View::Part && m_partAtEnd)
        emit appended(kept, m_lines.size());
}

/// Drops notes whose log line has arrived after them. Returns false if there were none.
bool LogFeed::dropRepeatedNotes() {
    LogLines notes;
    for (const LogLine& line : m_lines)
        if (line.source == LogLine::LogOrigin::Note)
            notes.append(line);
    const LogLines kept = withoutRepeated(notes, m_lines);
    if (kept.size() == notes.size())
        return false;
    const auto isKept = [&](const LogLine& note) {
        return std::any_of(kept.begin(), kept.end(), [&](const LogLine& k) { return k.offset == note.offset; });
    };
    m_lines.removeIf([&](const LogLine& line) { return line.source == LogLine::LogOrigin::Note && !isKept(line); });
    return true;
}

void LogFeed::trim() {
    const qsizetype excess = m_lines.size() - kMaxLines;
    if (excess <= 0)
        return;
    m_lines.remove(0, excess);
    for (auto& f : m_files) {
        const auto first = std::find_if(m_lines.begin(), m_lines.end(), [&](const LogLine& line) {
            return line.rank == f.rank && line.source != LogLine::LogOrigin::Note;
        });
        if (first != m_lines.end())
            f.file.forgetBefore(first->offset);
    }
}

bool LogFeed::hasOlder() const {
    return std::any_of(m_files.begin(), m_files.end(), [](const FeedFile& f) { return f.file.hasOlder(); });
}

void LogFeed::sendAll() {
    auto kept = std::make_shared<LogLines>();
    std::copy_if(m_lines.begin(), m_lines.end(), std::back_inserter(*kept),
                 [this](const LogLine& line) { return shows(line); });
    m_view = View::Tail;
    m_partAtEnd = true;
    emit replaced(kept, hasOlder(), m_lines.size());
}

void LogFeed::addNotes(const LogNotes& notes) {
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
    if (m_lines.size() >= kMaxLines) { // the limit is reached: from here on, parts are read on demand
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

void LogFeed::setFilter(const LogFilter& filter, bool onlyMatches) {
    m_searcher.clear();
    m_onlyMatches = onlyMatches;
    m_shown = filter;
    m_shown.text = onlyMatches ? boundedPattern(filter.text, kScanSteps) : QRegularExpression();
    if (m_first)
        return;
    // the search begins first, so that the lines never arrive next to the count of the last search
    startSearch(filter);
    sendAll();
}

/// Searches what is not held in memory, or is not the only thing shown.
void LogFeed::startSearch(const LogFilter& filter) {
    if (filter.isOpen() || (m_onlyMatches && !hasOlder()))
        return emit searched(m_searcher.state());
    std::int64_t bytes = 0;
    for (FeedFile& file : m_files)
        if (filter.asksFor(file.rank))
            bytes += file.file.size();
    m_searcher.start(m_sources, filter, bytes, dayMs());
}

void LogFeed::cancelSearch() {
    m_searcher.cancel();
}

void LogFeed::takeMatches() {
    LogLines newer;
    for (const LogLine& line : m_lines)
        if (m_searcher.isNewer(line))
            newer.append(line);
    m_searcher.add(newer);
    emit searched(m_searcher.state());
    if (m_onlyMatches && m_searcher.isListed() && m_view == View::Tail)
        sendMatches(static_cast<qsizetype>(m_searcher.matches().size()) - 1, false);
}

/// Adds the notes from the part's time range, which are in no file, and sends the part.
void LogFeed::sendPart(LogPart part, bool jump) {
    part.jump = jump;
    m_partAtEnd = !part.newer;
    if (!part.lines.isEmpty()) {
        LogLines notes;
        for (const LogLine& note : m_notes)
            if (note.timeMs >= part.lines.front().timeMs && note.timeMs <= part.lines.back().timeMs && shows(note))
                notes.append(note);
        notes = withoutRepeated(notes, part.lines);
        if (!notes.isEmpty() && part.focus >= 0) {
            const LogLine focus = part.lines[part.focus];
            part.lines = mergeByTime({std::move(part.lines), std::move(notes)});
            const auto at = std::find_if(part.lines.begin(), part.lines.end(), [&](const LogLine& l) {
                return l.offset == focus.offset && l.rank == focus.rank && l.source == focus.source;
            });
            part.focus = at - part.lines.begin();
        }
    }
    emit placed(std::make_shared<const LogPart>(std::move(part)));
}

void LogFeed::sendMatches(qsizetype around, bool jump) {
    m_view = View::Matches;
    sendPart(partOfMatches(m_sources, m_searcher.matches(), around, dayMs()), jump);
}

void LogFeed::around(const LogPlace& place) {
    if (m_sources.empty())
        return;
    if (m_onlyMatches && m_searcher.isListed() && !m_searcher.matches().empty())
        return sendMatches(m_searcher.matchAt(place), place.jump);
    m_view = View::Part;
    sendPart(partAround(m_sources, m_shown, place, dayMs()), place.jump);
}

void LogFeed::toTail() {
    if (m_first)
        return;
    if (m_onlyMatches && m_searcher.isListed())
        sendMatches(static_cast<qsizetype>(m_searcher.matches().size()) - 1, false);
    else
        sendAll();
}

void LogFeed::toMatch(const LogLine& from, bool forward) {
    if (m_searcher.state().running)
        return emit message(tr("Still searching the logs"));
    if (m_searcher.matches().empty())
        return emit message(m_searcher.state().tooMany
                                ? tr("Too many lines match to step through them: narrow the search")
                                : tr("No lines match"));
    const qsizetype index = m_searcher.nextMatch(from, forward);
    if (index < 0 || index >= static_cast<qsizetype>(m_searcher.matches().size()))
        return emit message(forward ? tr("This is the last match") : tr("This is the first match"));
    if (m_onlyMatches)
        return sendMatches(index, true);
    LogPlace place;
    place.line = m_searcher.matches()[static_cast<std::size_t>(index)];
    place.jump = true;
    around(place);
}

void LogFeed::save(const QString& file) {
    const LogSearch& search = m_searcher.state();
    if (search.running)
        return emit message(tr("Still searching the logs: save when that is done"));
    if (search.tooMany)
        return emit message(tr("More than %L1 lines match: narrow the filter").arg(kMostMatches));
    if (hasOlder() && !(search.needed && m_onlyMatches))
        return emit message(tr("No filter is set: the complete logs are in %1")
                                .arg(QString::fromStdString(
                                    (m_run.watched ? m_run.paths.commandLog() : m_run.paths.dir / "ranks").string())));
    if (isSpecialFile(file.toStdString()))
        return emit message(tr("%1 is not a regular file: nothing was written").arg(file));
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return emit message(tr("%1 cannot be written: %2").arg(file, out.errorString()));
    qsizetype count = 0;
    const auto write = [&](const LogLine& line) {
        out.write(asText(line));
        ++count;
    };
    if (search.needed) {
        const auto& all = m_searcher.matches();
        for (std::size_t from = 0; from < all.size(); from += kPartLines) {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
            const std::vector<LogMatch> slice(
                begin, begin + static_cast<std::ptrdiff_t>(std::min(kPartLines, all.size() - from)));
            for (const LogLine& line : partOfMatches(m_sources, slice, 0, dayMs()).lines)
                write(line);
        }
    } else {
        for (const LogLine& line : m_lines)
            if (shows(line))
                write(line);
    }
    if (!out.commit())
        return emit message(tr("%1 cannot be written: %2").arg(file, out.errorString()));
    emit message(tr("%L1 lines written to %2").arg(count).arg(file));
}

} // namespace rankscope::ui
