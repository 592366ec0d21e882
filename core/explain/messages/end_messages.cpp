// SPDX-License-Identifier: Apache-2.0
#include "core/explain/messages/end_messages.h"

#include "core/explain/line/log_number.h"
#include "core/explain/line/matched_text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <array>
#include <csignal>
#include <utility>

namespace rankscope::explain {

namespace {

using re2::StringPiece;
using EndKind = RankEnd::Kind;

constexpr std::size_t kMostEnds = 64; ///< of a pattern in a record
constexpr int kHighestCode = 255;

// All of them match text without whitespace.
struct EndPatterns {
    // torchrun's table: rank, exit code and pid are in separate rows
    RE2 table{R"(rank:(\d+)\(local_rank:\d+\)exitcode:(-?\d+)\(pid:(\d+)\))"};
    RE2 failed{R"(failed\(exitcode:(-?\d+)\)local_rank:(\d+)\(pid:(\d+)\)ofbinary)"};
    RE2 received{R"(Signal(\d+)\(SIG\w+?\)receivedbyPID\d+)"};
    RE2 srun{
        R"(srun:error:([\w.\[\],-]{1,200}):tasks?([\d,-]+):(Exitedwithexitcode(\d+)|OutOfMemory|Killed|Aborted|Terminated|Segmentationfault|Buserror|Interrupt|Hangup|Floatingpoint|Illegalinstruction))"};
    RE2 child{R"(ChildprocesswithPID(\d+)terminatedwithcode(-?\d+))"};
    RE2 spawned{R"(process(\d+)terminatedwith(?:signal(SIG\w+)|exitcode(\d+)))"};
    RE2 slurmMemory{R"((?:Detected\d+oom[_-]killevent|oom-killevent\(?s?\)?instep|Exceeded(?:job|step)memorylimit))"};
    RE2 kernelMemory{R"((?:[Oo]utofmemory:Kill(?:ed)?process|oom_reaper:reapedprocess)(\d+))"};
    RE2 podMemory{R"(Reason:OOMKilled|"reason":"OOMKilled"|reason=OOMKilled)"};

