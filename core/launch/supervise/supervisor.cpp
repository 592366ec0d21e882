// SPDX-License-Identifier: Apache-2.0
#include "core/launch/supervise/supervisor.h"

#include "core/base/process/process_identity.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/diagnosis/detector/detector.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/monitors/run_monitors.h"
#include "core/launch/process/rank_monitor.h"
#include "core/launch/process/stop_signals.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/run/run_lock.h"
#include "core/launch/supervise/folder_watch.h"
#include "core/launch/supervise/journal_drain.h"
#include "core/launch/supervise/round_clock.h"
#include "core/launch/supervise/run_creation.h"
#include "core/launch/supervise/run_info_reserve.h"
#include "core/launch/supervise/store_error_reporter.h"
#include "core/telemetry/board/control_page.h"
#include "core/telemetry/format/note_markers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

using diagnosis::RunOutcomeSeen;

static constexpr int kRoundMs = 100; ///< Boards are read ten times a second.
static constexpr std::int64_t kMs = 1'000'000;
static constexpr std::int64_t kSecond = 1'000 * kMs;
static constexpr std::int64_t kLingerNs =
    20 * kSecond;                                   ///< allowed between a rank's report that it is done and its exit
static constexpr std::int64_t kRetryNs = 500 * kMs; ///< until a failed commit is tried again
static constexpr std::int64_t kLastRetriesNs =
    10 * kSecond;                                      ///< how long failed commits are tried again at the run's end
static constexpr std::size_t kVerdictBytes = 32 << 10; ///< for a cause, which may quote a log
static constexpr std::int64_t kSupervisorIsAskedNs =
    80 * kMs;                                      ///< within which a batch system signals the supervisor as well
static constexpr double kStopMarginSeconds = 0.25; ///< from reading the boards until every rank sees the stop
static constexpr std::int64_t kFailureGraceNs = 800'000'000; ///< The run is over within 2 s of a rank's death.

namespace {

/// Supervises one run from the creation of its folder until no rank is left: starts, watches, stops and kills its
/// ranks, stores what they write, and diagnoses it.
class Supervisor {
public:
    Supervisor(const PreparedLaunch& plan, std::function<void(const Progress&)> report);

    /// Creates the folder with its lock and store, and starts the ranks. On an error, nothing is left of the run.
    Result<void> begin();
    /// Returns the exit code when no rank is left and everything that the ranks wrote is stored.
    int run();

private:
    Result<void> openStore();
    Result<void> startRanks();
    Result<void> reserveVerdict();
    void round();
    void look();
    void onSignals(const StopSignals::Received& seen);
    void stop(bool now);
    void beginStop();
    void publishStopStep();
    void readStopRequests();
    Message askedText() const;
    void end(std::int64_t graceNs);
    void enforceDeadlines();
    void checkFolder();
    void storeRound(diagnosis::RunOutcomeSeen end);
    void noteUnwatched(const std::vector<diagnosis::Transition>& transitions);
    std::vector<diagnosis::Transition> diagnose(const diagnosis::Observation& observation);
    void commit(std::vector<diagnosis::Transition> transitions);
    void rewriteStore();
    void setState(RunState state);
    void saveInfo();
    void drainToTheEnd();
    Result<void> storeEnd(const RunOutcome& verdict, const std::vector<RankEnd>& ends);
    int finish();
    bool allEnded() const;
    std::int64_t newestStep() const;
    double stepsPerSecond() const;
    diagnosis::Observation observation(diagnosis::RunOutcomeSeen end) const;
    void publishProgress();

