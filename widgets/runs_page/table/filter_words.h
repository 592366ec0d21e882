// SPDX-License-Identifier: GPL-3.0-or-later
// The words that the filter of the runs completes.
#pragma once

#include "widgets/runs_page/filter/run_fields.h"

#include <QStringList>

namespace rankscope::ui {

class RunTableModel;

/// Returns the words of the query language, and the fields and settings of the table's runs.
QStringList filterNames(const RunTableModel& table);
/// Returns the values of a field that the table's runs have, at most some 500; none if it is a number.
QStringList filterValues(const RunTableModel& table, const RunField& field);

} // namespace rankscope::ui
