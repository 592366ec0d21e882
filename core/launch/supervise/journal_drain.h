// SPDX-License-Identifier: Apache-2.0
// Carries what the ranks wrote into the store: each record once, in the transaction that also says how far was read.
// When the store cannot take it (disk full), the round is kept and tried again; until then nothing more is read.
#pragma once

#include "core/launch/run/run_folder.h"
#include "core/store/write/run_writer.h"
#include "core/telemetry/journal/journal_reader.h"

#include <span>
#include <string>
#include <vector>

namespace rankscope::launch {

class Drain {
public:
    static Result<Drain> open(const RunPaths& run, store::RunStore store);

    /// Reads what is new; true when more waits. `gone[r]`: rank r's process has ended; so has that of a rank beyond it.
    bool read(const std::vector<bool>& gone);
    /// What the last read() brought; empty while an older round is still to be stored.
    std::span<const telemetry::AnyRecord> fresh(int rank) const;
    /// Stores the round and what the detector made of it. Journals are let go only when the store is where it was.
    Result<void> commit(std::vector<diagnosis::Transition> transitions);
    /// Without trying to store: for the next commit.
    void keep(std::vector<diagnosis::Transition> transitions);
    /// What the detector saw, for the next commit. False: too much waits already, all of it is let go.
    bool keepInput(diagnosis::RecordedPiece piece);
    bool pending() const { return m_pending || !m_transitions.empty() || !m_input.empty(); }

    store::RunStore& store() { return m_store; }
    /// Another one with the same in it: what waits is stored there.
    void setStore(store::RunStore store) { m_store = std::move(store); }
    /// When all is stored: the journals hold nothing that the store does not.
    void removeJournals();

private:
    Drain(const RunPaths& run, store::RunStore store) : m_run(run), m_store(std::move(store)) {}

    struct Source {
        telemetry::JournalReader reader;
        std::vector<telemetry::AnyRecord> records;
        telemetry::JournalCounters stored; ///< counters as of the last commit
    };
    RunPaths m_run;
    store::RunStore m_store;
    std::vector<Source> m_sources;
    std::vector<diagnosis::Transition> m_transitions;
    std::vector<diagnosis::RecordedPiece> m_input;
    bool m_pending = false, m_fresh = false;
};

/// Whether journal files are left in the run's folder: a run that ended well leaves none.
bool hasJournals(const RunPaths& run);

} // namespace rankscope::launch
