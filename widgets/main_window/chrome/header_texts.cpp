// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/chrome/header_texts.h"

#include "core/base/text/unit_format.h"
#include "core/launch/figures/run_pace.h"
#include "widgets/models/failure/run_cause_text.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/view/run_status.h"

#include <QDateTime>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

static QString count(qint64 n) {
    return QString::fromStdString(formatCount(n));
}

static QString duration(double seconds) {
    return QString::fromStdString(formatDuration(static_cast<std::int64_t>(seconds * 1e9)));
}

static QString rateText(double stepsPerSecond) {
    if (!(stepsPerSecond > 0) || !std::isfinite(stepsPerSecond))
        return QStringLiteral("–");
    if (stepsPerSecond < 0.1)
        return HeaderTexts::tr("%1 s/step").arg(1 / stepsPerSecond, 0, 'f', 1);
    return HeaderTexts::tr("%1 steps/s").arg(stepsPerSecond, 0, 'f', stepsPerSecond < 10 ? 2 : 1);
}

static QString audioText(double audioPerSecond) {
    constexpr double kHour = 3600;
    if (!(audioPerSecond > 0) || !std::isfinite(audioPerSecond))
        return {};
    if (audioPerSecond < 0.01 * kHour)
        return HeaderTexts::tr("%1 × real time").arg(audioPerSecond, 0, 'g', 3);
    const double hours = audioPerSecond / kHour;
    return HeaderTexts::tr("%1 h of audio/s").arg(hours, 0, 'f', hours < 10 ? 2 : 0);
}

static QString epochText(const RunView& view) {
    const std::int64_t done = view.step + 1;
    const auto epoch = launch::epochAfter(done, view.stepsPerEpoch);
    const std::int64_t left =
        launch::timeOf(launch::leftOfEpoch(done, view.stepsPerEpoch, view.info.totalSteps), view.stepsPerSecond);
    if (!epoch || left <= 0)
        return {};
    return HeaderTexts::tr("epoch %1: %2 left").arg(count(*epoch), wholeSecondsText(left));
}

/// Today: the time of day; else with the date.
static QString whenText(qint64 realtimeNs) {
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(realtimeNs / 1'000'000);
    return at.date() == QDate::currentDate() ? at.toString(QStringLiteral("HH:mm:ss"))
                                             : at.toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

HeaderTexts HeaderTexts::of(const RunView& view) {
    HeaderTexts texts;
    const launch::RunInfo& info = view.info;
    const bool live = launch::isLive(info.state);
    const RunNow now = RunNow::of(info, view.incidents, view.behindSinceNs());
    texts.name = QString::fromStdString(info.name);
    texts.mark = now.mark();
    texts.whyNoRate = now.whyNoRate(view.nowNs);
    QStringList under{now.words(view.nowNs), tr("%n rank(s)", nullptr, info.worldSize)};
    if (info.startRealtimeNs > 0)
        under << (live ? tr("since %1") : tr("started %1")).arg(whenText(info.startRealtimeNs));
    if (info.supervisor == launch::SupervisorLife::Stopped)
        under << tr("its supervisor is stopped (SIGSTOP)");
    else if (info.supervisor == launch::SupervisorLife::Unknown)
        under << tr("not known whether its supervisor lives");
    if (!live && info.endRealtimeNs > info.startRealtimeNs)
        under << tr("took %1").arg(duration(static_cast<double>(info.endRealtimeNs - info.startRealtimeNs) / 1e9));
    if (!live && info.state != launch::RunState::Finished && !info.cause.empty())
        under << runCauseText(info.cause);
    if (live && texts.whyNoRate.isEmpty()) {
        texts.audio = audioText(view.audioPerSecond);
        texts.epoch = epochText(view);
        for (const QString& one : {texts.audio, texts.epoch})
            if (!one.isEmpty())
                under << one;
    }
    texts.facts = under;
    texts.under = under.join(kBetweenFacts);

    const qint64 done = view.step + 1;
    // those before it count, too: how many is known with the first step of its own; what cannot be read is not none
    const bool unknown = view.step < 0 && (!info.resumedFrom.empty() || !view.problem.isEmpty());
    const QString steps = unknown ? QStringLiteral("–") : count(done);
    texts.step = info.totalSteps > 0 ? tr("%1 of %2").arg(steps, count(info.totalSteps)) : steps;
    texts.rate = texts.left = QStringLiteral("–");
    if (texts.whyNoRate.isEmpty()) {
        texts.rate = rateText(view.stepsPerSecond);
        if (live && info.totalSteps > done && view.stepsPerSecond > 0)
            texts.left =
                wholeSecondsText(std::llround(static_cast<double>(info.totalSteps - done) / view.stepsPerSecond * 1e9));
    }
    if (info.totalSteps > 0)
        texts.share = std::clamp(static_cast<double>(done) / static_cast<double>(info.totalSteps), 0.0, 1.0);
    return texts;
}

} // namespace rankscope::ui
