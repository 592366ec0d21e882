// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/failure/run_cause_text.h"

#include "widgets/models/text/text_format.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <array>

namespace rankscope::ui {

namespace {

struct RunCause {
    Q_DECLARE_TR_FUNCTIONS(RunCause)
};

using Match = QRegularExpressionMatch;

QRegularExpression whole(const char* pattern) {
    return QRegularExpression(QRegularExpression::anchoredPattern(QLatin1String(pattern)),
                              QRegularExpression::DotMatchesEverythingOption);
}

QString where(const Match& m) {
    const QString step = m.captured(QStringLiteral("step")), phase = m.captured(QStringLiteral("phase"));
    if (step.isEmpty())
        return phase.isEmpty() ? RunCause::tr("before its first step")
                               : RunCause::tr("before its first step while in %1").arg(phase);
    return phase.isEmpty() ? RunCause::tr("at step %1").arg(step)
                           : RunCause::tr("at step %1 while in %2").arg(step, phase);
}

QString rankEnd(const Match& m) {
    const QString how = m.captured(QStringLiteral("how")), code = m.captured(QStringLiteral("code")),
                  signal = m.captured(QStringLiteral("signal"));
    if (!code.isEmpty())
        return RunCause::tr("rank %1 ended with exit code %3 %2").arg(m.captured(1), where(m), code);
    if (!signal.isEmpty())
        return RunCause::tr("rank %1 ended with %3 %2").arg(m.captured(1), where(m), signal);
    QString pattern = RunCause::tr("rank %1 left %2 with exit code 0, without saying that it was done");
    if (how.startsWith(QLatin1String("was killed")))
        pattern = RunCause::tr("rank %1 was killed by the kernel for want of memory (SIGKILL) %2");
    else if (how.startsWith(QLatin1String("ran")))
        pattern = RunCause::tr("rank %1 ran out of memory %2");
    else if (how.startsWith(QLatin1String("was stopped")))
        pattern = RunCause::tr("rank %1 was stopped from outside %2");
    return pattern.arg(m.captured(1), where(m));
}

/// Returns a rank's last words, without the rank's name and without what the preceding sentence already says.
QString lastWords(const Match& m) {
    QString text = m.captured(QStringLiteral("text"));
    const QString name = QStringLiteral("rank %1: ").arg(m.captured(1));
    if (text.startsWith(name))
        text = text.mid(name.size());
    const bool outOfMemory = m.captured(QStringLiteral("how")).startsWith(QLatin1String("ran"));
    return outOfMemory && text == QLatin1String("out of memory: an allocation failed") ? QString() : text;
}

/// Translates "rank 0 ended at step 199 because the disk or quota is full", followed by what the rank said.
QString diskFull(const QString& cause) {
    static const QRegularExpression said =
        whole("rank (\\d+) ended (?:before its first step|at step (?<step>\\d+))(?: while in (?<phase>\\w+))? because "
              "the disk or quota is full(?:(?<colon>: )(?<text>.+))?");
    const Match m = said.match(cause);
    if (!m.hasMatch())
        return {};
    const QString end = RunCause::tr("rank %1 ended %2 because the disk or quota is full").arg(m.captured(1), where(m));
    const QString words = lastWords(m);
    return words.isEmpty() ? end : RunCause::tr("%1: %2", "how a rank ended: what it said").arg(end, words);
}

/// Translates "rank 1 ended with SIGKILL at step 412 while in forward", followed by what it said or its log's last
/// line.
QString ofRank(const QString& cause) {
    static const QRegularExpression said = whole(
        "rank (\\d+) "
        "(?<how>was killed by the kernel for want of memory \\(SIGKILL\\)|ran out of memory|was stopped from outside|"
        "left|ended with (?:exit code (?<code>\\d+)|(?<signal>SIG\\w+|signal \\d+))) "
        "(?:before its first step|at step (?<step>\\d+))(?: while in (?<phase>\\w+))?"
        "(?: with exit code 0, without saying that it was done)?"
        "(?:(?<colon>: )(?<text>.+)|; its log ends with: (?<log>.*))?");
    const Match m = said.match(cause);
    if (!m.hasMatch())
        return diskFull(cause);
    if (const QString words = lastWords(m); !words.isEmpty())
        return RunCause::tr("%1: %2", "how a rank ended: what it said").arg(rankEnd(m), words);
    if (m.hasCaptured(QStringLiteral("log")))
        return RunCause::tr("%1; its log ends with: %2").arg(rankEnd(m), m.captured(QStringLiteral("log")));
    return rankEnd(m);
}

/// Translates the cause of a rank whose end was not observed.
QString vanished(const QString& cause) {
    static const QRegularExpression said =
        whole("rank (\\d+) is gone (?:before its first step|at step (?<step>\\d+))(?: while in (?<phase>\\w+))?, and "
              "how it ended was not seen(?:(?<colon>: )(?<text>.+)|; its log ends with: (?<log>.*))?");
    const Match m = said.match(cause);
    if (!m.hasMatch())
        return {};
    QString head = RunCause::tr("rank %1 is gone %2, and how it ended was not seen").arg(m.captured(1), where(m));
    if (m.hasCaptured(QStringLiteral("text")))
        return RunCause::tr("%1: %2", "how a rank ended: what it said").arg(head, m.captured(QStringLiteral("text")));
    if (m.hasCaptured(QStringLiteral("log")))
        return RunCause::tr("%1; its log ends with: %2").arg(head, m.captured(QStringLiteral("log")));
    return head;
}

/// Translates the sender in "rank 1 was asked to leave by SIGTERM from …".
QString sender(const QString& from) {
    static const QRegularExpression program = whole("(.+) \\(process (\\d+) of (.+)\\)"),
                                    process = whole("process (\\d+) of (.+)");
    static constexpr std::array others{
        QT_TRANSLATE_NOOP("RunCause", "a process outside this container"),
        QT_TRANSLATE_NOOP("RunCause", "the kernel, because its CPU time is used up"),
        QT_TRANSLATE_NOOP("RunCause", "the kernel"),
        QT_TRANSLATE_NOOP("RunCause", "its terminal"),
        QT_TRANSLATE_NOOP("RunCause", "a timer"),
    };
    if (const Match m = program.match(from); m.hasMatch())
        return RunCause::tr("%1 (process %2 of %3)").arg(m.captured(1), m.captured(2), m.captured(3));
    if (const Match m = process.match(from); m.hasMatch())
        return RunCause::tr("process %1 of %2").arg(m.captured(1), m.captured(2));
    for (const char* other : others)
        if (from == QLatin1String(other))
            return RunCause::tr(other);
    return from;
}

/// Returns how many steps were done when the run stopped; runs of earlier versions give the newest step.
QString stoppedWhen(const Match& m, const QString& what) {
    const QString done = m.captured(QStringLiteral("done")), step = m.captured(QStringLiteral("step"));
    const QString when = done == QLatin1String("1") ? RunCause::tr("after 1 step", "stopped")
                         : !done.isEmpty()          ? RunCause::tr("after %1 steps", "stopped").arg(done)
                         : !step.isEmpty()          ? RunCause::tr("at step %1", "stopped").arg(step)
                                                    : RunCause::tr("before the first step", "stopped");
    return what.arg(when);
}

/// Returns the start of the sentence about a run that was stopped; `m` captures what followed.
QString stopHead(const QString& cause, Match& m) {
    static const QString tail =
        QStringLiteral("(?:; while stopping (?<bad>.+)|; ranks? (?<killed>[\\d, ]+) had to be killed)?");
    static const QString when =
        QStringLiteral("(?:before the first step|at step (?<step>\\d+)|after (?<done>\\d+) steps?)");
    static const QRegularExpression byUser =
        whole((QStringLiteral("stopped by the user ") + when + tail).toLatin1().constData());
    static const QRegularExpression asked =
        whole((QStringLiteral("stopped ") + when +
               QStringLiteral(": ranks? (?<ranks>[\\d, ]+) (?:was|were) asked to leave by "
                              "(?<signal>SIG\\w+|signal \\d+) from (?<from>.+?)") +
               tail)
                  .toLatin1()
                  .constData());
    m = byUser.match(cause);
    if (m.hasMatch())
        return stoppedWhen(m, RunCause::tr("stopped by the user %1", "when"));
    m = asked.match(cause);
    if (!m.hasMatch())
        return {};
    const QString ranks = m.captured(QStringLiteral("ranks"));
    const QString who =
        (ranks.contains(QLatin1Char(',')) ? RunCause::tr("ranks %1 were asked to leave by %2 from %3")
                                          : RunCause::tr("rank %1 was asked to leave by %2 from %3"))
            .arg(listedRanks(ranks), m.captured(QStringLiteral("signal")), sender(m.captured(QStringLiteral("from"))));
    return RunCause::tr("%1: %2", "when the run stopped: why")
        .arg(stoppedWhen(m, RunCause::tr("stopped %1", "when")), who);
}

QString stopped(const QString& cause) {
    Match m;
    QString head = stopHead(cause, m);
    if (head.isEmpty())
        return {};
    if (const QString bad = m.captured(QStringLiteral("bad")); !bad.isEmpty()) {
        const QString end = ofRank(bad);
        return RunCause::tr("%1; while stopping %2").arg(head, end.isEmpty() ? bad : end);
    }
    const QString killed = m.captured(QStringLiteral("killed"));
    if (killed.isEmpty())
        return head;
    return (killed.contains(QLatin1Char(',')) ? RunCause::tr("%1; ranks %2 had to be killed")
                                              : RunCause::tr("%1; rank %2 had to be killed"))
        .arg(head, listedRanks(killed));
}

/// Translates "the loss has been NaN since step 20, and the weights are useless", followed by how the run was stopped.
QString notFinite(const QString& cause) {
    static const QRegularExpression said =
        whole("the (?:loss has been NaN since step (?<loss>\\d+), and (?<what>the weights are useless|nothing has been "
              "learned "
              "since)|weights have been NaN since step (?<weights>\\d+) and are useless)(?:; (?<stopped>.+))?");
    const Match m = said.match(cause);
    if (!m.hasMatch())
        return {};
    const QString loss = m.captured(QStringLiteral("loss"));
    QString text =
        loss.isEmpty() ? RunCause::tr("the weights have been NaN since step %1 and are useless")
                             .arg(m.captured(QStringLiteral("weights")))
        : m.captured(QStringLiteral("what")).startsWith(QLatin1String("the weights"))
            ? RunCause::tr("the loss has been NaN since step %1, and the weights are useless").arg(loss)
            : RunCause::tr("the loss has been NaN since step %1, and nothing has been learned since").arg(loss);
    const QString rest = m.captured(QStringLiteral("stopped"));
    return rest.isEmpty() ? text
                          : RunCause::tr("%1; %2", "why a run failed; how it was stopped")
                                .arg(text, runCauseText(rest.toStdString()));
}

/// Translates "the ranks hold different weights at the end: rank 0 against ranks 1, 2".
QString weights(const QString& cause) {
    static const QString head = QStringLiteral("the ranks hold different weights at the end");
    if (!cause.startsWith(head))
        return {};
    const QString translated = RunCause::tr("the ranks hold different weights at the end");
    const QString rest = cause.mid(head.size());
    if (!rest.startsWith(QLatin1String(": ")))
        return {};
    QStringList groups = rest.mid(2).split(QStringLiteral(" against "));
    for (QString& group : groups) {
        static const QRegularExpression ranks = whole("rank(s?) ([\\d, ]+)");
        const Match m = ranks.match(group);
        if (!m.hasMatch())
            return {};
        group = (m.captured(1).isEmpty() ? RunCause::tr("rank %1") : RunCause::tr("ranks %1"))
                    .arg(listedRanks(m.captured(2)));
    }
    return RunCause::tr("%1: %2", "what is wrong: which ranks")
        .arg(translated, groups.join(RunCause::tr(" against ", "rank 0 against rank 1")));
}

QString lost(const QString& cause) {
    static const QRegularExpression pattern =
        whole("its supervisor was lost \\((?<why>killed|the machine was restarted, or it ran on another one)\\); (?:no "
              "step was recorded|recorded until step (?<step>\\d+))");
    const Match m = pattern.match(cause);
    if (!m.hasMatch())
        return {};
    const QString why = m.captured(QStringLiteral("why")) == QLatin1String("killed")
                            ? RunCause::tr("killed", "a supervisor")
                            : RunCause::tr("the machine was restarted, or it ran on another one");
    const QString step = m.captured(QStringLiteral("step"));
    return RunCause::tr("its supervisor was lost (%1); %2")
        .arg(why,
             step.isEmpty() ? RunCause::tr("no step was recorded") : RunCause::tr("recorded until step %1").arg(step));
}

QString copyOfARun(const QString& cause) {
    static const QRegularExpression pattern =
        whole("this folder is a copy of a run that had not ended when it was copied"
              "(?:; (?:no step was recorded|recorded until step (?<step>\\d+)))?");
    const Match m = pattern.match(cause);
    if (!m.hasMatch())
        return {};
    QString what = RunCause::tr("this folder is a copy of a run that had not ended when it was copied");
    if (!cause.contains(u';'))
        return what;
    const QString step = m.captured(QStringLiteral("step"));
    return RunCause::tr("%1; %2", "a copy; until where it was recorded")
        .arg(what,
             step.isEmpty() ? RunCause::tr("no step was recorded") : RunCause::tr("recorded until step %1").arg(step));
}

/// Translates the sentences without variable parts.
QString fixed(const QString& cause) {
    static constexpr std::array sentences{
        QT_TRANSLATE_NOOP("RunCause", "finished"),
        QT_TRANSLATE_NOOP("RunCause", "stopped by the user"),
        QT_TRANSLATE_NOOP("RunCause", "the ranks were ended before they were done"),
        QT_TRANSLATE_NOOP("RunCause", "the ranks hold different weights at the end"),
        QT_TRANSLATE_NOOP("RunCause", "finished; its supervisor was lost before it could say so"),
        QT_TRANSLATE_NOOP("RunCause", "stopped by the user; its supervisor was lost before it could say so"),
    };
    for (const char* sentence : sentences)
        if (cause == QLatin1String(sentence))
            return RunCause::tr(sentence);
    return {};
}

QString otherwise(const QString& cause) {
    struct Form {
        QRegularExpression pattern;
        QString (*say)(const Match&);
    };
    static const std::array forms{
        Form{whole("the run's folder (.+) was removed or renamed while it trained"),
             [](const Match& m) {
                 return RunCause::tr("the run's folder %1 was removed or renamed while it trained").arg(m.captured(1));
             }},
        Form{whole("rank (\\d+) cannot train with this: (.+)"),
             [](const Match& m) {
                 return RunCause::tr("rank %1 cannot train with this: %2").arg(m.captured(1), m.captured(2));
             }},
        Form{whole("rank (\\d+) left no records"),
             [](const Match& m) { return RunCause::tr("rank %1 left no records").arg(m.captured(1)); }},
        Form{whole("rank (\\d+) was cut off after step (-?\\d+)"),
             [](const Match& m) {
                 return RunCause::tr("rank %1 was cut off after step %2").arg(m.captured(1), m.captured(2));
             }},
        Form{whole("from (.+) and (\\d+) more"),
             [](const Match& m) { return RunCause::tr("from %1 and %2 more").arg(m.captured(1), m.captured(2)); }},
        Form{whole("from (.+)"), [](const Match& m) { return RunCause::tr("from %1", "a file").arg(m.captured(1)); }},
    };
    for (const Form& form : forms)
        if (const Match m = form.pattern.match(cause); m.hasMatch())
            return form.say(m);
    return {};
}

} // namespace

QString runCauseText(std::string_view cause) {
    QString text = toQString(cause);
    for (QString (*read)(const QString&) :
         {fixed, ofRank, vanished, stopped, notFinite, weights, lost, copyOfARun, otherwise})
        if (QString translated = read(text); !translated.isEmpty())
            return translated;
    return text;
}

} // namespace rankscope::ui
