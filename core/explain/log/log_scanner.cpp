// SPDX-License-Identifier: Apache-2.0
#include "core/explain/log/log_scanner.h"

#include "core/explain/messages/collective_messages.h"
#include "core/explain/messages/end_messages.h"
#include "core/explain/messages/monitor_messages.h"
#include "core/explain/messages/progress_message.h"

#include <re2/re2.h>

#include <algorithm>
#include <iterator>

namespace rankscope::explain {

namespace {

using re2::StringPiece;

constexpr std::size_t kLookahead = 64u << 10; ///< a message may continue so far; the longest row that is read at once
constexpr std::size_t kLookback = 8u << 10;
constexpr std::size_t kLongestPiece = 8u << 10; ///< of a row, that is parsed
constexpr std::size_t kLongestRecord = 2u << 10;
constexpr int kMostRowsBefore = 2, kMostRowsBehind = 40;
constexpr std::size_t kMostBars = 1'024;
constexpr int kMostWorldSizes = 64;

constexpr std::size_t kSizeWords = 3;
/// Words of all messages, but the first three, which name a number of ranks. A message that may be wrapped has two of
/// them, because a wrap may break one.
constexpr std::string_view kWords[] = {
    "world_size",
    "world size",
    "WORLD_SIZE",
    "Watchdog c",
    "WorkNCCL(",
    "SeqNum=",
    "OpType=",
    "Timeout(ms)",
    "t watchdog at",
    "Timeout at NCCL",
    "enqueued",
    "last completed",
    "onitoredBarrier",
    "FingerPrint(",
    "mismatch between",
    "collectives on ranks",
    "Timed out w",
    "operation to c",
    "pair closure",
    "op.preamble",
    "match expected size",
    "by peer",
    "remote peer",
    "likely closed",
    "Broken pipe",
    "clients joined",
    "waiting for clients",
    "based barrier",
    "num_workers_joined",
    "worker_count=",
    "wait timeout after",
    "Timeout waiting for",
    "client socket has",
    "store->get(",
    "didn't join",
    "lagging ranks",
    "dump signal",
    "watchdog got stuck",
    "eartbeat monitor t",
    "acquire GIL within",
    "preparing to dump",
    "attempting to dump",
    "Flight Recorder debug",
    "FlightRecorder is",
    "Operation timed out after",
    "exitcode",
    "terminated with ",
    "srun: error",
    "oom_kill",
    "oom-kill",
    "oom_reaper",
    "ut of memory",
    "OutOfMemory",
    "memory limit",
    "OOMKilled",
    "Traceback (most",
    "torch.distributed.run",
    "torch.distributed.launcher",
    "torch.distributed.elastic",
    "torch/distributed/elastic",
    "torchrun",
    "MEMBER: ",
    "processes registered",
    "distributed_backend=",
};

const WordFinder& words() {
    static const WordFinder all({std::begin(kWords), std::end(kWords)});
    return all;
}

struct ScanPatterns {
    RE2 tableRow{R"(^\s*(?:time|host|rank|exitcode|error_file|traceback) +: )"};
    // rows that are no rest of the row before
    RE2 newText{
        R"(^(?:srun: |slurmstepd: |Traceback \(|\[Rank \d+\]|terminate called|\s*frame #\d|  File "|Exception raised|=====|-----|.{0,80}GLOBAL_RANK: ))"};
};

const ScanPatterns& scanPatterns() {
    static const ScanPatterns all;
    return all;
}

StringPiece piece(std::string_view text) {
    return {text.data(), text.size()};
}

bool beginsNewText(std::string_view text) {
    return RE2::PartialMatch(piece(text), scanPatterns().newText) || TracebackReader::readException(text).has_value();
}

template <class Fact> void setLines(std::vector<Fact>& facts, const auto& lineAt) {
    for (Fact& fact : facts)
        if constexpr (requires { fact.end; })
            fact.end.place.line = lineAt(fact.end.place.line);
        else
            fact.place.line = lineAt(fact.place.line);
}

std::string_view firstBytes(std::string_view text, std::size_t from, std::size_t end, std::size_t most) {
    return text.substr(from, std::min(end - from, most));
}

} // namespace

Message LogScanner::whyNoText(std::string_view beginning) {
    if (beginning.starts_with("\xFF\xFE") || beginning.starts_with("\xFE\xFF"))
        return "it is UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)";
    struct Form {
        std::string_view begins, name, unpack;
    };
    constexpr Form kForms[] = {{"\x1F\x8B", "gzip", "zcat"},
                               {"\x28\xB5\x2F\xFD", "zstd", "zstdcat"},
                               {"\xFD"
                                "7zXZ",
                                "xz", "xzcat"},
                               {"BZh", "bzip2", "bzcat"},
                               {"PK\x03\x04", "zip", "unzip -p"}};
    for (const Form& form : kForms)
        if (beginning.starts_with(form.begins))
            return {"it is compressed with {}; unpack it, or give it through a pipe: {} FILE | rankscopectl explain "
                    "/dev/stdin",
                    form.name, form.unpack};
    return {};
}

