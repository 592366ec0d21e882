// SPDX-License-Identifier: Apache-2.0
#include "core/launch/supervise/supervisor.h"

#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/cleanup/leftover_files.h"
#include "core/launch/command/observer_folder.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/monitors/run_monitors.h"
#include "core/launch/process/stop_signals.h"
#include "core/launch/recording/deferred_recording.h"
#include "core/launch/recording/program_recipe.h"
#include "core/launch/recording/run_creation.h"
#include "core/launch/recording/run_info_file.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/run/run_lock.h"
#include "core/launch/supervise/folder_watch.h"
#include "core/launch/supervise/rank_set.h"
#include "core/launch/supervise/round_clock.h"
#include "core/launch/supervise/run_end.h"
#include "core/launch/supervise/stop_sequence.h"
#include "core/telemetry/board/control_page.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

using diagnosis::RunOutcomeSeen;

static constexpr int kRoundMs = 100; ///< Boards are read ten times a second.
static constexpr std::int64_t kMs = 1'000'000;
/// How long failed commits are tried again at the run's end.
static constexpr std::int64_t kLastRetriesNs = 10'000 * kMs;

namespace {

/// Supervises one run from the creation of its folder until no rank is left: starts or finds its ranks, watches, stops
/// and kills them, stores what they write, and diagnoses it.
class Supervisor {
public:
    Supervisor(const PreparedLaunch& plan, std::function<void(const Progress&)> report);

    /// Creates the folder with its lock and store, and starts the ranks or the command. On an error, nothing is left of
    /// the run.
    Result<void> begin();
    /// Returns the exit code when no rank is left and everything that the ranks wrote is stored.
    int run();

private:
    Result<void> beginInFolder();
    void round();
    void findRanks();
    void takeRanks(const std::vector<ReportingRank>& found);
    void findRecipe();
    void look();
    void noteRunning();
    void onSignals(const StopSignals::Received& seen);
    void noteStop();
    void checkFolder();
    void checkOutput();
    RunRecording::Round thisRound(RunOutcomeSeen end = RunOutcomeSeen::Running) const;
    void storeRound(RunOutcomeSeen end);
    void note(const std::string& warning);
    void setState(RunState state);
    void saveInfo();
    void drainToTheEnd();
    RunEndFacts endFacts() const;
    void finishStore(const RunEndFacts& facts);
    int finish();
    bool isOver();
    void publishProgress();

    const PreparedLaunch& m_plan;
    ProgressReporter m_progress;
    StopSignals m_signals;
    RunInfo m_info;
    std::optional<RunLock> m_lock;
    RunInfoFile m_infoFile;
    std::optional<telemetry::ControlPage> m_control;
    RunMonitors m_monitors;
    RankSet m_set;
    StopSequence m_stop;
    ProgramRecipeFile m_recipe; ///< of a watched run
    DeferredRecording m_recording;
    Message m_outputTrouble; ///< why output of the command is lost; empty: none is
    FolderWatch m_folder;
    RoundClock m_clock;
    diagnosis::UnwatchedTime m_unwatched; ///< before this round; none in an ordinary one
    bool m_anyEnd = false;                ///< A rank was found to have ended.
    bool m_continued = false;             ///< This process got a SIGCONT since the last round.
    std::int64_t m_memoryKills = -1;      ///< in this process's control group before the run began; -1: unknown
    std::int64_t m_nowNs = 0;
};

} // namespace

Supervisor::Supervisor(const PreparedLaunch& plan, std::function<void(const Progress&)> report)
    : m_plan(plan), m_progress(std::move(report)), m_info(plan.info), m_infoFile(plan.run), m_monitors(plan, plan.info),
      m_set(plan), m_stop(plan, m_set), m_recipe(plan.run), m_recording(plan, m_monitors) {
    m_info.supervisorPid = ::getpid();
    if (const auto self = processStat(::getpid()))
        m_info.supervisorStartTicks = self->startTicks;
}

