// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text/store_health_text.h"

#include "core/base/text/unit_format.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

struct StoreWords {
    Q_DECLARE_TR_FUNCTIONS(StoreWords)
};

} // namespace

QString storeConditionText(const store::StoreCondition& condition, const std::filesystem::path& file) {
    return messageText(Error{Errc::Malformed, store::describe(condition, file), file.string()}.asMessage());
}

/// Describes a full disk briefly, because the system's message is long.
static QString troubleText(const launch::StoreLag& lag) {
    constexpr std::int64_t kFullBytes = 1'000'000;
    if (lag.freeBytes >= 0 && lag.freeBytes < kFullBytes)
        return StoreWords::tr("the disk with the runs folder is full (%1 free)")
            .arg(toQString(formatBytes(lag.freeBytes)));
    const std::string trouble = lag.trouble.text(currentLanguage());
    const std::string_view why = trouble; // without the folder, which the window names elsewhere
    const auto slash = why.substr(0, why.find(": ")).rfind('/');
    return toQString(slash == std::string_view::npos ? why : why.substr(slash + 1));
}

QString storeLagText(const launch::StoreLag& lag, const launch::RunInfo& info) {
    using Reason = launch::StoreLag::Reason;
    const std::int64_t at = info.startRealtimeNs + (lag.sinceNs - info.startNs);
    const QString since = lag.sinceNs > 0 ? StoreWords::tr("Recording stopped at %1").arg(clockText(at))
                                          : StoreWords::tr("Recording lags behind the ranks");
    switch (lag.reason) {
    case Reason::SupervisorStopped:
        return StoreWords::tr("%1: the run's supervisor is suspended (SIGSTOP or Ctrl-Z). The ranks keep training; "
                              "what they measure is stored once the supervisor is resumed.")
            .arg(since);
    case Reason::CannotWrite:
        return StoreWords::tr("%1: %2. The ranks keep training, and keep what they measure in their journals.")
            .arg(since, troubleText(lag));
    case Reason::Silent:
        break;
    }
    return StoreWords::tr("%1: the run's supervisor is alive but has stored nothing since. The ranks keep training.")
        .arg(since);
}

QString notCurrentText(const NotCurrentFacts& facts) {
    const QString what = facts.inJournals ? StoreWords::tr("The ranks' last measurements are only in their journals.")
                                          : StoreWords::tr("How this run ended could not be recorded.");
    if (!facts.inTheWay.isEmpty())
        return StoreWords::tr("%1 Move %2 out of the run's folder and open the run again to read in the journals.")
            .arg(what, facts.inTheWay);
    if (facts.reason == QLatin1String("store"))
        return {};
    if (facts.reason == QLatin1String("no_space"))
        return StoreWords::tr("%1 The disk is full; the run is updated once there is space.").arg(what);
    if (facts.reason == QLatin1String("not_writable"))
        return StoreWords::tr(
                   "%1 The folder is not writable (%2). Copy it to a place where you can write, and open the copy.")
            .arg(what, facts.why);
    return StoreWords::tr("%1 It could not be updated: %2").arg(what, facts.why);
}

} // namespace rankscope::ui