void LogScanner::begin() {
    m_begun = true;
    const std::string_view head(m_window);
    m_collector.file().problem = whyNoText(head);
    m_unreadable = !m_collector.file().problem.empty();
    m_taskNumbers = hasTaskNumbers(head.substr(0, kLookahead));
}

void LogScanner::feed(std::string_view bytes) {
    constexpr std::size_t kAtOnce = 1u << 20;
    m_bytes += static_cast<std::int64_t>(bytes.size());
    while (!bytes.empty() && !m_unreadable) {
        const std::string_view part = bytes.substr(0, kAtOnce);
        bytes.remove_prefix(part.size());
        m_window.append(part);
        if (!m_begun && m_window.size() < 2 * kLookahead)
            continue;
        if (!m_begun)
            begin();
        if (!m_unreadable && m_window.size() - m_at > 2 * kLookahead)
            scan(false);
    }
}

void LogScanner::finish() {
    if (!m_begun)
        begin();
    if (!m_unreadable)
        scan(true);
    const bool open = m_at > 0 && m_window[m_at - 1] != '\n'; // the last line has no end
    m_collector.file().bytes = m_bytes;
    m_collector.file().lines = m_unreadable ? 0 : m_line - 1 + (open ? 1 : 0);
}

void LogScanner::findNext(std::size_t from) {
    const std::string_view window(m_window);
    if (!m_hitsAreKnown || m_word.at < from)
        m_word = words().find(window, from);
    if (!m_hitsAreKnown || m_bar < from)
        m_bar = findBar(window, from);
    m_hitsAreKnown = true;
}

void LogScanner::scan(bool last) {
    const std::size_t limit = last ? m_window.size() : m_window.size() - kLookahead;
    m_hitsAreKnown = false;
    while (m_at < limit) {
        const std::size_t most = std::min(m_window.size(), m_at + kLookahead);
        const std::size_t newline = std::string_view(m_window).substr(0, most).find('\n', m_at);
        const bool whole = newline != std::string::npos;
        const Span row{m_at, whole ? newline : most};
        readRow(row);
        m_at = row.end + (whole ? 1 : 0);
        m_line += whole ? 1 : 0;
        m_inRow = !whole;
    }
    readBars();
    const std::size_t done = m_at > kLookback ? m_at - kLookback : 0;
    if (last)
        return;
    m_window.erase(0, done);
    m_at -= done;
    m_recordEnd -= std::min(m_recordEnd, done);
}

void LogScanner::readRow(Span row) {
    if (!m_inRow) {
        const QuickRank who =
            quickRank(std::string_view(m_window).substr(row.begin, row.end - row.begin), m_taskNumbers);
        if (who.rank >= 0 || who.launcherRank >= 0)
            m_collector.sawRank(who.rank, who.launcherRank);
    }
    findNext(row.begin);
    if (std::min(m_word.at, m_bar) >= row.end && !m_tracebacks.isActive())
        return;
    const bool traceback =
        m_tracebacks.isActive() || TracebackReader::begins(firstBytes(m_window, row.begin, row.end, kLongestPiece));
    readHits(row);
    if (traceback)
        followTracebacks(row);
}

void LogScanner::readHits(Span row) {
    const std::string_view window(m_window);
    for (std::size_t hit = std::min(m_word.at, m_bar); hit < row.end; hit = std::min(m_word.at, m_bar)) {
        // a bare CR ends a text as a line end does
        const std::size_t before = window.substr(row.begin, hit - row.begin).rfind('\r');
        const std::size_t begin = before == window.npos ? row.begin : row.begin + before + 1;
        const std::size_t behind = window.substr(hit, row.end - hit).find('\r');
        const std::size_t end = behind == window.npos ? row.end : hit + behind;
        // of a long piece the part around the word
        const Span found{std::max(begin, hit > kLongestPiece / 2 ? hit - kLongestPiece / 2 : 0),
                         std::min(end, hit + kLongestPiece / 2)};
        if (m_bar < found.end)
            rememberBar(found, m_line);
        const bool size = m_word.at < found.end && m_word.word < kSizeWords;
        const bool wanted = m_word.at < found.end && (!size || m_worldSizes < kMostWorldSizes);
        m_worldSizes += size ? 1 : 0;
        if (wanted && found.begin >= m_recordEnd)
            readRecords(found, m_line);
        findNext(std::max(found.end, hit + 1));
    }
}