Result<void> Supervisor::begin() {
    m_nowNs = monotonicNs();
    const bool adopts = m_info.attached;
    RS_TRY_ASSIGN(auto lock, adopts ? adoptRunFolder(m_plan, m_info) : createRunFolder(m_plan, m_info));
    m_lock.emplace(std::move(lock));
    m_lock->markSupervisor();
    m_info.folder = folderIdentity(m_plan.run.dir);
    m_folder.begin(m_plan.run.dir);
    auto began = beginInFolder();
    if (began)
        return {};
    m_set.clear(); // ends what was started
    m_recording.close();
    if (!adopts)
        removeRunFolder(m_plan.run);
    return began;
}

Result<void> Supervisor::beginInFolder() {
    RS_TRY_ASSIGN(auto control, m_info.attached ? telemetry::ControlPage::createOrUse(m_plan.run.control())
                                                : telemetry::ControlPage::create(m_plan.run.control()));
    m_control.emplace(std::move(control));
    m_stop.useControlPage(*m_control);
    if (m_info.worldSize > 0)
        RS_TRY(m_recording.open(m_info, *m_control, m_nowNs));
    if (!m_info.faults.empty())
        note(fmt::format("Faults were asked for: {}.", fmt::join(m_info.faults, "; ")));
    m_memoryKills = outOfMemoryKills();
    RS_TRY(m_set.start());
    if (m_info.watched() && m_info.worldSize > 0)
        m_set.expect(m_info.worldSize);
    if (m_info.worldSize > 0)
        m_monitors.watch(m_set.ranks());
    m_set.writeTo(m_info);
    return m_infoFile.begin(m_info);
}

void Supervisor::note(const std::string& warning) {
    m_recording.note(telemetry::NoteSeverity::Warning, warning, m_nowNs);
}

int Supervisor::run() {
    m_nowNs = monotonicNs();
    publishProgress();
    while (!isOver()) {
        onSignals(m_signals.wait(m_recording.hasMore() ? 0 : kRoundMs, m_set.descriptors()));
        round();
    }
    if (m_recording)
        drainToTheEnd();
    return finish();
}

void Supervisor::round() {
    m_nowNs = monotonicNs();
    findRanks();
    findRecipe();
    look();
    checkFolder();
    checkOutput();
    m_set.resumeStopped(m_nowNs);
    m_stop.advance(m_nowNs, !m_recording.isFolderGone());
    m_recording.reportControlPage(m_stop.named(), m_nowNs);
    storeRound(RunOutcomeSeen::Running);
    m_monitors.poll(m_recording.isRetrying() ? nullptr : m_recording.store(), m_nowNs);
    if (m_recording)
        m_recording->errors().reportDrops(m_set.ranks(), m_nowNs);
    noteRunning();
    publishProgress();
}

/// Records that the ranks train now, and how many steps they will do.
void Supervisor::noteRunning() {
    std::int64_t steps = 0;
    for (const auto& rank : m_set.ranks())
        if (rank.board())
            steps = std::max(steps, rank.board()->totalSteps);
    const bool learned = m_set.addVersionsTo(m_info);
    const bool runs = m_set.areRunning();
    // a configuration that counts epochs leaves it to the ranks how many steps those are
    const bool known = m_info.totalSteps == steps || (m_info.totalSteps != 0 && !m_info.watched());
    const bool learns = steps > 0 && !known && (runs || m_info.state != RunState::Starting);
    if (learns)
        m_info.totalSteps = steps;
    if (runs && m_info.state == RunState::Starting)
        setState(RunState::Running);
    else if (learns || learned || m_infoFile.isStale())
        saveInfo();
}

/// Watches ranks that have appeared since the last round.
void Supervisor::findRanks() {
    const auto found = m_recording.isFolderGone() ? std::vector<ReportingRank>() : m_set.appeared(m_nowNs);
    if (!found.empty())
        takeRanks(found);
    m_recording.openIfDue(m_info, *m_control, m_nowNs); // after it: the processes may end soon
}

void Supervisor::takeRanks(const std::vector<ReportingRank>& found) {
    if (m_info.worldSize == 0) {
        m_info.worldSize = worldSizeOf(found);
        m_set.expect(m_info.worldSize);
    }
    if (m_set.isNewAttempt(found)) {
        m_anyEnd |= m_set.poll(m_nowNs, m_monitors); // how the earlier processes ended
        if (m_recording)
            m_recording->restart(thisRound(), m_set.ranks());
        m_set.beginAttempt();
    }
    for (const auto& rank : found)
        if (const std::string text = m_set.take(rank); !text.empty())
            note(text);
    m_anyEnd |= m_set.poll(m_nowNs, m_monitors); // reads their boards
    m_monitors.watch(m_set.ranks());
    m_set.writeTo(m_info);
    saveInfo();
}

