// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/stalls/stuck_collective.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace rankscope::diagnosis {

/// The newest calls that all members of a group have made alike, in order. It tells which call usually comes at a
/// place.
class CallPattern {
public:
    /// Adds a call with its sequence number. Calls may come in any order.
    void add(std::uint64_t sequence, const CollectiveCall& call);
    /// Returns true if the group made the call before, with the same number of elements.
    bool contains(const CollectiveCall& call) const;
    /// Returns whether `a` or `b` is the usual call at this sequence number: the only one of the two that came after
    /// the same calls before. Returns true for `a`, false for `b`, and none if the earlier calls do not tell.
    std::optional<bool> isUsual(std::uint64_t sequence, const CollectiveCall& a, const CollectiveCall& b) const;

    void save(ByteEncoder& out) const;
    /// Returns false if the bytes are not a valid state.
    bool load(ByteDecoder& in);

private:
    std::vector<std::size_t> callsBefore(std::uint64_t sequence) const;

    std::vector<CollectiveCall> m_kinds;          ///< the different calls, without rank, time and step
    std::map<std::uint64_t, std::size_t> m_calls; ///< index of the kind, by sequence number
};

} // namespace rankscope::diagnosis
