// SPDX-License-Identifier: Apache-2.0
// Random numbers of the data layer: a separate stream per (seed, epoch, rank, batch), so that the contents of a batch
// depend neither on the number of workers nor on which of them made it. Distributions are implemented here: those of
// the standard library may differ between implementations.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace rankscope::plan {

/// Returns a hash: splitmix64 over the parts.
inline std::uint64_t hashOf(std::initializer_list<std::uint64_t> key) {
    std::uint64_t state = 0;
    for (const std::uint64_t part : key) {
        state += part + 0x9e3779b97f4a7c15ull;
        state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ull;
        state = (state ^ (state >> 27)) * 0x94d049bb133111ebull;
        state ^= state >> 31;
    }
    return state;
}

class Rng {
public:
    explicit Rng(std::initializer_list<std::uint64_t> key) : m_engine(hashOf(key)) {}

    double uniform() { return static_cast<double>(m_engine() >> 11) * 0x1.0p-53; } ///< [0, 1)
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// Returns a number from low to high, both included; low if the range is empty.
    std::int64_t integer(std::int64_t low, std::int64_t high) {
        if (high <= low)
            return low;
        const auto span = static_cast<std::uint64_t>(high - low) + 1;
        return low + static_cast<std::int64_t>((static_cast<Wide>(m_engine()) * span) >> 64);
    }
    double normal() { // Box-Muller, one of the two numbers
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(6.283185307179586 * uniform());
    }

private:
    __extension__ using Wide = unsigned __int128;

    std::mt19937_64 m_engine;
};

/// Shuffles by Fisher-Yates.
template <class T> void shuffle(std::vector<T>& items, Rng& rng) {
    for (std::size_t left = items.size(); left > 1; --left)
        std::swap(items[left - 1],
                  items[static_cast<std::size_t>(rng.integer(0, static_cast<std::int64_t>(left) - 1))]);
}

} // namespace rankscope::plan
