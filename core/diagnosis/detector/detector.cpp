// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector/detector_state.h"
#include "core/telemetry/format/note_markers.h"

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

std::int64_t Detector::State::thresholdNs() const {
    const std::int64_t typical = window.typicalStepNs();
    const std::int64_t least = toNs(settings.stallMinSeconds);
    if (typical == 0)
        return nanosecondsOf(kWarmUpFactor * static_cast<double>(least));
    return std::max(least, nanosecondsOf(settings.stallFactor * static_cast<double>(typical)));
}

std::int64_t Detector::State::thresholdIn(Phase phase) const {
    if (phase == Phase::Checkpoint)
        return std::max(threshold, 2 * window.usualCheckpointNs());
    if (phase != Phase::Validate)
        return threshold;
    const std::int64_t usual = window.usualValidationNs();
    const auto unknown = nanosecondsOf(kWarmUpFactor * static_cast<double>(toNs(settings.stallMinSeconds)));
    return std::max(threshold, usual > 0 ? usual / 2 : unknown);
}

Tracked* Detector::State::find(Rule rule) {
    const auto it = std::find_if(open.begin(), open.end(), [&](const Tracked& t) { return t.rule == rule; });
    return it == open.end() ? nullptr : &*it;
}

Tracked* Detector::State::find(Rule rule, int holder) {
    for (auto& t : open)
        if (t.rule == rule && std::binary_search(t.incident.holders.begin(), t.incident.holders.end(), holder))
            return &t;
    return nullptr;
}

void Detector::State::addFacts(Incident& in, std::int64_t now) const {
    if (!in.evidence.contains("threshold_s"))
        in.evidence["threshold_s"] = static_cast<double>(threshold) * 1e-9;
    in.evidence["typical_step_s"] = static_cast<double>(window.typicalStepNs()) * 1e-9;
    in.evidence["lasted_s"] = static_cast<double>(now - in.openedNs) * 1e-9;
}

Tracked& Detector::State::start(Rule rule, Incident in, const Observation& o) {
    in.id = nextId++;
    in.detectedNs = o.nowNs;
    addFacts(in, o.nowNs);
    in.remedy = remedyFor(in, settings);
    open.push_back({std::move(in), rule, 0, o.nowNs, true});
    out.push_back({Transition::Kind::Opened, open.back().incident});
    return open.back();
}

void Detector::State::update(Tracked& t, const Observation& o) {
    t.seen = true;
    t.clearSinceNs = 0;
    if (o.nowNs - t.updatedNs < kUpdateEveryNs)
        return;
    t.updatedNs = o.nowNs;
    addFacts(t.incident, o.nowNs);
    out.push_back({Transition::Kind::Updated, t.incident});
}

void Detector::State::close(std::list<Tracked>::iterator it, std::int64_t atNs, CloseReason reason) {
    it->incident.closedNs = std::max(atNs, it->incident.openedNs + 1);
    it->incident.closed = reason;
    it->incident.evidence["lasted_s"] = static_cast<double>(it->incident.closedNs - it->incident.openedNs) * 1e-9;
    out.push_back({Transition::Kind::Closed, it->incident});
    open.erase(it);
}

void Detector::State::takeRecords(const Observation& o) {
    for (const auto& r : o.ranks) {
        if (r.rank < 0 || r.rank >= world)
            continue;
        for (const auto& record : r.records) {
            window.add(r.rank, record);
            if (const auto* s = record.as<StepRecord>())
                takeStep(r.rank, *s, o.nowNs);
            else if (const auto* n = record.as<NoteRecord>())
                takeNote(r.rank, *n);
            else if (const auto* c = record.as<CheckRecord>())
                takeCheck(*c, o.nowNs);
            else if (const auto* b = record.as<BatchRecord>(); b && b->size <= 0)
                isBad(r.rank, b->header.step, Badness::Empty, o.nowNs);
        }
    }
}

void Detector::State::takeStep(int rank, const StepRecord& s, std::int64_t now) {
    RankMemory& memory = ranks[static_cast<std::size_t>(rank)];
    memory.toldStep = s.header.step;
    const bool badLoss = (s.flags & 1) || !std::isfinite(s.loss);
    // without a masked frame the mean over them is 0 / 0: the batch is to blame, not the arithmetic
    if (badLoss || (s.flags & 2))
        isBad(rank, s.header.step,
              s.maskedFrames == 0 ? Badness::Empty
              : s.flags & 8       ? Badness::Batch
              : badLoss           ? Badness::Loss
                                  : Badness::Gradient,
              now);
}

/// "a.b is 1 on rank 0 and 2 on rank 1; c is …": "a.b, c".
static std::string keysIn(std::string_view text) {
    std::string keys;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view one = text.substr(at, text.find("; ", at) - at);
        at += one.size() + 2;
        const std::string_view key = one.substr(0, one.find(" is "));
        if (key.size() < one.size() && !key.empty() && key.find(' ') == std::string_view::npos)
            keys.append(keys.empty() ? "" : ", ").append(key);
    }
    return keys;
}

void Detector::State::takeCheck(const CheckRecord& c, std::int64_t now) {
    if (!isConfigurationCheck(c))
        return;
    differingKeys = keysIn(getText(c.text, sizeof c.text));
    if (Tracked* t = find(Rule::Config); t && !differingKeys.empty()) {
        t->incident.evidence["keys"] = differingKeys;
        t->incident.remedy = remedyFor(t->incident, settings);
        t->updatedNs = now;
        out.push_back({Transition::Kind::Updated, t->incident});
    }
}

