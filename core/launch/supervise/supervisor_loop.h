// SPDX-License-Identifier: Apache-2.0
// The supervisor at work; supervise() is its public face.
#pragma once

#include "core/diagnosis/detector/detector.h"
#include "core/diagnosis/evidence/training_pace.h"
#include "core/launch/supervise/journal_drain.h"
#include "core/launch/run/folder_watch.h"
#include "core/launch/process/rank_monitor.h"
#include "core/launch/monitors/run_monitors.h"
#include "core/launch/run/run_lock.h"
#include "core/launch/process/stop_signals.h"
#include "core/launch/supervise/supervisor.h"
#include "core/launch/run/run_info_reserve.h"
#include "core/telemetry/board/control_page.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::launch {

inline constexpr std::int64_t kFailureGraceNs = 800'000'000; ///< the run is over within 2 s of a rank's death

class Supervisor {
public:
    Supervisor(const LaunchPlan& plan, std::function<void(const Progress&)> report);

    /// Folder, lock, store, ranks. On an error nothing is left of the run.
    Result<void> begin();
    /// Until no rank is left and all that they wrote is stored.
    int run();

private:
    Result<void> openStore();
    Result<void> noteFaults();
    Result<void> startRanks();
    Result<void> reserveVerdict();
    void round();
    void look();
    void onSignals(const StopSignals::Seen& seen);
    void stop(bool now);
    void beginStop();
    void nameLastStep();
    void hearRequests();
    std::string askedText() const;
    void end(std::int64_t graceNs);
    void keepDeadlines();
    void lookAtFolder();
    void resumeFaults();
    void storeRound(diagnosis::RunEnd end);
    std::vector<diagnosis::Transition> diagnose(const diagnosis::Observation& observation);
    void commit(std::vector<diagnosis::Transition> transitions);
    void noteTrouble(const std::string& what);
    void noteTroubleOver();
    void tellStored();
    void noteDrops();
    void noteControl(const Result<void>& named);
    void noteRequest();
    void bringBackStore();
    void setState(RunState state);
    void saveInfo();
    void drainToTheEnd();
    Result<void> storeEnd(const Verdict& verdict, const std::vector<RankEnd>& ends);
    int finish();
    bool allEnded() const;
    std::int64_t newestStep() const;
    double stepsPerSecond() const;
    void keepStalls();
    void tellPace(Progress& progress) const;
    diagnosis::Observation observation(diagnosis::RunEnd end) const;
    std::vector<RankEnd> ends() const;
    void tell();

    const LaunchPlan& m_plan;
    std::function<void(const Progress&)> m_report;
    StopSignals m_signals;
    RunInfo m_info;
    std::optional<RunLock> m_lock;
    std::optional<VerdictReserve> m_reserve;
    std::optional<telemetry::ControlPage> m_control;
    std::optional<Drain> m_drain;
    std::optional<diagnosis::Detector> m_detector;
    std::optional<diagnosis::InputRecorder> m_recorder;
    RunAides m_aides;
    std::vector<RankWatch> m_ranks;
    std::vector<diagnosis::Interval> m_stalls; ///< in which the newest steps were held up; the last may be open
    FolderWatch m_folder;
    bool m_folderGone = false;
    std::int64_t m_memoryKills = -1; ///< when the run began
    std::int64_t m_nowNs = 0;
    bool m_more = false;               ///< a journal holds more than one round takes
    bool m_stopping = false;           ///< the user asked for it, before any rank ended badly
    bool m_failing = false;            ///< a rank ended badly
    bool m_leaving = false;            ///< it stops because a rank was asked to leave
    std::int64_t m_askedSinceNs = 0;   ///< 0: no rank was
    bool m_lastStepNamed = false;      ///< on the control page
    int m_stopRequests = 0;            ///< by signal
    std::int64_t m_killAtNs = 0;       ///< 0: nobody was told to leave
    std::int64_t m_allSaidNs = 0;      ///< since when all ranks have said that they are done
    std::int64_t m_retryAtNs = 0;      ///< of a commit that failed
    std::int64_t m_troubleSinceNs = 0; ///< 0: the store takes what it is given
    bool m_infoStale = false;          ///< run.json could not be written
    std::string m_trouble, m_controlTrouble;
    std::string m_toldTrouble; ///< on the control page; empty: none
    std::vector<std::uint64_t> m_dropsTold;
};

} // namespace rankscope::launch
