// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text/text_format.h"

#include "core/base/text/unit_format.h"
#include "core/diagnosis/model/incident_titles.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

namespace rankscope::ui {

struct UnitLabels {
    Q_DECLARE_TR_FUNCTIONS(UnitLabels)
};

QString toQString(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString messageText(const Message& message) {
    return toQString(message.text(currentLanguage()));
}

QString messageText(const Error& error) {
    return toQString(error.message(currentLanguage()));
}

QString placedText(const QString& where, const QString& what) {
    return toQString(placed(where.toStdString(), what.toStdString(), currentLanguage()));
}

QString durationText(std::int64_t ns) {
    const Language language = currentLanguage();
    if (ns == 0)
        return language == Language::Chinese ? QStringLiteral("0 秒") : QStringLiteral("0 s");
    return toQString(formatDuration(ns, language));
}

QString countText(std::int64_t n) {
    return toQString(formatCount(n));
}

QString stepRangeText(std::int64_t first, std::int64_t last) {
    return last <= first ? UnitLabels::tr("step %1").arg(countText(first))
                         : UnitLabels::tr("steps %1 to %2").arg(countText(first), countText(last));
}

QString ranksText(const std::vector<int>& ranks) {
    if (ranks.empty())
        return QString();
    if (ranks.size() == 1)
        return UnitLabels::tr("rank %1").arg(ranks.front());
    if (ranks.size() > 8)
        return UnitLabels::tr("%1 ranks").arg(ranks.size());
    return UnitLabels::tr("ranks %1").arg(listedRanks(toQString(joinInts(ranks))));
}

QString listedRanks(QString ranks) {
    return currentLanguage() == Language::Chinese ? ranks.replace(QStringLiteral(", "), QStringLiteral("、")) : ranks;
}

QString causeText(diagnosis::Cause cause) {
    return toQString(diagnosis::causeTitle(cause).text(currentLanguage()));
}

QString phaseText(telemetry::Phase phase) {
    return phase == telemetry::Phase::None ? QString() : toQString(telemetry::phaseName(phase));
}

QString closeReasonText(diagnosis::CloseReason reason) {
    return toQString(diagnosis::closeReasonTitle(reason).text(currentLanguage()));
}

QString severityText(telemetry::NoteSeverity severity) {
    using telemetry::NoteSeverity;
    switch (severity) {
    case NoteSeverity::Debug:
        return UnitLabels::tr("Debug");
    case NoteSeverity::Warning:
        return UnitLabels::tr("Warning");
    case NoteSeverity::Error:
        return UnitLabels::tr("Error");
    case NoteSeverity::Info:
        break;
    }
    return UnitLabels::tr("Info");
}

QString clockText(std::int64_t realtimeNs) {
    return QDateTime::fromMSecsSinceEpoch(realtimeNs / 1'000'000).toString(QStringLiteral("HH:mm:ss"));
}

Language currentLanguage() {
    return QLocale().language() == QLocale::Chinese ? Language::Chinese : Language::English;
}

} // namespace rankscope::ui