/// Takes the recipe that a watched program reports when its training begins.
void Supervisor::findRecipe() {
    if (!m_info.watched() || !m_recording || m_recording.isFolderGone())
        return;
    const auto recipe = m_recipe.changed();
    if (recipe && !*recipe)
        return;
    auto kept = recipe ? Result<void>() : tl::unexpected(recipe.error());
    if (kept && m_plan.configText.empty())
        kept = keepProgramRecipe(m_plan.run, **recipe, m_info);
    if (!kept)
        return note(fmt::format("The recipe that the program reported is not used: {}.", kept.error().message()));
    m_info.recipeFrom = (*recipe)->from;
    m_recording->use(**recipe);
    saveInfo();
}

void Supervisor::look() {
    m_anyEnd |= m_set.poll(m_nowNs, m_monitors);
    m_unwatched = m_clock.next(m_nowNs, std::exchange(m_continued, false), m_set.ranks());
    // a disk that hangs stops this thread and perhaps the ranks as well; that is not a pause
    if (m_unwatched.beginNs != 0 && m_unwatched.ranks == diagnosis::UnwatchedTime::RankActivity::Unknown &&
        m_monitors.ranThrough(m_unwatched.beginNs, m_nowNs))
        m_unwatched.ranks = diagnosis::UnwatchedTime::RankActivity::Ran;
    if (const std::string text = m_stop.onLeaveRequests(m_nowNs); !text.empty()) {
        note(text);
        noteStop();
    }
    if (!std::exchange(m_anyEnd, false))
        return;
    if ((m_memoryKills >= 0 && outOfMemoryKills() > m_memoryKills) || m_monitors.sawMemoryKill())
        for (auto& rank : m_set.ranks())
            rank.attributeToOutOfMemory();
    // a rank's last record decides whether its end was a bad one
    storeRound(RunOutcomeSeen::Running);
    const bool bad = std::any_of(m_set.ranks().begin(), m_set.ranks().end(),
                                 [&](const RankMonitor& r) { return endedBadly(r.end(), m_stop.isRequested()); });
    if (bad && !m_stop.hasBegun() && !m_info.watched()) { // a watched program decides for itself what follows
        m_stop.fail(m_nowNs);
        noteStop();
    }
}

void Supervisor::onSignals(const StopSignals::Received& seen) {
    m_continued |= seen.continued;
    if (seen.stop == 0 && !seen.now && !seen.asked)
        return;
    m_nowNs = monotonicNs();
    m_anyEnd |= m_set.poll(m_nowNs, m_monitors);
    m_stop.onSignals(seen, m_nowNs);
    noteStop();
}

/// Records that the processes are being ended.
void Supervisor::noteStop() {
    m_recording.reportControlPage(m_stop.named(), m_nowNs);
    if (m_stop.hasBegun() && m_info.state != RunState::Stopping)
        setState(RunState::Stopping);
}

void Supervisor::checkFolder() {
    if (m_recording.isFolderGone() || !m_folder.gone(m_nowNs))
        return;
    Message what = m_info.watched()
                       ? Message("the run's folder was removed or renamed; the ranks continue, but are not recorded")
                       : Message("the run's folder was removed or renamed; its ranks are ended");
    m_recording.noteFolderGone(std::move(what));
    if (!m_stop.hasBegun() && !m_info.watched())
        m_stop.fail(m_nowNs);
}

/// Says once that output of the command is lost, as on a full disk.
void Supervisor::checkOutput() {
    const int error = m_set.command() ? m_set.command()->outputError() : 0;
    if (error == 0 || !m_outputTrouble.empty())
        return;
    m_outputTrouble = {"some of the command's output is lost: {}", systemError("write", "", error).asMessage()};
    note(fmt::format("The run continues: {}.", m_outputTrouble.english()));
}

RunRecording::Round Supervisor::thisRound(RunOutcomeSeen end) const {
    return {m_nowNs, end, m_unwatched, m_stop.isRequested(), m_stop.isLeave()};
}

