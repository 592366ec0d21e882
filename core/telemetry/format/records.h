// SPDX-License-Identifier: Apache-2.0
// What a rank measures, as written in the journal. The byte layout is the format (docs/dev/telemetry.md): little
// endian, every record in one slot of kSlotBytes, so that a reader can skip a slot whose writer was killed half-way.
//
// All times are CLOCK_MONOTONIC ns of the rank's host. Each field's comment says who observed the time.
#pragma once

#include "core/telemetry/format/limits.h"
#include "core/telemetry/format/phase.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace rankscope::telemetry {

inline constexpr std::size_t kSlotBytes = 256;
inline constexpr std::size_t kTagBytes = 64;
inline constexpr std::size_t kTextBytes = 200;

enum class CollectiveOp : std::uint8_t {
    AllReduce,
    AllGather,
    Broadcast,
    Reduce,
    ReduceScatter,
    Gather,
    Scatter,
    Barrier,
    AllToAll,
    Send,
    Recv,
    Other,
    Count
};
std::string_view opName(CollectiveOp op); ///< "all-reduce", …

enum class NoteSeverity : std::uint8_t { Debug, Info, Warning, Error };

enum class RecordType : std::uint16_t {
    None,
    Anchor,
    Batch,
    Phase,
    Collective,
    Step,
    Resource,
    Note,
    End,
    Validation,
    Check,
    Scalar,
    Group,
    Software,
    Count
};

/// First bytes of every slot. `length` is stored last, with release order: 0 means "not complete yet".
struct RecordHeader {
    std::uint32_t length = 0; ///< bytes of the record, header included; at most kSlotBytes
    RecordType type = RecordType::None;
    std::uint16_t version = 1;
    std::int64_t timeNs = 0; ///< when the record was appended, by the appending thread
    std::int64_t step = -1;  ///< training step that it belongs to, from 0; -1: none
};

/// Ties the monotonic clock to the wall clock, once per rank at start.
struct AnchorRecord {
    static constexpr RecordType kType = RecordType::Anchor;
    RecordHeader header;
    std::int64_t monotonicNs = 0, realtimeNs = 0; ///< read one after the other by the rank
    std::int32_t rank = 0, worldSize = 0, localRank = 0, pid = 0;
    std::uint64_t configHash = 0;
    char host[64] = {};
    char device[32] = {}; ///< "cpu", "cuda:0"
};

struct BatchRecord {
    static constexpr RecordType kType = RecordType::Batch;
    RecordHeader header;
    std::int32_t epoch = 0, size = 0;                            ///< utterances; -1: not known, and so are the lengths
    std::int64_t samplesMin = 0, samplesMax = 0, samplesSum = 0; ///< audio samples; -1: not known
    std::int64_t framesMin = 0, framesMax = 0, framesSum = 0;    ///< mel frames; -1: not known
    std::int64_t paddedFrames = 0; ///< frames of the encoder's input: size x (synced) longest; -1: not known
    double paddingShare = 0;       ///< 1 - framesSum / paddedFrames; NaN: not known
    std::uint64_t indexHash = 0;   ///< of the manifest indices in order
    std::int64_t loadNs = 0;       ///< time to read and decode it, by the loader thread; -1: not known
    std::int64_t waitNs = 0;       ///< time that the training thread waited for it; -1: not known
    std::int32_t queueDepth = 0;   ///< batches that were ready when it was requested
    std::int32_t skippedFiles = 0; ///< broken files skipped while it was made
};

struct PhaseRecord {
    static constexpr RecordType kType = RecordType::Phase;
    RecordHeader header;
    Phase phase = Phase::None;
    std::uint8_t reserved[7] = {};
    std::int64_t beginNs = 0, endNs = 0; ///< by the training thread
};

