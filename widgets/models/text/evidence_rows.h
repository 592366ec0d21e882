// SPDX-License-Identifier: GPL-3.0-or-later
// An incident's evidence as rows with units; the keys carry them ("_s", "_bytes", "_frames").
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
};

/// In a fixed, readable order: what the holder does first, thresholds last; unknown keys by name. Null and empty values
/// are left out; nothing in the object is trusted to have a type.
QList<EvidenceRow> evidenceRows(const nlohmann::json& evidence);

} // namespace rankscope::ui
