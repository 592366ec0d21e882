// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/failure/run_failure.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

using diagnosis::Cause;
using diagnosis::Incident;
using diagnosis::RankState;
using launch::EndKind;
using launch::RunState;

namespace {

bool endsRuns(const Incident& in) {
    return in.cause == Cause::Dead || in.cause == Cause::NeverJoined;
}

/// Returns whether the incident ruined the run; a loss that became finite again did not.
bool spoilsRuns(const Incident& in) {
    return (in.cause == Cause::NotFinite || in.cause == Cause::EmptyBatch) &&
           in.closed != diagnosis::CloseReason::Recovered;
}

bool isHolder(int rank, const Incident& in) {
    return std::find(in.holders.begin(), in.holders.end(), rank) != in.holders.end();
}

} // namespace

static bool hasFinished(const store::RankSummary& summary) {
    return summary.ended && summary.endCause == telemetry::EndCause::Finished;
}

static bool hasFailed(const RunView& view) {
    return view.info.state == RunState::Failed || view.info.state == RunState::Lost;
}

const Incident* fatalIncident(const RunView& view) {
    if (!hasFailed(view))
        return nullptr;
    const Incident* first = nullptr;
    for (const Incident& in : view.incidents) {
        if (view.info.reason.kind == EndKind::NotFinite ? !spoilsRuns(in) : !endsRuns(in))
            continue;
        if (isHolder(view.info.reason.rank, in))
            return &in;
        if (!first)
            first = &in;
    }
    return first;
}

std::optional<RunFailure> failureOf(const RunView& view) {
    if (view.info.id.empty() || !hasFailed(view))
        return std::nullopt;
    const auto& reason = view.info.reason;
    RunFailure failure;
    failure.kind = reason.kind == EndKind::None ? EndKind::SupervisorLost : reason.kind; // nobody recorded the end
    failure.culprit = reason.rank;
    failure.step = reason.step;
    if (const Incident* fatal = fatalIncident(view)) {
        failure.incident = fatal->id;
        if (failure.culprit < 0 && !fatal->holders.empty() && failure.kind != EndKind::NotFinite)
            failure.culprit = fatal->holders.front();
        if (failure.step < 0)
            failure.step = fatal->step;
    }
    failure.beforeFirstStep = view.step < 0 && failure.step < 0;
    const auto finished = [&view](int rank) {
        return std::any_of(view.summaries.begin(), view.summaries.end(),
                           [rank](const store::RankSummary& s) { return s.rank == rank && hasFinished(s); });
    };
    if (failure.culprit >= 0)
        for (const RankTile& tile : view.ranks)
            if (tile.rank != failure.culprit && !finished(tile.rank))
                failure.victims.push_back(tile.rank);
    return failure;
}

