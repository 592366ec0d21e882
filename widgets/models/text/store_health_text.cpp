// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text/store_health_text.h"

#include "core/base/text/unit_format.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

struct StoreLabels {
    Q_DECLARE_TR_FUNCTIONS(StoreLabels)
};

} // namespace

QString storeConditionText(const store::StoreHealth& condition, const std::filesystem::path& file) {
    return messageText(Error{Errc::Malformed, store::describe(condition, file), file.string()});
}

/// Describes a full disk briefly, because the system's message is long.
static QString troubleText(const launch::StoreLag& lag) {
    constexpr std::int64_t kFullBytes = 1'000'000;
    if (lag.freeBytes >= 0 && lag.freeBytes < kFullBytes)
        return StoreLabels::tr("the disk with the run's folder is full (%1 free)")
            .arg(toQString(formatBytes(lag.freeBytes)));
    const std::string trouble = lag.trouble.text(currentLanguage());
    const std::string_view why = trouble; // without the folder, which the window names elsewhere
    const auto slash = why.substr(0, why.find(": ")).rfind('/');
    return toQString(slash == std::string_view::npos ? why : why.substr(slash + 1));
}

QString storeLagText(const launch::StoreLag& lag, const launch::RunInfo& info) {
    const std::int64_t at = info.startRealtimeNs + (lag.sinceNs - info.startNs);
    const QString since = lag.sinceNs > 0 ? StoreLabels::tr("Recording stopped at %1").arg(clockText(at))
                                          : StoreLabels::tr("Recording lags behind the ranks");
    switch (lag.reason) {
    case launch::StoreLag::Reason::SupervisorStopped:
        return StoreLabels::tr("%1: the run's supervisor is suspended (SIGSTOP or Ctrl-Z). The ranks keep training; "
                               "what they measure is stored once the supervisor is resumed.")
            .arg(since);
    case launch::StoreLag::Reason::CannotWrite:
        return StoreLabels::tr("%1: %2. The ranks keep training, and keep what they measure in their journals.")
            .arg(since, troubleText(lag));
    case launch::StoreLag::Reason::Silent:
        break;
    }
    return StoreLabels::tr("%1: the run's supervisor is alive but has stored nothing since. The ranks keep training.")
        .arg(since);
}

QString notCurrentText(const NotCurrentFacts& facts) {
    const QString what = facts.inJournals ? StoreLabels::tr("The ranks' last measurements are only in their journals.")
                                          : StoreLabels::tr("How this run ended could not be recorded.");
    if (!facts.inTheWay.isEmpty())
        return StoreLabels::tr("%1 Move %2 out of the run's folder and open the run again to read in the journals.")
            .arg(what, facts.inTheWay);
    if (facts.reason == QLatin1String("store"))
        return {};
    if (facts.reason == QLatin1String("no_space"))
        return StoreLabels::tr("%1 The disk is full; the run is updated once there is space.").arg(what);
    if (facts.reason == QLatin1String("not_writable"))
        return StoreLabels::tr(
                   "%1 The folder is not writable (%2). Copy it to a place where you can write, and open the copy.")
            .arg(what, facts.why);
    return StoreLabels::tr("%1 It could not be updated: %2").arg(what, facts.why);
}

} // namespace rankscope::ui
