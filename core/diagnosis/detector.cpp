// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector.h"

#include "core/diagnosis/hold.h"
#include "core/diagnosis/remedy.h"
#include "core/diagnosis/step_window.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <map>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

/// Before the typical step is known the first steps' warm-up (kernels, caches, workers) must not pass for a stall.
constexpr double kWarmUpFactor = 5.0;
/// A hold that ended counts as recovered when the rank has not held anyone for this long, or went on to the next step.
constexpr std::int64_t kQuietNs = 1'000'000'000;
/// Waits below this are the ordinary jitter of a step.
constexpr std::int64_t kVisibleWaitNs = 200'000'000;
/// A rank that ends because its peer died can be seen first: its own exit waits this long for a better culprit.
constexpr std::int64_t kCulpritNs = 300'000'000;
/// Exit code of a rank whose collective failed: a consequence of another rank's end, seldom a cause.
constexpr int kCollateralExit = 3;

std::int64_t toNs(double seconds) {
    return static_cast<std::int64_t>(std::llround(seconds * 1e9));
}

enum class Rule : std::uint8_t { Hold, Jam, Death, Join, Straggler, NotFinite, Config };

struct Tracked {
    Incident incident;
    Rule rule = Rule::Hold;
    std::int64_t clearSinceNs = 0; ///< 0: still holds
    std::int64_t updatedNs = 0;
    bool seen = false; ///< in this round
};

} // namespace

struct Detector::State {
    int world;
    Settings settings;
    StepWindow window;
    std::list<Tracked> open;
    std::int64_t nextId = 1, firstNs = 0;
    bool deathSeen = false;
    bool configChecked = false;
    std::int64_t stragglerCheckedStep = -1;
    std::map<int, std::int64_t> notFiniteStep; ///< newest step with a bad value, by rank
    std::map<int, std::string> notFiniteWhat;
    std::map<int, std::int64_t> finiteStep;
    std::vector<Transition> out;

    State(int w, Settings s) : world(w), settings(s), window(w, s.stragglerWindowSteps) {}

    std::int64_t thresholdNs() const {
        const std::int64_t typical = window.typicalStepNs();
        const std::int64_t least = toNs(settings.stallMinSeconds);
        if (typical == 0)
            return static_cast<std::int64_t>(kWarmUpFactor * static_cast<double>(least));
        return std::max(least, static_cast<std::int64_t>(settings.stallFactor * static_cast<double>(typical)));
    }

    Tracked* find(Rule rule, int holder) {
        for (auto& t : open)
            if (t.rule == rule && !t.incident.holders.empty() && t.incident.holders.front() == holder)
                return &t;
        return nullptr;
    }

    void addFacts(Incident& in, std::int64_t now) const {
        in.evidence["threshold_s"] = static_cast<double>(thresholdNs()) * 1e-9;
        in.evidence["typical_step_s"] = static_cast<double>(window.typicalStepNs()) * 1e-9;
        in.evidence["lasted_s"] = static_cast<double>(now - in.openedNs) * 1e-9;
    }

    Tracked& start(Rule rule, Incident in, const Observation& o) {
        in.id = nextId++;
        in.detectedNs = o.nowNs;
        addFacts(in, o.nowNs);
        in.remedy = remedyFor(in, settings);
        open.push_back({std::move(in), rule, 0, o.nowNs, true});
        out.push_back({Transition::Kind::Opened, open.back().incident});
        return open.back();
    }

    void update(Tracked& t, const Observation& o) {
        t.seen = true;
        t.clearSinceNs = 0;
        constexpr std::int64_t kEvery = 500'000'000;
        if (o.nowNs - t.updatedNs < kEvery)
            return;
        t.updatedNs = o.nowNs;
        addFacts(t.incident, o.nowNs);
        out.push_back({Transition::Kind::Updated, t.incident});
    }

    void close(std::list<Tracked>::iterator it, std::int64_t atNs, CloseReason reason) {
        it->incident.closedNs = std::max(atNs, it->incident.openedNs + 1);
        it->incident.closed = reason;
        it->incident.evidence["lasted_s"] = static_cast<double>(it->incident.closedNs - it->incident.openedNs) * 1e-9;
        out.push_back({Transition::Kind::Closed, it->incident});
        open.erase(it);
    }

    void takeRecords(const Observation& o);
    void deaths(const Observation& o);
    void joins(const Observation& o);
    void configs(const Observation& o);
    void holds(const Observation& o);
    void hold(const Hold& h, const Observation& o);
    bool continues(const Tracked& t, const Hold& h, const Observation& o) const;
    void refine(Incident& in, const Hold& h, const Observation& o) const;
    void jams(const Observation& o);
    void stragglers(const Observation& o);
    void notFinite(const Observation& o);
    void closeQuiet(const Observation& o);
    bool movedOn(const Tracked& t, const Observation& o) const;
};

