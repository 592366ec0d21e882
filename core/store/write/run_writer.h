// SPDX-License-Identifier: Apache-2.0
// Writes run.sqlite: one writer per run, the supervisor. Schema and meanings: docs/dev/store.md.
#pragma once

#include "core/base/values/error.h"
#include "core/base/values/hidden_part.h"
#include "core/diagnosis/model/incident.h"
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
    std::string cause;
    int exitCode = 0;
    std::int64_t realtimeNs = 0;
};

class RunStore {
public:
    /// Creates or opens; migrates forward. Busy when another writer has it.
    static Result<RunStore> open(const std::filesystem::path& file, const RunMeta& meta, Retention retention = {});
    /// Opens an existing store for writing again (recovery); takes the meta data from it.
    static Result<RunStore> reopen(const std::filesystem::path& file, Retention retention = {});

    const RunMeta& meta() const;
    /// Returns an error when the file was removed or replaced: no reader can see what is committed then.
    Result<void> checkInPlace() const;
    /// Writes nothing more, also at the close: the name may belong to another file.
    void abandon();
    /// For a store whose file was removed while it is open: writes all of it under its name again. Use the result from
    /// then on; this one is abandoned.
    Result<RunStore> writeAnew();
    /// Rows that this object inserted, changed and deleted, as SQLite counts them.
    std::int64_t rowsChanged() const;
    /// Returns where reading a rank's journal continues.
    Result<telemetry::JournalPosition> position(int rank) const;

    /// Records of one rank together with the position after them: one transaction, so each record counts exactly once.
    struct Chunk {
        int rank = 0;
        std::span<const telemetry::AnyRecord> records;
        telemetry::JournalPosition after;
        telemetry::JournalCounters counters; ///< of the reader since it was made
    };
    /// All chunks and incidents of one round in one transaction. Afterwards waits of collectives that became complete
    /// (all ranks arrived) are added to the steps' rows and the pyramid is carried on. NoSpace leaves nothing
    /// half-written, and can be tried again; what was committed before is not counted twice. Incidents of a store that
    /// was opened again get ids after those that it has.
    /// `input`: what the detector saw until these transitions.
    Result<void> commit(std::span<const Chunk> chunks, std::span<const diagnosis::Transition> transitions,
                        std::span<const diagnosis::RecordedPiece> input = {});
    /// Stores the run's outcome together with the message that reports it, so that both survive when the supervisor is
    /// killed right afterwards.
    Result<void> end(const RunEnding& ending, telemetry::Severity severity, const std::string& text, std::int64_t atNs);
    /// None: the outcome was not stored yet.
    Result<std::optional<RunEnding>> ending() const;
    /// Ends: carries the pyramid to the last step, closes incidents that are still open, checkpoints the WAL.
    Result<void> finish();
    /// A message of the supervisor itself (rank -1).
    Result<void> note(telemetry::Severity severity, const std::string& text, std::int64_t atNs);
    /// Threads of ranks in an incident; ids as the detector counts them. What is there already is replaced.
    Result<void> stacks(std::span<const StackRow> rows);
    Result<void> facts(std::span<const FactRow> rows);
    /// Values of a run that was not supervised, in one transaction; finishImport() instead of finish() ends it.
    Result<void> import(std::span<const ImportedValue> values);
    /// Sets what follows from the values: begin and end of each step (in the order of steps, never backwards), the
    /// ranks' sums, the pyramid.
    Result<void> finishImport();

private:
    struct Impl;
    explicit RunStore(HiddenPart<Impl> impl) : m(std::move(impl)) {}
    HiddenPart<Impl> m;
};

} // namespace rankscope::store