void Detector::State::isBad(int rank, std::int64_t step, Badness what, std::int64_t now) {
    ranks[static_cast<std::size_t>(rank)].badStep = step;
    if (find(Rule::NotFinite))
        return; // what follows is its consequence
    if (!bad || step < bad->step)
        bad = BadStep{step, now, {}};
    if (step == bad->step)
        bad->ranks[rank] = std::max(bad->ranks[rank], what);
}

void Detector::State::takeNote(int rank, const NoteRecord& n) {
    const std::string_view text = getText(n.text, sizeof n.text);
    const auto at = text.find(kFirstNotFinite);
    if (at == std::string_view::npos)
        return;
    RankMemory& memory = ranks[static_cast<std::size_t>(rank)];
    memory.tensorStep = n.header.step;
    memory.tensor = std::string(text.substr(at + kFirstNotFinite.size()));
    if (memory.tensor.starts_with("none"))
        memory.tensor.clear();                // the loss alone
    Tracked* t = find(Rule::NotFinite, rank); // the note comes behind the step's record
    if (t && t->incident.step == n.header.step && !memory.tensor.empty())
        t->incident.evidence["first_tensor"] = memory.tensor;
}

/// What boards tell of the past: who ran, who was stopped, and how much a checkpoint has written so far.
void Detector::State::watchRanks(const Observation& o) {
    bool all = !o.ranks.empty();
    for (const auto& r : o.ranks) {
        if (r.rank < 0 || r.rank >= world)
            continue;
        RankMemory& memory = ranks[static_cast<std::size_t>(r.rank)];
        const bool running = r.board && r.board->stage == RankStage::Running;
        memory.ran = memory.ran || running || (r.board && r.board->step >= 0);
        if (isStopped(r.process))
            window.sawStopped(r.rank, o.nowNs);
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
    if (all && runningNs == 0)
        runningNs = o.nowNs;
}

bool Detector::State::movedOn(const Tracked& t, const Observation& o, int steps) const {
    if (t.rule == Rule::Straggler || t.rule == Rule::Start)
        return true; // its round found nobody any more
    return std::all_of(t.incident.holders.begin(), t.incident.holders.end(), [&](int h) {
        const auto holder = static_cast<std::size_t>(h);
        return holder < o.ranks.size() && o.ranks[holder].board &&
               o.ranks[holder].board->step > t.incident.step + steps;
    });
}

void Detector::State::closeQuiet(const Observation& o) {
    for (auto it = open.begin(); it != open.end();) {
        auto here = it++;
        if (here->seen || here->rule == Rule::Death || here->rule == Rule::Config || here->rule == Rule::Mismatch ||
            here->rule == Rule::Leave)
            continue;
        if (here->rule == Rule::Straggler && stragglerCheckedStep != window.newestCompleteStep())
            continue;
        if (here->clearSinceNs == 0)
            here->clearSinceNs = o.nowNs;
        if (here->rule == Rule::Hold && isSlowness(here->incident.cause) && here->incident.holders.size() == 1 &&
            isSlowing(here->incident.holders.front(), o.nowNs))
            continue; // the next steps decide whether it is one slow step or a slow rank
        // a hold-up may go on in the next step: it is over when that one is done, or had the time to be late
        const bool mayRecur = here->rule == Rule::Hold && here->incident.holders.size() == 1;
        const std::int64_t quiet = mayRecur && movedOn(*here, o, 0) ? kQuietNs + threshold : kQuietNs;
        if (movedOn(*here, o, mayRecur ? 1 : 0) || o.nowNs - here->clearSinceNs >= quiet)
            close(here, here->clearSinceNs, CloseReason::Recovered);
    }
}

Detector::Detector(int worldSize, Settings settings) : m(std::make_unique<State>(worldSize, std::move(settings))) {}
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;
Detector::~Detector() = default;

std::vector<Transition> Detector::advance(const Observation& observation) {
    const PlausibleObservation plausible(observation);
    const Observation& o = plausible.get();
    State& s = *m;
    s.out.clear();
    if (s.firstNs == 0)
        s.firstNs = o.nowNs;
    const std::int64_t checked = s.stragglerCheckedStep;
    for (auto& t : s.open)
        t.seen = false;
    s.takeRecords(o);
    s.watchRanks(o);
    s.threshold = s.thresholdNs();
    if (o.end == RunEnd::Running && s.leaves(o)) {
        for (auto& t : s.open)
            t.seen = true; // what else is open ends with the run
    } else if (o.end == RunEnd::Running) {
        s.mismatches(o); // before deaths: a rank that ends because its call met another one is no cause
        s.configs(o);    // and these too: ranks that differ compare their settings and leave
        s.deaths(o);
        s.joins(o);
        s.holds(o);
        s.jams(o);
        s.neverStarts(o);
        s.stragglers(o);
        s.notFinite(o);
        if (s.stragglerCheckedStep == checked)
            for (auto& t : s.open)
                t.seen = t.seen || t.rule == Rule::Straggler; // not judged in this round
        s.closeQuiet(o);
    } else {
        s.mismatches(o);
        s.deaths(o);
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

bool Detector::anyOpen() const {
    return !m->open.empty();
}

double Detector::typicalStepSeconds() const {
    return static_cast<double>(m->window.typicalStepNs()) * 1e-9;
}
double Detector::thresholdSeconds() const {
    return static_cast<double>(m->thresholdNs()) * 1e-9;
}

void Detector::save(WireWriter& out) const {
    m->save(out);
}

bool Detector::load(WireReader& in) {
    return m->load(in);
}

} // namespace rankscope::diagnosis
