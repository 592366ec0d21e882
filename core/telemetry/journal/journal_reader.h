// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/hidden_part.h"
#include "core/telemetry/format/records.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace rankscope::telemetry {

/// The position of a reader; committed to the store together with the rows.
struct JournalPosition {
    std::uint64_t segment = 0, slot = 0;
    friend bool operator==(const JournalPosition&, const JournalPosition&) = default;
};

struct JournalCounters {
    std::uint64_t records = 0, malformed = 0, unknown = 0, torn = 0, missingSegments = 0;
    friend bool operator==(const JournalCounters&, const JournalCounters&) = default;
};

/// Reads the journal of one rank, live or recorded.
class JournalReader {
public:
    /// The folder may still be empty. A reader keeps at most one segment open.
    explicit JournalReader(std::filesystem::path rankDir, JournalPosition from = {});

    /// Appends at most `limit` complete records to `out`, in order. `writerGone`: slots that were reserved but never
    /// completed are counted as torn and skipped; otherwise reading stops before them.
    std::size_t read(std::vector<AnyRecord>& out, std::size_t limit, bool writerGone);
    JournalPosition position() const;
    const JournalCounters& counters() const;
    /// Deletes segments before `committed`, but never the newest: a new writer continues from its number.
    void removeBefore(JournalPosition committed);

private:
    struct Impl;
    HiddenPart<Impl> m;
};

} // namespace rankscope::telemetry
