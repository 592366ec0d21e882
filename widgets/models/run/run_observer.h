// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one run from its folder: run.json, boards, /proc, the store. It has plain calls, no thread and no timer; a
// poller calls it outside the window's thread, tests call it directly.
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

    /// Reads the current state of everything. Rows of the store are read again only after a commit.
    const RunView& read(std::int64_t nowNs);
    /// Returns whether anything that the texts of tiles and incidents depend on changed since the last call.
    bool changed();
    /// Returns whether a writer has committed since read(); cheap.
    bool storeMoved() { return m_reader && m_reader->version() != m_version; }
    bool live() const { return launch::isLive(m_view.info.state); }
    /// Returns whether some steps' lost time is not counted yet; the next call of read() continues with it.
    bool isCounting() const { return m_reader && m_view.goneRealtimeNs == 0 && m_lostVersion != m_version; }
    /// Returns whether the run's folder disappeared or came back since read(); cheap.
    bool folderMoved() const;
    /// Like folderMoved(), but also true if another program wrote to the store of an ended run; cheap.
    bool movedAtRest() const { return folderMoved() || (m_reader && m_reader->outdated()); }
    /// Returns whether run.json could be read at least once.
    bool known() const { return m_known; }

    /// Returns whether reading series found more damage than the view reports.
    bool foundDamage() const;
    /// Checks the whole store of an ended run, once; foundDamage() reports more.
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
    void tellStep();
    void countLost();
    void tellLost(std::int64_t nowNs);
    void tellLostAtEnd();
    void judge();
    void readLag(std::int64_t nowNs);

    launch::RunPaths m_run;
    RunView m_view;
    std::int64_t m_storedStep = -1;              ///< newest step that all ranks finished, by the store
    std::vector<store::RankSummary> m_summaries; ///< of the store, without the waits that the end of the run cut off
    bool m_known = false;
    std::optional<store::RunReader> m_reader;
    LineageReader m_chain;
    std::int64_t m_version = -1; ///< of the store, as last read
    launch::RunPace m_pace;      ///< as of the store's version
    store::LostTimeReader m_lost;
    std::int64_t m_lostVersion = -1;           ///< of the store, up to which m_lost has counted
    std::optional<double> m_sampleRate;        ///< of the recipe; none: not read yet
    std::vector<store::NotFiniteTail> m_tails; ///< of an ended run
    /// For a run with useless weights: whether it has a checkpoint from before. None: not checked.
    std::optional<bool> m_soundCheckpoint;
    QString m_storeProblem; ///< what is wrong if nothing, or not everything, can be read
    double m_meanRate = 0;  ///< steps/s over the whole run, as of the store's version; NaN: none
    store::StoreHealth m_told;
    bool m_checked = false;
    QString m_listProblem; ///< from reading the lists
    LiveRankReader m_liveRanks;
    RunSeriesReader m_series;
    std::optional<telemetry::ControlPage> m_control; ///< of a live run
    std::size_t m_fingerprint = 0;
};

} // namespace rankscope::ui
