// SPDX-License-Identifier: Apache-2.0
#include "core/launch/monitors/stack_capture.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/files/paths.h"
#include "core/base/process/process_identity.h"
#include "core/diagnosis/model/incident.h"
#include "core/launch/stacks/python_stacks.h"
#include "core/launch/stacks/stack_json.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace rankscope::launch {

static constexpr std::size_t kAtOnce = 2;
static constexpr std::size_t kMostStacksWaiting =
    16; ///< ranks; in a run with an incident every second, the newest are left out
static constexpr std::size_t kMostRows = 1024; ///< kept while the disk is full
static constexpr double kStackSeconds = 8;     ///< `rankscopectl stacks` gives up by itself before that

static constexpr std::int64_t kPythonNs = 3'000'000'000; ///< within which a rank writes its Python stacks
static constexpr std::size_t kMostPythonBytes = 256 << 10;

static std::uint64_t bytesOf(const std::filesystem::path& file) {
    const auto opened = file.empty() ? tl::unexpected(Error{}) : openRunFile(file, GuardedFolder::Rank);
    return opened ? opened->bytes : 0;
}

/// Returns what a file of a rank holds after a position, as far as it is not too much.
static std::string textAfter(const std::filesystem::path& file, std::uint64_t from) {
    const auto opened = openRunFile(file, GuardedFolder::Rank);
    std::string text(kMostPythonBytes, '\0');
    const ssize_t n = opened ? ::pread(opened->fd.get(), text.data(), text.size(), static_cast<off_t>(from)) : -1;
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
}

/// Returns whether a stack taken now says nothing about the cause: the moment has passed, or the process has ended.
static bool hasNoMoment(diagnosis::Cause cause) {
    using diagnosis::Cause;
    return cause == Cause::Dead || cause == Cause::ConfigurationDiffers || cause == Cause::NotFinite ||
           cause == Cause::EmptyBatch || cause == Cause::AskedToLeave || cause == Cause::Paused ||
           cause == Cause::MemoryRunsOut;
}

std::vector<std::pair<int, std::string>> ranksToLookInto(const diagnosis::Incident& incident,
                                                         const std::vector<diagnosis::ProcessView>& processes) {
    std::vector<std::pair<int, std::string>> chosen;
    if (hasNoMoment(incident.cause))
        return chosen;
    const auto firstLiving = [&](const std::vector<int>& ranks, const char* role) {
        for (const int rank : ranks) {
            const auto r = static_cast<std::size_t>(rank);
            if (rank < 0 || r >= processes.size() ||
                (processes[r].state != diagnosis::ProcessView::State::Running &&
                 processes[r].state != diagnosis::ProcessView::State::Stopped))
                continue;
            const bool taken =
                std::any_of(chosen.begin(), chosen.end(), [&](const auto& c) { return c.first == rank; });
            if (taken)
                continue;
            chosen.emplace_back(rank, role);
            return;
        }
    };
    firstLiving(incident.holders, "holder");
    firstLiving(incident.waiters, "waiter");
    return chosen;
}

void StackTaker::take(const std::vector<diagnosis::Transition>& transitions, const std::vector<RankMonitor>& ranks) {
    for (const auto& transition : transitions) {
        if (transition.kind != diagnosis::Transition::TransitionKind::Opened)
            continue;
        std::vector<diagnosis::ProcessView> processes;
        for (const auto& rank : ranks)
            processes.push_back(rank.view(false));
        for (auto& [rank, role] : ranksToLookInto(transition.incident, processes)) {
            const RankMonitor& watch = ranks[static_cast<std::size_t>(rank)];
            CaptureJob job{
                transition.incident.id, rank, role, watch.pid(), watch.startTicks(), watch.pythonStackSignal(),
                watch.pythonStacks()};
            if (m_waiting.size() < kMostStacksWaiting)
                m_waiting.push_back(std::move(job));
            else
                keepProblem(job, transition.incident.detectedNs, "left out: too many incidents at once");
        }
    }
}

