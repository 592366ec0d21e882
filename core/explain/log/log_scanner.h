// SPDX-License-Identifier: Apache-2.0
// Reads a log of any size in bounded memory. One search for literal words over whole chunks finds the rows that may say
// something; only those are cleaned and parsed.
#pragma once

#include "core/explain/line/log_text.h"
#include "core/explain/log/evidence_collector.h"
#include "core/explain/log/word_finder.h"
#include "core/explain/messages/traceback_reader.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::explain {

class LogScanner {
public:
    /// Adds to the file that the collector has begun.
    explicit LogScanner(EvidenceCollector& collector) : m_collector(collector) {}

    /// Returns why a file that begins with these bytes is no text: it is compressed, or has another encoding. Empty: it
    /// may be text.
    static Message whyNoText(std::string_view beginning);

    /// Takes the next bytes of the file, in parts of any size.
    void feed(std::string_view bytes);
    /// Takes the end of the file, whose size and lines the collector's file gets.
    void finish();

private:
    /// A part of a row: what one process wrote there.
    struct Part {
        LogPrefix prefix;
        std::string text; ///< without the prefix
        std::int64_t line = 0;
        bool starts = false; ///< a record; otherwise it may be the rest of the row before
        bool isTable = false;
    };
    /// The latest row of a progress bar.
    struct Bar {
        std::string row;
        std::int64_t line = 0;
    };
    struct Span {
        std::size_t begin = 0, end = 0;
    };

    void begin();
    void scan(bool last);
    void findNext(std::size_t from);
    void readRow(Span row);
    void readHits(Span row);
    void followTracebacks(Span row);
    void readRecords(Span piece, std::int64_t line);
    std::vector<Part> partsOf(Span piece, std::int64_t line) const;
    void addRowsBefore(Span piece, std::int64_t line, std::vector<Part>& parts) const;
    std::size_t addRowsBehind(Span piece, std::int64_t line, std::vector<Part>& parts) const;
    void readRecord(const std::vector<Part>& parts, std::size_t first, std::size_t end);
    void rememberBar(Span piece, std::int64_t line);
    void readBars();
    void readBar(const Bar& bar);

    EvidenceCollector& m_collector;
    TracebackReader m_tracebacks;
    std::string m_window;        ///< bytes that are not done with, and a few before them
    std::size_t m_at = 0;        ///< in the window: the row to read next
    std::size_t m_recordEnd = 0; ///< in the window: rows before it were parsed
    WordFinder::Found m_word;    ///< in the window: the next word
    std::size_t m_bar = 0;       ///< in the window: the next progress bar
    bool m_hitsAreKnown = false;
    std::int64_t m_bytes = 0;
    std::int64_t m_line = 1; ///< of m_at
    bool m_inRow = false;    ///< m_at is inside a row that is longer than the limit
    bool m_begun = false, m_unreadable = false, m_taskNumbers = false;
    int m_worldSizes = 0;              ///< rows that named one
    std::map<std::string, Bar> m_bars; ///< by rank and title
    std::string m_barName;             ///< room for one
};

} // namespace rankscope::explain
