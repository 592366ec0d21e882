// SPDX-License-Identifier: Apache-2.0
// Reads a run for show, launch and diagnose.
#pragma once

#include "core/config/recipe/position_table_memory.h"
#include "core/launch/figures/run_pace.h"
#include "core/launch/figures/store_lag.h"
#include "core/launch/recovery/current_run.h"
#include "core/launch/run/run_folder.h"
#include "core/store/figures/training_figures.h"
#include "core/store/read/run_reader.h"
#include "core/store/report/check_summary.h"
#include "core/store/report/failed_checkpoints.h"
#include "core/store/report/lost_time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ctl {

struct RunReport {
    launch::RunPaths paths;
    launch::RunInfo info;
    std::string title;        ///< name given by the user; empty: none
    std::int64_t startNs = 0; ///< monotonic; the store's times are relative to it
    /// Monotonic; end of the newest step, or now if the run is live and its store is up to date.
    std::int64_t endNs = 0;
    std::int64_t nowNs = 0;                    ///< monotonic, when it was read
    std::optional<launch::StoreLag> lag;       ///< set if the store is behind the ranks
    std::optional<Error> storeProblem;         ///< why the store cannot be read; none: it can
    std::optional<launch::NotCurrent> missing; ///< set if it could not be brought up to date
    std::vector<store::RankSummary> ranks;
    std::vector<diagnosis::Incident> incidents;
    std::vector<std::string> unwatched; ///< notes on periods in which the supervisor did not run
    std::vector<store::Note> alerts;    ///< on calls of the command for incidents
    std::vector<store::Counter> counters;
    std::vector<store::SoftwareRow> software; ///< as reported by ranks of other programs than our trainer
    std::vector<store::GroupRow> groups;
    telemetry::ProcessGroups groupMembers; ///< the same, for what ranks wait for
    store::TrainingFigures figures;
    bool waitsAreSums = false;                     ///< overlapping waits were added up, by an older version
    std::vector<store::ValidationRow> validations; ///< of rank 0, whose loss is val_loss
    std::vector<store::ScalarRow> setLosses; ///< rank 0's newest loss of each validation set, if there are several
    std::vector<store::StackRow> stacks;
    std::vector<store::MemorySummary> memory;
    std::vector<store::CheckSummary> checks; ///< before and at start
    store::FailedCheckpoints failedCheckpoints;

    store::LostTime lost;
    launch::RunPace pace;           ///< of a live run
    std::int64_t stepsPerEpoch = 0; ///< of a live run; 0: not known

    /// Returns the stall that a live run is in now; none if there is none or it is not known.
    diagnosis::RunStall standstill() const;
    double stepsPerSecond() const; ///< of a live run that is not stalled; 0: not known
    /// Returns the step since which the loss of a live run has not been finite; -1: it is finite, or not known.
    std::int64_t notFiniteSince() const;
    std::int64_t mostMemory() const; ///< resident, of the largest rank; -1: not known
    std::int64_t step() const;       ///< newest step that all ranks finished; -1: none
};

/// Reads the report; first brings the run up to date if its supervisor is gone.
Result<RunReport> readReport(const launch::RunPaths& run, bool withStacks = false);

/// Prints on stderr if the store that was read is damaged or incomplete.
void printStoreHealth(const store::RunReader& reader, const launch::RunPaths& run);

/// Returns the rows of the native stacks, grouped by incident and rank.
std::vector<std::vector<store::StackRow>> stacksByRank(const RunReport& report);
/// Returns whether a group of stacksByRank() says why no stack was taken.
bool isRefused(const std::vector<store::StackRow>& rows);
/// Returns the memory of the position tables; none if the run's recipe cannot be read. `synced`: with the length sync.
std::optional<config::PositionMemory> positionMemory(const RunReport& report, bool& synced);

} // namespace rankscope::ctl
