// SPDX-License-Identifier: Apache-2.0
// Finds a rank that is slower than the others as soon as this is certain, by a sequential test (CUSUM) over the steps
// of how much longer each rank works than the others do, less what the length of its batch explains. Equally fast ranks
// differ by chance; the test estimates from the run itself by how much.
//
// A rank's own time in a step is the step's duration minus its waits. Its lateness is the logarithm of the ratio of its
// own time to the median of the others' own times, so that ln 2 means twice as long, whatever the number of ranks. Of
// two middle values the slower one counts, so that a rank is slow only if at least half of the others are faster: if
// most ranks share processors and one has a processor to itself, that one is fast and no rank is slow. Only ranks that
// do the same work are compared: in a pipeline, those of one stage.
#pragma once

#include "core/base/values/byte_codec.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::diagnosis {

struct StepStats;

class SlowRankTest {
public:
    /// `share`: the part of a step that a straggler costs the others; the test looks for half of that.
    SlowRankTest(int worldSize, double share);

    /// Adds a step that all ranks have finished. `peers`: by rank, the number of the set of ranks that it is compared
    /// with; empty: all are one set. Takes time proportional to the number of ranks, and allocates nothing.
    void add(const StepStats& step, const std::vector<int>& peers = {});

    /// Returns for how many of the newest steps the rank has been slow if the odds are at least exp(nats); else 0.
    int confirmedSteps(int rank, double nats) const;
    /// Returns true if the rank was clearly slow in the newest step and some evidence against it remains.
    bool isSuspect(int rank) const;
    std::int64_t newestStepNs() const { return m_newestStepNs; }

    /// After follow(), the test asks whether the rank has recovered, which takes at least this many normal steps.
    static constexpr int kRecoverySteps = 12;
    void startRecoveryTest(int rank);
    bool isInRecoveryTest(int rank) const { return at(rank).size > 0; }
    bool hasRecovered(int rank) const;
    void endRecoveryTest(int rank);

    void save(ByteEncoder& out) const;
    /// Returns false if the bytes are not a valid state.
    bool load(ByteDecoder& in);

private:
    struct SlownessEvidence {
        double nats = 0;
        int steps = 0; ///< since it was last 0
    };
    struct TestedRank {
        double lateness = 0;                       ///< in the newest step
        double level = 0;                          ///< its mean over the newest few steps
        double usual = 0;                          ///< its mean over some hundred steps without a suspicion
        double stepNoise = 0.04, slowNoise = 0.02; ///< variances: from step to step, and over several steps
        std::array<SlownessEvidence, 2> evidence;  ///< for a small and for a large lateness
        double size = 0;                           ///< followed: how late it was; 0: not followed
        double recovery = 0;
    };
    const TestedRank& at(int rank) const { return m_ranks[static_cast<std::size_t>(rank)]; }
    bool weigh(const StepStats& step);
    void sortByPeers(const std::vector<int>& peers);
    template <class Take> void eachSet(Take&& take) const;
    void compare(std::span<const std::size_t> ranks, double growth);
    void learnLengths();
    void judge(TestedRank& r, double lateness) const;

    std::vector<TestedRank> m_ranks;
    std::array<double, 2> m_shifts; ///< the latenesses tested for
    std::vector<int> m_peers;
    std::vector<std::size_t> m_order;                           ///< ranks, those of one set after each other
    std::vector<double> m_work, m_length, m_adjusted, m_sorted; ///< logarithms, of the step being tested
    double m_products, m_squares; ///< of work and length, minus the ranks' means: how work grows with length
    std::int64_t m_seen = 0, m_newestStepNs = 0;
};

} // namespace rankscope::diagnosis
