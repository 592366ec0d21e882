// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one run from its folder: run.json, boards, /proc, the store. Plain calls, no thread and no timer of its own; a
// poller calls it away from the window's thread, tests call it directly.
#pragma once

#include "core/launch/figures/run_pace.h"
#include "core/store/read/not_finite_tail.h"
#include "core/telemetry/board/control_page.h"
#include "widgets/models/run/lineage_reader.h"
#include "widgets/models/run/live_rank_reader.h"
#include "widgets/models/run/run_series_reader.h"

#include <optional>

namespace rankscope::ui {

class RunObserver {
public:
    explicit RunObserver(launch::RunPaths run);

    /// Everything as it stands now. Rows of the store are read again only when a writer committed.
    const RunView& read(std::int64_t nowNs);
    /// What the words of the tiles and the incidents depend on changed since the last call of changed().
    bool changed();
    /// A writer committed since read(); cheap.
    bool storeMoved() { return m_reader && m_reader->version() != m_version; }
    bool live() const { return launch::isLive(m_view.info.state); }
    /// There are steps whose lost time read() has not counted yet: it goes on with its next call.
    bool isCounting() const { return m_reader && m_view.goneRealtimeNs == 0 && m_lostVersion != m_version; }
    /// The run's folder went away since read(), or came back; cheap.
    bool folderMoved() const;
    /// The same, or another program wrote to the store of an ended run; cheap.
    bool movedAtRest() const { return folderMoved() || (m_reader && m_reader->outdated()); }
    /// run.json could be read at least once.
    bool known() const { return m_known; }

    /// Reading series found more damage than the view tells of.
    bool foundDamage() const;
    /// Looks through all of an ended run's store, once; foundDamage() says more.
    void checkStore();
    SeriesReply series(const SeriesRequest& request);
    std::vector<store::Note> notes(std::int64_t afterId, int limit);
    std::vector<store::StackRow> stacks(std::int64_t incident);

private:
    void readInfo();
    bool findGone();
    void openStore();
    void readStore();
    void readLists();
    void readSummaries();
    void readValidations();
    void tellCondition();
    void readChain();
    void readRate();
    void tellRate(std::int64_t nowNs);
    void readEndedRanks();
    void countLost();
    void tellLost(std::int64_t nowNs);
    void judge();
    void readLag(std::int64_t nowNs);

    launch::RunPaths m_run;
    RunView m_view;
    bool m_known = false;
    std::optional<store::RunReader> m_reader;
    ChainReader m_chain;
    std::int64_t m_version = -1; ///< of the store, as last read
    launch::RunPace m_pace;      ///< as of the store's version
    store::LostTimeReader m_lost;
    std::int64_t m_lostVersion = -1;           ///< of the store, up to which m_lost has counted
    std::optional<double> m_sampleRate;        ///< of its recipe; none: not read yet
    std::vector<store::NotFiniteTail> m_tails; ///< of an ended run
    /// Of a run whose weights are useless: it left a checkpoint from before. None: not looked for.
    std::optional<bool> m_soundCheckpoint;
    QString m_storeProblem; ///< nothing can be read, or not all: what is wrong
    double m_meanRate = 0;  ///< steps/s over the whole run, as of the store's version; NaN: none
    store::StoreCondition m_told;
    bool m_checked = false;
    QString m_listProblem; ///< of the reading of lists
    LiveRankReader m_liveRanks;
    RunSeriesReader m_series;
    std::optional<telemetry::ControlPage> m_control; ///< of a live run
    std::size_t m_fingerprint = 0;
};

} // namespace rankscope::ui
