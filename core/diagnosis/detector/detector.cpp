// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector/detector.h"

#include "core/diagnosis/detector/collective_tracker.h"
#include "core/diagnosis/detector/detector_state.h"
#include "core/diagnosis/detector/hold_tracker.h"
#include "core/diagnosis/detector/memory_tracker.h"
#include "core/diagnosis/detector/non_finite_tracker.h"
#include "core/diagnosis/detector/process_tracker.h"
#include "core/diagnosis/detector/straggler_tracker.h"
#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/model/sanitized_observation.h"
#include "core/diagnosis/stalls/pause_scan.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

/// A hold-up counts as recovered when the rank has held up no rank for this long, or has begun the next step.
static constexpr std::int64_t kQuietNs = 1'000'000'000;

Detector::Detector(int worldSize, const Settings& settings, std::int64_t firstIncident)
    : m(makeHidden<DetectorState>(worldSize, settings)) {
    m->incidents.setNextId(firstIncident);
}

void Detector::use(const Settings& settings) {
    m->settings = settings;
}

static void takeRecords(DetectorState& s, const Observation& o) {
    NonFiniteTracker nonFinite(s, o);
    ProcessTracker processes(s, o);
    for (const auto& r : o.ranks) {
        if (r.rank < 0 || r.rank >= s.world)
            continue;
        for (const auto& record : r.records) {
            s.window.add(r.rank, record);
            nonFinite.take(r.rank, record);
            if (const auto* check = record.as<CheckRecord>())
                processes.take(*check);
            else if (const auto* end = record.as<EndRecord>())
                processes.take(r.rank, *end);
        }
    }
}

/// Remembers whether the rank failed, whether it lost records, and whether one of its loader workers ended badly.
static void watchFailures(RankMemory& memory, const RankObservation& r, std::int64_t nowNs) {
    memory.failed = memory.failed || (r.board && r.board->stage == RankStage::Failed);
    if (memory.failed && memory.failedNs == 0)
        memory.failedNs = nowNs;
    if (r.board && r.board->droppedRecords > memory.lostRecords) {
        memory.lostRecords = r.board->droppedRecords;
        memory.lostNs = nowNs;
    }
    if (!r.board || r.board->phase != Phase::DataWait || memory.workerDiedNs < r.board->phaseSinceNs)
        memory.workerDiedNs = 0;
    if (memory.workerDiedNs != 0 || !r.resources || r.resources->workersDied <= 0)
        return;
    memory.workerDiedNs = nowNs;
    memory.workerEnd = r.resources->workerSignal > 0 ? signalName(r.resources->workerSignal)
                                                     : "exit code " + std::to_string(r.resources->workerExitCode);
}

/// Remembers from the boards which ranks ran or were stopped, and how much a checkpoint has written so far.
static void watchRanks(DetectorState& s, const Observation& o) {
    bool all = !o.ranks.empty();
    for (const auto& r : o.ranks) {
        if (r.rank < 0 || r.rank >= s.world)
            continue;
        RankMemory& memory = s.ranks[static_cast<std::size_t>(r.rank)];
        watchFailures(memory, r, o.nowNs);
        const bool running = r.board && r.board->stage == RankStage::Running;
        memory.ran = memory.ran || running || (r.board && r.board->step >= 0);
        if (isStopped(r.process))
            s.window.sawStopped(r.rank, o.nowNs);
        all = all && memory.ran;
        const bool saves = running && r.board->phase == Phase::Checkpoint;
        if (!saves || memory.checkpointSinceNs != r.board->phaseSinceNs)
            memory.checkpointBytes = 0;
        else if (r.resources && r.resources->writeBytesPerSecond > 0)
            memory.checkpointBytes +=
                r.resources->writeBytesPerSecond * static_cast<double>(o.nowNs - memory.lookedNs) * 1e-9;
        memory.checkpointSinceNs = saves ? r.board->phaseSinceNs : 0;
        memory.lookedNs = o.nowNs;
    }
    if (all && s.runningNs == 0)
        s.runningNs = o.nowNs;
}

static bool movedOn(const OpenHold& t, const Observation& o, int steps) {
    if (t.rule == Rule::Straggler || t.rule == Rule::Start || t.rule == Rule::Memory)
        return true; // its rule does not find the rank any more
    return std::all_of(t.incident.holders.begin(), t.incident.holders.end(), [&](int h) {
        const auto holder = static_cast<std::size_t>(h);
        return holder < o.ranks.size() && o.ranks[holder].board &&
               o.ranks[holder].board->step > t.incident.step + steps;
    });
}

/// Adds the lengths of the batch that the rank waited for, which is loaded by now.
static void addBatch(Incident& in, const StepWindow& window) {
    if (in.cause != Cause::DataLoading || in.straggler || in.holders.size() != 1)
        return;
    const RankStep* step = window.find(in.holders.front(), in.step);
    if (!step || step->framesMax <= 0)
        return;
    in.evidence.holderLongestFrames = step->framesMax;
    in.evidence.holderLongestSamples = step->samplesMax;
}

