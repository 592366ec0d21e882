// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector/non_finite_tracker.h"

#include "core/telemetry/format/note_markers.h"

#include <algorithm>
#include <cmath>

namespace rankscope::diagnosis {

using namespace telemetry;

void NonFiniteTracker::take(int rank, const AnyRecord& record) {
    if (const auto* s = record.as<StepRecord>())
        takeStep(rank, *s);
    else if (const auto* n = record.as<NoteRecord>())
        takeNote(rank, *n);
    else if (const auto* b = record.as<BatchRecord>(); b && b->size == 0) // negative: not known
        addBad(rank, b->header.step, NonFinite::Empty);
}

void NonFiniteTracker::takeStep(int rank, const StepRecord& s) {
    RankMemory& memory = m_s.ranks[static_cast<std::size_t>(rank)];
    memory.toldStep = s.header.step;
    const bool badLoss = (s.flags & 1) || std::isinf(s.loss); // NaN without the flag: not known
    // without a masked frame the mean over masked frames is 0 / 0: the batch is the cause, not the arithmetic
    const bool empty = s.maskedFrames == 0 && m_s.settings.recipe;
    if (badLoss || (s.flags & 2))
        addBad(rank, s.header.step,
               empty         ? NonFinite::Empty
               : s.flags & 8 ? NonFinite::Batch
               : badLoss     ? NonFinite::Loss
                             : NonFinite::Gradient);
}

void NonFiniteTracker::addBad(int rank, std::int64_t step, NonFinite what) {
    m_s.ranks[static_cast<std::size_t>(rank)].badStep = step;
    if (m_s.incidents.find(Rule::NotFinite))
        return; // later bad steps are its consequence
    if (!m_s.bad || step < m_s.bad->step)
        m_s.bad = NonFiniteStep{step, m_o.nowNs, {}};
    if (step == m_s.bad->step)
        m_s.bad->ranks[rank] = std::max(m_s.bad->ranks[rank], what);
}

void NonFiniteTracker::takeNote(int rank, const NoteRecord& n) {
    const std::string_view text = getText(n.text, sizeof n.text);
    const auto at = text.find(kFirstNotFinite);
    if (at == std::string_view::npos)
        return;
    RankMemory& memory = m_s.ranks[static_cast<std::size_t>(rank)];
    memory.tensorStep = n.header.step;
    memory.tensor = std::string(text.substr(at + kFirstNotFinite.size()));
    if (memory.tensor.starts_with("none"))
        memory.tensor.clear();                               // only the loss was not finite
    OpenHold* t = m_s.incidents.find(Rule::NotFinite, rank); // the note comes after the step's record
    if (t && t->incident.step == n.header.step && !memory.tensor.empty())
        t->incident.evidence.firstTensor = memory.tensor;
}

void NonFiniteTracker::track() {
    if (OpenHold* t = m_s.incidents.find(Rule::NotFinite)) {
        const bool fine = std::all_of(m_s.ranks.begin(), m_s.ranks.end(), [&](const RankMemory& r) {
            return r.toldStep > r.badStep && r.toldStep > t->incident.step;
        });
        if (!fine) {
            for (const RankMemory& r : m_s.ranks)
                if (r.badStep > t->incident.evidence.lastStep.value_or(-1))
                    t->incident.evidence.lastStep = r.badStep;
            m_s.incidents.update(*t);
        }
        return;
    }
    if (!m_s.bad)
        return;
    const bool all = std::all_of(m_s.ranks.begin(), m_s.ranks.end(),
                                 [&](const RankMemory& r) { return r.toldStep >= m_s.bad->step; });
    if (all || m_o.nowNs - m_s.bad->sinceNs >= kOthersReportNs)
        open();
}

/// Opens the incident and names the ranks in which it began: gradients are averaged, so a non-finite loss on one rank
/// spoils every rank's gradient in the same step and everything after it.
void NonFiniteTracker::open() {
    auto worst = NonFinite::None;
    for (const auto& [rank, what] : m_s.bad->ranks)
        worst = std::max(worst, what);
    Incident in;
    in.cause = worst == NonFinite::Empty ? Cause::EmptyBatch : Cause::NotFinite;
    for (const auto& [rank, what] : m_s.bad->ranks)
        if (what == worst)
            in.holders.push_back(rank);
    in.step = m_s.bad->step;
    in.phase = worst == NonFinite::Gradient ? Phase::Backward : Phase::Loss;
    in.openedNs = m_s.bad->sinceNs;
    in.evidence.thresholdSeconds = 0.0;
    const int first = in.holders.front();
    const RankMemory& memory = m_s.ranks[static_cast<std::size_t>(first)];
    if (const RankStep* s = m_s.window.find(first, m_s.bad->step)) {
        if (s->batchSize >= 0)
            in.evidence.batchSize = s->batchSize;
        if (s->framesMax > 0 || s->batchSize == 0)
            in.evidence.holderLongestFrames = s->framesMax;
    }
    if (worst == NonFinite::Empty) {
        in.evidence.maskedFrames = 0;
    } else {
        const bool batch = worst == NonFinite::Batch, loss = worst == NonFinite::Loss;
        in.evidence.what = batch ? "batch" : loss ? "loss" : "gradient";
        if (memory.tensorStep == m_s.bad->step && !memory.tensor.empty())
            in.evidence.firstTensor = memory.tensor;
    }
    m_s.bad.reset();
    m_s.incidents.start(Rule::NotFinite, std::move(in));
}

} // namespace rankscope::diagnosis
