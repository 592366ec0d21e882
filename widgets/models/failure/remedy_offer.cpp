// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/failure/remedy_offer.h"

#include "core/diagnosis/evidence/injected_fault.h"
#include "core/diagnosis/evidence/remedy.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace rankscope::ui {

namespace {

struct InjectedFault {
    Q_DECLARE_TR_FUNCTIONS(InjectedFault)
};

struct RemedyButton {
    Q_DECLARE_TR_FUNCTIONS(RemedyButton)
};

} // namespace

QString injectedFault(const diagnosis::Incident& incident, const std::vector<std::string>& faults) {
    return toQString(diagnosis::injectedFault(incident, faults));
}

QString faultText(const QString& fault) {
    static const QRegularExpression parts(QRegularExpression::anchoredPattern(
        QStringLiteral("(\\w+) on rank (\\d+)(?: at step (\\d+)(?:( and all that follow)| to (\\d+))?)?(, .*)?")));
    const auto match = parts.match(fault);
    if (!match.hasMatch())
        return fault;
    const QString kind = match.captured(1), rank = match.captured(2), first = match.captured(3),
                  last = match.captured(5);
    const QString head = first.isEmpty() ? InjectedFault::tr("%1 on rank %2").arg(kind, rank)
                         : !match.captured(4).isEmpty()
                             ? InjectedFault::tr("%1 on rank %2 at step %3 and all that follow").arg(kind, rank, first)
                         : !last.isEmpty()
                             ? InjectedFault::tr("%1 on rank %2 at step %3 to %4").arg(kind, rank, first, last)
                             : InjectedFault::tr("%1 on rank %2 at step %3").arg(kind, rank, first);
    return head +
           match.captured(6).replace(QStringLiteral(", "), InjectedFault::tr(", ", "between the details of a fault"));
}

OfferedRemedy offeredRemedy(const diagnosis::Incident& incident, const std::vector<std::string>& faults, bool watched) {
    if (watched) {
        const QString override = toQString(diagnosis::hydraOverride(incident.remedy));
        if (override.isEmpty())
            return {};
        return {QString(), QString(), RemedyButton::tr("Copy override"),
                RemedyButton::tr("Copies %1, to be added to the command").arg(override), override};
    }
    if (!injectedFault(incident, faults).isEmpty())
        return {QStringLiteral("rankscope.faults"), QString(),
                faults.size() == 1 ? RemedyButton::tr("Remove the injected fault")
                                   : RemedyButton::tr("Remove the injected faults"),
                RemedyButton::tr("Opens a copy of the recipe without rankscope.faults, ready to launch.")};
    const QString key = toQString(incident.remedy.key), value = toQString(incident.remedy.value);
    if (key.isEmpty())
        return {};
    return {key, value,
            RemedyButton::tr("Set %1: %2", "a setting and its value").arg(key.section(QLatin1Char('.'), -1), value),
            toQString(diagnosis::remedyText(incident).text(currentLanguage())) + QLatin1Char('\n') + key};
}

} // namespace rankscope::ui
