// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/logs/log_line.h"

#include <QDateTime>
#include <queue>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace rankscope::ui {

namespace {

/// Removes terminal escape sequences and other control characters, which have no place in a list.
QString cleaned(const std::string& bytes) {
    QString text = QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::none_of(bytes.begin(), bytes.end(), isControl))
        return text;
    QString out;
    out.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        if (c == QChar(0x1b) && i + 1 < text.size() && text[i + 1] == u'[') {
            i += 2;
            while (i < text.size() && (text[i] < QChar(0x40) || text[i] > QChar(0x7e)))
                ++i;
            continue;
        }
        if (c == u'\t')
            out += QStringLiteral("    ");
        else if (c.unicode() >= 0x20 && c.unicode() != 0x7f)
            out += c;
    }
    return out;
}

/// Returns the number in exactly `n` digits at `at`; -1 if they are not digits.
int digits(const QString& s, qsizetype at, int n) {
    if (at + n > s.size())
        return -1;
    int value = 0;
    for (int i = 0; i < n; ++i) {
        const QChar c = s[at + i];
        if (c < u'0' || c > u'9')
            return -1;
        value = value * 10 + (c.unicode() - u'0');
    }
    return value;
}

/// Returns the start of an hour of a day, in ms since 1970. Consecutive lines share the hour, and the time zone lookup
/// would cost more than everything else for a line.
std::int64_t hourMs(const QDate& date, int hour, bool utc) {
    struct Known {
        qint64 day = std::numeric_limits<qint64>::min();
        int hour = -1;
        bool utc = false;
        std::int64_t ms = 0;
    };
    thread_local Known known;
    if (known.day != date.toJulianDay() || known.hour != hour || known.utc != utc)
        known = {date.toJulianDay(), hour, utc,
                 QDateTime(date, QTime(hour, 0), utc ? Qt::UTC : Qt::LocalTime).toMSecsSinceEpoch()};
    return known.ms;
}

QDate dayOf(std::int64_t dayMs) {
    thread_local std::pair<std::int64_t, QDate> known{std::numeric_limits<std::int64_t>::min(), {}};
    if (known.first != dayMs)
        known = {dayMs, QDateTime::fromMSecsSinceEpoch(dayMs).date()};
    return known.second;
}

struct TimeStamp {
    bool found = false;
    std::int64_t timeMs = 0;
    qsizetype length = 0; ///< characters of the text that the time took
};

bool charAt(const QString& s, qsizetype at, QChar c) {
    return at < s.size() && s[at] == c;
}

TimeStamp readStamp(const QString& s, std::int64_t dayMs) {
    qsizetype at = charAt(s, 0, u'[') ? 1 : 0;
    const bool bracket = at == 1;
    QDate date;
    if (charAt(s, at + 4, u'-') && charAt(s, at + 7, u'-')) {
        const int year = digits(s, at, 4);
        date = QDate(year, digits(s, at + 5, 2), digits(s, at + 8, 2));
        // QDate also accepts years before year 1
        if (year < 1 || !date.isValid() || !(charAt(s, at + 10, u' ') || charAt(s, at + 10, u'T')))
            return {};
        at += 11;
    }
    if (!charAt(s, at + 2, u':') || !charAt(s, at + 5, u':'))
        return {};
    int ms = 0;
    QTime time(digits(s, at, 2), digits(s, at + 3, 2), digits(s, at + 6, 2));
    if (!time.isValid())
        return {};
    at += 8;
    if (charAt(s, at, u'.') || charAt(s, at, u',')) {
        int scale = 100;
        for (++at; at < s.size() && s[at].isDigit(); ++at, scale /= 10)
            ms += scale * s[at].digitValue();
    }
    const bool utc = charAt(s, at, u'Z');
    at += utc;
    if (bracket && !charAt(s, at, u']'))
        return {};
    at += bracket;
    while (charAt(s, at, u' ') || charAt(s, at, u'|'))
        ++at;
    const bool bare = !date.isValid();
    if (bare)
        date = dayOf(dayMs);
    const std::int64_t inHour = (time.minute() * 60 + time.second()) * 1000 + ms;
    std::int64_t moment = hourMs(date, time.hour(), utc) + inHour;
    // a run that began before midnight has times of the next day
    if (bare && moment < dayMs - 3'600'000)
        moment = hourMs(date.addDays(1), time.hour(), utc) + inHour;
    return {true, moment, at};
}

bool startsWithWord(QStringView s, QLatin1String word) {
    if (!s.startsWith(word, Qt::CaseInsensitive))
        return false;
    return s.size() == word.size() || !s[word.size()].isLetterOrNumber();
}