    const PreparedLaunch& m_plan;
    ProgressReporter m_progress;
    StopSignals m_signals;
    RunInfo m_info;
    std::optional<RunLock> m_lock;
    std::optional<RunInfoReserve> m_reserve;
    std::optional<telemetry::ControlPage> m_control;
    std::optional<Drain> m_drain;
    std::optional<StoreErrorReporter> m_errors;
    std::optional<diagnosis::Detector> m_detector;
    std::optional<diagnosis::InputRecorder> m_recorder;
    RunMonitors m_monitors;
    std::vector<RankMonitor> m_ranks;
    FolderWatch m_folder;
    RoundClock m_clock;
    diagnosis::UnwatchedTime m_unwatched; ///< before this round; none in an ordinary one
    bool m_continued = false;             ///< This process got a SIGCONT since the last round.
    std::int64_t m_memoryKills = -1;      ///< by the kernel, for lack of memory, before the run began; -1: unknown
    std::int64_t m_nowNs = 0;
    bool m_more = false;             ///< A journal holds more than one round reads.
    bool m_stopping = false;         ///< A stop was requested before any rank ended badly.
    bool m_failing = false;          ///< A rank ended badly.
    bool m_leaving = false;          ///< The run stops because a rank was asked to leave.
    std::int64_t m_askedSinceNs = 0; ///< 0: no rank was asked to leave
    bool m_lastStepNamed = false;    ///< on the control page
    int m_stopRequests = 0;          ///< number of stop signals received
    std::int64_t m_killAtNs = 0;     ///< time after which ranks are killed; 0: no stop is in progress
    std::int64_t m_allSaidNs = 0;    ///< since when all ranks have reported that they are done; 0: not all have
    std::int64_t m_retryAtNs = 0;    ///< when a failed commit is tried again; 0: none failed
    bool m_infoStale = false;        ///< run.json could not be written.
};

} // namespace

/// Wakes ranks that stopped themselves by the `stopped` fault, once its time is over.
static void resumeStoppedRanks(std::vector<RankMonitor>& ranks, const std::vector<config::FaultConfig>& faults,
                               std::int64_t nowNs) {
    for (auto& rank : ranks) {
        if (rank.stoppedSinceNs() == 0)
            continue;
        int nth = 0;
        const config::FaultConfig* fault = nullptr;
        for (const auto& f : faults)
            if (f.kind == "stopped" && f.rank == rank.rank() && nth++ < rank.timesStopped())
                fault = &f;
        if (fault && static_cast<double>(nowNs - rank.stoppedSinceNs()) >= fault->seconds * 1e9)
            rank.resume();
    }
}

Supervisor::Supervisor(const PreparedLaunch& plan, std::function<void(const Progress&)> report)
    : m_plan(plan), m_progress(std::move(report)), m_info(plan.info), m_monitors(plan, plan.info) {
    m_info.supervisorPid = ::getpid();
    if (const auto self = processStat(::getpid()))
        m_info.supervisorStartTicks = self->startTicks;
}

Result<void> Supervisor::begin() {
    RS_TRY_ASSIGN(auto lock, createRunFolder(m_plan, m_info));
    m_lock.emplace(std::move(lock));
    m_lock->markSupervisor();
    m_info.folder = folderIdentity(m_plan.run.dir);
    m_folder.begin(m_plan.run.dir);
    auto began = openStore();
    if (began)
        began = startRanks();
    if (began)
        began = reserveVerdict();
    if (began)
        began = writeRunInfo(m_plan.run, m_info);
    if (began)
        return {};
    m_ranks.clear(); // ends the ranks that were started
    m_drain.reset();
    removeRunFolder(m_plan.run);
    return began;
}

Result<void> Supervisor::openStore() {
    RS_TRY_ASSIGN(auto control, telemetry::ControlPage::create(m_plan.run.control()));
    m_control.emplace(std::move(control));
    const store::RunMeta meta{m_info.id, m_info.worldSize, m_info.startNs, m_info.startRealtimeNs, m_info.totalSteps};
    store::Retention retention;
    retention.newestSteps = m_plan.settings.retentionSteps;
    RS_TRY_ASSIGN(auto store, store::RunWriter::open(m_plan.run.store(), meta, retention));
    RS_TRY_ASSIGN(auto drain, Drain::open(m_plan.run, std::move(store)));
    m_drain.emplace(std::move(drain));
    m_errors.emplace(*m_drain, *m_control, m_plan.ranks.size());
    m_detector.emplace(m_info.worldSize, m_plan.settings.detector);
    m_recorder.emplace(m_info.worldSize, m_plan.settings.detector);
    if (m_info.faults.empty())
        return {};
    return m_drain->store().note(telemetry::NoteSeverity::Warning,
                                 fmt::format("Faults were asked for: {}.", fmt::join(m_info.faults, "; ")),
                                 m_info.startNs);
}

