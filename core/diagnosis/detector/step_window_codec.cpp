// SPDX-License-Identifier: Apache-2.0
// The window as bytes and back: what a recorded run goes on from.
#include "core/diagnosis/detector/step_window.h"
#include "core/diagnosis/model/sanitized_observation.h"

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

void save(WireWriter& out, const std::deque<std::int64_t>& times) {
    out.number(times.size());
    for (const std::int64_t t : times)
        out.integer(t);
}

bool load(WireReader& in, std::deque<std::int64_t>& times) {
    times.assign(in.count(), 0);
    for (std::int64_t& t : times)
        t = durationWithin(in.integer());
    return in.ok();
}

void save(WireWriter& out, const RankStep& s) {
    for (const std::int64_t v :
         {s.stepNs, s.heldNs, s.waitedNs, s.heldUntilNs, s.waitedUntilNs, s.heldSavingNs, s.framesMax, s.samplesMax})
        out.integer(v);
    out.integer(s.batchSize);
    for (std::size_t p = 0; p < kPhases; ++p) {
        out.integer(s.phaseNs[p]);
        out.integer(s.waitInNs[p]);
    }
    out.integer(s.blockedNs);
    out.integer(s.gradientWaitNs);
}

void load(WireReader& in, RankStep& s, int version) {
    for (std::int64_t* v : {&s.stepNs, &s.heldNs, &s.waitedNs})
        *v = durationWithin(in.integer());
    for (std::int64_t* v : {&s.heldUntilNs, &s.waitedUntilNs})
        *v = timeWithin(in.integer());
    s.heldSavingNs = durationWithin(in.integer());
    for (std::int64_t* v : {&s.framesMax, &s.samplesMax})
        *v = framesWithin(in.integer());
    s.batchSize = static_cast<int>(in.integer());
    for (std::size_t p = 0; p < kPhases; ++p) {
        s.phaseNs[p] = durationWithin(in.integer());
        s.waitInNs[p] = durationWithin(in.integer());
    }
    if (version < kVersionOfSlowRanks)
        return;
    for (std::int64_t* v : {&s.blockedNs, &s.gradientWaitNs})
        *v = durationWithin(in.integer());
}

} // namespace

void StepWindow::save(WireWriter& out) const {
    saveSteps(out);
    savePending(out);
    diagnosis::save(out, m_stepTimes);
    diagnosis::save(out, m_checkpointTimes);
    for (const std::int64_t v : {m_newestComplete, m_finishedRecords, m_validationNs})
        out.integer(v);
    for (const auto& spans : m_savings)
        for (const Span& span : spans) {
            out.integer(span.beginNs);
            out.integer(span.endNs);
        }
    for (const std::int64_t ns : m_stoppedUntil)
        out.integer(ns);
    out.boolean(m_odd.has_value());
    if (!m_odd)
        return;
    out.number(m_odd->group);
    out.number(m_odd->sequence);
    out.number(m_odd->calls.size());
    for (const RecordedCall& c : m_odd->calls) {
        out.integer(c.rank);
        out.number(static_cast<std::uint64_t>(c.op));
        out.number(c.dtype);
        for (const std::int64_t v : {c.count, c.arrivedNs, c.step})
            out.integer(v);
        out.number(static_cast<std::uint64_t>(c.phase));
        out.text(c.tag);
    }
}

