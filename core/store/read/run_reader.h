// SPDX-License-Identifier: Apache-2.0
// run.sqlite, the reading side: read-only, any number of readers, live or afterwards. Every query is bounded.
// One object per thread.
#pragma once

#include "core/base/values/error.h"
#include "core/diagnosis/model/incident.h"
#include "core/store/read/store_health.h"
#include "core/store/read/stack_and_usage_rows.h"
#include "core/store/tables/metrics.h"
#include "core/store/report/replay_report.h"
#include "core/store/write/run_writer.h"
#include "core/store/waits/wait_report.h"
#include "core/telemetry/format/records.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::store {

struct RankSummary {
    int rank = 0;
    std::string host, device;
    std::int64_t firstStep = -1, lastStep = -1; ///< -1: none yet
    std::int64_t lastNs = 0;                    ///< end of the last step, since the run's start
    double lastLoss = 0;                        ///< NaN: none yet, or not a number
    bool ended = false;
    telemetry::EndCause endCause = telemetry::EndCause::Finished;
    int exitCode = 0;
    std::uint64_t weightsHash = 0;
    std::string endText;
    std::int64_t waitedNs = 0; ///< over the whole run
    std::int64_t heldNs = 0;   ///< waits of others charged to this rank
};

struct Note {
    std::int64_t id = 0; ///< increasing
    int rank = -1;       ///< -1: the supervisor
    std::int64_t timeNs = 0, step = -1;
    telemetry::Severity severity = telemetry::Severity::Info;
    std::string text;
};

/// One validation as a rank told it.
struct ValidationRow {
    int rank = 0;
    std::int64_t step = -1;              ///< the training step that it followed
    std::int64_t beginNs = 0, endNs = 0; ///< since the run's start
    double loss = 0, localLoss = 0;      ///< val_loss; of this rank's batches. NaN: none had a masked frame
    std::int64_t batches = 0;
};

/// One of the checks before and at start, as a rank found it; what concerns all ranks is told by rank 0.
struct CheckRow {
    int rank = 0;
    std::string name;
    telemetry::CheckStatus status = telemetry::CheckStatus::Passed;
    bool stops = false; ///< the run ended because of it
    std::string text;
    std::int64_t timeNs = 0; ///< since the run's start
};

struct CollectiveRow {
    int rank = 0;
    std::int64_t step = -1;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
    std::string tag;
    std::int64_t count = 0;
    telemetry::Phase phase = telemetry::Phase::None;
    std::int64_t arrivedNs = 0, startedNs = 0, doneNs = 0, exposedNs = -1; ///< since the run's start
    std::int64_t waitNs = -1;                                              ///< -1: not all ranks arrived
    int holder = -1;                                                       ///< rank of the latest arrival
};

struct PhaseRow {
    int rank = 0;
    std::int64_t step = -1;
    telemetry::Phase phase = telemetry::Phase::None;
    std::int64_t beginNs = 0, endNs = 0;
};

/// One row of table `step`.
struct StepRow {
    int rank = 0;
    std::int64_t step = -1, epoch = -1;  ///< epoch -1: not known
    std::int64_t beginNs = 0, endNs = 0; ///< since the run's start
    /// By Metric. None: was not measured. NaN: was measured, and was not a finite number.
    std::array<std::optional<double>, static_cast<std::size_t>(Metric::Count)> values;

    std::optional<double> value(Metric metric) const { return values[static_cast<std::size_t>(metric)]; }
};

/// A point of a series that an import found and that is none of the metrics.
struct ScalarRow {
    int rank = 0;
    std::string tag;
    std::int64_t step = 0, timeNs = 0; ///< since the run's start
    double value = 0;                  ///< NaN: was not a number
};

/// Which rows a CSV has. `steps` also cuts single collectives and phases.
struct CsvOptions {
    std::vector<Metric> series;        ///< columns of steps.csv; empty: all
    std::vector<int> ranks;            ///< empty: all
    StepInterval steps{-1, INT64_MAX}; ///< -1: before training
};

/// Wait of one rank charged to a holder, over steps.
struct WaitCell {
    int waiter = 0, holder = 0;
    std::string tag; ///< without its :<detail>
    std::int64_t waitNs = 0, collectives = 0;
};

struct Counter {
    std::string name; ///< "records", "malformed", "dropped", …
    int rank = -1;
    std::int64_t value = 0;
};

class RunReader {
public:
    /// A store whose writer lives is read beside it; any other one is viewed, and no byte, name or time in its folder
    /// changes. What cannot be read of it stands in condition(); an error: nothing can be. `known` is what run.json
    /// says, for a store that does not any more.
    static Result<RunReader> open(const std::filesystem::path& file, const RunMeta* known = nullptr);
    RunReader(RunReader&&) noexcept;
    RunReader& operator=(RunReader&&) noexcept;
    ~RunReader();