Result<void> Supervisor::startRanks() {
    m_memoryKills = outOfMemoryKills();
    m_ranks.reserve(m_plan.ranks.size());
    for (const auto& rank : m_plan.ranks) {
        m_ranks.emplace_back(rank.rank, m_plan.run);
        RS_TRY(m_ranks.back().start(rank));
        m_info.rankPids.push_back(m_ranks.back().pid());
        m_info.rankStartTicks.push_back(m_ranks.back().startTicks());
    }
    m_monitors.begin(m_ranks);
    return {};
}

Result<void> Supervisor::reserveVerdict() {
    RS_TRY_ASSIGN(auto reserve, RunInfoReserve::make(m_plan.run, runInfoText(m_info).size() + kVerdictBytes));
    m_reserve.emplace(std::move(reserve));
    return {};
}

int Supervisor::run() {
    m_nowNs = monotonicNs();
    publishProgress();
    while (!allEnded()) {
        onSignals(m_signals.wait(m_more && m_retryAtNs == 0 ? 0 : kRoundMs));
        round();
    }
    drainToTheEnd();
    return finish();
}

void Supervisor::round() {
    m_nowNs = monotonicNs();
    look();
    checkFolder();
    resumeStoppedRanks(m_ranks, m_plan.settings.faults, m_nowNs);
    enforceDeadlines();
    storeRound(RunOutcomeSeen::Running);
    m_monitors.poll(m_retryAtNs == 0 ? &m_drain->store() : nullptr, m_nowNs);
    m_errors->reportDrops(m_ranks, m_nowNs);
    if (m_info.state == RunState::Starting &&
        std::all_of(m_ranks.begin(), m_ranks.end(), [](const RankMonitor& r) { return r.running(); })) {
        if (m_info.totalSteps == 0) // the configuration counts epochs: only the ranks know how many steps those are
            m_info.totalSteps = std::max<std::int64_t>(0, m_ranks.front().board()->totalSteps);
        setState(RunState::Running);
    } else if (m_infoStale)
        saveInfo();
    publishProgress();
}

void Supervisor::look() {
    bool anyEnd = false;
    for (auto& rank : m_ranks)
        anyEnd |= rank.poll(m_nowNs, m_monitors.holds(rank.pid()));
    m_unwatched = m_clock.next(m_nowNs, std::exchange(m_continued, false), m_ranks);
    // a disk that hangs stops this thread and perhaps the ranks as well; that is not a pause
    if (m_unwatched.beginNs != 0 && m_unwatched.ranks == diagnosis::UnwatchedTime::RankActivity::Unknown &&
        m_monitors.ranThrough(m_unwatched.beginNs, m_nowNs))
        m_unwatched.ranks = diagnosis::UnwatchedTime::RankActivity::Ran;
    readStopRequests();
    if (!anyEnd)
        return;
    if (m_memoryKills >= 0 && outOfMemoryKills() > m_memoryKills)
        for (auto& rank : m_ranks)
            rank.attributeToOutOfMemory();
    // a rank's last record decides whether its end was a bad one
    storeRound(RunOutcomeSeen::Running);
    const bool bad = std::any_of(m_ranks.begin(), m_ranks.end(),
                                 [&](const RankMonitor& r) { return endedBadly(r.end(), m_stopping); });
    if (bad && !m_failing && !m_stopping) {
        m_failing = true;
        setState(RunState::Stopping);
        end(kFailureGraceNs);
    }
}

void Supervisor::onSignals(const StopSignals::Received& seen) {
    m_continued |= seen.continued;
    for (int i = 0; i < seen.stop; ++i)
        stop(++m_stopRequests > 1);
    if (seen.now)
        stop(true);
    if (seen.asked) // however often and by however many processes: the last checkpoint is to be written
        stop(false);
}

void Supervisor::stop(bool now) {
    if (!m_failing && !m_stopping)
        beginStop();
    if (now) {
        m_killAtNs = m_nowNs = monotonicNs();
        enforceDeadlines();
    }
}

void Supervisor::beginStop() {
    m_stopping = true;
    m_nowNs = monotonicNs();
    for (auto& rank : m_ranks)
        rank.poll(m_nowNs, m_monitors.holds(rank.pid()));
    publishStopStep();
    setState(RunState::Stopping);
    end(static_cast<std::int64_t>(m_plan.settings.stopGraceSeconds * 1e9));
}

