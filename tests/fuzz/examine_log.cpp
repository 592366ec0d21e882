// SPDX-License-Identifier: GPL-3.0-or-later
// A rank's log and a search pattern: the first byte is the level and the kind of pattern, the first line the pattern,
// the rest the log. The search through the files must find the same lines as reading every line.
#include "tests/fuzz/target.h"
#include "widgets/models/logs/log_scan.h"

#include <QTimeZone>

#include <algorithm>

namespace rankscope::fuzz {

using namespace ui;

namespace {

constexpr std::int64_t kDayMs = 1'700'000'000'000;

/// Returns the offsets and times of the matches, found without the shortcuts of the search.
std::vector<std::pair<std::int64_t, std::int64_t>> readingAll(const std::string& text, const LogFilter& filter) {
    LogFilter bounded = filter;
    bounded.text = boundedPattern(filter.text, kScanSteps);
    std::vector<std::pair<std::int64_t, std::int64_t>> offsets;
    LogFile file(put("log.txt", text));
    file.place(0);
    LogLine before;
    bool first = true;
    for (const RawLine& raw : file.readNew(text.size() + 1, text.size() + 1)) {
        const LogLine line = parseLogLine(raw, 0, first ? nullptr : &before, kDayMs);
        if (bounded.accepts(line))
            offsets.emplace_back(line.offset, line.timeMs);
        before = line;
        first = false;
    }
    return offsets;
}

} // namespace

static void examine(const std::string& bytes) {
    Bytes in(bytes);
    const std::uint8_t how = in.byte();
    const std::string_view pattern = in.line();
    std::string text(in.rest());
    text.resize(text.rfind('\n') + 1); // a line without a newline is not complete yet
    LogFilter filter;
    filter.least = static_cast<telemetry::NoteSeverity>(how & 3);
    const QString words = QString::fromUtf8(pattern.data(), static_cast<qsizetype>(pattern.size()));
    filter.text = QRegularExpression((how & 4) != 0 ? words : QRegularExpression::escape(words),
                                     QRegularExpression::CaseInsensitiveOption);
    if (!filter.text.isValid())
        return;
    auto expected = readingAll(text, filter);
    LogScanState state;
    const LogScanResult found = scanLogs({{scratch() / "log.txt", 0}}, filter, kDayMs, state);
    require(found.whole && found.count == static_cast<std::int64_t>(found.matches.size()), "matches are lost");
    std::vector<std::pair<std::int64_t, std::int64_t>> offsets;
    for (const LogMatch& match : found.matches)
        offsets.emplace_back(match.offset, match.timeMs);
    std::sort(offsets.begin(), offsets.end());
    if (state.givenUp > 0)
        return;
    ++taken;
    require(offsets.size() == expected.size(),
            fmt::format("{} lines were found, {} are there", offsets.size(), expected.size()));
    for (std::size_t i = 0; i < offsets.size(); ++i)
        require(offsets[i] == expected[i],
                fmt::format("the line at {} was found at {} with the time {}, not {}", expected[i].first,
                            offsets[i].first, offsets[i].second, expected[i].second));
}

RANKSCOPE_FUZZ_TARGET(log)

} // namespace rankscope::fuzz
