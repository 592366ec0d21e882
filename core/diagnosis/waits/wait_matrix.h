// SPDX-License-Identifier: Apache-2.0
// Sums which rank waited for which, how long, in which collective, and what the holder did in that time. Pure. Memory
// grows with the pairs of ranks and the tags, never with the number of collectives.
#pragma once

#include "core/diagnosis/model/collective_times.h"
#include "core/diagnosis/model/wait_times.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace rankscope::diagnosis {

using PhaseTimes = std::array<std::int64_t, kPhaseCount>; ///< ns by phase; Phase::None: in no phase

struct PhaseSpan {
    telemetry::Phase phase = telemetry::Phase::None;
    std::int64_t beginNs = 0, endNs = 0; ///< by the training thread (on a GPU: its stream)
};
/// Splits [fromNs, toNs) over the spans of one rank, ascending by begin. Time that no span covers is Phase::None, so
/// the parts always add up to the whole; if spans overlap, the earlier one counts.
PhaseTimes splitByPhase(std::span<const PhaseSpan> spans, std::int64_t fromNs, std::int64_t toNs);
/// Splits `total` in proportion to `weights`; all of it is Phase::None if there are none. The parts add up exactly.
PhaseTimes shareOut(std::int64_t total, const std::array<double, kPhaseCount>& weights);

struct WaitSums {
    std::int64_t waitNs = 0;
    std::int64_t blockedNs = 0;   ///< part of waitNs in which the waiter's training thread was blocked
    std::int64_t estimatedNs = 0; ///< part of waitNs with phases and blocking estimated from the steps' sums
    std::int64_t collectives = 0;
    PhaseTimes phaseNs{};        ///< waitNs by the phase of the holder; adds up to it
    std::int64_t untilEndNs = 0; ///< part of waitNs that only the end of the run ended

    WaitSums& operator+=(const WaitSums& other);
    /// Returns the phase in which most of the wait fell.
    telemetry::Phase mostly() const;
};

/// The time that one rank cost all others.
struct HolderCost {
    int rank = 0;
    WaitSums sums;
    std::string family; ///< the collectives in which most of it was spent
};

class WaitMatrix {
public:
    using PairKey = std::tuple<int, int, std::string>; ///< waiter, holder, family of the tag
    /// Lets a family be looked up without creating a string. Written out, since clang 14 cannot compare tuples of
    /// different types.
    struct Less {
        using is_transparent = void;
        template <class A, class B> bool operator()(const A& a, const B& b) const {
            const auto ranks = [](const auto& key) { return std::pair(std::get<0>(key), std::get<1>(key)); };
            return ranks(a) != ranks(b) ? ranks(a) < ranks(b)
                                        : std::string_view(std::get<2>(a)) < std::string_view(std::get<2>(b));
        }
    };

    /// Adds a wait in one known collective. `counted`: the parts of it that count (countOnce());
    /// `holderPhases`: ascending by begin. The holder's own wait of 0 adds nothing.
    void add(const CollectiveTimes& times, std::span<const TimeSpan> counted, std::span<const PhaseSpan> holderPhases);
    /// Adds waits of which only the sums are left.
    void add(int waiter, int holder, std::string_view family, const WaitSums& sums);

    const std::map<PairKey, WaitSums, Less>& cells() const { return m_cells; }
    WaitSums total() const;
    /// Returns the holders, costliest first, without ranks that held no other.
    std::vector<HolderCost> ranking() const;

private:
    std::map<PairKey, WaitSums, Less> m_cells;
};

} // namespace rankscope::diagnosis
