// SPDX-License-Identifier: Apache-2.0
// A run of ranks that work and synchronize, simulated from random work: what is measured, and what would have been
// measured without the length sync or with balanced ranks.
#pragma once

#include "core/telemetry/format/records.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace rankscope::test {

struct Met { ///< one rank in one collective
    std::int64_t step = 0;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    int rank = 0;
    std::string tag;
    std::int64_t arrivedNs = 0, doneNs = 0, exposedNs = -1;
};

struct Did { ///< one phase of one rank
    std::int64_t step = 0;
    int rank = 0;
    telemetry::Phase phase = telemetry::Phase::None;
    std::int64_t beginNs = 0, endNs = 0;
};

struct RandomRun {
    int ranks = 2, steps = 40;
    unsigned seed = 1;
    bool lengthSync = true, syncBatchNorm = false, balanced = false;
    bool syncInGroupOfItsOwn = false;
    bool normInBackward = false; ///< a SyncBatchNorm blocks while the first gradients are still pending
    int slowLoader = -1;         ///< this rank loads 30 ms longer in every step

    std::vector<Met> met;
    std::vector<Did> did;
    std::vector<std::int64_t> beganNs, endedNs; ///< by rank: begin of the first step, and end of the last collective

    /// Returns the duration of the run, averaged over the ranks.
    double lastedNs() const {
        double sum = 0;
        for (std::size_t r = 0; r < beganNs.size(); ++r)
            sum += static_cast<double>(endedNs[r] - beganNs[r]);
        return sum / static_cast<double>(beganNs.size());
    }
    void play();

private:
    using Times = std::vector<std::int64_t>;
    std::mt19937_64 m_random;
    Times m_now;
    std::map<std::uint32_t, std::uint64_t> m_next;

    /// Draws the same numbers for all options, so that variants of one seed do the same work.
    Times draw(std::uint64_t most) {
        Times drawn;
        for (int r = 0; r < ranks; ++r)
            drawn.push_back(static_cast<std::int64_t>(m_random() % most));
        if (balanced) {
            std::int64_t sum = 0;
            for (const std::int64_t ns : drawn)
                sum += ns;
            std::fill(drawn.begin(), drawn.end(), sum / ranks);
        }
        return drawn;
    }
    void work(std::uint64_t most) {
        const Times drawn = draw(most);
        for (std::size_t r = 0; r < m_now.size(); ++r)
            m_now[r] += drawn[r];
    }
    void phase(std::int64_t step, telemetry::Phase phase, const Times& since) {
        for (std::size_t r = 0; r < m_now.size(); ++r)
            did.push_back({step, static_cast<int>(r), phase, since[r], m_now[r]});
    }
    enum class Kind { Blocks, Overlapped };
    void meet(std::int64_t step, const std::string& tag, Kind kind, std::uint32_t group = 0, bool there = true) {
        const Times transfer = draw(300'000);
        if (!there)
            return;
        const std::int64_t latest = *std::max_element(m_now.begin(), m_now.end());
        const std::uint64_t sequence = m_next[group]++;
        for (std::size_t r = 0; r < m_now.size(); ++r) {
            const std::int64_t left = latest + transfer[r];
            met.push_back({step, group, sequence, static_cast<int>(r), tag, m_now[r], left - 10,
                           kind == Kind::Blocks ? left - m_now[r] : -1});
            if (kind == Kind::Blocks)
                m_now[r] = left;
        }
    }
};

inline void RandomRun::play() {
    using telemetry::Phase;
    m_random.seed(seed);
    m_now.assign(static_cast<std::size_t>(ranks), 1'000'000);
    beganNs = m_now;
    for (std::int64_t step = 0; step < steps; ++step) {
        Times since = m_now;
        work(20'000'000);
        if (slowLoader >= 0)
            m_now[static_cast<std::size_t>(slowLoader)] += 30'000'000;
        phase(step, Phase::DataWait, since);
        since = m_now;
        work(10'000'000);
        meet(step, "sync_max_audio_length", Kind::Blocks, syncInGroupOfItsOwn ? 7 : 0, lengthSync);
        work(30'000'000);
        if (syncBatchNorm)
            meet(step, "sync_batchnorm:encoder.layers.0", Kind::Blocks);
        work(10'000'000);
        phase(step, Phase::Forward, since);
        since = m_now;
        work(20'000'000);
        meet(step, "gradient:0", Kind::Overlapped);
        if (normInBackward) {
            work(1'000'000);
            meet(step, "sync_batchnorm:encoder.layers.0", Kind::Blocks);
        }
        work(20'000'000);
        meet(step, "gradient:1", Kind::Blocks);
        endedNs = m_now;
        phase(step, Phase::Backward, since);
        since = m_now;
        work(5'000'000);
        phase(step, Phase::Optimizer, since);
        work(100'000); // outside any phase
    }
}

} // namespace rankscope::test
