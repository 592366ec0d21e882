// SPDX-License-Identifier: Apache-2.0
// What logs and Flight Recorder dumps of a run say about its collectives: facts as they were written, each with the
// place where it was found. Nothing is concluded here; explain/verdict does that. All numbers come from files that
// other programs wrote, and the readers checked their range.
#pragma once

#include "core/base/text/message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::explain {

/// A place in the input.
struct Place {
    std::string file;      ///< as the user named it, or below the folder that the user named
    std::int64_t line = 0; ///< from 1; 0: the file is a dump
};

enum class CollectiveOp : std::uint8_t {
    Unknown,
    AllReduce,
    Broadcast,
    AllGather,
    ReduceScatter,
    Reduce,
    Gather,
    Scatter,
    AllToAll,
    Barrier,
    Send,
    Receive,
};

/// A collective as one rank named it. PyTorch's words: OpType, NumelIn, NumelOut, SeqNum.
struct CollectiveCall {
    std::string group;                    ///< the process group's name; empty: not said, which is the default group
    std::optional<std::int64_t> sequence; ///< the group's own count of collectives
    CollectiveOp op = CollectiveOp::Unknown;
    std::string writtenOp;                   ///< "ALLREDUCE", "nccl:all_reduce"; made safe to print
    std::optional<std::int64_t> elementsIn;  ///< of this rank
    std::optional<std::int64_t> elementsOut; ///< of this rank; of an all-gather: all ranks' elements
    std::string dtype;                       ///< "float32"; empty: not said
    std::string codePlace;                   ///< "train.py:120 training_step", from a dump; made safe to print
};

/// A collective library or its watchdog gave up waiting.
struct CollectiveTimeout {
    std::optional<int> rank;       ///< in its group, which is the global rank in the default group
    std::optional<int> globalRank; ///< of the process that wrote the line, by the line's prefix
    CollectiveCall call;
    std::int64_t timeoutMs = 0, waitedMs = 0; ///< 0: not said
    /// The watchdog's counts of its group; absent: not said.
    std::optional<std::int64_t> lastEnqueued, lastCompleted;
    /// The rank did not time out itself. It heard of another rank's timeout and wrote its own counts.
    bool countsOnly = false;
    Place place;
};

/// Ranks that compared their collectives before they ran them (TORCH_DISTRIBUTED_DEBUG=DETAIL) and found a difference.
struct CollectiveMismatch {
    struct Side {
        std::optional<int> rank;
        CollectiveCall call;
        std::vector<std::int64_t> shape; ///< of the first tensor
    };
    std::vector<Side> sides; ///< one or two
    Place place;
};

/// A rank that waited for others said who did not come: monitored barrier, rendezvous, store, or the report of NCCL's
/// watchdog about ranks that are out of step (TORCH_NCCL_DESYNC_DEBUG=1).
struct RanksMissing {
    enum class Where : std::uint8_t { MonitoredBarrier, Rendezvous, Store, Watchdog } where = Where::MonitoredBarrier;
    std::optional<int> rank;   ///< who said it
    std::vector<int> missing;  ///< empty: it did not say which
    std::optional<int> joined; ///< of `expected`
    std::optional<int> expected;
    std::string key; ///< of a store that was waited for; made safe to print
    Place place;
};

/// The other end of a connection is gone (Gloo, TCPStore, NCCL's sockets). It says nothing about who ended first.
struct ConnectionLost {
    std::optional<int> rank; ///< who said it
    std::string peer;        ///< "[10.0.0.2]:34811"; made safe to print
    Place place;
};

/// A rank ended, with positive evidence: an exit status, a signal, an out-of-memory line or an exception that was not
/// caught.
struct RankEnd {
    enum class Kind : std::uint8_t { ExitCode, Signal, OutOfMemory, Exception } kind = Kind::Exception;
    std::optional<int> rank; ///< global
    int code = 0;            ///< exit code or signal number
    std::string text;        ///< the exception's last line, made safe to print
    /// The collective library's own error, which is a consequence of a stall and not its cause.
    bool ofCollective = false;
    Place place;
};

