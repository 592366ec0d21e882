// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/failed_checkpoints.h"

#include "core/base/values/result.h"
#include "core/store/open/open_store.h"
#include "core/telemetry/format/note_markers.h"

namespace rankscope::store {

Result<FailedCheckpoints> failedCheckpoints(OpenStore& store) {
    FailedCheckpoints failed;
    // SQLite takes the text from the row with the greatest id
    RS_TRY(store.eachReadable(
        "note", "SELECT count(*), max(id), text FROM note WHERE rank=0 AND substr(text,1,?1)=?2",
        [&](const Statement& row) {
            failed.count = row.integer(0);
            failed.newest = row.text(2);
        },
        static_cast<std::int64_t>(telemetry::kNoCheckpoint.size()), telemetry::kNoCheckpoint));
    return failed;
}

} // namespace rankscope::store
