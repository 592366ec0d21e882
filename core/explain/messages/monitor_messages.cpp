// SPDX-License-Identifier: Apache-2.0
#include "core/explain/messages/monitor_messages.h"

#include "core/explain/line/log_number.h"
#include "core/explain/line/matched_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace rankscope::explain {

namespace {

using re2::StringPiece;

constexpr std::size_t kMostReports = 64; ///< of a pattern in a record

// All of them match text without whitespace.
struct MonitorPatterns {
    // "[PG ID 0 PG GUID 0(default_pg) Rank 2]", "[PG 0 Rank 2]", "[Rank 2]"; only of the default group is it global
    RE2 report{
        R"((?:\[(?:PG(?:ID0PGGUID)?0?(?:\(default_pg\))?)?Rank(\d+)\])?(?:ProcessGroupNCCL'swatchdoggotstuckfor(\d+)seconds|(Heartbeatmonitortimedout!)|(CouldnotacquireGILwithin)|(Terminatingtheprocessafterattemptingtodumpdebuginfo)))"};
    RE2 prepares{
        R"((?:\[(?:PG(?:ID0PGGUID)?0?(?:\(default_pg\))?)?Rank(\d+)\])?ProcessGroupNCCLpreparingtodumpdebuginfo)"};
    RE2 finished{R"(FinishedwritingFlightRecorderdebuginfoto(\S))"};
    RE2 isOff{R"(potentiallybecauseFlightRecorderisdisabled)"};
};

const MonitorPatterns& monitorPatterns() {
    static const MonitorPatterns all;
    return all;
}

/// The last character of a message that was taken from the front of `behind`.
Place placeOf(const DenseText& record, const StringPiece& behind) {
    const auto offset = static_cast<std::size_t>(behind.data() - record.text().data());
    return {{}, static_cast<std::int64_t>(std::max<std::size_t>(offset, 1) - 1)};
}

void readReports(const DenseText& record, LogFacts& facts) {
    StringPiece rest(record.text()), rank, seconds, timedOut, lock, ends;
    for (std::size_t n = 0; n < kMostReports && RE2::FindAndConsume(&rest, monitorPatterns().report, &rank, &seconds,
                                                                    &timedOut, &lock, &ends);
         ++n) {
        MonitorReport& report = facts.monitors.emplace_back();
        using Kind = MonitorReport::Kind;
        report.kind = !lock.empty() ? Kind::PythonLock : !ends.empty() ? Kind::Terminates : Kind::Stuck;
        report.rank = logRank(matchedText(rank));
        report.seconds = logCount(matchedText(seconds)).value_or(0);
        report.place = placeOf(record, rest);
    }
}

/// The file's name is what is left of its row. PyTorch ends it with the rank: without a number, a part was wrapped.
std::string pathAt(const DenseText& record, std::size_t begin) {
    const std::string_view row = record.restOfRow(begin);
    const bool whole = !row.empty() && std::isdigit(static_cast<unsigned char>(row.back())) != 0;
    return whole ? shownText(row, 300) : std::string();
}

void readDumpNotices(const DenseText& record, LogFacts& facts) {
    const MonitorPatterns& p = monitorPatterns();
    StringPiece rest(record.text()), part;
    for (std::size_t n = 0; n < kMostReports && RE2::FindAndConsume(&rest, p.prepares, &part); ++n) {
        DumpNotice& notice = facts.dumpNotices.emplace_back();
        notice.rank = logRank(matchedText(part));
        notice.place = placeOf(record, rest);
    }
    rest = record.text();
    for (std::size_t n = 0; n < kMostReports && RE2::FindAndConsume(&rest, p.finished, &part); ++n) {
        DumpNotice& notice = facts.dumpNotices.emplace_back();
        notice.path = pathAt(record, static_cast<std::size_t>(part.data() - record.text().data()));
        notice.place = placeOf(record, rest);
    }
    rest = record.text();
    if (RE2::FindAndConsume(&rest, p.isOff)) {
        DumpNotice& notice = facts.dumpNotices.emplace_back();
        notice.isOff = true;
        notice.place = placeOf(record, rest);
    }
}

} // namespace

void readMonitorMessages(const DenseText& record, LogFacts& facts) {
    const auto has = [&](std::string_view word) { return record.text().find(word) != std::string::npos; };
    if (has("watchdoggotstuck") || has("Heartbeatmonitor") || has("acquireGIL") || has("Terminatingtheprocess"))
        readReports(record, facts);
    if (has("preparingtodump") || has("FlightRecorder"))
        readDumpNotices(record, facts);
}

} // namespace rankscope::explain
