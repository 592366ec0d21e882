// SPDX-License-Identifier: Apache-2.0
// Writes run.sqlite. Each run has one writer, the supervisor. For schema and meanings see docs/dev/store.md.
#pragma once

#include "core/base/values/error.h"
#include "core/base/values/hidden_part.h"
#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/wait_times.h"
#include "core/diagnosis/recording/recording.h"
#include "core/store/tables/run_meta.h"
#include "core/store/tables/stack_and_usage_rows.h"
#include "core/store/write/import_writer.h"
#include "core/telemetry/journal/journal_reader.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::store {

/// How a run ended.
struct RunEnding {
    std::string state; ///< finished, failed, stopped
    Message cause;
    int exitCode = 0;
    std::int64_t realtimeNs = 0;
    std::string kind; ///< as in run.json; empty: an older version stored the end
    int rank = -1;    ///< at fault; -1: none
    std::int64_t step = -1;
};

class RunWriter {
public:
    /// Creates or opens a store; migrates an older one. Busy if another writer has it.
    static Result<RunWriter> open(const std::filesystem::path& file, const RunMeta& meta, Retention retention = {});
    /// Opens an existing store for writing again (recovery); the meta data is read from it.
    static Result<RunWriter> reopen(const std::filesystem::path& file, Retention retention = {});

    const RunMeta& meta() const;
    /// Returns an error if the file was removed or replaced: readers cannot see later commits then.
    Result<void> checkInPlace() const;
    /// Stops all writing, even on close, because the name may belong to another file.
    void abandon();
    /// Writes the whole store under its name again, after its file was removed while open. Use the result from then on;
    /// this object is abandoned.
    Result<RunWriter> writeAnew();
    /// Returns the number of rows that this object inserted, changed and deleted, as counted by SQLite.
    std::int64_t rowsChanged() const;
    /// Returns where reading a rank's journal continues.
    Result<telemetry::JournalPosition> position(int rank) const;

    /// Records of one rank together with the position after them: one transaction, so each record counts exactly once.
    struct Chunk {
        int rank = 0;
        std::span<const telemetry::AnyRecord> records;
        telemetry::JournalPosition after;
        telemetry::JournalCounters counters; ///< of the reader since its creation
    };
    /// Commits all chunks and incidents of one round in one transaction. It also adds the waits of completed
    /// collectives (all ranks arrived) to the steps' rows, and continues the pyramid. NoSpace leaves nothing
    /// half-written, and the call can be repeated; records committed before are not counted twice. In a reopened store,
    /// new incidents get ids after the existing ones. `input`: the detector's recorded input up to these transitions.
    Result<void> commit(std::span<const Chunk> chunks, std::span<const diagnosis::Transition> transitions,
                        std::span<const diagnosis::RecordingChunk> input = {});
    /// Stores the run's outcome together with the message that reports it, so that both survive if the supervisor is
    /// killed right afterwards.
    Result<void> end(const RunEnding& ending, telemetry::NoteSeverity severity, const std::string& text,
                     std::int64_t atNs);
    /// Returns the stored outcome; none if it was not stored yet.
    Result<std::optional<RunEnding>> ending() const;
    /// Finishes the store: extends the pyramid to the last step, closes incidents that are still open, checkpoints the
    /// WAL.
    Result<void> finish();
    /// Stores a message of the supervisor itself (rank -1).
    Result<void> note(telemetry::NoteSeverity severity, const std::string& text, std::int64_t atNs);
    /// Stores that no supervisor watched the ranks in this time, together with the note that says so.
    Result<void> noteUnwatched(const diagnosis::TimeSpan& time, const std::string& text);
    /// Stores the threads of ranks in an incident; ids as the detector counts them. Existing rows are replaced.
    Result<void> stacks(std::span<const StackRow> rows);
    Result<void> facts(std::span<const FactRow> rows);
    /// Stores values of a run that was not supervised, in one transaction. End with finishImport() instead of finish().
    Result<void> import(std::span<const ImportedValue> values);
    /// Finishes an import: derives each step's begin and end (in the order of steps, never backwards), the ranks' sums
    /// and the pyramid from the values.
    Result<void> finishImport();

private:
    struct Impl;
    explicit RunWriter(HiddenPart<Impl> impl) : m(std::move(impl)) {}
    HiddenPart<Impl> m;
};

} // namespace rankscope::store
