// SPDX-License-Identifier: Apache-2.0
// Who waited for whom, how long, in which collective, and what the holder did meanwhile. Pure. Memory grows with the
// pairs of ranks and the tags, never with the number of collectives.
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
/// [fromNs, toNs) split over the spans of one rank, ascending by begin. What no span covers is Phase::None, so the
/// parts always add up to the whole; where spans overlap the earlier one counts.
PhaseTimes splitByPhase(std::span<const PhaseSpan> spans, std::int64_t fromNs, std::int64_t toNs);
/// `total` split in proportion to `weights`; all to Phase::None when there are none. Adds up exactly.
PhaseTimes shareOut(std::int64_t total, const std::array<double, kPhaseCount>& weights);

struct WaitSums {
    std::int64_t waitNs = 0;
    std::int64_t blockedNs = 0;   ///< of waitNs: the waiter's training thread stood still
    std::int64_t estimatedNs = 0; ///< of waitNs: phases and blocking are estimated from the steps' sums
    std::int64_t collectives = 0;
    PhaseTimes phaseNs{}; ///< of waitNs: what the holder did; adds up to it

    WaitSums& operator+=(const WaitSums& other);
    /// The phase that most of it fell in.
    telemetry::Phase mostly() const;
};

/// What one rank cost all others.
struct HolderCost {
    int rank = 0;
    WaitSums sums;
    std::string family; ///< where most of it was waited
};

class WaitMatrix {
public:
    using Key = std::tuple<int, int, std::string>; ///< waiter, holder, family of the tag
    /// A family is looked for without a text of its own. Written out: clang 14 compares no tuples of different types.
    struct Less {
        using is_transparent = void;
        template <class A, class B> bool operator()(const A& a, const B& b) const {
            const auto ranks = [](const auto& key) { return std::pair(std::get<0>(key), std::get<1>(key)); };
            return ranks(a) != ranks(b) ? ranks(a) < ranks(b)
                                        : std::string_view(std::get<2>(a)) < std::string_view(std::get<2>(b));
        }
    };

    /// A wait whose single collective is known, and the parts of it that count (countOnce()); `holderPhases` ascending
    /// by begin. A holder's own 0 adds nothing.
    void add(const CollectiveTimes& times, std::span<const TimeSpan> counted, std::span<const PhaseSpan> holderPhases);
    /// A sum of waits of which only sums are left.
    void add(int waiter, int holder, std::string_view family, const WaitSums& sums);

    const std::map<Key, WaitSums, Less>& cells() const { return m_cells; }
    WaitSums total() const;
    /// Dearest first; ranks that held nobody are not in it.
    std::vector<HolderCost> ranking() const;

private:
    std::map<Key, WaitSums, Less> m_cells;
};

} // namespace rankscope::diagnosis
