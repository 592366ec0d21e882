// SPDX-License-Identifier: Apache-2.0
// Holds the rows of one commit before they are in the database.
#pragma once

#include "core/store/tables/metrics.h"
#include "core/store/waits/wait_counter.h"
#include "core/store/waits/wait_joiner.h"
#include "core/telemetry/format/records.h"
#include "core/telemetry/journal/journal_reader.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace rankscope::store {

/// What a round adds to one row of table step. A metric is either set (the newest value counts) or added up.
struct StepUpdate {
    std::uint64_t present = 0, notFinite = 0; ///< a bit per metric
    std::array<double, static_cast<std::size_t>(Metric::Count)> values{};
    std::int64_t epoch = -1, flags = 0, beginNs = 0, endNs = 0;
    bool complete = false; ///< the step's own record is among them
    bool timed = false;
    StepWaits joined; ///< waits completed by this round

    void set(Metric metric, double value);
    void add(Metric metric, double value);
    void markNotFinite(Metric metric);
    void spans(std::int64_t fromNs, std::int64_t toNs);
};
/// Returns true for metrics that are the sum over several records of a step.
bool isAdditive(Metric metric);

struct CollectiveInsert {
    int rank = 0, tag = 0;
    std::int64_t step = -1;
    const telemetry::CollectiveRecord* record = nullptr; ///< in the chunk
    std::int64_t waitNs = -1;
    int holder = -1;
};

/// The wait of a row that an earlier round stored.
struct WaitUpdate {
    std::int64_t step = -1;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    int rank = 0, holder = -1;
    std::int64_t waitNs = 0;
};

/// How long a rank waited for another in a bucket of steps; level 0: one step.
struct PairWait {
    std::int64_t bucket = 0;
    int waiter = 0, holder = 0;
    std::size_t family = 0; ///< index among IngestBatch::families
    PairSum sum;
};

struct RankProgress {
    std::int64_t firstStep = -1, lastStep = -1, lastNs = 0, finalStep = -1;
    double lastLoss = std::numeric_limits<double>::quiet_NaN(); ///< of lastStep; NaN: not a number, or not known
    bool ended = false;
    std::optional<std::int64_t> anchorNs; ///< monotonic time of its newest anchor
    std::int64_t waitedNs = 0, heldNs = 0;
    telemetry::JournalPosition position;
};

/// Stores repeated texts once: maps a text to its id and an id to its text.
class TagTable {
public:
    int id(std::string_view text); ///< creates one if needed
    void know(int id, std::string text);
    const std::string& text(int id) const;
    /// Ids >= this are not in the database yet.
    int firstNew = 1;
    int next() const { return m_next; }

private:
    std::map<std::string, int, std::less<>> m_ids;
    std::map<int, std::string> m_texts;
    int m_next = 1;
};

struct IngestBatch {
    std::map<std::pair<int, std::int64_t>, StepUpdate> steps; ///< by rank, step
    std::vector<CollectiveInsert> collectives;
    std::vector<WaitUpdate> waitUpdates;
    std::vector<std::pair<int, const telemetry::PhaseRecord*>> phases;
    std::vector<std::pair<int, const telemetry::NoteRecord*>> notes;
    std::vector<std::pair<int, const telemetry::ResourceRecord*>> resources;
    std::vector<std::pair<int, const telemetry::ValidationRecord*>> validations;
    std::vector<std::pair<int, const telemetry::CheckRecord*>> checks;
    std::vector<std::pair<int, const telemetry::ScalarRecord*>> scalars;
    std::vector<const telemetry::GroupRecord*> groups;
    std::vector<std::pair<int, const telemetry::SoftwareRecord*>> software;
    std::vector<std::pair<int, const telemetry::AnchorRecord*>> anchors;
    std::vector<std::pair<int, const telemetry::EndRecord*>> ends;
    std::map<int, StepWaits> joinedEarly; ///< by rank; before training
    std::vector<PairWait> pairs;          ///< of level 0
    std::vector<std::string> families;    ///< of tags; a handful
    std::map<std::pair<std::string, int>, std::int64_t> counters;

    void count(std::string_view name, int rank, std::int64_t more) {
        if (more != 0)
            counters[{std::string(name), rank}] += more;
    }
};

} // namespace rankscope::store