/// Closes the incidents that their rules have not found for long enough.
static void closeQuiet(DetectorState& s, const StragglerTracker& stragglers, const Observation& o) {
    for (auto it = s.incidents.all().begin(); it != s.incidents.all().end();) {
        auto here = it++;
        if (here->seen || here->rule == Rule::Death || here->rule == Rule::Config || here->rule == Rule::Mismatch ||
            here->rule == Rule::Leave || here->rule == Rule::Pause)
            continue;
        if (here->rule == Rule::Straggler && s.stragglerCheckedStep != s.window.newestCompleteStep())
            continue;
        if (here->clearSinceNs == 0)
            here->clearSinceNs = o.nowNs;
        const bool mayRecur = here->rule == Rule::Hold && here->incident.holders.size() == 1;
        if (mayRecur && isSlowness(here->incident.cause) && stragglers.isSlowing(here->incident.holders.front()))
            continue; // the next steps decide whether it is one slow step or a slow rank
        // a hold-up may continue in the next step: it is over when that step is done, or has had time to be late
        const std::int64_t quiet = mayRecur && movedOn(*here, o, 0) ? kQuietNs + s.threshold : kQuietNs;
        if (movedOn(*here, o, mayRecur ? 1 : 0) || o.nowNs - here->clearSinceNs >= quiet) {
            addBatch(here->incident, s.window);
            s.incidents.close(here, here->clearSinceNs, CloseReason::Recovered);
        }
    }
}

static void track(DetectorState& s, const Observation& o) {
    ProcessTracker processes(s, o);
    if (processes.trackLeaves() || areAllStopped(o)) {
        for (auto& t : s.incidents.all())
            t.seen = true; // other open incidents stay open until the ranks continue or the run ends
        return;
    }
    CollectiveTracker collectives(s, o);
    StragglerTracker stragglers(s, o);
    const std::int64_t checked = s.stragglerCheckedStep;
    collectives.trackMismatches(); // before deaths: a rank that ends because of a mismatch is not the cause
    processes.trackConfigs();      // before deaths as well: ranks compare their settings and leave if they differ
    processes.trackDeaths();
    processes.trackJoins();
    const StallScan holds = scanForStalls(o, s.threshold, s.groups());
    HoldTracker(s, stragglers, o).track(holds);
    collectives.trackCircle(holds);
    collectives.trackJams();
    processes.trackStart();
    stragglers.track();
    NonFiniteTracker(s, o).track();
    MemoryTracker(s, o).track();
    if (s.stragglerCheckedStep == checked)
        for (auto& t : s.incidents.all())
            t.seen = t.seen || t.rule == Rule::Straggler; // not judged in this round
    closeQuiet(s, stragglers, o);
}

/// Converts the incident's times from active time to monotonic time, in which incidents are reported.
static void useMonotonicTime(Incident& in, const ActiveClock& clock) {
    if (in.cause == Cause::Paused || !clock.hasPauses())
        return;
    for (std::int64_t* time : {&in.openedNs, &in.detectedNs, &in.closedNs})
        *time = clock.monotonic(*time);
    if (const std::int64_t paused = clock.pausedIn(in.openedNs, in.closedNs ? in.closedNs : kLatestNs); paused > 0)
        in.evidence.pausedSeconds = static_cast<double>(paused) * 1e-9;
}

std::vector<Transition> Detector::advance(const Observation& observation) {
    SanitizedObservation plausible(observation);
    m->incidents.beginRound();
    m->incidents.setNow(plausible.get().nowNs);
    ProcessTracker(*m, plausible.get()).trackPauses();
    plausible.useActiveTime(m->clock);
    const Observation& o = plausible.get();
    m->incidents.setNow(o.nowNs);
    if (m->firstNs == 0)
        m->firstNs = o.nowNs;
    takeRecords(*m, o);
    watchRanks(*m, o);
    m->beginJudging();
    if (o.end == RunOutcomeSeen::Running) {
        track(*m, o);
    } else {
        CollectiveTracker(*m, o).trackMismatches();
        ProcessTracker(*m, o).trackDeaths();
        m->incidents.closeAll(o.end == RunOutcomeSeen::StoppedByUser ? CloseReason::StoppedByUser
                                                                     : CloseReason::RunEnded);
    }
    auto transitions = m->incidents.takeTransitions();
    for (Transition& t : transitions)
        useMonotonicTime(t.incident, m->clock);
    return transitions;
}

std::vector<Incident> Detector::open() const {
    std::vector<Incident> result;
    for (const auto& t : m->incidents.all()) {
        result.push_back(t.incident);
        useMonotonicTime(result.back(), m->clock);
    }
    return result;
}

bool Detector::anyOpen() const {
    return !m->incidents.all().empty();
}

std::int64_t Detector::nextIncident() const {
    return m->incidents.nextId();
}

const ProcessGroups& Detector::groups() const {
    return m->groups();
}

void Detector::save(ByteEncoder& out) const {
    out.number(kDetectorVersion);
    out.integer(m->world);
    m->save(out);
}

bool Detector::load(ByteDecoder& in) {
    const std::uint64_t version = in.number();
    return version >= kOldestDetectorVersion && version <= kDetectorVersion && in.integer() == m->world &&
           m->load(in, static_cast<int>(version));
}

} // namespace rankscope::diagnosis
