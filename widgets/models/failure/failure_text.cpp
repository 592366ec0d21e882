// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/failure/failure_text.h"

#include "core/base/text/unit_format.h"
#include "widgets/models/failure/remedy_offer.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>
#include <QDateTime>

namespace rankscope::ui {

using launch::EndKind;

namespace {

struct FailureLabels {
    Q_DECLARE_TR_FUNCTIONS(FailureLabels)
};

QString sentenceOf(QString text) {
    if (text.isEmpty())
        return text;
    const bool chinese = currentLanguage() == Language::Chinese;
    if (!chinese) // "rank" is a loan word in the middle of Chinese text
        text[0] = text[0].toUpper();
    if (!text.endsWith(u'.') && !text.endsWith(u'。'))
        text += chinese ? u'。' : u'.';
    return text;
}

QString headlineOf(const RunView& view) {
    if (!view.info.cause.empty())
        return sentenceOf(messageText(view.info.cause));
    return FailureLabels::tr("The process that supervised this run is gone, so it is not known how the run ended.");
}

/// Returns a command that lists what the kernel killed around the end; reading its log may need extra rights.
QString kernelLogCommand(std::int64_t endRealtimeNs) {
    const auto begin = QDateTime::fromMSecsSinceEpoch(endRealtimeNs / 1'000'000).addSecs(-120);
    const QString since =
        endRealtimeNs > 0 ? QStringLiteral(" --since '%1'").arg(begin.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")))
                          : QString();
    return QStringLiteral("sudo journalctl -k%1 | grep -iE 'out of memory|oom|killed process'").arg(since);
}

QString meaningOf(const RunFailure& failure, bool resumable) {
    switch (failure.kind) {
    case EndKind::Killed:
        return FailureLabels::tr(
            "SIGKILL comes from outside and leaves no message. It is usually the kernel's out-of-memory killer, a "
            "scheduler or container limit, or kill -9. The kernel log shows which one (so does dmesg -T):");
    case EndKind::OutOfMemory:
        return FailureLabels::tr(
            "Memory ran out. A smaller batch_size, num_workers or max_duration needs less; the kernel "
            "log has the figures:");
    case EndKind::Crashed:
        return FailureLabels::tr(
            "The program itself crashed. The end of its log and, where the system keeps core dumps, "
            "this command show where:");
    case EndKind::Refused:
        return FailureLabels::tr("Fix the recipe or the named file, then launch again.");
    case EndKind::Exited:
        return failure.beforeFirstStep ? FailureLabels::tr("It ended before its first step. Its log shows why:")
                                       : FailureLabels::tr("Its log shows why:");
    case EndKind::SupervisorLost:
        return FailureLabels::tr(
            "The supervisor is the rankscopectl process that started the ranks; they end when it does. "
            "It was killed from outside: by the kernel's out-of-memory killer, by kill -9, or with the "
            "session that it was started in. You see what the ranks had measured by then. If it was "
            "killed for lack of memory, the kernel log says so:");
    case EndKind::MachineRestarted:
        return FailureLabels::tr(
            "The machine went down during the run, or the run's folder belongs to another machine. You "
            "see what the ranks had measured by then.");
    case EndKind::Copied:
        return FailureLabels::tr(
            "The run itself may have continued; its original folder shows how it ended. You see what "
            "had been measured when this copy was made.");
    case EndKind::FolderRemoved:
        return FailureLabels::tr("Do not move or rename a run's folder while the run is active.");
    case EndKind::DiskFull:
        return resumable ? FailureLabels::tr("Free some space on the full disk, then resume.")
                         : FailureLabels::tr("Free some space on the full disk, or let the run write to another one, "
                                             "then start it again.");
    case EndKind::WeightsDiffer:
        return FailureLabels::tr(
            "Ranks that train together must end with the same weights: do not trust the model of this run.");
    case EndKind::NotFinite:
        return FailureLabels::tr(
            "NaN spreads to all weights and never leaves them: the run continued, as it would in NeMo, "
            "and learned nothing. The incident says on which rank and in which tensor it began. Lower "
            "optim.lr, clip gradients, or leave that batch out.");
    case EndKind::Other:
    case EndKind::None:
        break;
    }
    return {};
}

/// Returns the fault in the recipe that caused this end; empty: none did.
QString faultOf(const RunView& view, const RunFailure& failure) {
    const auto it = std::find_if(view.incidents.begin(), view.incidents.end(),
                                 [&](const diagnosis::Incident& in) { return in.id == failure.incident; });
    return failure.incident != 0 && it != view.incidents.end() ? injectedFault(*it, view.info.faults) : QString();
}

QString commandOf(const RunView& view, const RunFailure& failure) {
    switch (failure.kind) {
    case EndKind::Killed:
    case EndKind::OutOfMemory:
    case EndKind::SupervisorLost:
        return kernelLogCommand(view.info.endRealtimeNs);
    case EndKind::Crashed: {
        const auto rank = static_cast<std::size_t>(failure.culprit);
        return rank < view.info.rankPids.size() ? QStringLiteral("coredumpctl info %1").arg(view.info.rankPids[rank])
                                                : QString();
    }
    default:
        return {};
    }
}

QString victimsText(const RunFailure& failure) {
    if (failure.victims.empty())
        return {};
    const QString who = sentenceOf(ranksText(failure.victims)).chopped(1);
    return FailureLabels::tr("%1 ended because rank %2 did.").arg(who).arg(failure.culprit);
}

QString memoryText(const EndingFacts& facts, int culprit) {
    if (facts.memory.empty())
        return {};
    QStringList parts;
    for (const auto& one : facts.memory)
        if (one.rssBytes > 0 && (culprit < 0 ? parts.size() < 8 : one.rank == culprit))
            parts << FailureLabels::tr("rank %1 had %2").arg(one.rank).arg(toQString(formatBytes(one.rssBytes)));
    if (facts.usedBytes >= 0 && facts.limitBytes > 0)
        parts << FailureLabels::tr("%1 of %2 were free")
                     .arg(toQString(formatBytes(std::max<std::int64_t>(0, facts.limitBytes - facts.usedBytes))),
                          toQString(formatBytes(facts.limitBytes)));
    if (parts.isEmpty())
        return {};
    return FailureLabels::tr("Last memory reading, %1 into the run: %2.")
        .arg(durationText(facts.memoryNs), parts.join(FailureLabels::tr(", ", "between two figures")));
}

QString checkpointText(const RunView& view, const RunFailure& failure, const EndingFacts& facts) {
    if (!facts.problem.isEmpty())
        return facts.problem;
    const auto* newest = launch::newestUsable(facts.checkpoints);
    const bool notFinite = failure.kind == EndKind::NotFinite;
    if (!newest)
        return notFinite ? FailureLabels::tr("There is no checkpoint from before that, so there are no usable weights.")
                         : FailureLabels::tr("There is no checkpoint to resume from.");
    // the step in which it happened was not completed
    const std::int64_t lost = std::max(view.step + 1, failure.step) - newest->steps;
    QString text = (notFinite ? FailureLabels::tr("Last checkpoint from before that: %1.")
                              : FailureLabels::tr("Last checkpoint: %1."))
                       .arg(checkpointSentence(facts.checkpoints));
    if (lost > 0)
        text += FailureLabels::tr(" The steps after it (%1) are repeated.", "behind the last checkpoint")
                    .arg(countText(lost));
    return text;
}

} // namespace

QString checkpointSentence(const launch::RunCheckpoints& checkpoints) {
    const auto* newest = launch::newestUsable(checkpoints);
    if (!newest)
        return {};
    return FailureLabels::tr("%1, after step %2 (%3, complete according to its header)")
        .arg(toQString(newest->name), countText(newest->steps - 1),
             toQString(formatBytes(static_cast<std::int64_t>(newest->bytes))));
}

FailureText failureText(const RunView& view, const RunFailure& failure, const EndingFacts* facts) {
    FailureText text;
    text.headline = headlineOf(view);
    text.meaning = meaningOf(failure, view.resumable && (!facts || launch::newestUsable(facts->checkpoints)));
    text.command = commandOf(view, failure);
    // a fault injected on purpose needs no search for its cause
    if (const QString fault = faultOf(view, failure); !fault.isEmpty()) {
        text.meaning =
            FailureLabels::tr("This fault was injected by rankscope.faults (%1). Remove it for real training.")
                .arg(faultText(fault));
        text.command.clear();
    }
    if (const QString victims = victimsText(failure); !victims.isEmpty())
        text.facts << victims;
    if (!facts)
        return text;
    if (const QString memory = memoryText(*facts, failure.culprit); !memory.isEmpty())
        text.facts << memory;
    if (!view.info.watched()) // the checkpoints of other programs are not known
        text.facts << checkpointText(view, failure, *facts);
    text.log = facts->logLines;
    if (text.log.isEmpty() && failure.kind == EndKind::Exited && facts->logRank >= 0)
        text.meaning = failure.beforeFirstStep
                           ? FailureLabels::tr("It ended before its first step and wrote nothing to its log.")
                           : FailureLabels::tr("It wrote nothing to its log.");
    text.logTells = failure.kind == EndKind::Exited || failure.kind == EndKind::Crashed ||
                    failure.kind == EndKind::Refused || failure.beforeFirstStep;
    return text;
}

} // namespace rankscope::ui