bool StackTaker::holds(pid_t pid) const {
    return std::any_of(m_running.begin(), m_running.end(),
                       [&](const Running& r) { return r.job.pid == pid && !r.end; });
}

void StackTaker::round(std::int64_t nowNs) {
    m_running.remove_if([&](Running& running) {
        if (!running.end)
            running.end = running.helper.poll(nowNs);
        if (!running.end || !isWritten(running, nowNs))
            return false;
        keep(running);
        return true;
    });
    while (!m_waiting.empty() && m_running.size() < kAtOnce) {
        CaptureJob job = std::move(m_waiting.front());
        m_waiting.pop_front();
        start(std::move(job), nowNs);
    }
}

void StackTaker::start(CaptureJob job, std::int64_t nowNs) {
    if (!isSameProcess(job.pid, job.startTicks))
        return;
    const auto program = findProgram("rankscopectl");
    if (!program)
        return keepProblem(job, nowNs, program.error().message());
    HelperProcess::HelperCommand command;
    command.argv = {program->string(), "stacks", "--pid", std::to_string(job.pid), "--json"};
    command.seconds = kStackSeconds;
    command.mostOutput = 2u << 20;
    auto helper = HelperProcess::start(command, nowNs);
    if (!helper)
        return keepProblem(job, nowNs, helper.error().message());
    const std::uint64_t before = bytesOf(job.pythonFile);
    if (job.pythonSignal != 0 && !catchesSignal(job.pid, job.pythonSignal))
        job.pythonSignal = 0;
    if (job.pythonSignal != 0) // to the process alone: its loader workers have forked and share the handler
        ::kill(job.pid, job.pythonSignal);
    m_running.push_back({std::move(job), nowNs, std::move(*helper), before, before, std::nullopt});
}

/// Returns whether the rank has written its Python stacks, or will not any more. A stopped process does not.
bool StackTaker::isWritten(Running& running, std::int64_t nowNs) {
    if (running.job.pythonSignal == 0 || nowNs - running.sinceNs > kPythonNs)
        return true;
    const std::uint64_t now = bytesOf(running.job.pythonFile);
    const std::uint64_t last = std::exchange(running.pythonUntil, now);
    return now > running.pythonFrom && now == last;
}

void StackTaker::keepProblem(const CaptureJob& job, std::int64_t nowNs, const std::string& why) {
    if (m_rows.size() < kMostRows)
        m_rows.push_back({job.incident, job.rank, job.role, nowNs, 0, 0, "", "", "", why});
}

/// Returns why the helper found no stacks; empty: it did.
static std::string problemOf(const HelperProcess::HelperEnd& end) {
    const std::string problem = end.problem();
    const auto said = problem.find("rankscopectl: "); // its own error says more than its exit code
    return said == std::string::npos ? problem : problem.substr(said + 14);
}

void StackTaker::keep(const Running& running) {
    const CaptureJob& job = running.job;
    std::string problem = problemOf(*running.end);
    auto native = problem.empty() ? stacksFromJson(running.end->out) : Result<NativeStacks>(NativeStacks{});
    if (!native)
        problem = native.error().message();
    std::vector<NativeThread> threads = native ? std::move(native->threads) : std::vector<NativeThread>();
    if (job.pythonSignal != 0)
        addPythonThreads(threads, pythonThreadsOf(textAfter(job.pythonFile, running.pythonFrom)), job.pid);
    if (threads.empty())
        return keepProblem(job, running.sinceNs, problem.empty() ? "it has no threads" : problem);
    if (!problem.empty() && threads.front().remark.empty())
        threads.front().remark = "no native frames: " + problem;
    int place = 0;
    for (const NativeThread& t : threads)
        if (m_rows.size() < kMostRows)
            m_rows.push_back({job.incident, job.rank, job.role, running.sinceNs, t.tid, place++, t.name, t.doing,
                              fmt::format("{}", fmt::join(t.frames, "\n")), t.remark});
}

} // namespace rankscope::launch