namespace {

struct RunEnd {
    Q_DECLARE_TR_FUNCTIONS(RunEnd)
};

QString at(std::int64_t lastStep) {
    return lastStep < 0 ? RunEnd::tr("before the first step") : RunEnd::tr("at step %1").arg(countText(lastStep));
}

/// Returns "after N steps", counting completed steps as the header does.
QString after(std::int64_t lastStep) {
    if (lastStep < 0)
        return RunEnd::tr("before the first step");
    return lastStep == 0 ? RunEnd::tr("after 1 step") : RunEnd::tr("after %1 steps").arg(countText(lastStep + 1));
}

QString stepsText(std::int64_t steps) {
    return steps == 1 ? RunEnd::tr("1 step") : RunEnd::tr("%1 steps").arg(countText(steps));
}

const Incident* fatal(int rank, const std::vector<Incident>& incidents) {
    const auto it = std::find_if(incidents.rbegin(), incidents.rend(),
                                 [rank](const Incident& in) { return endsRuns(in) && isHolder(rank, in); });
    return it == incidents.rend() ? nullptr : &*it;
}

const Incident* requestToLeave(const std::vector<Incident>& incidents) {
    const auto it = std::find_if(incidents.begin(), incidents.end(),
                                 [](const Incident& in) { return in.cause == Cause::AskedToLeave; });
    return it == incidents.end() ? nullptr : &*it;
}

/// Returns what a dead rank's evidence says about its exit.
QString exitText(const Incident& in) {
    if (in.cause == Cause::NeverJoined)
        return RunEnd::tr("never joined");
    const diagnosis::Evidence& evidence = in.evidence;
    if (evidence.outOfMemory.value_or(false))
        return RunEnd::tr("out of memory");
    if (evidence.diskFull.value_or(false))
        return RunEnd::tr("disk full");
    const QString signal = toQString(evidence.signalName.value_or(""));
    if (evidence.exitCode) {
        const auto number = QString::number(*evidence.exitCode);
        return evidence.signalName ? RunEnd::tr("exit %1 (%2)").arg(number, signal) : RunEnd::tr("exit %1").arg(number);
    }
    return evidence.signalName ? RunEnd::tr("ended by %1").arg(signal) : RunEnd::tr("process gone");
}

/// Removes the rank's name from the start of its own words, because its tile already shows it.
QString withoutRank(std::string_view text, int rank) {
    QString words = toQString(text);
    const QString name = QStringLiteral("rank %1: ").arg(rank);
    return words.startsWith(name) ? words.mid(name.size()) : words;
}

} // namespace

diagnosis::RankStatus endedStatus(const store::RankSummary& s, launch::RunState state,
                                  const std::vector<Incident>& incidents, int culprit) {
    const auto tile = [](RankState mark, const QString& words) {
        return diagnosis::RankStatus{mark, words.toStdString()};
    };
    if (const auto* in = fatal(s.rank, incidents))
        return tile(
            RankState::Dead,
            RunEnd::tr("%1 %2", "cause, at step").arg(exitText(*in), at(in->step >= 0 ? in->step : s.lastStep)));
    if (state == RunState::Failed && s.ended && s.endCause != telemetry::EndCause::Failed && s.lastStep >= 0 &&
        s.lastLoss && !std::isfinite(*s.lastLoss))
        return tile(RankState::Dead, RunEnd::tr("loss NaN %1", "at step").arg(at(s.lastStep)));
    if (state == RunState::Failed && culprit >= 0 && culprit != s.rank && !hasFinished(s))
        return tile(RankState::Unknown, RunEnd::tr("ended because rank %1 did").arg(culprit));
    if (state == RunState::Failed && culprit == s.rank && !s.ended && s.lastStep < 0) // nothing of it was stored
        return tile(RankState::Dead, RunEnd::tr("ended, and the run with it"));
    if (s.ended && s.endCause == telemetry::EndCause::Failed) {
        const QString how = s.endText.empty()                        ? RunEnd::tr("exit %1").arg(s.exitCode)
                            : diagnosis::mentionsFullDisk(s.endText) ? RunEnd::tr("disk full")
                                                                     : withoutRank(s.endText, s.rank);
        return tile(RankState::Dead, RunEnd::tr("%1 %2", "cause, at step").arg(how, at(s.lastStep)));
    }
    if (hasFinished(s))
        return tile(RankState::Finished, stepsText(s.lastStep + 1));
    if (const auto* in = requestToLeave(incidents))
        return tile(RankState::Finished,
                    (isHolder(s.rank, *in) ? RunEnd::tr("asked to leave %1") : RunEnd::tr("left with the others %1"))
                        .arg(after(s.lastStep)));
    if (s.ended || state == RunState::Stopped)
        return tile(RankState::Finished, RunEnd::tr("stopped %1").arg(after(s.lastStep)));
    if (state == RunState::Finished || state == RunState::Imported)
        return tile(RankState::Finished, stepsText(s.lastStep + 1));
    return tile(RankState::Unknown, RunEnd::tr("ended with the run %1").arg(after(s.lastStep)));
}

} // namespace rankscope::ui
