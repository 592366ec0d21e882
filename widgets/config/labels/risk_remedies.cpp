// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/labels/risk_remedies.h"

#include "widgets/models/text/text_format.h"

#include <QCoreApplication>
#include <QHash>
#include <QStringList>

namespace rankscope::ui {

namespace {

struct RemedyLabels {
    Q_DECLARE_TR_FUNCTIONS(Remedies)
};

} // namespace

KeySettings remedyOf(const config::Risk& risk) {
    KeySettings all;
    const auto add = [&](const config::RiskRemedy& one) {
        all << KeySetting{QString::fromStdString(one.key), QString::fromStdString(one.value)};
    };
    if (risk.set)
        add(*risk.set);
    for (const config::RiskRemedy& one : risk.also)
        add(one);
    return all;
}

QString remedyLabel(const KeySettings& settings) {
    QStringList parts;
    for (const KeySetting& one : settings) {
        const QString name = one.key.section(QLatin1Char('.'), -1); // the whole key is wider than a pane
        parts << (one.yaml.isEmpty() ? name : QStringLiteral("%1: %2").arg(name, one.yaml));
    }
    const QString what = parts.join(QStringLiteral(", "));
    return settings.size() == 1 && settings.front().yaml.isEmpty() ? RemedyLabels::tr("Remove %1").arg(what)
                                                                   : RemedyLabels::tr("Set %1").arg(what);
}

QString remedyTip(const KeySettings& settings) {
    QStringList lines;
    for (const KeySetting& one : settings)
        lines << (one.yaml.isEmpty() ? one.key : QStringLiteral("%1: %2").arg(one.key, one.yaml));
    return lines.join(QLatin1Char('\n'));
}

QString preventedTitle(const QString& prevents) {
    if (!prevents.startsWith(QLatin1Char('#')))
        return causeText(diagnosis::causeFromName(prevents.toStdString()));
    static const QHash<QString, const char*> headings{
        {QStringLiteral("#memory"), QT_TRANSLATE_NOOP("Remedies", "memory")},
        {QStringLiteral("#settings"), QT_TRANSLATE_NOOP("Remedies", "diagnosis settings")},
        {QStringLiteral("#who-waits-for-whom"), QT_TRANSLATE_NOOP("Remedies", "who waits for whom")},
        {QStringLiteral("#checks-before-and-at-start"), QT_TRANSLATE_NOOP("Remedies", "start-up checks")},
        {QStringLiteral("#faults-to-see-it-for-yourself"), QT_TRANSLATE_NOOP("Remedies", "injected faults")},
    };
    if (const char* title = headings.value(prevents))
        return QCoreApplication::translate("Remedies", title);
    return prevents.mid(1).replace(QLatin1Char('-'), QLatin1Char(' '));
}

} // namespace rankscope::ui