/// NCCL's heartbeat monitor, a thread that watches the watchdog of its own rank, wrote what it found.
struct MonitorReport {
    enum class Kind : std::uint8_t {
        Stuck,      ///< the watchdog made no progress: a call of NCCL or CUDA, or Python's lock (GIL), holds it
        PythonLock, ///< no thread could take Python's lock within 300 ms
        Terminates, ///< the monitor ends the process (SIGABRT)
    } kind = Kind::Stuck;
    std::optional<int> rank;  ///< global
    std::int64_t seconds = 0; ///< without progress; 0: not said
    Place place;
};

/// A rank wrote that it makes a Flight Recorder dump.
struct DumpNotice {
    std::optional<int> rank; ///< global
    std::string path;        ///< on the rank's host; made safe to print; empty: not said
    bool isOff = false;      ///< the rank wrote that it may have no Flight Recorder
    Place place;
};

/// How far a rank's progress bar or step log had come.
struct Progress {
    std::optional<int> rank;
    std::int64_t epoch = -1;  ///< -1: not said
    std::int64_t batch = 0;   ///< batches or steps done
    std::int64_t batches = 0; ///< of an epoch; 0: not said
    Place place;
};

/// The entries of one rank in a Flight Recorder dump. explain/dump/flight_dump.h says what its fields mean for which
/// backend: Gloo's entries are never Completed, and one that failed is retired as one that succeeded.
struct DumpedRank {
    struct Entry {
        enum class State : std::uint8_t { Scheduled, Started, Completed } state = State::Scheduled;
        CollectiveCall call;
        std::int64_t createdNs = 0; ///< realtime; when the rank's thread called it
        /// It was given up or has ended; NCCL: an entry that is retired and not Completed has timed out.
        bool retired = false;
    };
    std::optional<int> rank;    ///< global; absent: neither the file's name nor the user said it
    std::string version;        ///< of the format: "2.10"
    std::vector<Entry> entries; ///< oldest first; older ones may have been overwritten
    struct Group {
        std::string name, description;
        std::vector<int> ranks; ///< global; of Gloo's default group perhaps not all
        std::optional<std::int64_t> lastEnqueued, lastStarted, lastCompleted; ///< lastCompleted: never of Gloo
    };
    std::vector<Group> groups;
    bool dropped = false; ///< the ring was full: entries before the first one existed
    Place place;
};

/// A file of the input.
struct InputFile {
    enum class Kind : std::uint8_t { Log, Dump } kind = Kind::Log;
    std::string name;
    std::int64_t bytes = 0, lines = 0;
    /// Ranks that wrote lines of it: by prefixes, by the name ("rank_3.log", "log.3.txt"), by what its messages say.
    std::vector<int> ranks;
    bool startsLate = false; ///< rotated or cut: its first lines are not those of a start
    bool isExcerpt = false;  ///< it has nothing but reports of a failure: somebody chose its lines
    Message problem;         ///< why a part could not be read; text of the input in it is safe to print
};

/// All that was found.
struct HangEvidence {
    std::vector<InputFile> files;
    std::vector<CollectiveTimeout> timeouts;
    std::vector<CollectiveMismatch> mismatches;
    std::vector<RanksMissing> missing;
    std::vector<ConnectionLost> connections;
    std::vector<RankEnd> ends;
    std::vector<MonitorReport> monitors;
    std::vector<DumpNotice> dumpNotices;
    std::vector<Progress> progress;    ///< the last one of each rank and file
    std::optional<Place> inValidation; ///< the last progress bar of a file, if it was one of validation
    std::vector<DumpedRank> dumps;
    std::optional<int> worldSize;        ///< as a line, a dump or the user said
    std::optional<Place> worldSizePlace; ///< absent: the user said it
    std::string backend;                 ///< "nccl", "gloo"; empty: not said
    std::int64_t leftOut = 0;            ///< further facts of a kind of which the limit was reached
};

} // namespace rankscope::explain
