// SPDX-License-Identifier: GPL-3.0-or-later
// Whether an incident is one that the recipe asked for (rankscope.faults).
#pragma once

#include "core/diagnosis/model/incident.h"

#include <QString>

#include <string>
#include <vector>

namespace rankscope::ui {

/// The fault of the run ("data_loading on rank 1 at step 60, 5 s", as RunInfo::faults has them) that acts on a holder
/// of this incident at its step; empty: none does.
QString injectedFault(const diagnosis::Incident& incident, const std::vector<std::string>& faults);

/// Such a fault in the window's language.
QString faultText(const QString& fault);

} // namespace rankscope::ui
