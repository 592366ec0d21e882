// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the recipe asked for an incident (rankscope.faults), and the button that opens the recipe with what cures it.
#pragma once

#include "core/diagnosis/model/incident.h"

#include <QString>

#include <string>
#include <vector>

namespace rankscope::ui {

/// The fault of the run ("data_loading on rank 1 at step 60, 5 s", as RunInfo::faults has them) that made this
/// incident; empty: none did.
QString injectedFault(const diagnosis::Incident& incident, const std::vector<std::string>& faults);

/// Such a fault in the window's language.
QString faultText(const QString& fault);

struct OfferedRemedy {
    QString key, yaml; ///< an empty `yaml` takes the key out of the recipe
    QString button, tip;
};

/// Of an injected fault its removal, else the setting of the incident's remedy; an empty key: neither.
/// `faults`: RunInfo::faults.
OfferedRemedy offeredRemedy(const diagnosis::Incident& incident, const std::vector<std::string>& faults);

} // namespace rankscope::ui
