// SPDX-License-Identifier: Apache-2.0
// An interval in which ranks were held up: by which rank, where, why, and how to fix it. Meanings: docs/diagnosis.md.
#pragma once

#include "core/base/text/message.h"
#include "core/diagnosis/model/evidence.h"
#include "core/telemetry/format/records.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::diagnosis {

enum class Cause : std::uint8_t {
    Unknown,
    DataLoading,
    Preprocessing,
    LongBatch,
    UnevenBatches,
    MismatchedCollective,
    ConfigurationDiffers,
    NeverJoined,
    Stopped,
    Dead,
    SlowCompute,
    Checkpoint,
    NotFinite,
    EmptyBatch,
    InsideCollective,
    AskedToLeave,
    Paused, ///< the whole run was paused by something outside of it; no rank is the holder
    UnevenCalls,
    GrownBuffer,
    LoaderWorkerDied,
    MemoryRunsOut,
    Count
};
/// The names of the causes as they are stored, printed and looked up, in the order of the enumeration.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Cause::Count)> kCauseNames{
    "unknown",
    "data_loading",
    "preprocessing",
    "long_batch",
    "uneven_batches",
    "mismatched_collective",
    "configuration_differs",
    "never_joined",
    "stopped",
    "dead",
    "slow_compute",
    "checkpoint",
    "not_finite",
    "empty_batch",
    "inside_collective",
    "asked_to_leave",
    "paused",
    "uneven_calls",
    "grown_buffer",
    "loader_worker_died",
    "memory_runs_out",
};
static_assert(!kCauseNames.back().empty(), "a cause has no name");
std::string_view causeName(Cause cause); ///< "unknown" for a number that is not a cause
Cause causeFromName(std::string_view name);

enum class CloseReason : std::uint8_t { Open, Recovered, RunEnded, StoppedByUser };
std::string_view closeReasonName(CloseReason reason);

struct CollectiveRef {
    std::string tag;
    telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    bool known = false; ///< false: no collective is involved (a single rank, or no rank waits yet)
};

/// A setting that fixes an incident; it can be applied with one click if `key` is not empty.
struct Remedy {
    Message text;      ///< "Set num_workers to 4 (now 1)"; of a stored incident the English text alone
    std::string key;   ///< "model.train_ds.num_workers"
    std::string value; ///< as YAML
};

/// Returns the override to add to a program's command, in Hydra's form: "+model.train_ds.drop_last=true". Empty: the
/// remedy names none.
std::string hydraOverride(const Remedy& remedy);

struct Incident {
    std::int64_t id = 0; ///< from 1, in order of opening
    Cause cause = Cause::Unknown;
    telemetry::Phase phase = telemetry::Phase::None; ///< of the holder
    std::vector<int> holders, waiters;
    CollectiveRef collective;
    std::int64_t step = -1;
    bool straggler = false; ///< many short waits over a window, no single long one
    /// Monotonic; when the hold-up began (first waiter's arrival, or the holder's last sign of life).
    std::int64_t openedNs = 0;
    std::int64_t detectedNs = 0; ///< monotonic; when the detector saw it
    std::int64_t closedNs = 0;   ///< monotonic; 0: still open
    CloseReason closed = CloseReason::Open;
    Remedy remedy;
    Evidence evidence;
};

/// Returns whether the incident held up ranks in its step only. Its end may be noticed when later steps have begun.
bool isOfOneStep(const Incident& incident);

/// A change of an incident in one round of the detector.
struct Transition {
    enum class TransitionKind : std::uint8_t { Opened, Updated, Closed } kind = TransitionKind::Opened;
    Incident incident; ///< complete, as it is after the transition
};

/// Returns all fields of an incident as text; two texts are equal if and only if the incidents are. Bytes that are not
/// UTF-8 are replaced, as the store does.
std::string canonicalText(const Incident& incident);

} // namespace rankscope::diagnosis
