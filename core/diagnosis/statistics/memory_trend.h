// SPDX-License-Identifier: Apache-2.0
// Predicts when a rank runs out of memory: a robust trend over the memory in use, and when it reaches the limit.
#pragma once

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
    double confidence = 0; ///< 0 to 1: share of pairs of samples that grew less the share that shrank
};

/// Median of the slopes between all pairs (Theil and Sen), bytes per second: one peak in three changes little. 0: fewer
/// than two samples.
double memoryGrowth(std::span<const MemorySample> samples);

/// None: too few samples, no limit, no growth in the newer half, or one that slows and will end below the limit.
std::optional<MemoryForecast> forecastMemory(std::span<const MemorySample> samples);

/// Decides when a forecast is worth a warning, and when the warning is over.
class MemoryTrend {
public:
    static constexpr std::int64_t kEveryNs = 5'000'000'000;   ///< samples that come sooner are skipped
    static constexpr std::int64_t kSettleNs = 60'000'000'000; ///< a run's first growth is no trend
    static constexpr std::size_t kMost = 120, kFewest = 24;   ///< samples: the newest ten minutes, at least two
    static constexpr double kWarnSeconds = 1800, kCalmSeconds = 3600;
    static constexpr double kSureSeconds = 600; ///< less time left than this counts however empty the memory is
    static constexpr double kFullShare = 0.6;   ///< of the limit in use before a warning
    static constexpr double kConfidence = 0.7;
    static constexpr int kAgree = 6; ///< forecasts in a row, 30 s, before anything changes

    enum class Change { None, Warn, Over };
    Change add(const MemorySample& sample);
    bool warns() const { return m_warns; }
    const std::optional<MemoryForecast>& forecast() const { return m_forecast; }
    std::span<const MemorySample> samples() const { return m_samples; }

private:
    bool looksBad(const MemorySample& newest) const;

    std::vector<MemorySample> m_samples; ///< at most kMost
    std::optional<MemoryForecast> m_forecast;
    std::int64_t m_firstNs = -1;
    bool m_warns = false;
    int m_agreeing = 0;
};

} // namespace rankscope::diagnosis
