// SPDX-License-Identifier: Apache-2.0
#include "core/explain/line/log_prefix.h"

#include "core/explain/line/log_number.h"
#include "core/explain/line/matched_text.h"

#include <re2/re2.h>

#include <cctype>
#include <cstring>

namespace rankscope::explain {

namespace {

using re2::StringPiece;

constexpr std::size_t kLongestPrefix = 512;

struct PrefixPatterns {
    // a rank that PyTorch or Lightning writes: "[rank2]:", "[rank: 2] "
    RE2 rank{R"(\[rank(?:: )?(\d{1,9})\]:?)"};
    // torchrun --tee: role and local rank
    RE2 role{R"(\[[a-z_]+?(\d{1,9})\]:)"};
    // "[1,2]<stderr>:" of mpirun --tag-output, perhaps with a time
    RE2 mpi{R"((?:[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:]+ \d{4})?\[\d{1,9},(\d{1,9})\]<std(?:out|err|diag)>:)"};
    // "(RayTrainWorker pid=1234, ip=10.0.0.2) "
    RE2 ray{R"(\([^()\n]{1,100}?\bpid=(\d{1,18})(?:, ip=([0-9A-Fa-f.:]{1,64}))?[^()\n]{0,60}\))"};
    RE2 pod{R"(\[pod/([^\]\s]{1,200})\])"};
    // ISO times, as Docker, Kubernetes ("stdout F") and Python's logging write them
    RE2 time{
        R"(\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)\]?(?: std(?:out|err) [FP])?:?)"};
    // glog: "[E602 11:17:52.185 ProcessGroupNCCL.cpp:632]", "[E ProcessGroupNCCL.cpp:717]", "E0602 11:17:52.1 77
    // api.py:9]"
    RE2 glog{
        R"(\[?[EWIFDV]\d{0,4}(?: (\d\d:\d\d:\d\d(?:\.\d{1,9})?))?(?: +\d{1,9})? [\w./-]{1,200}\.(?:cpp|cc|h|hpp|py|cu):\d{1,6}\])"};
    RE2 nemo{R"(\[NeMo [A-Z] (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[^\]\n]{0,200}\])"};
    RE2 nemoRank{R"(rank:(\d{1,9}))"};
    RE2 level{R"(\[(?:INFO|WARNING|ERROR|DEBUG|CRITICAL) *\| [^\]\n]{1,200}\]:?)"};
    RE2 task{R"( *(\d{1,5}): )"};
    RE2 inner{
        R"(\[(?:rank|default)\d{1,9}\]:|\[[EWIF]\d{0,4}(?: \d\d:\d\d:\d\d\.\d+)? [A-Za-z_]+\.(?:cpp|cc|hpp):\d{1,6}\])"};
};

const PrefixPatterns& patterns() {
    static const PrefixPatterns all;
    return all;
}

/// Takes one prefix from the front; false: there is none.
bool takePrefix(StringPiece& rest, bool taskNumbers, LogPrefix& out) {
    const PrefixPatterns& p = patterns();
    StringPiece first, second;
    if (RE2::Consume(&rest, p.rank, &first)) {
        if (!out.rank)
            out.rank = logRank(matchedText(first));
    } else if (RE2::Consume(&rest, p.glog, &first) || RE2::Consume(&rest, p.time, &first)) {
        if (out.time.empty())
            out.time = shownText(matchedText(first), 40);
    } else if (RE2::Consume(&rest, p.nemo, &first)) {
        out.time = shownText(matchedText(first), 40);
    } else if (RE2::Consume(&rest, p.role, &first) || RE2::Consume(&rest, p.mpi, &first) ||
               (taskNumbers && RE2::Consume(&rest, p.task, &first))) {
        if (!out.launcherRank)
            out.launcherRank = logRank(matchedText(first));
    } else if (RE2::Consume(&rest, p.ray, &first, &second)) {
        out.pid = logCount(matchedText(first)).value_or(0);
        out.host = shownText(matchedText(second), 64);
    } else if (RE2::Consume(&rest, p.pod, &first)) {
        out.host = shownText(matchedText(first), 200);
    } else {
        return RE2::Consume(&rest, p.level);
    }
    return true;
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// Reads digits from `at` on, which then stands behind them; -1: there are none, or too many.
int smallNumber(std::string_view row, std::size_t& at) {
    int number = 0;
    const std::size_t begin = at;
    for (; at < row.size() && isDigit(row[at]) && at - begin < 6; ++at)
        number = number * 10 + (row[at] - '0');
    return at == begin || number > kHighestRank ? -1 : number;
}

/// Returns where the text behind an ISO time begins; 0: the row does not begin with one.
std::size_t behindTime(std::string_view row) {
    const std::size_t at = row.empty() || row[0] != '[' ? 0 : 1;
    if (row.size() < at + 20 || row[at + 4] != '-' || row[at + 7] != '-' || row[at + 13] != ':')
        return 0;
    std::size_t end = at + 19;
    while (end < row.size() && (isDigit(row[end]) || std::strchr(".,Z+:]", row[end]) != nullptr))
        ++end;
    while (end < row.size() && row[end] == ' ')
        ++end;
    if (row.substr(end).starts_with("stdout F ") || row.substr(end).starts_with("stderr F "))
        end += 9;
    return end;
}

std::size_t behindTask(std::string_view row, std::size_t at, int& task) {
    while (at < row.size() && row[at] == ' ')
        ++at;
    std::size_t end = at;
    const int number = smallNumber(row, end);
    if (number < 0 || row.substr(end, 2) != ": ")
        return 0;
    task = number;
    return end + 2;
}

} // namespace

LogPrefix readLogPrefix(std::string_view row, bool taskNumbers) {
    LogPrefix prefix;
    const std::string_view head = row.substr(0, kLongestPrefix);
    StringPiece rest(head.data(), head.size());
    bool more = true;
    while (more) {
        const StringPiece before = rest;
        while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\t'))
            rest.remove_prefix(1);
        more = takePrefix(rest, taskNumbers && prefix.bytes == 0, prefix);
        if (more)
            prefix.bytes = static_cast<std::size_t>(rest.data() - head.data());
        else
            rest = before;
    }
    return prefix;
}

QuickRank quickRank(std::string_view row, bool taskNumbers) {
    QuickRank found;
    std::size_t at = behindTime(row);
    if (taskNumbers)
        if (const std::size_t behind = behindTask(row, at, found.launcherRank); behind > 0)
            at = behind;
    if (at >= row.size() || row[at] != '[')
        return found;
    const std::string_view rest = row.substr(at + 1, 24);
    std::size_t digits = rest.starts_with("rank: ") ? 6 : rest.starts_with("rank") ? 4 : 0;
    if (digits > 0) {
        const int rank = smallNumber(rest, digits);
        if (rank >= 0 && rest.substr(digits, 1) == "]")
            found.rank = rank;
        return found;
    }
    while (digits < rest.size() && rest[digits] >= 'a' && rest[digits] <= 'z')
        ++digits;
    if (digits > 0 && found.launcherRank < 0) {
        const int rank = smallNumber(rest, digits);
        if (rank >= 0 && rest.substr(digits, 2) == "]:") {
            found.launcherRank = rank;
            const std::string_view behind = rest.substr(digits + 2);
            if (behind.starts_with("[rank"))
                found.rank = quickRank(behind, false).rank;
        }
    }
    return found;
}

bool hasTaskNumbers(std::string_view beginning) {
    std::size_t rows = 0, numbered = 0;
    while (!beginning.empty() && rows < 1'000) {
        const std::size_t end = std::min(beginning.find('\n'), beginning.size());
        const std::string_view row = beginning.substr(0, end);
        beginning.remove_prefix(std::min(end + 1, beginning.size()));
        if (row.empty() || row == "\r")
            continue;
        int task = -1;
        ++rows;
        numbered += behindTask(row, 0, task) > 0 ? 1 : 0;
    }
    return rows > 0 && numbered * 10 >= rows * 7;
}

std::size_t findInnerPrefix(std::string_view row, std::size_t from) {
    StringPiece match;
    const bool found = from < row.size() && patterns().inner.Match(StringPiece(row.data(), row.size()), from,
                                                                   row.size(), RE2::UNANCHORED, &match, 1);
    return found ? static_cast<std::size_t>(match.data() - row.data()) : std::string_view::npos;
}

} // namespace rankscope::explain