/// One collective, appended when it completed (or failed).
struct CollectiveRecord {
    static constexpr RecordType kType = RecordType::Collective;
    RecordHeader header;
    std::uint32_t group = 0; ///< process group: 0 is the default one
    CollectiveOp op = CollectiveOp::Other;
    std::uint8_t dtype = 0;     ///< c10::ScalarType
    std::uint8_t failed = 0;    ///< 1: it ended with an error
    Phase phase = Phase::None;  ///< the phase of the training thread on arrival
    std::uint64_t sequence = 0; ///< within the group, from 0, equal on all ranks for the same collective
    std::int64_t count = 0;     ///< elements
    std::int64_t arrivedNs = 0; ///< the calling thread, at the call
    std::int64_t startedNs = 0; ///< the calling thread, when the backend accepted it
    std::int64_t doneNs = 0;    ///< the completing thread, in the work future's callback
    std::int64_t exposedNs = 0; ///< time that the training thread was blocked by it; -1: not known yet
    /// "sync_max_audio_length", "sync_batchnorm:<layer>", "gradient:<bucket>", "barrier:<name>", "metrics".
    char tag[kTagBytes] = {};
};

struct StepRecord {
    static constexpr RecordType kType = RecordType::Step;
    RecordHeader header;
    std::int32_t epoch = 0;
    std::int32_t flags = 0;              ///< bits: 0 loss, 1 gradient, 3 batch not finite; 2 optimizer step skipped
    double loss = 0;                     ///< this rank's own; NaN without bit 0: not known
    double learningRate = 0;             ///< NaN: not known
    double gradientNorm = 0;             ///< over all parameters, before clipping; NaN: not computed
    std::int64_t maskedFrames = 0;       ///< -1: not known
    double samplesPerSecond = 0;         ///< audio samples of this rank / step time; NaN: not known
    std::int64_t beginNs = 0, endNs = 0; ///< by the training thread
    std::int64_t exposedGradientNs = 0;  ///< blocked in backward after the last bucket was handed over
};

struct ResourceRecord {
    static constexpr RecordType kType = RecordType::Resource;
    RecordHeader header;
    std::int64_t rssBytes = 0, cpuNs = 0; ///< cpuNs: user + system since start
    std::int64_t gpuUsedBytes = -1;       ///< -1: no GPU
    std::int32_t gpuUtilisation = -1;     ///< percent
    std::int32_t threads = 0;
};

struct NoteRecord {
    static constexpr RecordType kType = RecordType::Note;
    RecordHeader header;
    NoteSeverity severity = NoteSeverity::Info;
    std::uint8_t reserved[7] = {};
    char text[kTextBytes] = {}; ///< UTF-8, NUL-terminated, cut at a character boundary
};

enum class EndCause : std::uint8_t { Finished, Stopped, Failed };

struct EndRecord {
    static constexpr RecordType kType = RecordType::End;
    RecordHeader header;
    EndCause cause = EndCause::Finished;
    std::uint8_t reserved[3] = {};
    std::int32_t exitCode = 0;
    std::uint64_t weightsHash = 0; ///< of the bytes of all parameters and buffers; equal on all ranks of a correct run
    std::uint64_t droppedRecords = 0;
    char text[160] = {};
};

/// One validation, reported by each rank after the step that it follows. If there are several sets, the losses and
/// counts are those of the set whose loss is val_loss, and the times cover all sets.
struct ValidationRecord {
    static constexpr RecordType kType = RecordType::Validation;
    RecordHeader header;
    std::int32_t epoch = 0;
    std::int32_t reserved = 0;
    /// val_loss: localLoss, or the mean of all ranks if the recipe asks for it; NaN: no batch had a masked frame, or it
    /// is not known.
    double loss = 0;
    double localLoss = 0;                ///< of this rank's batches
    std::int64_t batches = 0;            ///< of this rank
    std::int64_t unmasked = 0;           ///< batches without a masked frame; excluded from every mean; -1: not known
    std::int64_t maskedFrames = 0;       ///< of this rank; -1: not known
    std::int64_t beginNs = 0, endNs = 0; ///< by the training thread
};

