// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/view/run_lineage.h"

#include <algorithm>

namespace rankscope::ui {

const ChainPart* RunLineage::partAt(std::int64_t step) const {
    const auto it = std::find_if(parts.begin(), parts.end(),
                                 [step](const ChainPart& p) { return step >= p.firstStep && step <= p.lastStep; });
    return it == parts.end() ? nullptr : &*it;
}

const ChainPart* RunLineage::partOfIncident(std::int64_t id) const {
    for (const ChainPart& part : parts)
        for (const ChainIncident& in : part.incidents)
            if (in.id == id)
                return &part;
    return nullptr;
}

const ChainIncident* RunLineage::incident(std::int64_t id) const {
    for (const ChainPart& part : parts)
        for (const ChainIncident& in : part.incidents)
            if (in.id == id)
                return &in;
    return nullptr;
}

std::size_t RunLineage::incidentCount() const {
    std::size_t n = 0;
    for (const ChainPart& part : parts)
        n += part.incidents.size();
    return n;
}

QString shortRunId(const QString& id) {
    const auto dash = id.lastIndexOf(QLatin1Char('-'));
    return dash < 0 || dash + 1 == id.size() ? id : id.mid(dash + 1);
}

} // namespace rankscope::ui