/// Every rank must see the step before it begins it, or one waits in a collective that no other rank enters.
void Supervisor::publishStopStep() {
    const auto margin = static_cast<std::int64_t>(std::ceil(kStopMarginSeconds * stepsPerSecond()));
    const auto named = m_control->setStopAtStep(newestStep() + std::max<std::int64_t>(2, margin));
    m_lastStepNamed = named.has_value();
    m_errors->reportControlPage(named, m_nowNs);
}

/// Returns "rank 1 was asked to leave by SIGTERM from earlyoom (process 4711 of root)"; empty if no rank was asked.
Message Supervisor::askedText() const {
    if (!m_leaving)
        return {};
    std::vector<int> ranks;
    diagnosis::ProcessView first;
    for (const auto& rank : m_ranks) {
        auto view = rank.view(true, true);
        if (view.asked.signal == 0)
            continue;
        if (ranks.empty() || view.asked.atNs < first.asked.atNs)
            first = std::move(view);
        ranks.push_back(rank.rank());
    }
    const auto evidence = diagnosis::leaveEvidence(first);
    const std::string signal = signalName(first.asked.signal);
    const auto sender = diagnosis::leaveSenderText(evidence);
    return ranks.size() == 1 ? Message("{} was asked to leave by {} from {}", Ranks{ranks}, signal, sender)
                             : Message("{} were asked to leave by {} from {}", Ranks{ranks}, signal, sender);
}

/// A signal that asks one rank to leave counts for all: they leave after the same step, with a checkpoint. A batch
/// system may signal all processes of a job one after the other: then the supervisor's own signal counts.
void Supervisor::readStopRequests() {
    if (m_stopping || m_failing)
        return;
    const auto asked = [](const RankMonitor& r) { return r.isAskedToLeave(); };
    if (std::none_of(m_ranks.begin(), m_ranks.end(), asked))
        return;
    if (m_askedSinceNs == 0)
        m_askedSinceNs = m_nowNs;
    const bool left =
        std::any_of(m_ranks.begin(), m_ranks.end(), [&](const RankMonitor& r) { return asked(r) && r.ended(); });
    if (!left && m_nowNs - m_askedSinceNs < kSupervisorIsAskedNs)
        return;
    m_leaving = true;
    beginStop();
    m_errors->note(telemetry::NoteSeverity::Warning,
                   fmt::format("The run stops: {}. All ranks leave after the same step.", askedText().english()),
                   m_nowNs);
}

void Supervisor::end(std::int64_t graceNs) {
    for (auto& rank : m_ranks)
        rank.terminate(SIGTERM);
    m_killAtNs = m_nowNs + graceNs;
}

void Supervisor::enforceDeadlines() {
    if (m_stopping && !m_lastStepNamed && !m_errors->isFolderGone())
        publishStopStep();
    const bool allSaid =
        std::all_of(m_ranks.begin(), m_ranks.end(), [](const RankMonitor& r) { return r.ended() || r.reportedDone(); });
    if (!allSaid)
        m_allSaidNs = 0;
    else if (m_allSaidNs == 0)
        m_allSaidNs = m_nowNs;
    if (m_killAtNs == 0 && m_allSaidNs != 0 && m_nowNs - m_allSaidNs > kLingerNs)
        end(kSecond); // they reported that they were done and did not exit
    if (m_killAtNs != 0 && m_nowNs >= m_killAtNs)
        for (auto& rank : m_ranks)
            rank.terminate(SIGKILL);
}

void Supervisor::checkFolder() {
    if (m_errors->isFolderGone() || !m_folder.gone(m_nowNs))
        return;
    m_errors->noteFolderGone();
    if (!m_failing && !m_stopping) {
        m_failing = true;
        end(kFailureGraceNs);
    }
}

void Supervisor::storeRound(RunOutcomeSeen end) {
    std::vector<bool> gone;
    for (const auto& rank : m_ranks)
        gone.push_back(rank.ended());
    m_more = m_drain->read(gone);
    for (auto& rank : m_ranks)
        rank.add(m_drain->newRecords(rank.rank()));
    auto transitions = diagnose(observation(end));
    m_monitors.onTransitions(transitions, m_ranks);
    commit(std::move(transitions));
}