void Supervisor::storeRound(RunOutcomeSeen end) {
    if (!m_recording)
        return;
    m_progress.keepPauses(m_recording->advance(thisRound(end), m_set.ranks()));
    m_unwatched = {}; // it is reported once
}

void Supervisor::setState(RunState state) {
    m_info.state = state;
    saveInfo();
}

void Supervisor::saveInfo() {
    if (const auto written = m_infoFile.write(m_info); !written)
        m_recording.onStoreError(written.error(), m_nowNs);
}

bool Supervisor::isOver() {
    return m_stop.letsGo() || m_set.areOver(m_nowNs);
}

void Supervisor::drainToTheEnd() {
    m_recording->rewriteStore(m_nowNs);
    const std::int64_t giveUpNs = monotonicNs() + kLastRetriesNs;
    do {
        if (m_recording.isRetrying())
            m_signals.wait(kRoundMs);
        m_nowNs = monotonicNs();
        storeRound(RunOutcomeSeen::Running);
        publishProgress();
    } while (!m_recording.isFolderGone() && m_recording->store().checkInPlace() && !m_recording->isComplete() &&
             m_nowNs < giveUpNs + (m_recording.isRetrying() ? 0 : kLastRetriesNs * 6));
}

/// Returns what is known about how the run ended. Call it when all processes that the run waits for have ended.
RunEndFacts Supervisor::endFacts() const {
    RunEndFacts facts;
    for (const auto& rank : m_set.ranks())
        if (rank.appeared())
            facts.ranks.push_back(rank.end());
    if (m_set.command() && m_set.command()->end()) {
        facts.command = {*m_set.command()->end(), {}, observes(m_plan.environment), m_set.command()->isGuardLost()};
        if (exitCodeOf(facts.command->process) != 0)
            facts.command->lastLines = lastLogLines(m_plan.run.commandLog().string(), 10, GuardedFolder::Run);
    }
    if (m_recording.isFolderGone())
        facts.removedFolder = m_plan.run.dir;
    facts.released = m_stop.letsGo();
    facts.anyLives = m_set.anyLives();
    facts.stopping = m_stop.isRequested();
    facts.leaving = m_stop.isLeave();
    facts.asked = m_stop.askedText();
    return facts;
}

void Supervisor::finishStore(const RunEndFacts& facts) {
    const auto stored = m_recording->end(m_info, endNote(facts, m_info.cause), m_nowNs);
    removePartialFiles(m_plan.run);
    auto& errors = m_recording->errors();
    if (stored && m_recording->isComplete()) {
        if (!m_set.anyLives())
            m_recording->removeJournals();
        errors.clear();
    } else if (!errors.hasStoreTrouble()) {
        errors.onStoreError(
            stored ? Message("there was not enough time to store everything") : stored.error().asMessage(), m_nowNs);
    }
}

int Supervisor::finish() {
    m_nowNs = monotonicNs();
    findRecipe();
    if (!m_stop.letsGo())
        m_set.assumeEnded(m_nowNs);
    const RunEndFacts facts = endFacts();
    const RunOutcome verdict = outcomeOf(facts);
    storeRound(endForDetector(facts, verdict.state));
    recordOutcome(verdict, m_nowNs, realtimeNs(), m_info);
    if (m_recording)
        finishStore(facts);
    saveInfo();
    publishProgress();
    store::RunWriter* const store = m_recording.store();
    m_monitors.finish(store && store->checkInPlace() ? store : nullptr, [this] { m_signals.wait(kRoundMs); });
    return verdict.exitCode;
}

void Supervisor::publishProgress() {
    const Message& trouble = m_recording.trouble();
    m_progress.publishProgress(m_info, m_set.ranks(), m_recording.openIncidents(), m_plan.settings.detector.sampleRate,
                               trouble.empty() ? m_outputTrouble : trouble, m_recording.storedUntilNs(), m_nowNs);
}

Result<int> supervise(const PreparedLaunch& plan, const std::function<void(const Progress&)>& report) {
    Supervisor supervisor(plan, report);
    RS_TRY(supervisor.begin());
    return supervisor.run();
}

} // namespace rankscope::launch
