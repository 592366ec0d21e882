// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/supervisor_notes.h"

#include "core/base/values/result.h"
#include "core/telemetry/format/note_markers.h"

#include <algorithm>

namespace rankscope::store {

static bool beginsWith(std::string_view text, std::initializer_list<std::string_view> beginnings) {
    return std::ranges::any_of(beginnings, [text](std::string_view beginning) { return text.starts_with(beginning); });
}

Result<std::vector<Note>> supervisorNotes(OpenStore& store, std::initializer_list<std::string_view> beginnings,
                                          int limit) {
    RS_TRY_ASSIGN(auto notes, FactReader(store).notes(0, limit, FactReader::NotesOf::Supervisor));
    std::erase_if(notes, [&](const Note& note) { return !beginsWith(note.text, beginnings); });
    return notes;
}

Result<std::vector<Note>> alertNotes(OpenStore& store) {
    return supervisorNotes(store, {telemetry::kAlertOfRecipe, telemetry::kAlertOfCommandLine});
}

} // namespace rankscope::store