/// Reads a level word at the start, such as "[W]", "warning:" or "ERROR"; `length` is the number of characters it took.
bool readLevel(QStringView s, telemetry::NoteSeverity& level, qsizetype& length) {
    using telemetry::NoteSeverity;
    static const std::pair<QLatin1String, NoteSeverity> words[] = {
        {QLatin1String("debug"), NoteSeverity::Debug},     {QLatin1String("info"), NoteSeverity::Info},
        {QLatin1String("warning"), NoteSeverity::Warning}, {QLatin1String("warn"), NoteSeverity::Warning},
        {QLatin1String("error"), NoteSeverity::Error},     {QLatin1String("fatal"), NoteSeverity::Error},
        {QLatin1String("critical"), NoteSeverity::Error}};
    const bool bracket = s.startsWith(u'[');
    const QStringView body = bracket ? s.mid(1) : s;
    for (const auto& [word, severity] : words) {
        if (!startsWithWord(body, word))
            continue;
        qsizetype end = word.size() + bracket;
        while (end < s.size() && (s[end] == u']' || s[end] == u':' || s[end] == u' '))
            ++end;
        level = severity;
        length = end;
        return true;
    }
    return false;
}

} // namespace

LogLine parseLogLine(const RawLine& raw, int rank, const LogLine* before, std::int64_t dayMs) {
    LogLine line;
    line.rank = rank;
    line.source = rank == kCommandLog ? LogLine::LogOrigin::Command
                  : rank < 0          ? LogLine::LogOrigin::Supervisor
                                      : LogLine::LogOrigin::Rank;
    line.offset = raw.offset;
    line.text = cleaned(raw.text);
    const TimeStamp stamp = readStamp(line.text, dayMs);
    line.ownTime = stamp.found;
    line.timeMs = stamp.found ? stamp.timeMs : before ? before->timeMs : dayMs;
    if (stamp.found)
        line.text.remove(0, stamp.length);
    qsizetype taken = 0;
    if (readLevel(line.text, line.level, taken))
        line.text.remove(0, taken);
    else if (!stamp.found && before && line.text.startsWith(u' '))
        line.level = before->level;                     // this line continues a message
    if (line.text.startsWith(QLatin1String("rank "))) { // the column already shows it
        const QString who = QStringLiteral("rank %1: ").arg(rank);
        if (line.text.startsWith(who))
            line.text.remove(0, who.size());
    }
    return line;
}

LogLine fromNote(const store::Note& note, std::int64_t runStartRealtimeNs) {
    LogLine line;
    line.rank = note.rank;
    line.source = LogLine::LogOrigin::Note;
    line.level = note.severity;
    line.ownTime = true;
    line.timeMs = (runStartRealtimeNs + note.timeNs) / 1'000'000;
    line.offset = note.id;
    line.text = cleaned(note.text);
    return line;
}

static constexpr std::int64_t kSameMessageMs = 2000; ///< between a log line and the note of the same event

bool repeats(const LogLine& note, const LogLine& line) {
    return line.source != LogLine::LogOrigin::Note && line.rank == note.rank && line.text == note.text &&
           std::abs(line.timeMs - note.timeMs) <= kSameMessageMs;
}

LogLines withoutRepeated(const LogLines& notes, const LogLines& lines) {
    LogLines kept;
    for (const LogLine& note : notes) {
        auto at = std::lower_bound(lines.begin(), lines.end(), note.timeMs - kSameMessageMs,
                                   [](const LogLine& line, std::int64_t ms) { return line.timeMs < ms; });
        while (at != lines.end() && at->timeMs <= note.timeMs + kSameMessageMs && !repeats(note, *at))
            ++at;
        if (at == lines.end() || at->timeMs > note.timeMs + kSameMessageMs)
            kept.append(note);
    }
    return kept;
}

bool LogFilter::accepts(const LogLine& line) const {
    if (rank != -2 && line.rank != rank)
        return false;
    if (line.level < least)
        return false;
    return text.pattern().isEmpty() || (text.isValid() && text.match(line.text).hasMatch());
}

QRegularExpression boundedPattern(const QRegularExpression& pattern, int steps) {
    if (pattern.pattern().isEmpty())
        return pattern;
    QRegularExpression bounded(QStringLiteral("(*LIMIT_MATCH=%1)(*LIMIT_DEPTH=%1)").arg(steps) + pattern.pattern(),
                               pattern.patternOptions());
    bounded.optimize();
    return bounded;
}

LogLines mergeByTime(std::vector<LogLines> lists) {
    using Head = std::pair<std::int64_t, std::size_t>; // time, list: the lower list first at equal times
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    std::vector<qsizetype> next(lists.size(), 0);
    qsizetype total = 0;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        total += lists[i].size();
        if (!lists[i].isEmpty())
            heads.emplace(lists[i].front().timeMs, i);
    }
    LogLines merged;
    merged.reserve(total);
    while (!heads.empty()) {
        const auto [time, i] = heads.top();
        heads.pop();
        // a line whose clock ran backwards stays after its predecessor
        do
            merged.append(std::move(lists[i][next[i]++]));
        while (next[i] < lists[i].size() && lists[i][next[i]].timeMs <= time);
        if (next[i] < lists[i].size())
            heads.emplace(lists[i][next[i]].timeMs, i);
    }
    return merged;
}

} // namespace rankscope::ui
