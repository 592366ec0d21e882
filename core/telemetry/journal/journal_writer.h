// SPDX-License-Identifier: Apache-2.0
// ranks/<r>/journal.NNNNNN: append-only mmap'd segments of kSlotBytes slots. Appending neither blocks, allocates nor
// makes a system call; a helper thread prepares the next segment. What was appended survives a kill -9 of any process.
#pragma once

#include "core/base/values/error.h"
#include "core/base/values/hidden_part.h"
#include "core/telemetry/format/records.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace rankscope::telemetry {

struct JournalOptions {
    std::uint32_t slotsPerSegment = 4096; ///< 1 MiB
};

/// Appends records to a journal. Any thread may call it.
class JournalWriter {
public:
    static Result<JournalWriter> create(const std::filesystem::path& rankDir, JournalOptions options = {});
    /// Returns a writer that discards all records, for a trainer without a run folder.
    static JournalWriter detached();

    /// Appends a record and sets its header's length, type and timeNs. Returns false if it was dropped because no
    /// segment was ready (disk full); drops are counted.
    template <Record R> bool append(R record) {
        record.header.type = R::kType;
        return appendBytes(&record.header, &record, sizeof(R));
    }
    void note(NoteSeverity severity, std::string_view text, std::int64_t step = -1);
    std::uint64_t dropped() const;
    /// Returns why no segment could be prepared, if records were dropped for that reason. Takes a lock.
    Result<void> check() const;
    /// Ends the helper thread and removes the segment that it keeps ready: only records for which the current one has
    /// room are accepted from now on. A writer that is destroyed does this too.
    void finish();

private:
    struct Impl;
    explicit JournalWriter(HiddenPart<Impl> impl) : m(std::move(impl)) {}
    bool appendBytes(RecordHeader* header, const void* record, std::size_t size);
    HiddenPart<Impl> m;
};

} // namespace rankscope::telemetry
