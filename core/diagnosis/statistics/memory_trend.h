// SPDX-License-Identifier: Apache-2.0
// Predicts when a rank runs out of memory, from a robust trend of the memory in use and its limit.
#pragma once

#include "core/base/values/byte_codec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::diagnosis {

struct MemorySample {
    std::int64_t atNs = 0;
    std::int64_t usedBytes = 0, limitBytes = 0;
};

struct MemoryForecast {
    double bytesPerSecond = 0;
    double secondsLeft = 0;
    double confidence = 0; ///< 0 to 1: share of pairs of samples that grew minus the share that shrank
};

/// Returns the median of the slopes between all pairs (Theil-Sen estimator) in bytes per second, which changes little
/// even if one sample in three is a peak. 0: fewer than two samples.
double memoryGrowth(std::span<const MemorySample> samples);

/// Returns none if there are too few samples, no limit, no growth in the newer half, or growth that slows and will end
/// below the limit.
std::optional<MemoryForecast> forecastMemory(std::span<const MemorySample> samples);

void saveSamples(ByteEncoder& out, std::span<const MemorySample> samples);
/// Returns false if the bytes are not samples, or more than `most`.
bool loadSamples(ByteDecoder& in, std::vector<MemorySample>& samples, std::size_t most);

/// Decides when to warn of a forecast, and when the warning is over.
class MemoryTrend {
public:
    static constexpr std::int64_t kEveryNs = 5'000'000'000;   ///< samples that come sooner are skipped
    static constexpr std::int64_t kSettleNs = 60'000'000'000; ///< a run's initial growth is not a trend
    static constexpr std::size_t kMost = 120, kFewest = 24;   ///< samples: the newest ten minutes, at least two
    static constexpr double kWarnSeconds = 1800, kCalmSeconds = 3600;
    static constexpr double kSureSeconds = 600; ///< with less time left than this it warns at any memory usage
    static constexpr double kFullShare = 0.6;   ///< share of the limit from which memory counts as nearly full
    static constexpr double kConfidence = 0.7;
    static constexpr int kAgree = 6; ///< forecasts in a row, 30 s, before anything changes

    enum class TrendChange { None, Warn, Over };
    TrendChange add(const MemorySample& sample);
    bool warns() const { return m_warns; }
    /// Returns whether so much memory is in use that it warns earlier.
    static bool isNearlyFull(const MemorySample& sample);
    const std::optional<MemoryForecast>& forecast() const { return m_forecast; }
    std::span<const MemorySample> samples() const { return m_samples; }

    void save(ByteEncoder& out) const;
    /// Returns false if the bytes are not a valid state.
    bool load(ByteDecoder& in);

private:
    bool looksBad(const MemorySample& newest) const;

    std::vector<MemorySample> m_samples; ///< at most kMost
    std::optional<MemoryForecast> m_forecast;
    std::int64_t m_firstNs = -1;
    bool m_warns = false;
    int m_agreeing = 0;
};

} // namespace rankscope::diagnosis
