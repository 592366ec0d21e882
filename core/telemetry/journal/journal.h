// SPDX-License-Identifier: Apache-2.0
// ranks/<r>/journal.NNNNNN: append-only mmap'd segments of kSlotBytes slots. Appending neither blocks, allocates nor
// makes a system call; a helper thread prepares the next segment. What was appended survives a kill -9 of any process.
#pragma once

#include "core/base/values/error.h"
#include "core/telemetry/format/records.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace rankscope::telemetry {

struct JournalOptions {
    std::uint32_t slotsPerSegment = 4096; ///< 1 MiB
};

/// Any thread may append.
class JournalWriter {
public:
    static Result<JournalWriter> create(const std::filesystem::path& rankDir, JournalOptions options = {});
    /// Appends go nowhere: for a trainer without a run folder.
    static JournalWriter detached();
    JournalWriter(JournalWriter&&) noexcept;
    JournalWriter& operator=(JournalWriter&&) noexcept;
    ~JournalWriter();

    /// Sets header.length, type and timeNs. False when it was dropped (no segment ready: disk full); the drop is
    /// counted.
    template <Record R> bool append(R record) {
        record.header.type = R::kType;
        return appendBytes(&record.header, &record, sizeof(R));
    }
    void note(Severity severity, std::string_view text, std::int64_t step = -1);
    std::uint64_t dropped() const;

private:
    struct Impl;
    explicit JournalWriter(std::unique_ptr<Impl> impl);
    bool appendBytes(RecordHeader* header, const void* record, std::size_t size);
    std::unique_ptr<Impl> m;
};

/// A record as read: a copy in an aligned slot, checked to be of a known type and of that type's length.
struct AnyRecord {
    alignas(8) std::array<std::byte, kSlotBytes> bytes{};

    const RecordHeader& header() const { return *reinterpret_cast<const RecordHeader*>(bytes.data()); }
    RecordType type() const { return header().type; }
    /// The record when it is of type R, else null.
    template <Record R> const R* as() const {
        return type() == R::kType ? reinterpret_cast<const R*>(bytes.data()) : nullptr;
    }
    template <Record R> static AnyRecord of(const R& record); ///< for tests and synthetic streams
};

template <Record R> AnyRecord AnyRecord::of(const R& record) {
    AnyRecord any;
    R copy = record;
    copy.header.type = R::kType;
    copy.header.length = sizeof(R);
    *reinterpret_cast<R*>(any.bytes.data()) = copy;
    return any;
}

/// Where a reader stands; committed to the store together with the rows.
struct JournalPosition {
    std::uint64_t segment = 0, slot = 0;
    friend bool operator==(const JournalPosition&, const JournalPosition&) = default;
};

struct JournalCounters {
    std::uint64_t records = 0, malformed = 0, unknown = 0, torn = 0, missingSegments = 0;
};

/// Reads live and recorded journals of one rank alike.
class JournalReader {
public:
    /// The folder may still be empty. A reader holds at most one segment open.
    explicit JournalReader(std::filesystem::path rankDir, JournalPosition from = {});
    JournalReader(JournalReader&&) noexcept;
    JournalReader& operator=(JournalReader&&) noexcept;
    ~JournalReader();

    /// Appends at most `limit` complete records to `out`, in order. `writerGone`: slots that were reserved but never
    /// completed are counted as torn and stepped over; otherwise reading stops before them.
    std::size_t read(std::vector<AnyRecord>& out, std::size_t limit, bool writerGone);
    JournalPosition position() const;
    const JournalCounters& counters() const;
    /// Deletes segments before `committed`, but never the newest: its number says where a writer goes on.
    void removeBefore(JournalPosition committed);

private:
    struct Impl;
    std::unique_ptr<Impl> m;
};

} // namespace rankscope::telemetry