enum class CheckStatus : std::uint8_t { Passed, Failed, Skipped, Count };
std::string_view checkStatusName(CheckStatus status); ///< "passed", …

/// One of the checks before and at the start (docs/diagnosis.md), with the result that a rank found.
struct CheckRecord {
    static constexpr RecordType kType = RecordType::Check;
    RecordHeader header;
    CheckStatus status = CheckStatus::Passed;
    std::uint8_t stops = 0; ///< 1: the run ended because of it
    std::uint8_t reserved[6] = {};
    char name[24] = {};
    char text[kTextBytes] = {}; ///< result, or the reason why it failed or was skipped
};

/// A value that is logged under its own name: the loss of each set of a validation that has several.
struct ScalarRecord {
    static constexpr RecordType kType = RecordType::Scalar;
    RecordHeader header;
    double value = 0;
    char name[96] = {};
};

/// A process group whose collectives this rank records. The default group, number 0, needs none.
struct GroupRecord {
    static constexpr RecordType kType = RecordType::Group;
    RecordHeader header;
    std::uint32_t group = 0;    ///< as in CollectiveRecord; equal on all its members, and different from other groups'
    std::int32_t size = 0;      ///< members
    std::int32_t firstRank = 0; ///< global rank of the first bit of `members`
    std::uint32_t reserved = 0;
    char name[32] = {};    ///< PyTorch's name of the group
    char backend[16] = {}; ///< "gloo", "nccl"
    /// Bit i: the global rank firstRank + i is a member. Groups that reach further have several records.
    std::array<std::uint8_t, 128> members{};
};

/// A library whose version matters for what a rank does: "torch", "2.11.0+cpu".
struct SoftwareRecord {
    static constexpr RecordType kType = RecordType::Software;
    RecordHeader header;
    char name[32] = {};
    char version[64] = {};
};

template <class R>
concept Record = std::is_trivially_copyable_v<R> && sizeof(R) <= kSlotBytes&& requires {
    R::kType;
};

/// Returns sizeof the record of a known type; 0 for any other type.
std::size_t recordBytes(RecordType type);

static_assert(Record<AnchorRecord> && Record<BatchRecord> && Record<PhaseRecord> && Record<CollectiveRecord> &&
              Record<StepRecord> && Record<ResourceRecord> && Record<NoteRecord> && Record<EndRecord> &&
              Record<ValidationRecord> && Record<CheckRecord> && Record<ScalarRecord> && Record<GroupRecord> &&
              Record<SoftwareRecord>);

/// Copies text into a fixed field, NUL-terminated, cut at a UTF-8 boundary.
void putText(char* field, std::size_t size, std::string_view text);
/// Returns a fixed field as text; never reads past `size`.
std::string_view getText(const char* field, std::size_t size);

/// A record as read: a copy in an aligned slot, checked to be of a known type and of that type's length.
struct AnyRecord {
    alignas(8) std::array<std::byte, kSlotBytes> bytes{};

    const RecordHeader& header() const { return *reinterpret_cast<const RecordHeader*>(bytes.data()); }
    RecordType type() const { return header().type; }
    /// Returns the record if it is of type R, else null.
    template <Record R> const R* as() const {
        return type() == R::kType ? reinterpret_cast<const R*>(bytes.data()) : nullptr;
    }
    template <Record R> static AnyRecord of(const R& record); ///< for tests and synthetic streams
};

template <Record R> AnyRecord AnyRecord::of(const R& record) {
    AnyRecord any;
    R copy = record;
    copy.header.type = R::kType;
    copy.header.length = sizeof(R);
    *reinterpret_cast<R*>(any.bytes.data()) = copy;
    return any;
}

/// Adds `ns` to every point in time of a record (not to durations), to convert it to another host's monotonic clock.
void rebaseClock(AnyRecord& record, std::int64_t ns);

} // namespace rankscope::telemetry
