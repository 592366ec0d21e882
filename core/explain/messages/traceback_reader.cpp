// SPDX-License-Identifier: Apache-2.0
#include "core/explain/messages/traceback_reader.h"

#include "core/explain/line/log_number.h"

#include <re2/re2.h>

namespace rankscope::explain {

namespace {

using re2::StringPiece;

constexpr int kLongestTraceback = 1'000; ///< rows
constexpr std::size_t kMostOpen = 256;   ///< processes in a traceback at once
constexpr std::string_view kTraceback = "Traceback (most recent call last)";

struct ExceptionPatterns {
    RE2 line{R"(^((?:[A-Za-z_]\w*\.)*)([A-Z]\w*)(?::(?: .*)?|\s*)$)"};
    RE2 usualName{
        R"((?:Error|Exception|Interrupt|Exit|Timeout|Iteration|Failed|Failure|Aborted|Killed|Warning|Group|NotFound)$)"};
    // what launchers and drivers raise about other processes
    RE2 launcher{
        R"(ChildFailedError|SignalException|CalledProcessError|ProcessRaisedException|ProcessExitedException|RayTaskError|RayActorError|TrainingFailedError|SubprocessFailed)"};
    RE2 collective{
        R"(DistBackendError|DistNetworkError|DistStoreError|NCCL error|nccl[A-Z]\w*Error|NCCL (?:communicator|timeout)|[Gg]loo|Connection (?:closed|reset) by peer|Broken pipe|[Tt]imed out waiting|monitoredBarrier|mismatch between collectives|collective operation timeout|store->get|Socket Timeout|wait timeout after|clients joined|store based barrier|Rendezvous|c10d|ProcessGroup)"};
    RE2 memory{
        R"(OutOfMemoryError|CUDA out of memory|CUDA error: out of memory|HIP out of memory|can't allocate memory|^MemoryError)"};
};

const ExceptionPatterns& exceptionPatterns() {
    static const ExceptionPatterns all;
    return all;
}

} // namespace

bool TracebackReader::begins(std::string_view row) {
    return row.find(kTraceback) != row.npos;
}

std::optional<RankEnd> TracebackReader::readException(std::string_view row) {
    constexpr std::size_t kLongestLine = 2'048;
    const ExceptionPatterns& p = exceptionPatterns();
    row = row.substr(0, kLongestLine);
    StringPiece module, name;
    const StringPiece piece(row.data(), row.size());
    if (!RE2::PartialMatch(piece, p.line, &module, &name) ||
        (module.empty() && !RE2::PartialMatch(name, p.usualName)) || RE2::PartialMatch(name, p.launcher))
        return std::nullopt;
    RankEnd end;
    end.kind = RE2::PartialMatch(piece, p.memory) ? RankEnd::Kind::OutOfMemory : RankEnd::Kind::Exception;
    end.ofCollective = end.kind == RankEnd::Kind::Exception && RE2::PartialMatch(piece, p.collective);
    end.text = shownText(row, 400);
    return end;
}

std::optional<TracebackReader::Exception> TracebackReader::take(std::string_view process, std::string_view row) {
    const bool starts = begins(row);
    auto open = m_open.find(process);
    if (open == m_open.end()) {
        if (!starts || m_open.size() >= kMostOpen)
            return std::nullopt;
        open = m_open.emplace(process, Open{}).first;
    }
    Open& state = open->second;
    if (starts) {
        ++state.count;
        state.rows = 0;
        return std::nullopt;
    }
    if (++state.rows > kLongestTraceback) {
        m_open.erase(open);
        return std::nullopt;
    }
    if (row.starts_with("During handling of the above exception") ||
        row.starts_with("The above exception was the direct cause")) {
        state.continues = true;
        return std::nullopt;
    }
    if (state.count == 0 || row.empty() || row[0] == ' ' || row[0] == '\t')
        return std::nullopt;
    auto end = readException(row);
    if (!end)
        return std::nullopt;
    Exception exception{*std::move(end), state.continues};
    state.continues = false;
    state.rows = 0;
    if (--state.count == 0)
        state.rows = kLongestTraceback - 6; // another one may follow soon: "During handling of the above …"
    return exception;
}

} // namespace rankscope::explain
