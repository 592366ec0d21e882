// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/incidents/open_incidents.h"

#include "core/base/text/untrusted_json.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/model/sanitized_observation.h"

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

void OpenIncidents::beginRound() {
    m_transitions.clear();
    for (OpenHold& t : m_open)
        t.seen = false;
}

void OpenIncidents::setFigures(std::int64_t thresholdNs, std::int64_t typicalStepNs) {
    m_thresholdNs = thresholdNs;
    m_typicalStepNs = typicalStepNs;
}

OpenHold* OpenIncidents::find(Rule rule) {
    const auto it = std::find_if(m_open.begin(), m_open.end(), [&](const OpenHold& t) { return t.rule == rule; });
    return it == m_open.end() ? nullptr : &*it;
}

OpenHold* OpenIncidents::find(Rule rule, int holder) {
    for (auto& t : m_open)
        if (t.rule == rule && std::binary_search(t.incident.holders.begin(), t.incident.holders.end(), holder))
            return &t;
    return nullptr;
}

void OpenIncidents::addFigures(Incident& in) const {
    in.evidence.lastedSeconds = static_cast<double>(m_nowNs - in.openedNs) * 1e-9;
    if (in.cause == Cause::Paused)
        return; // a pause is not compared with these figures
    if (!in.evidence.thresholdSeconds)
        in.evidence.thresholdSeconds = static_cast<double>(m_thresholdNs) * 1e-9;
    in.evidence.typicalStepSeconds = static_cast<double>(m_typicalStepNs) * 1e-9;
}

static void noteReading(OpenHold& t) {
    const Evidence& e = t.incident.evidence;
    if (e.reading && e.readingSeconds.value_or(0) > t.longestRead.seconds)
        t.longestRead = {e.reading, e.readingPath, *e.readingSeconds};
}

void OpenIncidents::nameLongestRead(OpenHold& t) const {
    Evidence& e = t.incident.evidence;
    if (e.readingSeconds.value_or(0) >= t.longestRead.seconds)
        return;
    e.reading = t.longestRead.reading;
    e.readingPath = t.longestRead.readingPath;
    e.readingSeconds = t.longestRead.seconds;
    t.incident.remedy = remedyFor(t.incident, m_settings);
}

OpenHold& OpenIncidents::start(Rule rule, Incident in) {
    m_deathSeen = m_deathSeen || rule == Rule::Death;
    m_mismatchSeen = m_mismatchSeen || rule == Rule::Mismatch;
    in.id = m_nextId++;
    in.detectedNs = m_nowNs;
    addFigures(in);
    in.remedy = remedyFor(in, m_settings);
    m_open.push_back({std::move(in), rule, 0, m_nowNs, true});
    noteReading(m_open.back());
    m_transitions.push_back({Transition::TransitionKind::Opened, m_open.back().incident});
    return m_open.back();
}

void OpenIncidents::update(OpenHold& t) {
    t.seen = true;
    t.clearSinceNs = 0;
    noteReading(t);
    if (m_nowNs - t.updatedNs < kUpdateEveryNs)
        return;
    addFigures(t.incident);
    report(t);
}

void OpenIncidents::report(OpenHold& t) {
    t.updatedNs = m_nowNs;
    m_transitions.push_back({Transition::TransitionKind::Updated, t.incident});
}

void OpenIncidents::amend(const OpenHold& t) {
    const auto reported = std::find_if(m_transitions.rbegin(), m_transitions.rend(),
                                       [&](const Transition& x) { return x.incident.id == t.incident.id; });
    if (reported != m_transitions.rend())
        reported->incident = t.incident;
    else
        m_transitions.push_back({Transition::TransitionKind::Updated, t.incident});
}

void OpenIncidents::close(std::list<OpenHold>::iterator it, std::int64_t atNs, CloseReason reason) {
    it->incident.closedNs = std::max(atNs, it->incident.openedNs + 1);
    it->incident.closed = reason;
    nameLongestRead(*it);
    it->incident.evidence.lastedSeconds = static_cast<double>(it->incident.closedNs - it->incident.openedNs) * 1e-9;
    m_transitions.push_back({Transition::TransitionKind::Closed, it->incident});
    m_open.erase(it);
}

