// SPDX-License-Identifier: Apache-2.0
// Moves what the ranks wrote into the store: each record once, in the transaction that also says how far was read. If
// the store cannot be written (disk full), the round is kept and tried again; until then nothing more is read.
#pragma once

#include "core/launch/run/run_folder.h"
#include "core/store/write/run_writer.h"
#include "core/telemetry/journal/journal_reader.h"

#include <span>
#include <string>
#include <vector>

namespace rankscope::launch {

/// Owns the run's store and reads the journals of all ranks.
class Drain {
public:
    /// Continues where the store says that the journals were read to.
    static Result<Drain> open(const RunPaths& run, store::RunWriter store);

    /// Reads new records; true if there are more. `gone[r]`: rank r's process has ended; ranks beyond it count as
    /// ended.
    bool read(const std::vector<bool>& gone);
    /// Returns what the last read() brought; empty while an older round is still to be stored.
    std::span<const telemetry::AnyRecord> newRecords(int rank) const;
    /// Stores the round and the detector's transitions. Journals are released only while the store is still in place.
    Result<void> commit(std::vector<diagnosis::Transition> transitions);
    /// Keeps transitions for the next commit, without trying to store them.
    void defer(std::vector<diagnosis::Transition> transitions);
    /// Keeps the detector's input for the next commit. False: too much was waiting already, and all of it was dropped.
    bool deferRecording(diagnosis::RecordingChunk piece);
    /// Returns whether something that was read or kept is not stored yet.
    bool pending() const { return m_pending || !m_transitions.empty() || !m_input.empty(); }

    store::RunWriter& store() { return m_store; }
    /// Replaces the store by another with the same contents; everything that waits is stored there.
    void setStore(store::RunWriter store) { m_store = std::move(store); }
    /// Removes the journals. Call it when everything is stored: they then hold nothing that the store does not.
    void removeJournals();

private:
    Drain(const RunPaths& run, store::RunWriter store) : m_run(run), m_store(std::move(store)) {}

    struct JournalSource {
        telemetry::JournalReader reader;
        std::vector<telemetry::AnyRecord> records;
        telemetry::JournalCounters stored; ///< counters as of the last commit
    };
    RunPaths m_run;
    store::RunWriter m_store;
    std::vector<JournalSource> m_sources;
    std::vector<diagnosis::Transition> m_transitions;
    std::vector<diagnosis::RecordingChunk> m_input;
    bool m_pending = false, m_fresh = false;
};

/// Returns whether journal files are left in the run's folder: a run that ended well leaves none.
bool hasJournals(const RunPaths& run);

} // namespace rankscope::launch
