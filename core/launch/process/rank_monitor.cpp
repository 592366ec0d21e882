// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/rank_monitor.h"

#include "core/base/process/process_identity.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/values/result.h"
#include "core/diagnosis/evidence/cause_finder.h"
#include "core/launch/host/host_facts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <numeric>

namespace rankscope::launch {

using namespace telemetry;

static constexpr std::size_t kRateWindow = 20;
/// A software record of this name says that the rank writes its Python stacks when it is asked to.
static constexpr std::string_view kFaultHandler = "faulthandler";
/// A shell inside torchrun has these: they say that another process serves the rendezvous, and how often it restarted.
static constexpr const char* kTorchrunsOwn = "TORCHELASTIC_*";

Result<void> RankMonitor::start(const PreparedLaunch::RankLaunch& plan) {
    RS_TRY_ASSIGN(auto child, ChildProcess::start({plan.argv, plan.environment, m_run.log(m_rank), {kTorchrunsOwn}}));
    m_process = std::make_unique<ChildProcess>(std::move(child));
    return {};
}

void RankMonitor::watch(std::unique_ptr<RankProcess> process) {
    forget();
    m_end.foreign = true;
    m_process = std::move(process);
    m_hidden = m_process == nullptr;
}

void RankMonitor::forget() {
    const int rank = m_rank;
    const RunPaths run = m_run;
    *this = RankMonitor(rank, run);
}

void RankMonitor::assumeEnded(const ProcessEnd& end) {
    if (!ended() && appeared())
        sawEnd(end);
}

bool RankMonitor::poll(std::int64_t nowNs, bool held) {
    if (!appeared())
        return false;
    std::optional<ProcessEnd> end;
    if (!ended() && m_process)
        end = m_process->poll();
    readBoard(); // after the process: the board of a dead rank no longer changes
    if (end)
        sawEnd(*end);
    else if (!ended() && m_process)
        checkProcess(nowNs, held);
    checkLog(nowNs);
    lookForAbort(nowNs);
    return end.has_value();
}

/// Keeps the last lines of a rank that does not join, to be reported with its name.
void RankMonitor::checkLog(std::int64_t nowNs) {
    constexpr std::int64_t kEvery = 5'000'000'000;
    if (m_startedNs == 0)
        m_startedNs = m_readLogNs = nowNs;
    if (ended() || running()) {
        m_startLines.clear();
    } else if (nowNs - m_readLogNs >= kEvery) {
        m_readLogNs = nowNs;
        m_startLines = fmt::format("{}", fmt::join(lastLogLines(m_run.log(m_rank).string(), 10), "\n"));
    }
}

void RankMonitor::readBoard() {
    if (!m_reader)
        if (auto reader = BoardReader::open(m_run.board(m_rank)))
            m_reader.emplace(std::move(*reader));
    if (!m_reader)
        return;
    m_board = m_reader->snapshot();
    if (!m_end.said) // its end record may not have fit, or the store may not accept anything
        m_end.said = endCauseOf(m_board->stage);
    if (!isAskedToLeave())
        takeRequest(m_board->asked);
}

void RankMonitor::takeRequest(const LeaveRequest& request) {
    const bool byProcess = request.sender == LeaveRequest::Sender::Process;
    if (request.signal == 0 || (byProcess && request.pid == ::getpid()))
        return;
    m_asked = request;
    if (byProcess && request.pid > 0)
        m_askedBy = userName(request.user);
}

/// Returns whether a process that was stopped seems to run only because the helper that looks into it has released it:
/// then it stops again after a moment.
bool RankMonitor::isReleased(bool stopped, std::int64_t nowNs) {
    constexpr std::int64_t kMomentNs = 300'000'000;
    if (m_stoppedSinceNs == 0 || stopped)
        return false;
    if (m_runsSinceNs == 0)
        m_runsSinceNs = nowNs;
    return nowNs - m_runsSinceNs < kMomentNs;
}

void RankMonitor::checkProcess(std::int64_t nowNs, bool held) {
    const auto stat = processStat(m_process->pid());
    m_continued |= m_process->wasContinued();
    m_cpuNs = stat ? stat->cpuNs : m_cpuNs;
    const bool stopped = stat && (stat->state == 'T' || stat->state == 't');
    if (held && stat && (stat->state == 't' || isReleased(stopped, nowNs)))
        return;
    m_runsSinceNs = 0;
    if (stopped && m_stoppedSinceNs == 0) {
        m_stoppedSinceNs = nowNs;
        ++m_timesStopped;
        m_stopSignal = m_process->stopSignal();
    } else if (!stopped) {
        m_continued |= m_stoppedSinceNs != 0;
        m_stoppedSinceNs = 0;
    }
}

/// Recognizes what the trainer writes to its log if an allocation fails where it cannot make a record: in a library's
/// thread.
static bool mentionsAllocation(const std::vector<std::string>& lines) {
    return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
        return line.find("out of memory: an allocation failed") != std::string::npos;
    });
}

