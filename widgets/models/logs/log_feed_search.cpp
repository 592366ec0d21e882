// SPDX-License-Identifier: GPL-3.0-or-later
// The feed's second half: looking through all of the logs, and showing parts of them.
#include "core/base/files/atomic_file.h"
#include "widgets/models/logs/log_feed.h"

#include <QDateTime>
#include <QSaveFile>

#include <algorithm>

namespace rankscope::ui {

LogFeed::~LogFeed() {
    endSearch();
}

void LogFeed::setFilter(const LogFilter& filter, bool onlyMatches) {
    endSearch();
    m_wanted = m_filter = filter;
    m_filter.text = boundedPattern(filter.text, kScanSteps);
    m_onlyMatches = onlyMatches;
    m_shown = m_filter;
    if (!onlyMatches)
        m_shown.text = {};
    if (m_first)
        return;
    sendAll();
    const bool held = std::none_of(m_files.begin(), m_files.end(), [](const File& f) { return f.file.hasOlder(); });
    m_search.needed = !m_filter.isOpen() && (!held || !onlyMatches);
    if (m_search.needed)
        search();
    else
        emit searched(m_search);
}

void LogFeed::search() {
    m_scanBytes = 0;
    for (File& file : m_files)
        if (m_filter.asksFor(file.rank))
            m_scanBytes += file.file.size();
    m_state = std::make_shared<LogScanState>();
    m_search.running = true;
    // its own copies: nothing is shared but the state
    m_scan = std::thread([this, state = m_state, sources = m_sources, filter = m_wanted, day = dayMs()] {
        auto result = std::make_shared<LogScanResult>(scanLogs(sources, filter, day, *state));
        QMetaObject::invokeMethod(
            this,
            [this, state, result] {
                if (state == m_state)
                    takeResult(std::move(*result));
            },
            Qt::QueuedConnection);
    });
    tellSearch();
}

/// Waits for less than a block: the scan looks up after each.
void LogFeed::endSearch() {
    if (m_state)
        m_state->cancelled = true;
    if (m_scan.joinable())
        m_scan.join();
    m_state.reset();
    m_result = {};
    m_search = {};
}

void LogFeed::cancelSearch() {
    if (m_state)
        m_state->cancelled = true; // what was found is taken
}

void LogFeed::tellSearch() {
    if (m_search.running && m_state) {
        m_search.matches = m_state->matches;
        m_search.givenUp = m_state->givenUp;
        m_search.progress =
            m_scanBytes > 0
                ? std::min(1.0, static_cast<double>(m_state->bytes.load()) / static_cast<double>(m_scanBytes))
                : 1;
    }
    emit searched(m_search);
}

void LogFeed::takeResult(LogScanResult result) {
    if (m_scan.joinable())
        m_scan.join();
    m_result = std::move(result);
    m_search.running = false;
    m_search.whole = m_result.whole;
    m_search.tooMany = m_result.tooMany;
    m_search.matches = m_result.count;
    m_search.givenUp = m_result.givenUp;
    if (m_result.whole)
        m_search.progress = 1;
    LogLines newer; // came while it looked
    for (const LogLine& line : m_lines) {
        const auto file = static_cast<std::size_t>(line.rank + 1);
        if (line.source != LogLine::Source::Note && file < m_result.ends.size() && line.offset >= m_result.ends[file] &&
            m_result.whole)
            newer.append(line);
    }
    addMatches(newer);
    emit searched(m_search);
    if (m_onlyMatches && !m_result.tooMany && m_view == View::Tail)
        sendMatches(static_cast<qsizetype>(m_result.matches.size()) - 1);
}

void LogFeed::addMatches(const LogLines& lines) {
    if (!m_search.needed || m_search.running)
        return;
    if (lines.isEmpty())
        return;
    for (const LogLine& line : lines) {
        if (line.source == LogLine::Source::Note || !m_filter.accepts(line))
            continue;
        ++m_search.matches;
        if (!m_result.tooMany)
            m_result.matches.push_back({line.timeMs, line.offset, line.rank + 1});
    }
    if (!std::is_sorted(m_result.matches.begin(), m_result.matches.end()))
        std::stable_sort(m_result.matches.begin(), m_result.matches.end());
    emit searched(m_search);
}

/// With the notes of its time, which are in no file.
void LogFeed::sendPart(LogPart part) {
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

void LogFeed::sendMatches(qsizetype around) {
    m_view = View::Matches;
    LogPart part = partOfMatches(m_sources, m_result.matches, around, dayMs());
    m_partAtEnd = !part.newer;
    sendPart(std::move(part));
}

void LogFeed::around(const LogPlace& place) {
    if (m_sources.empty())
        return;
    const bool matches = m_onlyMatches && m_search.needed && !m_search.running && !m_search.tooMany;
    if (matches && !m_result.matches.empty()) {
        const auto& all = m_result.matches;
        const std::int64_t timeMs = place.line ? place.line->timeMs : place.timeMs.value_or(0);
        auto at = std::lower_bound(all.begin(), all.end(), LogMatch{timeMs, 0, 0});
        if (place.line)
            while (at != all.end() && at->timeMs == timeMs &&
                   (at->file != place.line->file || at->offset != place.line->offset))
                ++at;
        else if (place.fraction)
            at = all.begin() + static_cast<std::ptrdiff_t>(*place.fraction * static_cast<double>(all.size() - 1));
        sendMatches(at - all.begin());
        return;
    }
    m_view = View::Part;
    LogPart part = partAround(m_sources, m_shown, place, dayMs());
    m_partAtEnd = !part.newer;
    sendPart(std::move(part));
}

void LogFeed::toTail() {
    if (m_first)
        return;
    const bool matches = m_onlyMatches && m_search.needed && !m_search.running && !m_search.tooMany;
    if (matches)
        sendMatches(static_cast<qsizetype>(m_result.matches.size()) - 1);
    else
        sendAll();
}

qsizetype LogFeed::nextMatch(const LogLine& from, bool forward) const {
    const auto& all = m_result.matches;
    const auto low = std::lower_bound(all.begin(), all.end(), LogMatch{from.timeMs, 0, 0});
    const auto high = std::upper_bound(low, all.end(), LogMatch{from.timeMs, 0, 0});
    const auto self = std::find_if(low, high, [&](const LogMatch& m) {
        return m.file == from.rank + 1 && m.offset == from.offset && from.source != LogLine::Source::Note;
    });
    const auto at = self != high ? self - all.begin() : low - all.begin();
    return forward ? (self != high ? at + 1 : at) : at - 1;
}

void LogFeed::toMatch(const LogLine& from, bool forward) {
    if (m_search.running)
        return emit message(tr("Still looking through the logs"));
    if (m_result.matches.empty())
        return emit message(m_search.tooMany ? tr("Too many lines match to step through them: narrow the search")
                                             : tr("No line matches"));
    const qsizetype index = nextMatch(from, forward);
    if (index < 0 || index >= static_cast<qsizetype>(m_result.matches.size()))
        return emit message(forward ? tr("This is the last match") : tr("This is the first match"));
    if (m_onlyMatches)
        return sendMatches(index);
    LogPlace place;
    place.line = m_result.matches[static_cast<std::size_t>(index)];
    around(place);
}

static QByteArray asText(const LogLine& line) {
    const QString who = line.rank < 0 ? QStringLiteral("supervisor") : QStringLiteral("rank %1").arg(line.rank);
    const QString when =
        line.ownTime ? QDateTime::fromMSecsSinceEpoch(line.timeMs).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz "))
                     : QString();
    static const char* const kLevels[] = {"debug ", "", "warning ", "error "};
    const auto level = std::clamp(static_cast<int>(line.level), 0, 3);
    return (when + QLatin1String(kLevels[level]) + who + QStringLiteral(": ") + line.text + u'\n').toUtf8();
}

void LogFeed::save(const QString& file) {
    const bool held = std::none_of(m_files.begin(), m_files.end(), [](const File& f) { return f.file.hasOlder(); });
    if (m_search.running)
        return emit message(tr("Still looking through the logs: save when that is done"));
    if (m_search.tooMany)
        return emit message(tr("More than %L1 lines match: narrow the filter").arg(kMostMatches));
    if (!held && !(m_search.needed && m_onlyMatches))
        return emit message(tr("Nothing is filtered: the whole logs are in %1")
                                .arg(QString::fromStdString((m_run.paths.dir / "ranks").string())));
    if (isSpecialFile(file.toStdString()))
        return emit message(tr("%1 is no regular file: nothing was written").arg(file));
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return emit message(tr("%1 cannot be written: %2").arg(file, out.errorString()));
    qsizetype count = 0;
    const auto write = [&](const LogLine& line) {
        out.write(asText(line));
        ++count;
    };
    if (m_search.needed) {
        const auto all = static_cast<qsizetype>(m_result.matches.size());
        for (qsizetype from = 0; from < all; from += static_cast<qsizetype>(kPartLines)) {
            const std::vector<LogMatch> slice(m_result.matches.begin() + from,
                                              m_result.matches.begin() +
                                                  std::min(all, from + static_cast<qsizetype>(kPartLines)));
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