bool StepWindow::load(WireReader& in, int version) {
    if (!loadSteps(in, version) || !loadPending(in) || !diagnosis::load(in, m_stepTimes) ||
        !diagnosis::load(in, m_checkpointTimes))
        return false;
    m_newestComplete = stepWithin(in.integer());
    m_finishedRecords = std::clamp<std::int64_t>(in.integer(), 0, kLatestNs);
    m_validationNs = durationWithin(in.integer());
    if (m_stepTimes.empty() && m_finishedRecords > 0)
        return false; // their median is asked for
    for (auto& spans : m_savings)
        for (Span& span : spans) {
            span.beginNs = timeWithin(in.integer());
            span.endNs = timeWithin(in.integer());
        }
    if (version >= kVersionOfSlowRanks)
        for (std::int64_t& ns : m_stoppedUntil)
            ns = timeWithin(in.integer());
    m_odd.reset();
    if (!in.boolean())
        return in.ok();
    m_odd.emplace();
    m_odd->group = static_cast<std::uint32_t>(in.number());
    m_odd->sequence = in.number();
    m_odd->calls.resize(in.count());
    for (RecordedCall& c : m_odd->calls) {
        c.rank = static_cast<int>(in.integer());
        c.op = in.below(CollectiveOp::Count);
        c.dtype = static_cast<std::uint8_t>(in.number());
        c.count = in.integer();
        c.arrivedNs = timeWithin(in.integer());
        c.step = stepWithin(in.integer());
        c.phase = in.below(Phase::Count);
        c.tag = in.text();
        if (c.rank < 0 || c.rank >= m_world)
            in.fail();
    }
    return in.ok();
}

void StepWindow::saveSteps(WireWriter& out) const {
    out.number(m_steps.size());
    for (const auto& [step, stats] : m_steps) {
        out.integer(step);
        out.integer(stats.finished);
        for (const RankStep& s : stats.ranks)
            diagnosis::save(out, s);
    }
}

bool StepWindow::loadSteps(WireReader& in, int version) {
    m_steps.clear();
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        const std::int64_t step = stepWithin(in.integer());
        StepStats& stats = m_steps[step];
        stats.finished = static_cast<int>(std::clamp<std::int64_t>(in.integer(), 0, m_world));
        stats.ranks.resize(static_cast<std::size_t>(m_world));
        for (RankStep& s : stats.ranks)
            diagnosis::load(in, s, version);
    }
    return in.ok();
}

void StepWindow::savePending(WireWriter& out) const {
    out.number(m_pending.size());
    for (const auto& [key, p] : m_pending) {
        out.number(key.first);
        out.number(key.second);
        out.number(p.variants.size());
        for (const Variant& v : p.variants) {
            out.number(static_cast<std::uint64_t>(v.op));
            out.number(v.dtype);
            out.integer(v.count);
            out.text(v.tag);
        }
        for (std::size_t r = 0; r < p.arrived.size(); ++r) {
            out.integer(p.arrived[r]);
            if (p.arrived[r] == 0)
                continue;
            out.number(static_cast<std::uint64_t>(p.phase[r]));
            out.integer(p.step[r]);
            out.number(p.variant[r]);
        }
    }
}

bool StepWindow::loadPending(WireReader& in) {
    m_pending.clear();
    const auto world = static_cast<std::size_t>(m_world);
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        const auto group = static_cast<std::uint32_t>(in.number());
        Pending& p = m_pending[{group, in.number()}];
        p.variants.resize(std::min<std::size_t>(in.count(), 256));
        for (Variant& v : p.variants) {
            v.op = in.below(CollectiveOp::Count);
            v.dtype = static_cast<std::uint8_t>(in.number());
            v.count = in.integer();
            v.tag = in.text();
        }
        p.arrived.assign(world, 0);
        p.phase.assign(world, Phase::None);
        p.step.assign(world, -1);
        p.variant.assign(world, 0);
        for (std::size_t r = 0; r < world && in.ok(); ++r) {
            p.arrived[r] = timeWithin(in.integer());
            if (p.arrived[r] == 0)
                continue;
            ++p.count;
            p.phase[r] = in.below(Phase::Count);
            p.step[r] = stepWithin(in.integer());
            p.variant[r] = in.below(std::max<std::uint8_t>(1, static_cast<std::uint8_t>(p.variants.size())));
        }
    }
    return in.ok();
}

} // namespace rankscope::diagnosis
