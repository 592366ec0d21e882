// SPDX-License-Identifier: Apache-2.0
// What ranks have called: the collectives that some ranks of a group have entered and others have not, and whether all
// members of a group make the same calls.
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/stalls/stuck_collective.h"
#include "core/diagnosis/statistics/call_pattern.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::diagnosis {

/// What all members of a group have called alike, until the first difference.
struct AgreedCalls {
    std::int64_t step = -1;
    std::map<std::string, int> inStep;               ///< calls by tag, in the newest step
    std::map<std::string, int> inLastStep;           ///< in the step before
    std::map<std::string, std::int64_t> newestCount; ///< elements by tag, of the newest call
    CallPattern pattern;                             ///< their order
};

/// The first collective that ranks called differently.
struct OddCollective {
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    std::vector<CollectiveCall> calls; ///< by rank, of those that have reported
};

/// One collective as the ranks have entered it. `arrived`, `phase`, `step` and `variant` are by rank of the world.
struct EnteredCollective {
    struct Variant { ///< a call, without the rank
        telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
        std::uint8_t dtype = 0;
        std::int64_t count = 0;
        std::string tag;
    };
    std::vector<std::int64_t> arrived; ///< 0: not yet
    std::vector<telemetry::Phase> phase;
    std::vector<std::int64_t> step;
    std::vector<std::uint8_t> variant; ///< index into `variants`
    std::vector<Variant> variants;
    int count = 0; ///< ranks that have entered it

    explicit EnteredCollective(std::size_t worldSize = 0);
    const Variant& callOf(std::size_t rank) const { return variants[variant[rank]]; }
    std::vector<CollectiveCall> calls() const; ///< by rank, of those that have reported
};

/// Compares the calls of all ranks.
class CollectiveCalls {
public:
    explicit CollectiveCalls(int worldSize) : m_world(worldSize) {}

    /// Adds the call of a rank of the world in a group of `members` ranks. Returns the collective once all of them have
    /// entered it; none before.
    std::optional<EnteredCollective> add(int rank, const telemetry::CollectiveRecord& record, int members);
    /// Returns the calls that a group's members have made alike; null: none yet.
    const AgreedCalls* agreed(std::uint32_t group) const;
    /// Returns none while all ranks make the same calls.
    const std::optional<OddCollective>& odd() const { return m_odd; }
    /// Returns the calls of a collective that some of the group's members have left and not all; by rank.
    std::vector<CollectiveCall> pending(std::uint32_t group, std::uint64_t sequence) const;

    // The parts of the state are separate, because they are in different places of a saved step window. The load
    // functions return false if the bytes are not such a part.
    void savePending(ByteEncoder& out) const;
    bool loadPending(ByteDecoder& in);
    void saveAgreed(ByteEncoder& out) const;
    /// `havePatterns`: false for a state that was saved before the order of calls was part of it.
    bool loadAgreed(ByteDecoder& in, bool havePatterns);
    void saveOdd(ByteEncoder& out) const;
    bool loadOdd(ByteDecoder& in);

private:
    using Key = std::pair<std::uint32_t, std::uint64_t>; ///< group, sequence
    void agree(const Key& key, const EnteredCollective& all);
    void remember(const Key& key, const EnteredCollective& odd);

    int m_world;
    std::map<Key, EnteredCollective> m_pending;
    std::map<std::uint32_t, AgreedCalls> m_agreed;
    std::optional<OddCollective> m_odd;
};

} // namespace rankscope::diagnosis