static std::string joined(const std::vector<std::string>& lines) {
    return fmt::format("{}", fmt::join(lines, "\n"));
}

/// The log does not mention a full disk, because it could not grow.
static bool hasNoRoom(const std::filesystem::path& dir) {
    constexpr std::uintmax_t kLeast = 4096;
    std::error_code ec;
    const auto space = std::filesystem::space(dir, ec);
    return !ec && space.available < kLeast;
}

void RankMonitor::sawEnd(const ProcessEnd& end) {
    m_end.process = end;
    takeReportedCode();
    m_stoppedSinceNs = 0;
    m_end.byUs = end.signalled && m_sent.contains(end.code);
    if (m_board) {
        m_end.step = std::max(m_end.step, m_board->step);
        m_end.phase = m_board->phase;
    }
    if (endedBadly(m_end, false))
        m_end.lastLines = lastLogLines(m_run.log(m_rank).string(), 10);
    // only with its own last words: another program may use this exit code for its own reasons
    m_end.outOfMemory = !m_end.foreign && !end.signalled && end.code == kOutOfMemoryExit &&
                        (m_end.said == EndCause::Failed || mentionsAllocation(m_end.lastLines));
    lookForFullDisk();
}

/// Adds why an abort ended a rank without a separate log: what the C++ runtime wrote to the command's, which holds
/// what all ranks print, a moment before the process ended.
void RankMonitor::lookForAbort(std::int64_t nowNs) {
    constexpr std::int64_t kLateNs = 1'000'000'000;
    constexpr int kLines = 200;
    if (!m_end.process || !m_end.process->signalled || m_end.process->code != SIGABRT || !m_end.lastLines.empty() ||
        nowNs - m_end.process->seenNs > kLateNs)
        return;
    m_end.lastLines = lastLogLines(m_run.commandLog().string(), kLines, GuardedFolder::Run);
    std::erase_if(m_end.lastLines, [](const std::string& line) {
        return line.find("what():") == std::string::npos && line.find("terminate called") == std::string::npos;
    });
}

/// An exit status that only another program could collect is the one that the rank has reported.
void RankMonitor::takeReportedCode() {
    if (m_end.process && !m_end.process->known && m_reportedCode) {
        m_end.process->known = true;
        m_end.process->code = *m_reportedCode;
    }
}

/// Decides whether a full disk ended the rank: by what it reported and, if that is unknown or cut off, by its log and
/// by the space that is left.
void RankMonitor::lookForFullDisk() {
    constexpr std::size_t kWhole = sizeof(EndRecord::text) - 8; // a longer text may be cut
    if (m_end.foreign || !m_end.process || m_end.process->signalled || m_end.process->code != kFailedExit)
        return;
    const bool known = !m_end.text.empty() && m_end.text.size() < kWhole;
    m_end.diskFull = diagnosis::mentionsFullDisk(known ? m_end.text : m_end.text + joined(m_end.lastLines)) ||
                     (!known && hasNoRoom(m_run.dir));
}

/// Returns 0 if the record does not make sense.
static double audioSamplesOf(const StepRecord& step) {
    const double samples =
        step.samplesPerSecond * (static_cast<double>(step.endNs) - static_cast<double>(step.beginNs)) * 1e-9;
    return std::isfinite(samples) && samples > 0 ? samples : 0;
}

/// Returns none if the rank does not know the loss of its step.
static std::optional<double> knownLoss(const StepRecord& step) {
    return std::isnan(step.loss) && (step.flags & 1) == 0 ? std::nullopt : std::optional(step.loss);
}

