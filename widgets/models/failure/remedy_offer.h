// SPDX-License-Identifier: GPL-3.0-or-later
// Finds out whether the recipe injected an incident (rankscope.faults), and what the button that opens the recipe with
// a remedy does.
#pragma once

#include "core/diagnosis/model/incident.h"

#include <QString>

#include <string>
#include <vector>

namespace rankscope::ui {

/// Returns the fault of the run that caused this incident ("data_loading on rank 1 at step 60, 5 s", as in
/// RunInfo::faults); empty: none did.
QString injectedFault(const diagnosis::Incident& incident, const std::vector<std::string>& faults);

/// Returns such a fault in the window's language.
QString faultText(const QString& fault);

struct OfferedRemedy {
    QString key, yaml; ///< an empty `yaml` removes the key from the recipe
    QString button, tip;
    QString override = {}; ///< to copy for the command of a program that uses Hydra; the key is empty then
};

/// Returns the removal of the injected fault if there is one, otherwise the setting of the incident's remedy; an empty
/// key: neither. `faults`: RunInfo::faults. For a `watched` run, which is started by a command, returns an override if
/// the remedy names one, and otherwise nothing.
OfferedRemedy offeredRemedy(const diagnosis::Incident& incident, const std::vector<std::string>& faults,
                            bool watched = false);

} // namespace rankscope::ui
