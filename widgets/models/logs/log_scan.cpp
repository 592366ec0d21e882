// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/logs/log_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>

namespace rankscope::ui {

namespace {

constexpr std::size_t kBlockBytes = 1u << 20;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

/// Returns the position after a class "[…]"; the end if the class is not closed.
qsizetype behindClass(const QString& p, qsizetype at) {
    qsizetype i = at + 1;
    if (i < p.size() && p[i] == u'^')
        ++i;
    if (i < p.size() && p[i] == u']')
        ++i;
    while (i < p.size() && p[i] != u']')
        i += p[i] == u'\\' ? 2 : 1;
    return i + 1;
}

/// Returns the longest text that every match of a pattern contains, in lower case; empty if none is certain. It may
/// miss such a text, but never returns one that is not required.
std::string neededText(const QString& p) {
    std::string run, longest;
    const auto end = [&] {
        if (run.size() > longest.size())
            longest = run;
        run.clear();
    };
    int depth = 0; // the contents of groups may be optional
    for (qsizetype i = 0; i < p.size(); ++i) {
        QChar c = p[i];
        if (c == u'|' || (c == u'(' && i + 1 < p.size() && (p[i + 1] == u'?' || p[i + 1] == u'*')))
            return {};
        bool literal = !QStringLiteral("\\^$.?*+()[]{}").contains(c);
        if (c == u'\\') {
            if (++i >= p.size())
                return {};
            c = p[i];
            literal = !c.isLetterOrNumber();
            if (!literal && !QStringLiteral("dDwWsSbBhHvVRntrAzZ").contains(c))
                return {};
        }
        if (literal && depth == 0 && c.unicode() >= 0x20 && c.unicode() < 0x7f) {
            run += lower(static_cast<char>(c.unicode()));
            continue;
        }
        if (!literal && (c == u'?' || c == u'*' || c == u'{') && p[i] == c && !run.empty() &&
            !(i > 0 && p[i - 1] == u')'))
            run.pop_back(); // it may occur zero times
        end();
        if (c == u'[' && !literal)
            i = behindClass(p, i) - 1;
        else if (c == u'{' && !literal)
            i = std::max(i, p.indexOf(u'}', i));
        else if (c == u'(' && !literal)
            ++depth;
        else if (c == u')' && !literal)
            depth = std::max(0, depth - 1);
    }
    end();
    return longest;
}

/// Returns the lower-case words of which a line must contain at least one to be kept; none: any line may be kept.
std::vector<std::string> neededWords(const LogFilter& filter) {
    if (std::string text = neededText(filter.text.pattern()); text.size() >= 2)
        return {std::move(text)};
    if (filter.least >= telemetry::NoteSeverity::Error)
        return {"error", "fatal", "critical"};
    if (filter.least >= telemetry::NoteSeverity::Warning)
        return {"warn", "error", "fatal", "critical"};
    return {};
}

/// Finds a lower-case word in text of either case: searches for the nearer form of its first letter, then compares the
/// rest.
bool containsWord(std::string_view text, const std::string& word) {
    if (word.size() > text.size())
        return false;
    const char low = word[0], high = low >= 'a' && low <= 'z' ? static_cast<char>(low & ~0x20) : low;
    const char* const end = text.data() + text.size() - word.size() + 1;
    const auto next = [end](const char* from, char c) {
        const void* at = from < end ? std::memchr(from, c, static_cast<std::size_t>(end - from)) : nullptr;
        return at ? static_cast<const char*>(at) : end;
    };
    const char *a = next(text.data(), low), *b = high == low ? end : next(text.data(), high);
    for (const char* at = std::min(a, b); at < end; at = std::min(a, b)) {
        std::size_t i = 1;
        while (i < word.size() && lower(at[i]) == word[i])
            ++i;
        if (i == word.size())
            return true;
        (at == a ? a : b) = next(at + 1, at == a ? low : high);
    }
    return false;
}

/// Returns whether the text has only characters that a list shows unchanged, and line ends.
bool isPlain(std::string_view text) {
    bool plain = true; // branch-free, so that the compiler can vectorize it
    for (const char c : text)
        plain &= (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r';
    return plain;
}

/// Returns the text as a list shows it: escape sequences, which may be inside a word, are removed, and tabs become
/// spaces. Two non-ASCII letters become s and k, which a case-insensitive search treats as equal.
std::string shown(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        // NOLINTNEXTLINE(bugprone-branch-clone): nearly all characters take the first branch
        if ((c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r') {
            out += c;
        } else if (c == 0x1b && text.substr(i + 1).starts_with('[')) {
            i += 2;
            while (i < text.size() && text[i] != '\n' && (text[i] < 0x40 || text[i] > 0x7e))
                ++i;
            if (i < text.size() && text[i] == '\n')
                out += '\n';
        } else if (c == '\t') {
            out += "    ";
        } else if (text.substr(i).starts_with("\xc5\xbf")) {
            out += 's', ++i;
        } else if (text.substr(i).starts_with("\xe2\x84\xaa")) {
            out += 'k', i += 2;
        } else if (static_cast<unsigned char>(c) >= 0x80) {
            out += c;
        }
    }
    return out;
}

const std::vector<std::string> kLevelWords{"debug", "warn", "error", "fatal", "critical"};

class FileScan {
public:
    FileScan(const LogSource& source, std::int32_t index, const LogFilter& filter, std::int64_t dayMs,
             const std::vector<std::string>& words, LogScanState& state, LogScanResult& result)
        : m_file(source.path, source.depth()), m_rank(source.rank), m_index(index), m_filter(filter), m_dayMs(dayMs),
          m_state(state), m_result(result), m_words(words) {}

    /// Returns the offset up to which the file was read.
    std::int64_t run() {
        const std::int64_t size = m_file.size();
        std::int64_t at = 0;
        while (at < size && !m_state.cancelled) {
            std::string block = m_file.read(at, kBlockBytes);
            const auto lastEnd = block.rfind('\n');
            if (block.empty() || (lastEnd == std::string::npos && block.size() < kBlockBytes))
                break; // the newest line is still incomplete
            if (lastEnd != std::string::npos)
                block.resize(lastEnd + 1);
            take(block, at);
            at += static_cast<std::int64_t>(block.size());
            m_state.bytes += static_cast<std::int64_t>(block.size());
        }
        return at;
    }

private:
    void take(std::string_view block, std::int64_t offset) {
        if (skips(block)) {
            // keep the time for later lines that have none
            const auto from = block.size() > kTimeBytes ? block.find('\n', block.size() - kTimeBytes) : 0;
            if (from != std::string_view::npos && from + 1 < block.size())
                eachLine(block.substr(from == 0 ? 0 : from + 1), offset, &FileScan::remember);
            m_level = telemetry::NoteSeverity::Info;
            return;
        }
        eachLine(block, offset, &FileScan::takeLine);
    }

    static bool holdsOne(std::string_view text, const std::vector<std::string>& words) {
        return std::any_of(words.begin(), words.end(), [&](const auto& w) { return containsWord(text, w); });
    }
    /// Returns whether the line continues a message and so has the level of its first line.
    static bool isRest(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }
    bool byLevel() const { return m_filter.least > telemetry::NoteSeverity::Debug; }

    bool skips(std::string_view block) const {
        if (m_words.empty())
            return false;
        if (!isPlain(block))
            return skipsPlain(shown(block));
        return skipsPlain(block);
    }
    bool skipsPlain(std::string_view block) const {
        if (holdsOne(block, m_words))
            return false;
        return !byLevel() || (!holdsOne(block, kLevelWords) && !isRest(block));
    }

    void eachLine(std::string_view block, std::int64_t offset,
                  void (FileScan::*handle)(std::string_view, std::int64_t)) {
        for (std::size_t at = 0; at < block.size();) {
            const auto end = std::min(block.find('\n', at), block.size());
            (this->*handle)(block.substr(at, end - at), offset + static_cast<std::int64_t>(at));
            at = end + 1;
        }
    }

    static bool mayHaveTime(std::string_view line) {
        return !line.empty() && ((line[0] >= '0' && line[0] <= '9') || line[0] == '[');
    }

    /// Remembers the newest line with its own time without parsing it. A line that may or may not have one (a bracket,
    /// something before it that is not shown, an invalid date) is parsed right away; if it were remembered, it would
    /// hide the one before.
    void remember(std::string_view line, std::int64_t) {
        line = withoutRewritten(line);
        if (hasPlainTime(line)) {
            m_timed = line;
        } else if (mayHaveTime(line) || !isPlain(line.substr(0, 1))) {
            const LogLine read = parse(line.substr(0, kTimeBytes), 0, nullptr);
            if (!read.ownTime)
                return;
            m_timeMs = read.timeMs;
            m_timed.clear();
        }
    }

    static int digits(std::string_view line, std::size_t at, std::size_t count) {
        int value = 0;
        const bool good =
            at + count <= line.size() &&
            std::from_chars(line.data() + at, line.data() + at + count, value).ptr == line.data() + at + count;
        return good ? value : -1;
    }
    static bool isAt(std::string_view line, std::size_t at, char c) { return at < line.size() && line[at] == c; }

    /// Returns whether the line certainly starts with "2025-01-31 12:04:31" or "12:04:31".
    static bool hasPlainTime(std::string_view line) {
        if (line.empty() || line[0] < '0' || line[0] > '9')
            return false;
        std::size_t at = 0;
        if (isAt(line, 4, '-') && isAt(line, 7, '-')) {
            const int year = digits(line, 0, 4), month = digits(line, 5, 2), day = digits(line, 8, 2);
            const auto date = std::chrono::year(year) / month / day;
            if (year < 1 || month < 1 || day < 1 || !date.ok() || !(isAt(line, 10, ' ') || isAt(line, 10, 'T')))
                return false;
            at = 11;
        }
        const auto below = [&](std::size_t where, int most) {
            const int value = digits(line, at + where, 2);
            return value >= 0 && value < most;
        };
        return isAt(line, at + 2, ':') && isAt(line, at + 5, ':') && below(0, 24) && below(3, 60) && below(6, 60);
    }

    /// Returns the visible part of a line that a progress bar has rewritten.
    static std::string_view withoutRewritten(std::string_view line) {
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (const auto back = line.rfind('\r'); back != std::string_view::npos)
            line.remove_prefix(back + 1);
        return line.substr(0, LogFile::kMaxLineBytes);
    }

    void takeLine(std::string_view raw, std::int64_t offset) {
        std::string_view line = withoutRewritten(raw);
        std::string plain;
        if (!m_words.empty() && !isPlain(line))
            line = plain = shown(line);
        const bool rest = byLevel() && isRest(line) && m_level >= m_filter.least;
        if (!m_words.empty() && !rest && !holdsOne(line, m_words)) {
            if (byLevel() && !isRest(line))
                m_level =
                    holdsOne(line, kLevelWords) ? parse(raw, offset, nullptr).level : telemetry::NoteSeverity::Info;
            remember(raw, offset);
            return;
        }
        LogLine before;
        before.timeMs = timeBefore();
        before.level = m_level;
        const LogLine parsed = parse(raw, offset, &before);
        remember(raw, offset);
        m_level = parsed.level;
        if (accepts(parsed))
            keep(parsed, offset);
    }

    LogLine parse(std::string_view line, std::int64_t offset, const LogLine* before) const {
        return parseLogLine({offset, std::string(withoutRewritten(line))}, m_rank, before, m_dayMs);
    }

    std::int64_t timeBefore() {
        if (m_timed.empty())
            return m_timeMs ? *m_timeMs : m_dayMs;
        const LogLine line = parse(m_timed, 0, nullptr);
        m_timed.clear();
        if (line.ownTime)
            m_timeMs = line.timeMs;
        return m_timeMs ? *m_timeMs : m_dayMs;
    }

    bool accepts(const LogLine& line) {
        if (line.level < m_filter.least)
            return false;
        if (m_filter.text.pattern().isEmpty())
            return true;
        const auto match = m_filter.text.match(line.text);
        if (!match.isValid())
            ++m_state.givenUp;
        return match.hasMatch();
    }

    void keep(const LogLine& line, std::int64_t offset) {
        ++m_state.matches;
        if (++m_result.count > kMostMatches) {
            m_result.tooMany = true;
            std::vector<LogMatch>().swap(m_result.matches);
        } else {
            m_result.matches.push_back({line.timeMs, offset, m_index});
        }
    }

    static constexpr std::size_t kTimeBytes = 4096;
    LogFile m_file;
    int m_rank;
    std::int32_t m_index;
    const LogFilter& m_filter;
    std::int64_t m_dayMs;
    LogScanState& m_state;
    LogScanResult& m_result;
    const std::vector<std::string>& m_words;
    std::string m_timed; ///< the newest line that may begin with a time, not parsed yet
    std::optional<std::int64_t> m_timeMs;
    telemetry::NoteSeverity m_level = telemetry::NoteSeverity::Info;
};

} // namespace

std::vector<LogSource> logSources(const launch::RunPaths& run, int worldSize) {
    std::vector<LogSource> sources{{run.dir / "supervisor.log", -1}, {run.commandLog(), kCommandLog}};
    for (int r = 0; r < worldSize; ++r)
        sources.push_back({run.log(r), r});
    return sources;
}

LogScanResult scanLogs(const std::vector<LogSource>& sources, const LogFilter& filter, std::int64_t dayMs,
                       LogScanState& state) {
    LogFilter bounded = filter;
    bounded.text = boundedPattern(filter.text, kScanSteps);
    const std::vector<std::string> words = neededWords(filter);
    LogScanResult result;
    for (const LogSource& source : sources)
        if (filter.asksFor(source.rank))
            result.total += LogFile(source.path, source.depth()).size();
    for (std::size_t i = 0; i < sources.size(); ++i)
        result.ends.push_back(
            filter.asksFor(sources[i].rank)
                ? FileScan(sources[i], static_cast<std::int32_t>(i), bounded, dayMs, words, state, result).run()
                : 0);
    result.whole = !state.cancelled;
    result.bytes = state.bytes;
    result.givenUp = state.givenUp;
    std::stable_sort(result.matches.begin(), result.matches.end());
    return result;
}

} // namespace rankscope::ui