void Detector::State::takeRecords(const Observation& o) {
    for (const auto& r : o.ranks)
        for (const auto& record : r.records) {
            window.add(r.rank, record);
            const auto* s = record.as<StepRecord>();
            if (!s)
                continue;
            const bool badLoss = (s->flags & 1) || !std::isfinite(s->loss);
            if (badLoss || (s->flags & 2)) {
                notFiniteStep[r.rank] = s->header.step;
                notFiniteWhat[r.rank] = badLoss ? "loss" : "gradient";
            } else {
                finiteStep[r.rank] = s->header.step;
            }
        }
}

/// The rank that ended first for a reason of its own.
static const RankObservation* culprit(const Observation& o) {
    const RankObservation* best = nullptr;
    auto badness = [](const RankObservation& r) {
        return r.process.state == ProcessView::State::Signalled ? 2 : r.process.exitCode == kCollateralExit ? 0 : 1;
    };
    for (const auto& r : o.ranks) {
        if (!isBadEnd(r.process))
            continue;
        if (!best || badness(r) > badness(*best) ||
            (badness(r) == badness(*best) && r.process.sinceNs < best->process.sinceNs))
            best = &r;
    }
    return best;
}

void Detector::State::deaths(const Observation& o) {
    if (deathSeen || o.end == RunEnd::StoppedByUser)
        return;
    const RankObservation* dead = culprit(o);
    if (!dead)
        return;
    const bool collateral =
        dead->process.state == ProcessView::State::Exited && dead->process.exitCode == kCollateralExit;
    if (collateral && world > 1 && o.end == RunEnd::Running && o.nowNs - dead->process.sinceNs < kCulpritNs)
        return;
    deathSeen = true;
    Incident in;
    in.holders = {dead->rank};
    for (const Hold& h : findHolds(o, INT64_MAX))
        if (h.holder == dead->rank) {
            in.waiters = h.waiters;
            in.collective = h.collective;
        }
    in.openedNs = dead->process.sinceNs ? dead->process.sinceNs : o.nowNs;
    // a stall that ended in death is one story: the older incident is closed by it
    for (auto it = open.begin(); it != open.end();) {
        auto here = it++;
        if (here->rule == Rule::Hold && here->incident.holders.front() == dead->rank)
            close(here, in.openedNs, CloseReason::RunEnded);
    }
    explain(in, o);
    start(Rule::Death, std::move(in), o);
}

void Detector::State::joins(const Observation& o) {
    if (o.nowNs - firstNs < toNs(settings.joinSeconds) || find(Rule::Join, -1))
        return;
    Incident in;
    bool anyRunning = false;
    std::vector<int> joining;
    for (const auto& r : o.ranks) {
        const bool started = r.board && r.board->stage >= RankStage::Joining;
        anyRunning = anyRunning || (r.board && r.board->stage >= RankStage::Running);
        (started ? joining : in.holders).push_back(r.rank);
    }
    for (auto& t : open)
        if (t.rule == Rule::Join) {
            if (!anyRunning)
                update(t, o);
            return;
        }
    if (anyRunning || deathSeen)
        return;
    if (in.holders.empty())
        in.holders.swap(joining);
    in.waiters = joining;
    in.cause = Cause::NeverJoined;
    in.phase = Phase::Rendezvous;
    in.openedNs = firstNs;
    start(Rule::Join, std::move(in), o);
}

void Detector::State::configs(const Observation& o) {
    if (configChecked || world < 2)
        return;
    for (const auto& r : o.ranks)
        if (!r.board || r.board->stage < RankStage::Joining)
            return;
    configChecked = true;
    Incident in;
    for (const auto& r : o.ranks)
        if (r.board->configHash != o.ranks.front().board->configHash ||
            r.board->worldSize != o.ranks.front().board->worldSize)
            in.holders.push_back(r.rank);
    if (in.holders.empty())
        return;
    in.cause = Cause::ConfigurationDiffers;
    in.phase = Phase::Startup;
    in.openedNs = o.nowNs;
    start(Rule::Config, std::move(in), o);
}

/// The same hold-up still: the same collective, or a wait of the same step that is long enough to be seen.
bool Detector::State::continues(const Tracked& t, const Hold& h, const Observation& o) const {
    const Incident& in = t.incident;
    const auto& board = o.ranks[static_cast<std::size_t>(h.holder)].board;
    const bool sameStep = !board || board->step <= in.step;
    if (!in.collective.known || !h.collective.known)
        return sameStep;
    const bool same = in.collective.group == h.collective.group && in.collective.sequence == h.collective.sequence;
    return same || (sameStep && o.nowNs - h.sinceNs >= kVisibleWaitNs);
}

