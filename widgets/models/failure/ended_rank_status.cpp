// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/failure/ended_rank_status.h"

#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <algorithm>

namespace rankscope::ui {

using diagnosis::RankState;

namespace {

struct RunEnd {
    Q_DECLARE_TR_FUNCTIONS(RunEnd)
};

std::string utf8(const QString& text) {
    return text.toStdString();
}

QString at(std::int64_t lastStep) {
    return lastStep < 0 ? RunEnd::tr("before the first step") : RunEnd::tr("at step %1").arg(countText(lastStep));
}

/// As the header counts: steps that are done.
QString after(std::int64_t lastStep) {
    if (lastStep < 0)
        return RunEnd::tr("before the first step");
    return lastStep == 0 ? RunEnd::tr("after 1 step") : RunEnd::tr("after %1 steps").arg(countText(lastStep + 1));
}

QString stepsText(std::int64_t steps) {
    return steps == 1 ? RunEnd::tr("1 step") : RunEnd::tr("%1 steps").arg(countText(steps));
}

const diagnosis::Incident* fatal(int rank, const std::vector<diagnosis::Incident>& incidents) {
    const auto guilty = [rank](const diagnosis::Incident& in) {
        return (in.cause == diagnosis::Cause::Dead || in.cause == diagnosis::Cause::NeverJoined) &&
               std::find(in.holders.begin(), in.holders.end(), rank) != in.holders.end();
    };
    const auto it = std::find_if(incidents.rbegin(), incidents.rend(), guilty);
    return it == incidents.rend() ? nullptr : &*it;
}

const diagnosis::Incident* requestToLeave(const std::vector<diagnosis::Incident>& incidents) {
    const auto it = std::find_if(incidents.begin(), incidents.end(), [](const diagnosis::Incident& in) {
        return in.cause == diagnosis::Cause::AskedToLeave;
    });
    return it == incidents.end() ? nullptr : &*it;
}

/// What the evidence of a dead rank says about its exit; evidence is data of a file, so every type is checked.
QString exitText(const diagnosis::Incident& in) {
    if (in.cause == diagnosis::Cause::NeverJoined)
        return RunEnd::tr("never joined");
    const auto code = in.evidence.find("exit_code");
    const auto signal = in.evidence.find("signal_name");
    const bool hasSignal = signal != in.evidence.end() && signal->is_string();
    const auto memory = in.evidence.find("out_of_memory");
    if (memory != in.evidence.end() && memory->is_boolean() && memory->get<bool>())
        return RunEnd::tr("out of memory");
    if (code != in.evidence.end() && code->is_number_integer()) {
        const auto number = QString::number(code->get<std::int64_t>());
        return hasSignal ? RunEnd::tr("exit %1 (%2)").arg(number, toQString(signal->get<std::string>()))
                         : RunEnd::tr("exit %1").arg(number);
    }
    return hasSignal ? RunEnd::tr("ended by %1").arg(toQString(signal->get<std::string>()))
                     : RunEnd::tr("process gone");
}

/// What a rank says of itself begins with its name, which stands on its tile already.
QString withoutRank(std::string_view text, int rank) {
    QString words = toQString(text);
    const QString name = QStringLiteral("rank %1: ").arg(rank);
    return words.startsWith(name) ? words.mid(name.size()) : words;
}

} // namespace

diagnosis::RankStatus endedStatus(const store::RankSummary& s, launch::RunState state,
                                  const std::vector<diagnosis::Incident>& incidents, int culprit) {
    if (const auto* in = fatal(s.rank, incidents))
        return {
            RankState::Dead,
            utf8(RunEnd::tr("%1 %2", "cause, at step").arg(exitText(*in), at(in->step >= 0 ? in->step : s.lastStep)))};
    if (state == launch::RunState::Failed && culprit >= 0 && culprit != s.rank)
        return {RankState::Unknown, utf8(RunEnd::tr("ended because rank %1 did").arg(culprit))};
    if (state == launch::RunState::Failed && culprit == s.rank && !s.ended && s.lastStep < 0) // nothing is kept of it
        return {RankState::Dead, utf8(RunEnd::tr("ended, and the run with it"))};
    if (s.ended && s.endCause == telemetry::EndCause::Failed) {
        const QString how = s.endText.empty() ? RunEnd::tr("exit %1").arg(s.exitCode) : withoutRank(s.endText, s.rank);
        return {RankState::Dead, utf8(RunEnd::tr("%1 %2", "cause, at step").arg(how, at(s.lastStep)))};
    }
    if (s.ended && s.endCause == telemetry::EndCause::Finished)
        return {RankState::Finished, utf8(stepsText(s.lastStep + 1))};
    if (const auto* in = requestToLeave(incidents)) {
        const bool asked = std::find(in->holders.begin(), in->holders.end(), s.rank) != in->holders.end();
        return {
            RankState::Finished,
            utf8(
                (asked ? RunEnd::tr("asked to leave %1") : RunEnd::tr("left with the others %1")).arg(at(s.lastStep)))};
    }
    if (s.ended || state == launch::RunState::Stopped)
        return {RankState::Finished, utf8(RunEnd::tr("stopped by you %1").arg(after(s.lastStep)))};
    if (state == launch::RunState::Finished || state == launch::RunState::Imported)
        return {RankState::Finished, utf8(stepsText(s.lastStep + 1))};
    return {RankState::Unknown, utf8(RunEnd::tr("ended with the run %1").arg(after(s.lastStep)))};
}

} // namespace rankscope::ui
