// SPDX-License-Identifier: Apache-2.0
#include "core/store/waits/group_members.h"

#include "core/base/text/untrusted_json.h"
#include "core/base/values/result.h"
#include "core/store/tables/row_reading.h"
#include "core/store/tables/schema.h"

#include <algorithm>

namespace rankscope::store {

Result<telemetry::ProcessGroups> readGroups(const Database& db) {
    telemetry::ProcessGroups groups;
    RS_TRY_ASSIGN(const bool known, hasTable(db, "process_group"));
    if (!known)
        return groups;
    RS_TRY_ASSIGN(auto rows, db.prepare("SELECT number, size, ranks FROM process_group"));
    RS_TRY(forEach(rows, [&](const Statement& row) {
        const auto number = static_cast<std::uint32_t>(row.integer(0));
        const auto size = std::clamp<std::int64_t>(row.integer(1), 0, telemetry::kMaxRanks);
        const auto ranks = readJson(row.text(2));
        if (row.integer(0) != number || !ranks || !ranks->is_array())
            return;
        for (const auto& rank : *ranks)
            if (const auto member = wholeNumber<int>(rank))
                groups.addMember(number, static_cast<std::size_t>(size), *member);
    }));
    return groups;
}

} // namespace rankscope::store
