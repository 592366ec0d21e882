// SPDX-License-Identifier: Apache-2.0
// What show, launch and diagnose read of a run, and print of it.
#pragma once

#include "core/launch/figures/run_pace.h"
#include "core/launch/figures/store_lag.h"
#include "core/launch/recovery/current_run.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"
#include "core/store/report/check_summary.h"
#include "core/store/report/failed_checkpoints.h"
#include "core/store/report/lost_time.h"
#include "core/store/report/training_figures.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ctl {

struct RunReport {
    launch::RunPaths paths;
    launch::RunInfo info;
    std::string title;        ///< what the user calls it; empty: nothing of their own
    std::int64_t startNs = 0; ///< what the store's times are relative to
    std::int64_t endNs = 0; ///< monotonic; of the newest step, or now while the run is live and its store is not behind
    std::int64_t nowNs = 0; ///< monotonic, when it was read
    std::optional<launch::StoreLag> lag;       ///< the store is behind its ranks
    std::string storeProblem;                  ///< the store cannot be read: why
    std::optional<launch::NotCurrent> missing; ///< it could not be brought up to date
    std::vector<store::RankSummary> ranks;
    std::vector<diagnosis::Incident> incidents;
    std::vector<std::string> unwatched; ///< notes on stretches in which the supervisor did not run
    std::vector<store::Counter> counters;
    store::TrainingFigures figures;
    bool waitsAreSums = false;                     ///< waits that overlap were added up, by an older version
    std::vector<store::ValidationRow> validations; ///< of rank 0, whose loss is val_loss
    std::vector<store::ScalarRow> setLosses;       ///< rank 0's newest of each validation set, where there are several
    std::vector<store::StackRow> stacks;
    std::vector<store::MemorySummary> memory;
    std::vector<store::CheckSummary> checks; ///< before and at start
    store::FailedCheckpoints failedCheckpoints;

    store::LostTime lost;
    launch::RunPace pace;           ///< of a live run
    std::int64_t stepsPerEpoch = 0; ///< of a live run; 0: not known

    /// Who holds a live run up now; none: nobody, or it is not known.
    diagnosis::Standstill standstill() const;
    double stepsPerSecond() const; ///< of a live run that goes on; 0: not known
    /// The step since which the loss of a live run has not been finite; -1: it is finite, or that is not known.
    std::int64_t notFiniteSince() const;
    std::int64_t step() const; ///< newest step that all ranks finished; -1: none
};

/// Brings the run up to date first where its supervisor is gone.
Result<RunReport> readReport(const launch::RunPaths& run, bool withStacks = false);

/// To stderr, when something is wrong with what was read.
void tellCondition(const store::RunReader& reader, const launch::RunPaths& run);

/// "store    ends 12.3 s ago: …", for a store that is behind; else empty.
std::string lagLine(const RunReport& report);
nlohmann::json lagJson(const RunReport& report); ///< null: it is not behind

std::string headerText(const RunReport& report);
std::string ranksText(const RunReport& report);
std::string incidentsText(const RunReport& report, bool evidence);
std::string checksText(const RunReport& report);
std::string countersText(const RunReport& report);
nlohmann::json reportJson(const RunReport& report);
nlohmann::json incidentsJson(const RunReport& report);

/// Native stacks of one incident, indented.
std::string stacksText(const RunReport& report, std::int64_t incident);
/// Native stacks that were taken: an element for each incident and rank.
nlohmann::json stacksJson(const RunReport& report);
std::string memoryText(const RunReport& report);
nlohmann::json memoryJson(const RunReport& report);

/// "failed: rank 1 ended with SIGKILL at step 10"; "finished" alone, whose cause says no more.
std::string endText(const launch::RunInfo& info);
/// JSON for stdout; bytes of foreign logs that are no UTF-8 are replaced.
std::string dumped(const nlohmann::json& json);

} // namespace rankscope::ctl