    RE2 member{R"(GLOBAL_RANK:(\d+),MEMBER:\d+/(\d+))"};
    RE2 registered{R"((?:[Dd]istributed|DDP)processesregistered\.Starting(?:ddp)?with(\d+)processes)"};
    RE2 worldSize{R"((?:^|[^A-Za-z_])(?:[Ww]orld_?[Ss]ize|WORLD_SIZE)[:=]?(\d+)(?:[^\d.]|$))"};
    RE2 backend{R"(distributed_backend=([a-z]{3,8}))"};
    RE2 torchrun{R"(torch[./]distributed[./](?:elastic|run|launcher)|torchrun|ChildFailedError)"};
};

const EndPatterns& endPatterns() {
    static const EndPatterns all;
    return all;
}

constexpr std::array<std::pair<std::string_view, int>, 20> kSignals{{
    {"Killed", SIGKILL},  {"Aborted", SIGABRT},  {"Terminated", SIGTERM}, {"Segmentation", SIGSEGV},
    {"Buserror", SIGBUS}, {"Interrupt", SIGINT}, {"Hangup", SIGHUP},      {"Floating", SIGFPE},
    {"Illegal", SIGILL},  {"SIGKILL", SIGKILL},  {"SIGABRT", SIGABRT},    {"SIGTERM", SIGTERM},
    {"SIGSEGV", SIGSEGV}, {"SIGBUS", SIGBUS},    {"SIGINT", SIGINT},      {"SIGHUP", SIGHUP},
    {"SIGFPE", SIGFPE},   {"SIGILL", SIGILL},    {"SIGUSR1", SIGUSR1},    {"SIGUSR2", SIGUSR2},
}};

/// Adds an end by the number that Python's subprocess and torchrun give: a negative one is a signal. A number that no
/// process ends with, and 0, are no end.
ProcessEnd* addExit(std::string_view text, std::size_t place, LogFacts& facts) {
    const auto code = logNumber(text);
    if (!code || *code == 0 || *code < -64 || *code > kHighestCode)
        return nullptr;
    ProcessEnd& end = facts.ends.emplace_back();
    end.end.kind = *code < 0 ? EndKind::Signal : EndKind::ExitCode;
    end.end.code = static_cast<int>(*code < 0 ? -*code : *code);
    end.end.place.line = static_cast<std::int64_t>(place);
    return &end;
}

/// The last character of a message that was taken from the front of `behind`.
std::size_t endPlace(const DenseText& record, const StringPiece& behind) {
    const auto offset = static_cast<std::size_t>(behind.data() - record.text().data());
    return offset > 0 ? offset - 1 : 0;
}

void readTorchrun(const DenseText& record, LogFacts& facts) {
    const EndPatterns& p = endPatterns();
    const auto placeOf = [&](const StringPiece& behind) { return endPlace(record, behind); };
    StringPiece rest(record.text()), rank, code, pid;
    for (std::size_t n = 0; n < kMostEnds && RE2::FindAndConsume(&rest, p.table, &rank, &code, &pid); ++n)
        if (ProcessEnd* end = addExit(matchedText(code), placeOf(rest), facts)) {
            end->end.rank = logRank(matchedText(rank));
            end->pid = logCount(matchedText(pid)).value_or(0);
        }
    rest = record.text();
    for (std::size_t n = 0; n < kMostEnds && RE2::FindAndConsume(&rest, p.failed, &code, &rank, &pid); ++n)
        if (ProcessEnd* end = addExit(matchedText(code), placeOf(rest), facts)) {
            end->localRank = logRank(matchedText(rank));
            end->pid = logCount(matchedText(pid)).value_or(0);
        }
    rest = record.text();
    for (std::size_t n = 0; n < kMostEnds && RE2::FindAndConsume(&rest, p.child, &pid, &code); ++n)
        if (ProcessEnd* end = addExit(matchedText(code), placeOf(rest), facts)) {
            end->ofPrefix = true;
            end->pid = logCount(matchedText(pid)).value_or(0);
        }
    // torch.multiprocessing.spawn: its number is the argument that the function gets, by custom the rank on the node
    rest = record.text();
    StringPiece signal;
    for (std::size_t n = 0; n < kMostEnds && RE2::FindAndConsume(&rest, p.spawned, &rank, &signal, &code); ++n) {
        const std::string number =
            signal.empty() ? std::string(matchedText(code)) : fmt::format("-{}", signalNumber(matchedText(signal)));
        if (ProcessEnd* end = addExit(number, placeOf(rest), facts))
            end->localRank = logRank(matchedText(rank));
    }
}

void readSrun(const DenseText& record, LogFacts& facts) {
    const EndPatterns& p = endPatterns();
    const auto placeOf = [&](const StringPiece& behind) { return endPlace(record, behind); };
    StringPiece rest(record.text()), host, tasks, how, code;
    for (std::size_t n = 0; n < kMostEnds && RE2::FindAndConsume(&rest, p.srun, &host, &tasks, &how, &code); ++n) {
        const bool memory = matchedText(how).starts_with("OutOfMemory");
        const int signal = memory ? SIGKILL : signalNumber(matchedText(how));
        if (code.empty() && signal == 0)
            continue;
        const std::size_t begin = code.empty() ? 0 : static_cast<std::size_t>(code.data() - record.text().data());
        const std::string exit =
            code.empty() ? fmt::format("-{}", signal) : std::string(record.lastNumber(begin, begin + code.size()));
        for (const int task : logRanks(matchedText(tasks))) {
            ProcessEnd* end = addExit(exit, placeOf(rest), facts);
            if (!end)
                break;
            end->localRank = task;
            if (memory)
                end->end.kind = EndKind::OutOfMemory;
        }
    }
}

void readMemory(const DenseText& record, LogFacts& facts) {
    const EndPatterns& p = endPatterns();
    StringPiece rest(record.text()), pid;
    const auto add = [&](std::int64_t process) {
        ProcessEnd& end = facts.ends.emplace_back();
        end.end.kind = EndKind::OutOfMemory;
        end.end.code = SIGKILL;
        end.end.place.line = static_cast<std::int64_t>(endPlace(record, rest));
        end.pid = process;
    };
    for (std::size_t n = 0; n < kMostEnds && RE2::FindAndConsume(&rest, p.kernelMemory, &pid); ++n)
        add(logCount(matchedText(pid)).value_or(0));
    rest = record.text();
    if (RE2::FindAndConsume(&rest, p.slurmMemory) || RE2::FindAndConsume(&rest, p.podMemory))
        add(0);
}

} // namespace

int signalNumber(std::string_view name) {
    for (const auto& [known, number] : kSignals)
        if (name.starts_with(known))
            return number;
    return 0;
}

void readEndMessages(const DenseText& record, LogFacts& facts) {
    const auto has = [&](std::string_view word) { return record.text().find(word) != std::string::npos; };
    if (has("exitcode") || has("terminatedwith"))
        readTorchrun(record, facts);
    if (has("srun:error:"))
        readSrun(record, facts);
    if (has("oom") || has("OOM") || has("utofmemory") || has("memorylimit"))
        readMemory(record, facts);
}

void readStartMessages(const DenseText& record, LogFacts& facts) {
    const EndPatterns& p = endPatterns();
    StringPiece part, rank;
    const auto lastNumber = [&] {
        const auto begin = static_cast<std::size_t>(part.data() - record.text().data());
        return record.lastNumber(begin, begin + part.size());
    };
    if (RE2::PartialMatch(record.text(), p.member, &rank, &part)) {
        facts.worldSize = logWorldSize(lastNumber());
        facts.globalRank = logRank(matchedText(rank));
        facts.worldSizeIsOfRun = true;
    } else if (RE2::PartialMatch(record.text(), p.registered, &part)) {
        facts.worldSize = logWorldSize(matchedText(part));
        facts.worldSizeIsOfRun = true;
    } else if (RE2::PartialMatch(record.text(), p.worldSize, &part)) {
        facts.worldSize = logWorldSize(lastNumber());
    }
    if (RE2::PartialMatch(record.text(), p.backend, &part))
        facts.backend = shownText(matchedText(part), 8);
}

bool isOfTorchrun(const DenseText& record) {
    return RE2::PartialMatch(record.text(), endPatterns().torchrun);
}

} // namespace rankscope::explain