void LogScanner::followTracebacks(Span row) {
    for (const Part& part : partsOf({row.begin, std::min(row.end, row.begin + kLongestPiece)}, m_line)) {
        std::string process = part.prefix.rank           ? "r" + std::to_string(*part.prefix.rank)
                              : part.prefix.launcherRank ? "l" + std::to_string(*part.prefix.launcherRank)
                                                         : std::string();
        process += part.prefix.pid > 0 ? "p" + std::to_string(part.prefix.pid) : std::string();
        if (auto exception = m_tracebacks.take(process, part.text)) {
            readBars(); // how far the process has come
            exception->end.place.line = part.line;
            m_collector.addException(std::move(exception->end), part.prefix, exception->continues);
        }
    }
}

std::vector<LogScanner::Part> LogScanner::partsOf(Span span, std::int64_t line) const {
    const std::string clean = withoutTerminalCommands(firstBytes(m_window, span.begin, span.end, kLongestPiece));
    std::vector<Part> parts;
    bool starts = span.begin > 0 && m_window[span.begin - 1] == '\r' && m_window[span.begin] != '\n';
    for (std::size_t at = 0; at < clean.size();) {
        const std::size_t cr = std::min(clean.find('\r', at), clean.size());
        std::size_t end = std::min(findInnerPrefix(std::string_view(clean).substr(0, cr), at), cr);
        Part part;
        part.prefix = readLogPrefix(std::string_view(clean).substr(at, cr - at), m_taskNumbers && at == 0);
        if (end < at + part.prefix.bytes || end == at) // it is one of the part's own
            end = std::min(findInnerPrefix(std::string_view(clean).substr(0, cr),
                                           at + std::max<std::size_t>(part.prefix.bytes, 1)),
                           cr);
        std::string_view text = std::string_view(clean).substr(at, end - at);
        text.remove_prefix(std::min(part.prefix.bytes, text.size()));
        if (part.prefix.bytes > 0 && text.starts_with(' '))
            text.remove_prefix(1);
        part.line = line;
        part.isTable = RE2::PartialMatch(piece(text), scanPatterns().tableRow);
        part.starts = starts || part.prefix.bytes > 0 || beginsNewText(text);
        part.text = text;
        if (!text.empty() || part.prefix.bytes > 0)
            parts.push_back(std::move(part));
        starts = end == cr;
        at = end + (end == cr ? 1 : 0);
    }
    return parts;
}

