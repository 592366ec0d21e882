// SPDX-License-Identifier: GPL-3.0-or-later
// Turns an incident's evidence into rows with units, which are the suffixes of its keys ("_s", "_bytes", "_frames").
#pragma once

#include "core/diagnosis/model/incident.h"

#include <QList>
#include <QString>

namespace rankscope::ui {

struct EvidenceRow {
    QString key;        ///< as stored
    QString label;      ///< in words
    QString value;      ///< with unit
    bool block = false; ///< several lines: shown below its label, monospace
    bool isMain = true; ///< it explains the incident; false: it is only needed to look closer
};

/// Returns the rows in a fixed, readable order: what the holder does first, thresholds last, unknown keys by name. Null
/// and empty values are left out, and a time is shown only once; no value is trusted to have the expected type.
QList<EvidenceRow> evidenceRows(const diagnosis::Evidence& evidence);

} // namespace rankscope::ui