void RankMonitor::add(std::span<const AnyRecord> records) {
    for (const auto& record : records) {
        if (const auto* step = record.as<StepRecord>()) {
            m_lastStep = std::max(m_lastStep, step->header.step);
            m_end.done = m_lastStep + 1;
            m_end.step = std::max(m_end.step, step->header.step);
            m_lastLoss = knownLoss(*step);
            m_end.notFinite.addStep(step->header.step, step->flags);
            m_stepEnds.push_back(step->endNs);
            m_stepSamples.push_back(audioSamplesOf(*step));
            if (m_stepEnds.size() > kRateWindow) {
                m_stepEnds.pop_front();
                m_stepSamples.pop_front();
            }
        } else if (const auto* collective = record.as<CollectiveRecord>()) {
            m_end.victim |= collective->failed != 0;
        } else if (const auto* end = record.as<EndRecord>()) {
            m_end.said = end->cause;
            m_reportedCode = end->exitCode;
            takeReportedCode();
            m_end.weightsHash = end->weightsHash;
            m_end.text = std::string(getText(end->text, sizeof end->text));
            lookForFullDisk();
            m_end.notFinite.addEnd(m_end.text, m_lastStep);
        } else if (const auto* software = record.as<SoftwareRecord>()) {
            takeSoftware(*software);
        }
    }
}

void RankMonitor::takeSoftware(const SoftwareRecord& record) {
    constexpr std::size_t kMostSoftware = 32;
    const std::string name(getText(record.name, sizeof record.name));
    const std::string version(getText(record.version, sizeof record.version));
    if (name == kFaultHandler) {
        const int number = std::atoi(version.c_str());
        m_pythonStackSignal = number >= SIGRTMIN && number <= SIGRTMAX ? number : 0;
    } else if (m_software.size() < kMostSoftware) {
        m_software.emplace_back(printableLine(name), printableLine(version));
    }
}

void RankMonitor::attributeToOutOfMemory() {
    if (m_end.process && m_end.process->signalled && m_end.process->code == SIGKILL && !m_end.byUs)
        m_end.outOfMemory = true;
}

void RankMonitor::terminate(int signal) {
    if (!m_process || ended())
        return;
    m_sent.insert(signal);
    m_process->signal(signal);
    if (m_stoppedSinceNs != 0)
        m_process->signal(SIGCONT); // a stopped process does not see the signal that is to end it
}

void RankMonitor::endWaiting() {
    if (ended())
        return;
    m_end.waitedInVain = true;
    terminate(SIGKILL);
}

void RankMonitor::resume() {
    if (m_process)
        m_process->signal(SIGCONT);
}

bool RankMonitor::running() const {
    return m_board && m_board->stage >= RankStage::Running;
}

diagnosis::ProcessView RankMonitor::view(bool stopping, bool leaving) const {
    diagnosis::ProcessView view;
    if (!appeared())
        return view;
    view.state = m_stoppedSinceNs ? diagnosis::ProcessView::State::Stopped : diagnosis::ProcessView::State::Running;
    view.sinceNs = m_stoppedSinceNs;
    view.signal = m_stoppedSinceNs ? (m_stopSignal ? m_stopSignal : SIGSTOP) : 0;
    view.lastLines = m_startLines;
    if (leaving) {
        view.asked = m_asked;
        view.askedBy = m_askedBy;
    }
    if (!m_end.process)
        return view;
    view.sinceNs = m_end.process->seenNs;
    view.state = diagnosis::ProcessView::State::Exited;
    if (stopping || !endedBadly(m_end, stopping))
        return view;
    view.outOfMemory = m_end.outOfMemory;
    view.lastLines = joined(m_end.lastLines);
    if (m_end.diskFull && !diagnosis::mentionsFullDisk(view.lastLines)) // there was no space for the reason in the log
        view.lastLines += fmt::format("{}(the disk or quota is full)", view.lastLines.empty() ? "" : "\n");
    if (m_end.process->signalled) {
        view.state = diagnosis::ProcessView::State::Signalled;
        view.signal = m_end.process->code;
    } else if (m_end.process->code != 0) {
        view.exitCode = m_end.process->code;
    } else {
        view.state = diagnosis::ProcessView::State::Gone; // exit code 0 before it was done
    }
    return view;
}

/// Uses the median of the newest steps, so that a stall or a pause among them does not lower the rate.
double RankMonitor::stepsPerSecond() const {
    std::vector<std::int64_t> steps;
    for (std::size_t i = 1; i < m_stepEnds.size(); ++i)
        steps.push_back(m_stepEnds[i] - m_stepEnds[i - 1]);
    if (steps.empty())
        return 0;
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    return *middle > 0 ? 1e9 / static_cast<double>(*middle) : 0;
}

double RankMonitor::samplesPerStep() const {
    return m_stepSamples.empty() ? 0
                                 : std::accumulate(m_stepSamples.begin(), m_stepSamples.end(), 0.0) /
                                       static_cast<double>(m_stepSamples.size());
}

} // namespace rankscope::launch