void OpenIncidents::closeAll(CloseReason reason) {
    while (!m_open.empty())
        close(m_open.begin(), m_nowNs, reason);
}

namespace {

void saveRanks(ByteEncoder& out, const std::vector<int>& ranks) {
    out.number(ranks.size());
    int last = 0;
    for (const int r : ranks) {
        out.difference(r, last);
        last = r;
    }
}

std::vector<int> loadRanks(ByteDecoder& in) {
    std::vector<int> ranks(in.count());
    std::int64_t last = 0;
    for (int& r : ranks) {
        last = in.difference(last);
        if (last < 0 || last >= kMaxRanks)
            in.fail();
        r = static_cast<int>(in.ok() ? last : 0);
    }
    return ranks;
}

void saveIncident(ByteEncoder& out, const Incident& in) {
    for (const std::int64_t v : {in.id, in.step, in.openedNs, in.detectedNs, in.closedNs})
        out.integer(v);
    out.number(static_cast<std::uint64_t>(in.cause));
    out.number(static_cast<std::uint64_t>(in.phase));
    out.number(static_cast<std::uint64_t>(in.closed));
    out.boolean(in.straggler);
    saveRanks(out, in.holders);
    saveRanks(out, in.waiters);
    out.boolean(in.collective.known);
    out.text(in.collective.tag);
    out.number(static_cast<std::uint64_t>(in.collective.op));
    out.number(in.collective.group);
    out.number(in.collective.sequence);
    out.text(in.remedy.text.english());
    out.text(in.remedy.key);
    out.text(in.remedy.value);
    const auto evidence = nlohmann::json::to_cbor(toJson(in.evidence));
    out.text({reinterpret_cast<const char*>(evidence.data()), evidence.size()});
}

void loadIncident(ByteDecoder& in, Incident& to) {
    to.id = std::clamp<std::int64_t>(in.integer(), 0, kLastStep);
    to.step = stepWithin(in.integer());
    for (std::int64_t* v : {&to.openedNs, &to.detectedNs, &to.closedNs})
        *v = clampTime(in.integer());
    to.cause = in.below(Cause::Count);
    to.phase = in.below(Phase::Count);
    to.closed = static_cast<CloseReason>(in.below(4));
    to.straggler = in.boolean();
    to.holders = loadRanks(in);
    to.waiters = loadRanks(in);
    to.collective.known = in.boolean();
    to.collective.tag = in.text();
    to.collective.op = in.below(CollectiveOp::Count);
    to.collective.group = static_cast<std::uint32_t>(in.number());
    to.collective.sequence = in.number();
    to.remedy = {in.text(), in.text(), in.text()};
    auto evidence = readCbor(in.text());
    const bool blamesNobody = to.cause == Cause::Paused;
    if (!evidence || !evidence->is_object() || to.holders.empty() != blamesNobody)
        return in.fail();
    to.evidence = evidenceFromJson(*evidence);
}

} // namespace

void OpenIncidents::save(ByteEncoder& out) const {
    out.number(m_open.size());
    for (const OpenHold& t : m_open) {
        saveIncident(out, t.incident);
        out.number(static_cast<std::uint64_t>(t.rule));
        out.integer(t.clearSinceNs);
        out.integer(t.updatedNs);
    }
    out.integer(m_nextId);
}

bool OpenIncidents::load(ByteDecoder& in) {
    m_open.clear();
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        OpenHold& t = m_open.emplace_back();
        loadIncident(in, t.incident);
        noteReading(t);
        t.rule = in.below(Rule::Count);
        t.clearSinceNs = clampTime(in.integer());
        t.updatedNs = clampTime(in.integer());
        for (const int h : t.incident.holders)
            if (h >= m_world)
                in.fail();
    }
    if (!in.ok())
        return false;
    m_nextId = std::clamp<std::int64_t>(in.integer(), 1, kLastStep);
    return true;
}

void OpenIncidents::restoreSeen(bool death, bool mismatch) {
    m_deathSeen = death;
    m_mismatchSeen = mismatch;
}

} // namespace rankscope::diagnosis
