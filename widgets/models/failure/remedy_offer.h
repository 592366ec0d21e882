// SPDX-License-Identifier: GPL-3.0-or-later
// The button of an incident that opens the recipe with what cures it.
#pragma once

#include "core/diagnosis/model/incident.h"

#include <QString>

#include <string>
#include <vector>

namespace rankscope::ui {

struct OfferedRemedy {
    QString key, yaml; ///< an empty `yaml` takes the key out of the recipe
    QString button, tip;
};

/// Of an injected fault its removal, else the setting of the incident's remedy; an empty key: neither.
/// `faults`: RunInfo::faults.
OfferedRemedy offeredRemedy(const diagnosis::Incident& incident, const std::vector<std::string>& faults);

} // namespace rankscope::ui
