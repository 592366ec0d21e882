// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/logs/log_part.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

namespace rankscope::ui {

namespace {

constexpr std::size_t kProbeBytes = 16u << 10;
constexpr int kGrowths = 4; ///< how often the amount to read is doubled if the filter keeps little of it

struct StampedLine {
    std::int64_t timeMs = 0, offset = 0;
};

class OneFile {
public:
    OneFile(const LogSource& source, std::size_t index, std::int64_t dayMs)
        : m_file(source.path, source.depth()), m_rank(source.rank), m_index(index), m_dayMs(dayMs),
          m_size(m_file.size()) {}

    std::int64_t size() const { return m_size; }
    std::size_t index() const { return m_index; }
    std::int64_t at() const { return m_at; }
    bool older() const { return m_begin > 0; }
    bool newer() const { return m_end < m_size; }
    std::int64_t begin() const { return m_begin; }
    std::int64_t end() const { return m_end; }
    LogLines& lines() { return m_lines; }

    /// Returns the first line with its own time at or after an offset.
    std::optional<StampedLine> stampAt(std::int64_t offset) {
        m_file.place(offset);
        for (const RawLine& raw : m_file.readNew(kProbeBytes, 0))
            if (const LogLine line = parseLogLine(raw, m_rank, nullptr, m_dayMs); line.ownTime)
                return StampedLine{line.timeMs, raw.offset};
        return {};
    }

    void goTo(std::int64_t offset) {
        m_file.place(offset);
        m_at = m_file.begin();
    }

    /// Moves to a time; false: the file has no times.
    bool goToTime(std::int64_t timeMs) {
        if (!stampAt(0))
            return false;
        std::int64_t low = 0, high = m_size;
        while (high - low > static_cast<std::int64_t>(kProbeBytes)) {
            const std::int64_t middle = low + (high - low) / 2;
            const auto stamp = stampAt(middle);
            if (stamp && stamp->timeMs < timeMs && stamp->offset > low)
                low = stamp->offset;
            else
                high = middle;
        }
        m_file.place(low);
        std::int64_t found = m_size;
        for (const RawLine& raw : m_file.readNew(4 * kProbeBytes, 0)) {
            found = raw.offset;
            const LogLine line = parseLogLine(raw, m_rank, nullptr, m_dayMs);
            if (line.ownTime && line.timeMs >= timeMs)
                break;
            found = m_file.end();
        }
        goTo(found);
        return true;
    }

    void read(std::size_t bytes) {
        m_lines.clear();
        m_file.place(m_at);
        std::vector<RawLine> raw = m_file.readOlder(bytes / 2);
        m_begin = m_file.begin();
        const std::vector<RawLine> behind = m_file.readNew(bytes / 2, 0);
        raw.insert(raw.end(), behind.begin(), behind.end());
        m_end = m_file.end();
        LogLine last;
        for (const RawLine& r : raw) {
            m_lines.append(parseLogLine(r, m_rank, m_lines.isEmpty() ? nullptr : &last, m_dayMs));
            last = m_lines.back();
        }
        // lines before the first time get that time
        const auto timed = std::find_if(m_lines.begin(), m_lines.end(), [](const LogLine& l) { return l.ownTime; });
        if (timed != m_lines.end() && m_begin > 0)
            for (auto line = m_lines.begin(); line != timed; ++line)
                line->timeMs = timed->timeMs;
    }

