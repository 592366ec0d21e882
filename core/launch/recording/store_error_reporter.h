// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/process/rank_monitor.h"
#include "core/launch/recording/journal_drain.h"
#include "core/telemetry/board/control_page.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::launch {

/// Reports what a run could not write: as notes in its store as soon as the store can be written again, on the control
/// page to readers of the store, and as one sentence for the run's progress.
class StoreErrorReporter {
public:
    /// Uses both references as long as it lives.
    StoreErrorReporter(Drain& drain, telemetry::ControlPage& control, std::size_t ranks)
        : m_drain(drain), m_control(control), m_dropsTold(ranks) {}

    /// Records that the run's folder was removed or renamed, and what follows (`what`). Later errors of the store come
    /// from that and are not reported.
    void noteFolderGone(Message what);
    /// Records that the store, run.json or a note cannot be written.
    void onStoreError(const Message& what, std::int64_t nowNs);
    /// Records that the store was written. Leaves a note if it could not be written before.
    void onStoreRecovered(std::int64_t nowNs);
    /// Records that everything the ranks have written up to now is stored.
    void publishStored(std::int64_t nowNs);
    /// Call it at the run's end, when nothing is left to be stored.
    void clear() { m_trouble = {}; }

    /// Stores a note; an error is reported like any other of the store.
    void note(telemetry::NoteSeverity severity, const std::string& text, std::int64_t nowNs);
    /// Records whether the step after which the ranks leave (`named`) could be written to the control page.
    void reportControlPage(const Result<void>& named, std::int64_t nowNs);
    /// Records that ranks could not write to their journals; at most one note for each doubling.
    void reportDrops(const std::vector<RankMonitor>& ranks, std::int64_t nowNs);

    bool isFolderGone() const { return m_folderGone; }
    bool hasStoreTrouble() const { return !m_trouble.empty(); }
    /// Returns what cannot be written now, and why; empty: nothing.
    const Message& trouble() const { return m_controlTrouble.empty() ? m_trouble : m_controlTrouble; }
    /// Returns until when a store that cannot be written holds what the ranks wrote, monotonic. 0: it can be written.
    std::int64_t storedUntilNs() const {
        return m_troubleSinceNs == 0 || m_storedNs == 0 ? m_troubleSinceNs : m_storedNs;
    }

private:
    Drain& m_drain;
    telemetry::ControlPage& m_control;
    bool m_folderGone = false;
    std::int64_t m_troubleSinceNs = 0; ///< 0: the store can be written
    std::int64_t m_storedNs = 0;       ///< when everything that the ranks wrote was last stored; 0: never
    Message m_trouble, m_controlTrouble;
    std::string m_publishedError; ///< on the control page; empty: none
    std::vector<std::uint64_t> m_dropsTold;
};

} // namespace rankscope::launch