void LogScanner::addRowsBefore(Span span, std::int64_t line, std::vector<Part>& parts) const {
    const std::string_view window(m_window);
    for (int n = 0; n < kMostRowsBefore + 2 && span.begin > m_recordEnd && !parts.empty(); ++n) {
        const Part& first = parts.front();
        if (first.isTable ? n >= kMostRowsBefore + 2 : first.starts || n >= kMostRowsBefore)
            return;
        if (window[span.begin - 1] != '\n')
            return;
        const std::size_t end = span.begin - 1;
        std::size_t begin = end == 0 ? 0 : window.rfind('\n', end - 1);
        begin = begin == window.npos || end == 0 ? 0 : begin + 1;
        begin = std::max({begin, m_recordEnd, end > kLongestRecord ? end - kLongestRecord : 0});
        --line;
        std::vector<Part> before = partsOf({begin, end}, line);
        if (first.isTable && (before.empty() || !before.back().isTable))
            return;
        parts.insert(parts.begin(), std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
        span.begin = begin;
    }
}

std::size_t LogScanner::addRowsBehind(Span span, std::int64_t line, std::vector<Part>& parts) const {
    const std::string_view window(m_window);
    std::size_t bytes = parts.empty() ? 0 : parts.back().text.size();
    for (int n = 0; n < kMostRowsBehind && bytes < kLongestRecord; ++n) {
        if (span.end >= window.size() || window[span.end] == '\r')
            if (window.substr(span.end, 2) != "\r\n")
                return span.end;
        if (span.end < window.size() && window[span.end] != '\n' && window[span.end] != '\r')
            return span.end;
        const std::size_t begin = span.end + (window[span.end] == '\r' ? 2 : 1);
        if (begin >= window.size())
            return span.end;
        const std::size_t end = std::min({window.find_first_of("\r\n", begin), begin + kLongestRecord, window.size()});
        std::vector<Part> next = partsOf({begin, end}, line + 1);
        if (next.empty() || (next.front().starts && !(next.front().isTable && parts.back().isTable)))
            return span.end;
        // of a row that continues with another text, only the part before that
        parts.push_back(std::move(next.front()));
        bytes += parts.back().text.size();
        if (next.size() > 1)
            return span.end;
        span.end = end;
        ++line;
    }
    return span.end;
}

void LogScanner::readRecords(Span span, std::int64_t line) {
    DenseText row; // with its prefixes, which may be a logger's of torchrun
    row.append(firstBytes(m_window, span.begin, span.end, kLongestPiece));
    if (isOfTorchrun(row))
        m_collector.sawTorchrun();
    std::vector<Part> parts = partsOf(span, line);
    if (parts.empty())
        return;
    addRowsBefore(span, line, parts);
    m_recordEnd = std::max(addRowsBehind(span, line, parts), span.end);
    std::size_t first = 0;
    for (std::size_t i = 1; i <= parts.size(); ++i)
        if (i == parts.size() || (parts[i].starts && !(parts[i].isTable && parts[i - 1].isTable))) {
            readRecord(parts, first, i);
            first = i;
        }
}

void LogScanner::readRecord(const std::vector<Part>& parts, std::size_t first, std::size_t end) {
    DenseText record;
    for (std::size_t i = first; i < end; ++i)
        record.append(parts[i].text);
    LogFacts facts;
    readCollectiveMessages(record, facts);
    readMonitorMessages(record, facts);
    readEndMessages(record, facts);
    readStartMessages(record, facts);
    // an exception's line whose traceback is not in the log
    const Part& begin = parts[first];
    if (!m_tracebacks.isActive() && (begin.text.find("ut of memory") != std::string::npos))
        if (auto exception = TracebackReader::readException(begin.text)) {
            exception->place.line = begin.line;
            m_collector.addException(*std::move(exception), begin.prefix, false);
        }
    if (facts.empty())
        return;
    const auto lineAt = [&](std::int64_t offset) {
        return parts[std::min(first + record.rowAt(static_cast<std::size_t>(offset)), end - 1)].line;
    };
    setLines(facts.timeouts, lineAt);
    setLines(facts.counts, lineAt);
    setLines(facts.mismatches, lineAt);
    setLines(facts.missing, lineAt);
    setLines(facts.connections, lineAt);
    setLines(facts.ends, lineAt);
    setLines(facts.monitors, lineAt);
    setLines(facts.dumpNotices, lineAt);
    facts.worldSizePlace.line = begin.line;
    m_collector.add(std::move(facts), begin.prefix);
}

void LogScanner::rememberBar(Span span, std::int64_t line) {
    constexpr std::size_t kLongestBar = 1'024;
    const std::string_view row = firstBytes(m_window, span.begin, span.end, kLongestBar);
    const QuickRank who = quickRank(row, m_taskNumbers);
    bool isFirst = false;
    // behind a prefix, which may have a time
    std::string_view title = progressTitle(row);
    if (const std::size_t bracket = title.find_last_of("])"); bracket != title.npos)
        title.remove_prefix(bracket + 1);
    title = title.substr(title.size() - std::min<std::size_t>(title.size(), 64));
    m_barName.clear();
    for (const int rank : {who.rank, who.launcherRank}) {
        m_barName += static_cast<char>(rank & 0xFF);
        m_barName += static_cast<char>(rank >> 8 & 0xFF);
    }
    m_barName += title;
    auto bar = m_bars.find(m_barName);
    if (bar == m_bars.end()) {
        if (m_bars.size() >= kMostBars)
            readBars();
        bar = m_bars.emplace(m_barName, Bar{}).first;
        isFirst = line <= EvidenceCollector::kStartLines;
    }
    bar->second.row.assign(row);
    bar->second.line = line;
    if (isFirst) // what a log begins with says whether it is whole
        readBar(bar->second);
}

void LogScanner::readBars() {
    std::vector<Bar> bars;
    for (auto& [title, bar] : m_bars)
        bars.push_back(std::move(bar));
    m_bars.clear();
    std::stable_sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.line < b.line; });
    for (const Bar& bar : bars)
        readBar(bar);
}

void LogScanner::readBar(const Bar& bar) {
    const std::string clean = withoutTerminalCommands(bar.row);
    std::string_view row(clean);
    while (!row.empty() && row.front() == '\r')
        row.remove_prefix(1);
    const LogPrefix prefix = readLogPrefix(row, m_taskNumbers);
    if (auto progress = readProgress(row.substr(prefix.bytes))) {
        progress->place.line = bar.line;
        m_collector.addProgress(*std::move(progress), prefix);
    } else if (isValidationBar(row.substr(prefix.bytes))) {
        m_collector.sawValidation(bar.line);
    }
}

} // namespace rankscope::explain