    const RunMeta& meta() const;
    /// What is wrong with it; grows as more of it is read. Lists and series of a viewed store then hold what is
    /// readable, what goes row by row (each…, export, waits explained) ends with an error.
    const StoreCondition& condition() const;
    /// Somebody wrote to what is viewed, or put another store in its place: open it again.
    bool outdated() const;
    /// Reads every page; an error names the first that is damaged.
    Result<void> checkPages();
    /// The same of a viewed store that is no larger than kQuicklyChecked; what is found stands in condition().
    Result<void> checkQuickly();
    /// Changes whenever a writer committed; cheap (PRAGMA data_version).
    std::int64_t version();
    Result<std::vector<RankSummary>> ranks();
    /// At most ~2 x maxPoints points that cover steps [first, last]: raw steps when they are few, else the coarsest
    /// level of the pyramid that still gives maxPoints, with its extremes.
    Result<std::vector<SeriesPoint>> series(Metric metric, int rank, std::int64_t first, std::int64_t last,
                                            int maxPoints);
    /// The same over a time range, since the run's start.
    Result<std::vector<SeriesPoint>> seriesByTime(Metric metric, int rank, std::int64_t fromNs, std::int64_t toNs,
                                                  int maxPoints);
    /// From now on points of series that cannot change any more are kept, some windows' worth of each.
    void keepSeries();
    Result<std::vector<diagnosis::Incident>> incidents(); ///< times made monotonic again with meta().startNs
    /// What the detector saw, piece by piece in order, until `take` fails. None in a store of before version 3.
    Result<void> detectorInput(const std::function<Result<void>(const diagnosis::RecordedPiece&)>& take);
    /// Diagnoses the recorded input again and compares with the incidents stored. NotFound: nothing was recorded.
    Result<ReplayReport> replay();
    Result<std::vector<Note>> notes(std::int64_t afterId, int limit);
    /// Of all ranks, by step, after `afterStep`. None in a store that was written before there were any.
    Result<std::vector<ValidationRow>> validations(std::int64_t afterStep, int limit);
    /// In the order in which they were made. None in a store that was written before there were any.
    Result<std::vector<CheckRow>> checks();
    Result<std::vector<CollectiveRow>> collectives(std::int64_t firstStep, std::int64_t lastStep, int limit);
    Result<std::vector<PhaseRow>> phases(std::int64_t firstStep, std::int64_t lastStep, int limit);
    /// Row by row, for what may not be held in memory; each ends with the first error of `take`, which may not ask this
    /// reader for anything. Of a rank, by step:
    Result<void> eachStep(int rank, StepInterval steps, const std::function<Result<void>(const StepRow&)>& take);
    Result<void> eachValidation(int rank, StepInterval steps,
                                const std::function<Result<void>(const ValidationRow&)>& take);
    /// Of all ranks, in the order of collectives() and phases().
    Result<void> eachCollective(StepInterval steps, const std::function<Result<void>(const CollectiveRow&)>& take);
    Result<void> eachPhase(StepInterval steps, const std::function<Result<void>(const PhaseRow&)>& take);
    /// Of a rank, by tag and step: series of an imported run, and the losses of several validation sets.
    Result<void> eachScalar(int rank, const std::function<Result<void>(const ScalarRow&)>& take);
    /// Of rank 0 the newest of each validation set that has a name of its own ("val_other_val_loss"), by name.
    Result<std::vector<ScalarRow>> setLosses();
    /// Where single steps were thinned the range widens to whole groups of 16 steps.
    Result<std::vector<WaitCell>> waits(std::int64_t firstStep, std::int64_t lastStep);
    /// The steps of all ranks that touch a time range, since the run's start.
    Result<StepInterval> stepsBetween(std::int64_t fromNs, std::int64_t toNs);
    /// Of older steps single collectives and phases are kept only around incidents.
    Result<std::int64_t> singleStepsFrom();
    /// What all ranks worked through in these steps, and how long it took; steps that have ended alone.
    Result<diagnosis::Work> workDone(StepInterval steps);
    /// Streams: memory does not grow with the steps. Cut to the steps that are there. Ends with Busy soon after
    /// `cancelled` says true.
    Result<WaitReport> explainWaits(StepInterval steps, const std::function<bool()>& cancelled = {});
    Result<std::vector<Counter>> counters();
    /// Of one incident, or of all (0): holders before waiters, each rank's main thread first. None in an older store.
    Result<std::vector<StackRow>> stacks(std::int64_t incident = 0);
    /// What the supervisor measured of a rank, in order of time. None in an older store.
    Result<std::vector<FactRow>> facts(int rank, std::int64_t fromNs, std::int64_t toNs, int limit);
    Result<std::vector<MemorySummary>> memory(); ///< one for each rank
    /// Figures as stored: times and waits in ns. Writes steps.csv, collectives.csv, phases.csv, waits.csv,
    /// resources.csv, incidents.csv, notes.csv, checks.csv, validations.csv, and scalars.csv of an imported run: RFC
    /// 4180, with a header line each. Memory does not grow with the rows; each file appears whole or not at all.
    Result<void> exportCsv(const std::filesystem::path& dir, const CsvOptions& options = {});

    struct Impl; ///< the store's own

private:
    friend class ScalarReader; ///< reads further tables of the same store
    explicit RunReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

} // namespace rankscope::store
