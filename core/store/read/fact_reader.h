// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/wait_times.h"
#include "core/diagnosis/recording/recording.h"
#include "core/store/read/series_reader.h"
#include "core/store/read/span_reader.h"
#include "core/store/tables/rank_summary.h"
#include "core/store/tables/stack_and_usage_rows.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::store {

struct Note {
    std::int64_t id = 0; ///< increasing
    int rank = -1;       ///< -1: the supervisor
    std::int64_t timeNs = 0, step = -1;
    telemetry::NoteSeverity severity = telemetry::NoteSeverity::Info;
    std::string text;
};

/// Result of one check before or at the start, as reported by a rank; rank 0 reports the checks that concern all ranks.
struct CheckRow {
    int rank = 0;
    std::string name;
    telemetry::CheckStatus status = telemetry::CheckStatus::Passed;
    bool stops = false; ///< the run ended because of this check
    std::string text;
    std::int64_t timeNs = 0; ///< since the run's start
};

struct Counter {
    std::string name; ///< "records", "malformed", "dropped", …
    int rank = -1;
    std::int64_t value = 0;
};

/// A version of a library, and the ranks that use it.
struct SoftwareRow {
    std::string name, version;
    std::vector<int> ranks;
};

/// A process group other than that of all ranks.
struct GroupRow {
    std::uint32_t number = 0; ///< as in the rows of its collectives
    std::string name, backend;
    std::vector<int> ranks;
};

/// A rank's memory over the run so far, bytes; -1: not known.
struct MemorySummary {
    int rank = 0;
    std::int64_t rssBytes = -1, mostRssBytes = -1, mostSwapBytes = -1; ///< of the process
    std::int64_t gpuBytes = -1, mostGpuBytes = -1, gpuTotalBytes = -1; ///< by the process; of its device
    std::int64_t groupUsedBytes = -1, groupLimitBytes = -1;            ///< control group or host, newest
    std::int64_t longestFrames = 0;                                    ///< mel frames of its longest utterance
};

/// Reads facts about a run as a whole, its ranks and its incidents. A list is empty if the store was written before
/// such rows existed.
class FactReader {
public:
    explicit FactReader(OpenStore& store) : m_store(&store) {}

    Result<std::vector<RankSummary>> ranks();
    Result<std::vector<diagnosis::Incident>> incidents(); ///< times are monotonic: the run's start is added
    /// Calls `take` with the recorded input of the detector, piece by piece in order, until it fails.
    Result<void> detectorInput(const std::function<Result<void>(const diagnosis::RecordingChunk&)>& take);
    enum class NotesOf : std::uint8_t { All, Supervisor }; ///< whose notes notes() returns
    /// Returns the first `limit` notes after the one with this id (0: from the first one), by id.
    Result<std::vector<Note>> notes(std::int64_t afterId, int limit, NotesOf authors = NotesOf::All);
    /// Returns rank 0's validations after `afterStep`, by step. Their loss is the run's val_loss as NeMo logs it.
    Result<std::vector<ValidationRow>> validations(std::int64_t afterStep, int limit);
    /// Returns rank 0's newest loss of each validation set that has its own name ("val_other_val_loss"), by name.
    Result<std::vector<ScalarRow>> setLosses();
    /// Returns the checks in the order in which they were made.
    Result<std::vector<CheckRow>> checks();
    /// Returns the times in which no supervisor watched the ranks, in order; ns since the run's start. Incidents may be
    /// missing there.
    Result<std::vector<diagnosis::TimeSpan>> unwatched();
    Result<std::vector<Counter>> counters();
    /// Returns the versions that the ranks have reported, by name and version.
    Result<std::vector<SoftwareRow>> software();
    /// Returns the groups that the ranks have reported, by number.
    Result<std::vector<GroupRow>> groups();
    /// Returns the stacks of one incident, or of all (0): holders before waiters, each rank's main thread first.
    Result<std::vector<StackRow>> stacks(std::int64_t incident = 0);
    /// Returns the supervisor's measurements of a rank, in order of time.
    Result<std::vector<FactRow>> facts(int rank, std::int64_t fromNs, std::int64_t toNs, int limit);
    /// Returns one summary per rank. `series` must read the same store.
    Result<std::vector<MemorySummary>> memory(SeriesReader& series);
    /// Returns the most bytes that the process of any rank has held; -1: not known. Reads only the rows that are new
    /// since the last call: a long run has millions of them.
    Result<std::int64_t> mostRssBytes();

private:
    Result<void> addRssSince(const char* table, std::vector<std::int64_t>& untilNs);
    Result<void> findRanks(std::vector<RankSummary>& ranks);
    Result<void> findLosses(std::vector<RankSummary>& ranks);

    OpenStore* m_store;
    std::int64_t m_mostRssBytes = -1;
    std::vector<std::int64_t> m_resourceUntilNs, m_factUntilNs; ///< by rank: rows that mostRssBytes() has read
};

} // namespace rankscope::store