/// If the ranks continued while the supervisor itself did not run, notes that they were not watched.
void Supervisor::noteUnwatched(const std::vector<diagnosis::Transition>& transitions) {
    const auto unwatched = std::exchange(m_unwatched, {});
    const bool paused = std::any_of(transitions.begin(), transitions.end(),
                                    [](const auto& t) { return t.incident.cause == diagnosis::Cause::Paused; });
    const double seconds = static_cast<double>(m_nowNs - unwatched.beginNs) * 1e-9;
    if (unwatched.beginNs == 0 || paused || seconds < m_plan.settings.detector.stallMinSeconds)
        return;
    m_errors->note(telemetry::NoteSeverity::Warning,
                   fmt::format("{}from {} to {}: its supervisor was stopped or blocked for {}. What the ranks measured "
                               "meanwhile is stored, but hold-ups in that time were not diagnosed.",
                               telemetry::kNotWatched, formatDuration(unwatched.beginNs - m_info.startNs),
                               formatDuration(m_nowNs - m_info.startNs), formatDuration(m_nowNs - unwatched.beginNs)),
                   m_nowNs);
}

/// Records what the detector sees, in the transaction that stores what the detector made of it.
std::vector<diagnosis::Transition> Supervisor::diagnose(const diagnosis::Observation& o) {
    m_recorder->record(o, *m_detector);
    auto transitions = m_detector->advance(o);
    noteUnwatched(transitions);
    m_progress.keepPauses(transitions);
    if (auto piece = m_recorder->take(transitions, m_detector->anyOpen(), o.end != RunOutcomeSeen::Running))
        if (!m_drain->deferRecording(std::move(*piece)))
            m_recorder->interrupted();
    return transitions;
}

void Supervisor::commit(std::vector<diagnosis::Transition> transitions) {
    if (m_retryAtNs != 0 && m_nowNs < m_retryAtNs) {
        m_drain->defer(std::move(transitions));
        return;
    }
    if (auto stored = m_drain->commit(std::move(transitions)); !stored) {
        m_retryAtNs = m_nowNs + kRetryNs;
        m_errors->onStoreError(stored.error().asMessage(), m_nowNs);
    } else {
        m_retryAtNs = 0;
        m_errors->onStoreRecovered(m_nowNs);
        if (!m_more)
            m_errors->publishStored(m_nowNs);
    }
}

void Supervisor::setState(RunState state) {
    m_info.state = state;
    saveInfo();
}

void Supervisor::saveInfo() {
    const bool last = !isLive(m_info.state) && m_reserve;
    auto written = last ? m_reserve->write(m_plan.run, runInfoText(m_info)) : writeRunInfo(m_plan.run, m_info);
    if (last) {
        m_reserve.reset();
        if (!written)
            written = writeRunInfo(m_plan.run, m_info);
    }
    m_infoStale = !written;
    if (!written)
        m_errors->onStoreError(written.error().asMessage(), m_nowNs);
}

bool Supervisor::allEnded() const {
    return std::all_of(m_ranks.begin(), m_ranks.end(), [](const RankMonitor& r) { return r.ended(); });
}

std::int64_t Supervisor::newestStep() const {
    constexpr std::int64_t kMost = INT64_MAX / 2; // a board may hold anything
    std::int64_t step = -1;
    for (const auto& rank : m_ranks)
        if (rank.board())
            step = std::max(step, std::min(rank.board()->step, kMost));
    return step;
}

double Supervisor::stepsPerSecond() const {
    double rate = 0;
    for (const auto& rank : m_ranks)
        rate = std::max(rate, rank.stepsPerSecond());
    return rate;
}

diagnosis::Observation Supervisor::observation(RunOutcomeSeen end) const {
    diagnosis::Observation o;
    o.nowNs = m_nowNs;
    o.end = end;
    o.unwatched = m_unwatched;
    // without everything that the ranks wrote meanwhile, their silence proves nothing
    if (o.unwatched.ranks == diagnosis::UnwatchedTime::RankActivity::Unknown && (m_more || m_retryAtNs != 0))
        o.unwatched.ranks = diagnosis::UnwatchedTime::RankActivity::Ran;
    for (const auto& rank : m_ranks)
        o.ranks.push_back({rank.rank(), rank.board(), rank.view(m_stopping, m_leaving),
                           m_monitors.resources(rank.rank()), m_drain->newRecords(rank.rank())});
    return o;
}

