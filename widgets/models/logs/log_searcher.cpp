// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/logs/log_searcher.h"

#include <algorithm>

namespace rankscope::ui {

void LogSearcher::start(const std::vector<LogSource>& sources, const LogFilter& filter, std::int64_t bytes,
                        std::int64_t dayMs) {
    clear();
    m_filter = filter;
    m_filter.text = boundedPattern(filter.text, kScanSteps);
    m_bytes = bytes;
    m_state = std::make_shared<LogScanState>();
    m_search.needed = m_search.running = true;
    // copies for the thread: only the state is shared
    m_scan = std::thread([this, state = m_state, sources, filter, dayMs] {
        auto result = std::make_shared<LogScanResult>(scanLogs(sources, filter, dayMs, *state));
        QMetaObject::invokeMethod(
            this,
            [this, state, result] {
                if (state == m_state)
                    takeResult(std::move(*result));
            },
            Qt::QueuedConnection);
    });
    publish();
}

void LogSearcher::cancel() {
    if (m_state)
        m_state->cancelled = true;
}

void LogSearcher::clear() {
    cancel();
    if (m_scan.joinable())
        m_scan.join();
    m_state.reset();
    m_result = {};
    m_search = {};
}

void LogSearcher::publish() {
    if (m_search.running && m_state) {
        m_search.matches = m_state->matches;
        m_search.givenUp = m_state->givenUp;
        m_search.progress =
            m_bytes > 0 ? std::min(1.0, static_cast<double>(m_state->bytes.load()) / static_cast<double>(m_bytes)) : 1;
    }
    emit changed(m_search);
}

void LogSearcher::takeResult(LogScanResult result) {
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
    emit finished();
}

bool LogSearcher::isNewer(const LogLine& line) const {
    const auto file = static_cast<std::size_t>(sourceOf(line.rank));
    return line.source != LogLine::LogOrigin::Note && file < m_result.ends.size() &&
           line.offset >= m_result.ends[file] && m_result.whole;
}

void LogSearcher::add(const LogLines& lines) {
    if (!m_search.needed || m_search.running || lines.isEmpty())
        return;
    for (const LogLine& line : lines) {
        if (line.source == LogLine::LogOrigin::Note || !m_filter.accepts(line))
            continue;
        ++m_search.matches;
        if (!m_result.tooMany)
            m_result.matches.push_back({line.timeMs, line.offset, sourceOf(line.rank)});
    }
    if (!std::is_sorted(m_result.matches.begin(), m_result.matches.end()))
        std::stable_sort(m_result.matches.begin(), m_result.matches.end());
    emit changed(m_search);
}

qsizetype LogSearcher::matchAt(const LogPlace& place) const {
    const auto& all = m_result.matches;
    const std::int64_t timeMs = place.line ? place.line->timeMs : place.timeMs.value_or(0);
    auto at = std::lower_bound(all.begin(), all.end(), LogMatch{timeMs, 0, 0});
    if (place.line)
        while (at != all.end() && at->timeMs == timeMs &&
               (at->file != place.line->file || at->offset != place.line->offset))
            ++at;
    else if (place.fraction)
        at = all.begin() + static_cast<std::ptrdiff_t>(*place.fraction * static_cast<double>(all.size() - 1));
    return at - all.begin();
}

qsizetype LogSearcher::nextMatch(const LogLine& from, bool forward) const {
    const auto& all = m_result.matches;
    const auto low = std::lower_bound(all.begin(), all.end(), LogMatch{from.timeMs, 0, 0});
    const auto high = std::upper_bound(low, all.end(), LogMatch{from.timeMs, 0, 0});
    const auto self = std::find_if(low, high, [&](const LogMatch& m) {
        return m.file == sourceOf(from.rank) && m.offset == from.offset && from.source != LogLine::LogOrigin::Note;
    });
    const auto at = self != high ? self - all.begin() : low - all.begin();
    return forward ? (self != high ? at + 1 : at) : at - 1;
}

} // namespace rankscope::ui
