// SPDX-License-Identifier: Apache-2.0
// Shared by the parent and the ranks of bench_wait_truth. Needs no Torch.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

namespace rankscope::bench {

struct Delay {
    int rank = 0;
    double seconds = 0;
};

struct TruthOptions {
    std::filesystem::path dir; ///< of the group: a run's folder
    int ranks = 3, rank = 0;
    std::int64_t delays = 10, seed = 1, shortestMs = 10, longestMs = 2000;

    /// Returns the delays, the same in every process, drawn log-uniformly: as many between 10 and 20 ms as between 1
    /// and 2 s.
    std::vector<Delay> draw() const {
        std::mt19937_64 random(static_cast<std::uint64_t>(seed));
        std::uniform_real_distribution<double> logarithm(std::log(static_cast<double>(shortestMs)),
                                                         std::log(static_cast<double>(longestMs)));
        std::vector<Delay> drawn;
        for (std::int64_t i = 0; i < delays; ++i) {
            const int who = static_cast<int>(random() % static_cast<std::uint64_t>(ranks));
            drawn.push_back({who, std::exp(logarithm(random)) * 1e-3});
        }
        return drawn;
    }
    std::filesystem::path truthFile(int r) const { return dir / ("truth." + std::to_string(r)); }
};

/// Runs one rank, which joins the group, sleeps when it is its turn, and meets the others after each delay. Writes
/// lines "step ns" with the real length of each sleep by CLOCK_MONOTONIC_RAW. Returns the exit code.
int runTruthRank(const TruthOptions& options);

} // namespace rankscope::bench