/// What was not known when it opened: waiters that came later, the collective, a cause that showed itself.
void Detector::State::refine(Incident& in, const Hold& h, const Observation& o) const {
    const bool same = !h.collective.known || !in.collective.known || in.collective.sequence == h.collective.sequence;
    if (!in.collective.known && h.collective.known)
        in.collective = h.collective;
    if (h.waiters.size() > in.waiters.size())
        in.waiters = h.waiters;
    // a rank that was stopped and goes on is still held up by having been stopped
    if (!same || in.cause == Cause::Stopped)
        return;
    explain(in, o);
    in.remedy = remedyFor(in, settings);
}

void Detector::State::hold(const Hold& h, const Observation& o) {
    if (Tracked* t = find(Rule::Hold, h.holder); t && continues(*t, h, o)) {
        refine(t->incident, h, o);
        update(*t, o);
        return;
    }
    const RankObservation& r = o.ranks[static_cast<std::size_t>(h.holder)];
    if (deathSeen || find(Rule::Death, h.holder))
        return;
    const std::int64_t step = r.board ? r.board->step : -1;
    const std::int64_t before = h.waiters.empty() ? 0 : window.heldIn(h.holder, step);
    if (o.nowNs - h.sinceNs + before < thresholdNs())
        return;
    Tracked* old = find(Rule::Hold, h.holder);
    if (old && step >= 0 && step <= old->incident.step)
        return; // the same step's jitter after its hold-up; it closes with the step
    if (old)    // another hold-up by the same rank
        close(std::find_if(open.begin(), open.end(), [&](const Tracked& t) { return &t == old; }),
              old->clearSinceNs ? old->clearSinceNs : h.sinceNs, CloseReason::Recovered);
    Incident in;
    in.holders = {h.holder};
    in.waiters = h.waiters;
    in.collective = h.collective;
    // a hold made of several waits of one step began with the first of them
    in.openedNs = h.sinceNs - before;
    explain(in, o);
    start(Rule::Hold, std::move(in), o);
}

void Detector::State::holds(const Observation& o) {
    const auto found = findHolds(o, thresholdNs());
    for (const Hold& h : found) {
        // a rank that itself waits for another holds nobody up by its own doing
        const bool waitsItself = std::any_of(found.begin(), found.end(), [&](const Hold& other) {
            return other.holder != h.holder &&
                   std::find(other.waiters.begin(), other.waiters.end(), h.holder) != other.waiters.end() &&
                   other.collective.known && h.collective.known && other.collective.group == h.collective.group &&
                   other.collective.sequence < h.collective.sequence;
        });
        if (!waitsItself)
            hold(h, o);
    }
}

void Detector::State::jams(const Observation& o) {
    for (const Jam& jam : findJams(o)) {
        const int key = jam.odd.empty() ? 0 : jam.odd.front();
        Tracked* t = find(Rule::Jam, key);
        if (t && t->incident.collective.sequence == jam.collective.sequence) {
            update(*t, o);
            continue;
        }
        if (o.nowNs - jam.sinceNs < thresholdNs())
            continue;
        Incident in;
        in.cause = jam.mismatch.empty() ? Cause::InsideCollective : Cause::MismatchedCollective;
        for (const auto& r : o.ranks)
            (jam.mismatch.empty() || std::find(jam.odd.begin(), jam.odd.end(), r.rank) != jam.odd.end() ? in.holders
                                                                                                        : in.waiters)
                .push_back(r.rank);
        in.collective = jam.collective;
        in.openedNs = jam.sinceNs;
        in.step = o.ranks.front().board->step;
        in.phase = o.ranks.front().board->phase;
        if (!jam.mismatch.empty())
            in.evidence["mismatch"] = jam.mismatch;
        start(Rule::Jam, std::move(in), o);
    }
}

