// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text/text_format.h"

#include "core/base/text/unit_format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

namespace rankscope::ui {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Words)
};

QString toQString(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString durationText(std::int64_t ns) {
    return ns == 0 ? QStringLiteral("0 s") : toQString(formatDuration(ns));
}

QString countText(std::int64_t n) {
    return toQString(formatCount(n));
}

QString ranksText(const std::vector<int>& ranks) {
    if (ranks.empty())
        return QString();
    if (ranks.size() == 1)
        return Words::tr("rank %1").arg(ranks.front());
    if (ranks.size() > 8)
        return Words::tr("%1 ranks").arg(ranks.size());
    return Words::tr("ranks %1").arg(toQString(joinInts(ranks)));
}

QString causeText(diagnosis::Cause cause) {
    using diagnosis::Cause;
    switch (cause) {
    case Cause::DataLoading:
        return Words::tr("Data loading");
    case Cause::Preprocessing:
        return Words::tr("Preprocessing");
    case Cause::LongBatch:
        return Words::tr("Long batch");
    case Cause::UnevenBatches:
        return Words::tr("Uneven batches");
    case Cause::MismatchedCollective:
        return Words::tr("Mismatched collective");
    case Cause::ConfigurationDiffers:
        return Words::tr("Configuration differs");
    case Cause::NeverJoined:
        return Words::tr("Never joined");
    case Cause::Stopped:
        return Words::tr("Stopped");
    case Cause::Dead:
        return Words::tr("Rank died");
    case Cause::SlowCompute:
        return Words::tr("Slow compute");
    case Cause::Checkpoint:
        return Words::tr("Checkpoint or disk");
    case Cause::NotFinite:
        return Words::tr("Not finite");
    case Cause::EmptyBatch:
        return Words::tr("Empty batch");
    case Cause::InsideCollective:
        return Words::tr("Inside the collective");
    case Cause::AskedToLeave:
        return Words::tr("Asked to leave");
    case Cause::Unknown:
    case Cause::Count:
        break;
    }
    return Words::tr("Unknown");
}

QString phaseText(telemetry::Phase phase) {
    return phase == telemetry::Phase::None ? QString() : toQString(telemetry::phaseName(phase));
}

QString closeReasonText(diagnosis::CloseReason reason) {
    using diagnosis::CloseReason;
    switch (reason) {
    case CloseReason::Recovered:
        return Words::tr("Recovered");
    case CloseReason::RunEnded:
        return Words::tr("Run ended");
    case CloseReason::StoppedByUser:
        return Words::tr("Stopped by you");
    case CloseReason::Open:
        break;
    }
    return Words::tr("Open");
}

QString severityText(telemetry::Severity severity) {
    using telemetry::Severity;
    switch (severity) {
    case Severity::Debug:
        return Words::tr("Debug");
    case Severity::Warning:
        return Words::tr("Warning");
    case Severity::Error:
        return Words::tr("Error");
    case Severity::Info:
        break;
    }
    return Words::tr("Info");
}

QString clockText(std::int64_t realtimeNs) {
    return QDateTime::fromMSecsSinceEpoch(realtimeNs / 1'000'000).toString(QStringLiteral("HH:mm:ss"));
}

diagnosis::Language currentLanguage() {
    return QLocale().language() == QLocale::Chinese ? diagnosis::Language::Chinese : diagnosis::Language::English;
}

} // namespace rankscope::ui
