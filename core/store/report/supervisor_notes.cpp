// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/supervisor_notes.h"

#include "core/base/values/result.h"
#include "core/store/open/open_store.h"
#include "core/store/tables/row_reading.h"
#include "core/telemetry/format/note_markers.h"

#include <algorithm>

namespace rankscope::store {

static bool beginsWith(std::string_view text, std::initializer_list<std::string_view> beginnings) {
    return std::ranges::any_of(beginnings, [text](std::string_view beginning) { return text.starts_with(beginning); });
}

Result<std::vector<Note>> supervisorNotes(OpenStore& store, std::initializer_list<std::string_view> beginnings) {
    std::vector<Note> notes;
    RS_TRY(store.eachReadable(
        "note", "SELECT id, time_ns, step, severity, text FROM note WHERE rank=-1 ORDER BY id",
        [&](const Statement& row) {
            const auto severity = static_cast<telemetry::NoteSeverity>(std::clamp<std::int64_t>(row.integer(3), 0, 3));
            if (const std::string text = row.text(4); beginsWith(text, beginnings))
                notes.push_back({row.integer(0), -1, timeOf(row, 1), stepIn(row, 2), severity, text});
        }));
    return notes;
}

Result<std::vector<Note>> alertNotes(OpenStore& store) {
    return supervisorNotes(store, {telemetry::kAlertOfRecipe, telemetry::kAlertOfCommandLine});
}

} // namespace rankscope::store