    /// Removes lines outside the time range in which all files were read: lines of other files would be missing there.
    void cut(std::int64_t fromMs, std::int64_t toMs) {
        while (!m_lines.isEmpty() && m_lines.front().timeMs < fromMs) {
            m_lines.removeFirst();
            m_begin = m_lines.isEmpty() ? m_at : m_lines.front().offset;
        }
        while (!m_lines.isEmpty() && m_lines.back().timeMs > toMs) {
            m_end = m_lines.back().offset;
            m_lines.removeLast();
        }
    }

private:
    LogFile m_file;
    int m_rank;
    std::size_t m_index;
    std::int64_t m_dayMs, m_size, m_at = 0, m_begin = 0, m_end = 0;
    LogLines m_lines;
};

std::int64_t bytesOf(const std::vector<OneFile>& files) {
    std::int64_t all = 0;
    for (const OneFile& file : files)
        all += file.size();
    return std::max<std::int64_t>(1, all);
}

/// Moves every file to the place; files without times by share of their size.
void goTo(std::vector<OneFile>& files, const LogPlace& place) {
    const auto largest =
        std::max_element(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    std::optional<std::int64_t> timeMs = place.timeMs;
    double fraction = place.fraction.value_or(0);
    if (place.line) {
        timeMs = place.line->timeMs;
        for (const OneFile& file : files)
            if (file.index() == static_cast<std::size_t>(place.line->file) && file.size() > 0)
                fraction = static_cast<double>(place.line->offset) / static_cast<double>(file.size());
    } else if (!timeMs) {
        const auto at = static_cast<std::int64_t>(fraction * static_cast<double>(largest->size()));
        if (fraction < 1)
            if (const auto stamp = largest->stampAt(at))
                timeMs = stamp->timeMs;
    }
    for (OneFile& file : files) {
        const bool own = place.line && file.index() == static_cast<std::size_t>(place.line->file);
        if (own)
            file.goTo(place.line->offset);
        else if (!timeMs || !file.goToTime(*timeMs))
            file.goTo(static_cast<std::int64_t>(fraction * static_cast<double>(file.size())));
    }
}

void readAll(std::vector<OneFile>& files, std::size_t bytes) {
    std::int64_t from = std::numeric_limits<std::int64_t>::min(), to = std::numeric_limits<std::int64_t>::max();
    for (OneFile& file : files) {
        file.read(std::max<std::size_t>(bytes / files.size(), kProbeBytes));
        if (file.lines().isEmpty())
            continue;
        if (file.older())
            from = std::max(from, file.lines().front().timeMs);
        if (file.newer())
            to = std::min(to, file.lines().back().timeMs);
    }
    if (from <= to)
        for (OneFile& file : files)
            file.cut(from, to);
}

qsizetype focusOf(const LogLines& lines, const std::vector<LogSource>& sources, const LogPlace& place) {
    const auto is = [&](const LogLine& line) {
        return place.line && line.offset == place.line->offset && line.source != LogLine::LogOrigin::Note &&
               line.rank == sources[static_cast<std::size_t>(place.line->file)].rank;
    };
    auto at = std::find_if(lines.begin(), lines.end(), is);
    const auto timeMs =
        place.line ? place.line->timeMs : place.timeMs.value_or(std::numeric_limits<std::int64_t>::min());
    if (at == lines.end())
        at = std::find_if(lines.begin(), lines.end(), [&](const LogLine& line) { return line.timeMs >= timeMs; });
    if (!place.line && !place.timeMs)
        at = lines.begin() + lines.size() / 2;
    return lines.isEmpty() ? -1 : std::min<qsizetype>(at - lines.begin(), lines.size() - 1);
}

} // namespace

LogPart partAround(const std::vector<LogSource>& sources, const LogFilter& filter, const LogPlace& place,
                   std::int64_t dayMs) {
    std::vector<OneFile> files;
    for (std::size_t i = 0; i < sources.size(); ++i)
        if (filter.asksFor(sources[i].rank))
            files.emplace_back(sources[i], i, dayMs);
    LogPart part;
    if (files.empty())
        return part;
    goTo(files, place);
    for (int growth = 0; growth <= kGrowths; ++growth) {
        readAll(files, kPartBytes << growth);
        std::vector<LogLines> lists;
        part = {};
        double from = 0, to = 0;
        for (OneFile& file : files) {
            part.older |= file.begin() > 0;
            part.newer |= file.newer();
            from += static_cast<double>(file.begin());
            to += static_cast<double>(file.end());
            LogLines kept;
            for (LogLine& line : file.lines())
                if (filter.isOpen() || filter.accepts(line))
                    kept.append(std::move(line));
            lists.push_back(std::move(kept));
        }
        part.lines = mergeByTime(std::move(lists));
        part.from = from / static_cast<double>(bytesOf(files));
        part.to = to / static_cast<double>(bytesOf(files));
        if (part.lines.size() >= 500 || !(part.older || part.newer))
            break;
    }
    part.focus = focusOf(part.lines, sources, place);
    return part;
}

LogPart partOfMatches(const std::vector<LogSource>& sources, const std::vector<LogMatch>& matches, qsizetype around,
                      std::int64_t dayMs) {
    LogPart part;
    const auto all = static_cast<qsizetype>(matches.size());
    const auto half = static_cast<qsizetype>(kPartLines / 2);
    const qsizetype first = std::clamp<qsizetype>(around - half, 0, std::max<qsizetype>(0, all - 2 * half));
    const qsizetype last = std::min(first + 2 * half, all);
    std::map<std::int32_t, std::unique_ptr<LogFile>> files;
    for (qsizetype i = first; i < last; ++i) {
        const LogMatch& match = matches[static_cast<std::size_t>(i)];
        const LogSource& source = sources[static_cast<std::size_t>(match.file)];
        auto& file = files[match.file];
        if (!file)
            file = std::make_unique<LogFile>(source.path, source.depth());
        LogLine line = parseLogLine(file->lineAt(match.offset), source.rank, nullptr, dayMs);
        line.timeMs = match.timeMs; // of the previous line if it has none
        part.lines.append(std::move(line));
    }
    part.older = first > 0;
    part.newer = last < all;
    part.focus = part.lines.isEmpty() ? -1 : std::clamp<qsizetype>(around - first, 0, part.lines.size() - 1);
    part.from = all > 0 ? static_cast<double>(first) / static_cast<double>(all) : 0;
    part.to = all > 0 ? static_cast<double>(last) / static_cast<double>(all) : 1;
    return part;
}

} // namespace rankscope::ui
