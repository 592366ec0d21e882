// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/failure/run_failure.h"

#include "widgets/models/text/text_format.h"

#include <QRegularExpression>

#include <algorithm>

namespace rankscope::ui {

using diagnosis::Cause;
using diagnosis::Incident;
using launch::RunState;

namespace {

FailureKind kindOf(const QString& cause, const QString& signal) {
    // a full disk is the reason, however the rank that met it ended
    if (cause.contains(QLatin1String("No space left on device")) ||
        cause.contains(QLatin1String("Disk quota exceeded")))
        return FailureKind::DiskFull;
    if (cause.contains(QLatin1String("want of memory")) || cause.contains(QLatin1String("ran out of memory")))
        return FailureKind::OutOfMemory;
    if (signal == QLatin1String("SIGKILL"))
        return FailureKind::Killed;
    if (!signal.isEmpty())
        return FailureKind::Crashed;
    if (cause.contains(QLatin1String("cannot train with this")))
        return FailureKind::Refused;
    if (cause.startsWith(QLatin1String("its supervisor was lost (killed)")) || cause.isEmpty())
        return FailureKind::SupervisorLost;
    if (cause.startsWith(QLatin1String("its supervisor was lost")))
        return FailureKind::MachineRestarted;
    if (cause.startsWith(QLatin1String("the run's folder")))
        return FailureKind::FolderRemoved;
    if (cause.startsWith(QLatin1String("the ranks hold different weights")))
        return FailureKind::WeightsDiffer;
    return culpritOf(cause.toStdString()) >= 0 ? FailureKind::Exited : FailureKind::Other;
}

bool endsRuns(const Incident& in) {
    return in.cause == Cause::Dead || in.cause == Cause::NeverJoined;
}

} // namespace

int culpritOf(std::string_view cause) {
    static const QRegularExpression rank(QStringLiteral("^rank (\\d{1,6}) "));
    const auto match = rank.match(toQString(cause));
    return match.hasMatch() ? match.captured(1).toInt() : -1;
}

const Incident* fatalIncident(const std::vector<Incident>& incidents, RunState state, std::string_view cause) {
    if (state != RunState::Failed && state != RunState::Lost)
        return nullptr;
    const int culprit = culpritOf(cause);
    const Incident* first = nullptr;
    for (const Incident& in : incidents) {
        if (!endsRuns(in))
            continue;
        if (std::find(in.holders.begin(), in.holders.end(), culprit) != in.holders.end())
            return &in;
        if (!first)
            first = &in;
    }
    return first;
}

std::optional<RunFailure> failureOf(const RunView& view) {
    const auto state = view.info.state;
    if (view.info.id.empty() || (state != RunState::Failed && state != RunState::Lost))
        return std::nullopt;
    static const QRegularExpression signalName(QStringLiteral("ended with (SIG\\w+|signal \\d+)"));
    static const QRegularExpression atStep(QStringLiteral("(?: at step |recorded until step )(\\d+)"));
    static const QRegularExpression inPhase(QStringLiteral(" while in (\\w+)"));
    const QString cause = toQString(view.info.cause);
    RunFailure failure;
    failure.signal = signalName.match(cause).captured(1);
    failure.kind = kindOf(cause, failure.signal);
    failure.culprit = culpritOf(view.info.cause);
    const Incident* fatal = fatalIncident(view.incidents, state, view.info.cause);
    if (fatal) {
        failure.incident = fatal->id;
        if (failure.culprit < 0 && !fatal->holders.empty())
            failure.culprit = fatal->holders.front();
    }
    if (const auto step = atStep.match(cause); step.hasMatch())
        failure.step = step.captured(1).toLongLong();
    else if (fatal)
        failure.step = fatal->step;
    failure.phase = inPhase.match(cause).captured(1);
    failure.beforeFirstStep = view.step < 0 && failure.step < 0;
    if (failure.culprit >= 0)
        for (const RankTile& tile : view.ranks)
            if (tile.rank != failure.culprit)
                failure.victims.push_back(tile.rank);
    return failure;
}

} // namespace rankscope::ui
