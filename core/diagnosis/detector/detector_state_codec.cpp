// SPDX-License-Identifier: Apache-2.0
// The detector's state as bytes and back: a recorded run that is diagnosed again from the middle begins with it.
#include "core/base/text/untrusted_json.h"
#include "core/diagnosis/detector/detector_state.h"

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

void saveRanks(WireWriter& out, const std::vector<int>& ranks) {
    out.number(ranks.size());
    int last = 0;
    for (const int r : ranks) {
        out.difference(r, last);
        last = r;
    }
}

std::vector<int> loadRanks(WireReader& in) {
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

void saveIncident(WireWriter& out, const Incident& in) {
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
    out.text(in.remedy.text);
    out.text(in.remedy.key);
    out.text(in.remedy.value);
    const auto evidence = nlohmann::json::to_cbor(in.evidence);
    out.text({reinterpret_cast<const char*>(evidence.data()), evidence.size()});
}

void loadIncident(WireReader& in, Incident& to) {
    to.id = std::clamp<std::int64_t>(in.integer(), 0, kLastStep);
    to.step = stepWithin(in.integer());
    for (std::int64_t* v : {&to.openedNs, &to.detectedNs, &to.closedNs})
        *v = timeWithin(in.integer());
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
    if (!evidence || !evidence->is_object() || to.holders.empty())
        return in.fail();
    to.evidence = std::move(*evidence);
}

void saveMemory(WireWriter& out, const RankMemory& m) {
    out.boolean(m.ran);
    for (const std::int64_t v : {m.toldStep, m.badStep, m.tensorStep, m.checkpointSinceNs, m.lookedNs})
        out.integer(v);
    out.text(m.tensor);
    out.real(m.checkpointBytes);
}

void loadMemory(WireReader& in, RankMemory& m) {
    m.ran = in.boolean();
    for (std::int64_t* v : {&m.toldStep, &m.badStep, &m.tensorStep})
        *v = stepWithin(in.integer());
    for (std::int64_t* v : {&m.checkpointSinceNs, &m.lookedNs})
        *v = timeWithin(in.integer());
    m.tensor = in.text();
    m.checkpointBytes = in.real();
    if (!std::isfinite(m.checkpointBytes))
        in.fail();
}

} // namespace

void Detector::State::save(WireWriter& to) const {
    to.number(kDetectorVersion);
    to.integer(world);
    window.save(to);
    to.number(open.size());
    for (const Tracked& t : open) {
        saveIncident(to, t.incident);
        to.number(static_cast<std::uint64_t>(t.rule));
        to.integer(t.clearSinceNs);
        to.integer(t.updatedNs);
    }
    for (const std::int64_t v : {nextId, firstNs, runningNs, stragglerCheckedStep, mismatchSinceNs, oddSinceNs})
        to.integer(v);
    for (const bool v : {deathSeen, configChecked, mismatchTold, bad.has_value()})
        to.boolean(v);
    if (bad) {
        to.integer(bad->step);
        to.integer(bad->sinceNs);
        to.number(bad->ranks.size());
        for (const auto& [rank, what] : bad->ranks) {
            to.number(static_cast<std::uint64_t>(rank));
            to.number(static_cast<std::uint64_t>(what));
        }
    }
    to.text(differingKeys);
    for (const RankMemory& m : ranks)
        saveMemory(to, m);
    to.integer(stragglerCheckedNs);
    to.integer(stragglerBehindStep);
    for (const RankMemory& m : ranks)
        to.integer(m.heldStep);
    slow.save(to);
}

bool Detector::State::loadOpen(WireReader& in) {
    open.clear();
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        Tracked& t = open.emplace_back();
        loadIncident(in, t.incident);
        t.rule = in.below(Rule::Count);
        t.clearSinceNs = timeWithin(in.integer());
        t.updatedNs = timeWithin(in.integer());
        for (const int h : t.incident.holders)
            if (h >= world)
                in.fail();
    }
    return in.ok();
}

bool Detector::State::load(WireReader& in) {
    const std::uint64_t version = in.number();
    if (version < kOldestDetectorVersion || version > kDetectorVersion || in.integer() != world ||
        !window.load(in, static_cast<int>(version)) || !loadOpen(in))
        return false;
    nextId = std::clamp<std::int64_t>(in.integer(), 1, kLastStep);
    for (std::int64_t* v : {&firstNs, &runningNs})
        *v = timeWithin(in.integer());
    stragglerCheckedStep = stepWithin(in.integer());
    for (std::int64_t* v : {&mismatchSinceNs, &oddSinceNs})
        *v = timeWithin(in.integer());
    deathSeen = in.boolean();
    configChecked = in.boolean();
    mismatchTold = in.boolean();
    bad.reset();
    if (in.boolean()) {
        bad.emplace();
        bad->step = stepWithin(in.integer());
        bad->sinceNs = timeWithin(in.integer());
        for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
            const auto rank = static_cast<int>(in.below(static_cast<std::uint64_t>(world)));
            bad->ranks[rank] = in.below(Badness::Count);
        }
        if (bad->ranks.empty())
            in.fail(); // one of them is named
    }
    differingKeys = in.text();
    for (RankMemory& m : ranks)
        loadMemory(in, m);
    if (version < kVersionOfSlowRanks)
        return in.ok(); // it begins to test the ranks now
    stragglerCheckedNs = timeWithin(in.integer());
    stragglerBehindStep = stepWithin(in.integer());
    for (RankMemory& m : ranks)
        m.heldStep = stepWithin(in.integer());
    return slow.load(in) && in.ok();
}

} // namespace rankscope::diagnosis