/// Writes run.sqlite again if it was removed. Called only after the run has ended: someone deleting the folder must not
/// find new files appearing in it.
void Supervisor::rewriteStore() {
    if (m_errors->isFolderGone() || m_drain->store().checkInPlace())
        return;
    auto store = m_drain->store().writeAnew();
    if (!store)
        return m_errors->onStoreError(store.error().asMessage(), m_nowNs);
    m_drain->setStore(std::move(*store));
    m_retryAtNs = 0;
}

void Supervisor::drainToTheEnd() {
    rewriteStore();
    const std::int64_t giveUpNs = monotonicNs() + kLastRetriesNs;
    do {
        if (m_retryAtNs != 0)
            m_signals.wait(kRoundMs);
        m_nowNs = monotonicNs();
        storeRound(RunOutcomeSeen::Running);
        publishProgress();
    } while (!m_errors->isFolderGone() && m_drain->store().checkInPlace() && (m_more || m_drain->pending()) &&
             m_nowNs < giveUpNs + (m_retryAtNs ? 0 : kLastRetriesNs * 6));
}

static RunOutcomeSeen runEndOf(RunState state) {
    return state == RunState::Finished  ? RunOutcomeSeen::Finished
           : state == RunState::Stopped ? RunOutcomeSeen::StoppedByUser
                                        : RunOutcomeSeen::Failed;
}

/// Stores the end with the last lines of the log of the rank that is to blame.
Result<void> Supervisor::storeEnd(const RunOutcome& verdict, const std::vector<RankEnd>& all) {
    auto& store = m_drain->store();
    if (auto there = store.checkInPlace(); !there) {
        store.abandon();
        return there;
    }
    const auto severity =
        verdict.state == RunState::Failed ? telemetry::NoteSeverity::Error : telemetry::NoteSeverity::Info;
    std::string note = fmt::format("The run ended: {}.", verdict.cause.english());
    if (const auto bad = m_stopping ? std::nullopt : firstFailure(all, false); bad && !all[*bad].lastLines.empty())
        note += fmt::format(" Last lines of rank {}'s log:\n{}", all[*bad].rank, fmt::join(all[*bad].lastLines, "\n"));
    auto stored = store.end(endingOf(m_info), severity, note, m_nowNs);
    return stored ? store.finish() : stored;
}

int Supervisor::finish() {
    std::vector<RankEnd> all;
    for (const auto& rank : m_ranks)
        all.push_back(rank.end());
    RunOutcome verdict = determineOutcome(all, m_stopping, askedText());
    if (m_errors->isFolderGone())
        verdict = {RunState::Failed,
                   kRankFailed,
                   {"the run's folder {} was removed or renamed while it trained", m_plan.run.dir},
                   {EndKind::FolderRemoved}};
    m_nowNs = monotonicNs();
    // if the ranks were asked to leave, the user did not stop the run: open incidents end with it
    storeRound(m_leaving ? RunOutcomeSeen::Finished : runEndOf(verdict.state));
    m_info.state = verdict.state;
    m_info.exitCode = verdict.exitCode;
    m_info.cause = verdict.cause;
    m_info.reason = verdict.reason;
    // a wall clock that was set back must not make the run end before it began
    m_info.endRealtimeNs = std::max(realtimeNs(), m_info.startRealtimeNs + m_nowNs - m_info.startNs);
    const auto stored = storeEnd(verdict, all);
    removePartialFiles(m_plan.run);
    if (stored && !m_drain->pending() && !m_more) {
        m_drain->removeJournals();
        m_errors->clear();
    } else if (!m_errors->hasStoreTrouble()) {
        m_errors->onStoreError(
            stored ? Message("there was not enough time to store everything") : stored.error().asMessage(), m_nowNs);
    }
    saveInfo();
    publishProgress();
    auto& store = m_drain->store();
    m_monitors.finish(store.checkInPlace() ? &store : nullptr, [this] { m_signals.wait(kRoundMs); });
    return verdict.exitCode;
}

void Supervisor::publishProgress() {
    m_progress.publishProgress(m_info, m_ranks, m_detector->open(), m_plan.settings.detector.sampleRate, *m_errors,
                               m_nowNs);
}

Result<int> supervise(const PreparedLaunch& plan, const std::function<void(const Progress&)>& report) {
    Supervisor supervisor(plan, report);
    RS_TRY(supervisor.begin());
    return supervisor.run();
}

} // namespace rankscope::launch