void Detector::State::stragglers(const Observation& o) {
    const std::int64_t newest = window.newestCompleteStep();
    if (newest == stragglerCheckedStep)
        return; // nothing new to judge by; an open one stays
    stragglerCheckedStep = newest;
    const auto s = window.straggler(settings.stragglerShare, toNs(settings.stallMinSeconds), thresholdNs());
    if (!s)
        return;
    if (find(Rule::Hold, s->rank))
        return; // the long wait explains the window
    if (Tracked* t = find(Rule::Straggler, s->rank)) {
        t->incident.evidence["held_s"] = static_cast<double>(s->heldNs) * 1e-9;
        update(*t, o);
        return;
    }
    Incident in;
    in.straggler = true;
    in.holders = {s->rank};
    for (int r = 0; r < world; ++r)
        if (r != s->rank)
            in.waiters.push_back(r);
    in.phase = s->phase;
    in.step = newest;
    in.openedNs = o.nowNs - s->windowNs;
    const bool compute = s->phase == Phase::Forward || s->phase == Phase::Loss || s->phase == Phase::Backward ||
                         s->phase == Phase::Optimizer;
    in.cause = s->phase == Phase::DataWait     ? Cause::DataLoading
               : s->phase == Phase::Checkpoint ? Cause::Checkpoint
               : s->lengthShare >= 0.5         ? Cause::LongBatch
               : compute                       ? Cause::SlowCompute
                                               : Cause::Preprocessing;
    in.evidence = {
        {"held_s", static_cast<double>(s->heldNs) * 1e-9},
        {"window_s", static_cast<double>(s->windowNs) * 1e-9},
        {"window_steps", s->steps},
        {"share", static_cast<double>(s->heldNs) / static_cast<double>(std::max<std::int64_t>(1, s->windowNs))},
        {"holder_longest_frames", s->framesMax},
        {"others_longest_frames", s->othersFramesMax},
        {"others_longest_samples", s->othersSamplesMax},
        {"longest_batch_share", s->lengthShare}};
    start(Rule::Straggler, std::move(in), o);
}

void Detector::State::notFinite(const Observation& o) {
    for (const auto& [rank, step] : notFiniteStep) {
        const auto fine = finiteStep.find(rank);
        if (fine != finiteStep.end() && fine->second > step)
            continue;
        if (Tracked* t = find(Rule::NotFinite, rank)) {
            update(*t, o);
            continue;
        }
        Incident in;
        in.cause = Cause::NotFinite;
        in.holders = {rank};
        in.step = step;
        in.phase = notFiniteWhat[rank] == "loss" ? Phase::Loss : Phase::Backward;
        in.openedNs = o.nowNs;
        in.evidence["what"] = notFiniteWhat[rank];
        in.evidence["what_zh"] = notFiniteWhat[rank] == "loss" ? "损失" : "梯度";
        start(Rule::NotFinite, std::move(in), o);
    }
}

bool Detector::State::movedOn(const Tracked& t, const Observation& o) const {
    const auto holder = static_cast<std::size_t>(t.incident.holders.front());
    if (t.rule == Rule::Straggler)
        return true; // its round found nobody any more
    return holder < o.ranks.size() && o.ranks[holder].board && o.ranks[holder].board->step > t.incident.step;
}

void Detector::State::closeQuiet(const Observation& o) {
    for (auto it = open.begin(); it != open.end();) {
        auto here = it++;
        if (here->seen || here->rule == Rule::Death || here->rule == Rule::Config)
            continue;
        if (here->rule == Rule::Straggler && stragglerCheckedStep != window.newestCompleteStep())
            continue;
        if (here->clearSinceNs == 0)
            here->clearSinceNs = o.nowNs;
        if (movedOn(*here, o) || o.nowNs - here->clearSinceNs >= kQuietNs)
            close(here, here->clearSinceNs, CloseReason::Recovered);
    }
}

Detector::Detector(int worldSize, Settings settings) : m(std::make_unique<State>(worldSize, settings)) {}
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;
Detector::~Detector() = default;

std::vector<Transition> Detector::advance(const Observation& o) {
    State& s = *m;
    s.out.clear();
    if (s.firstNs == 0)
        s.firstNs = o.nowNs;
    const std::int64_t checked = s.stragglerCheckedStep;
    for (auto& t : s.open)
        t.seen = false;
    s.takeRecords(o);
    s.deaths(o);
    if (o.end == RunEnd::Running) {
        s.joins(o);
        s.configs(o);
        s.holds(o);
        s.jams(o);
        s.stragglers(o);
        s.notFinite(o);
        if (s.stragglerCheckedStep == checked)
            for (auto& t : s.open)
                t.seen = t.seen || t.rule == Rule::Straggler; // not judged in this round
        s.closeQuiet(o);
    } else {
        const auto reason = o.end == RunEnd::StoppedByUser ? CloseReason::StoppedByUser : CloseReason::RunEnded;
        while (!s.open.empty())
            s.close(s.open.begin(), o.nowNs, reason);
    }
    return std::move(s.out);
}

std::vector<Incident> Detector::open() const {
    std::vector<Incident> result;
    for (const auto& t : m->open)
        result.push_back(t.incident);
    return result;
}

double Detector::typicalStepSeconds() const {
    return static_cast<double>(m->window.typicalStepNs()) * 1e-9;
}
double Detector::thresholdSeconds() const {
    return static_cast<double>(m->thresholdNs()) * 1e-9;
}

} // namespace rankscope::diagnosis
