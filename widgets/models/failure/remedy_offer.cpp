// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/failure/remedy_offer.h"

#include "core/diagnosis/evidence/remedy.h"
#include "widgets/models/failure/injected_fault.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

namespace rankscope::ui {

namespace {

struct RemedyButton {
    Q_DECLARE_TR_FUNCTIONS(RemedyButton)
};

} // namespace

OfferedRemedy offeredRemedy(const diagnosis::Incident& incident, const std::vector<std::string>& faults) {
    if (!injectedFault(incident, faults).isEmpty())
        return {QStringLiteral("rankscope.faults"), QString(),
                faults.size() == 1 ? RemedyButton::tr("Remove it from the recipe")
                                   : RemedyButton::tr("Remove the faults from the recipe"),
                RemedyButton::tr("Opens a copy of the recipe without rankscope.faults, ready to launch.")};
    const QString key = toQString(incident.remedy.key), value = toQString(incident.remedy.value);
    if (key.isEmpty())
        return {};
    return {key, value,
            RemedyButton::tr("Set %1: %2", "a setting and its value").arg(key.section(QLatin1Char('.'), -1), value),
            toQString(diagnosis::remedyText(incident, currentLanguage())) + QLatin1Char('\n') + key};
}

} // namespace rankscope::ui
