// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/statistics/memory_trend.h"

#include "core/diagnosis/model/sanitized_observation.h"

#include <algorithm>
#include <vector>

namespace rankscope::diagnosis {

static constexpr double kSlowing = 0.8; ///< the newer half grows by less than this of the older half's growth

/// Calls take(slope) for each pair of samples, the older sample first.
template <class F> static void eachPair(std::span<const MemorySample> samples, F take) {
    for (std::size_t i = 0; i < samples.size(); ++i)
        for (std::size_t k = i + 1; k < samples.size(); ++k) {
            const auto seconds = static_cast<double>(samples[k].atNs - samples[i].atNs) * 1e-9;
            if (seconds > 0)
                take((static_cast<double>(samples[k].usedBytes) - static_cast<double>(samples[i].usedBytes)) / seconds);
        }
}

double memoryGrowth(std::span<const MemorySample> samples) {
    std::vector<double> slopes;
    eachPair(samples, [&](double slope) { slopes.push_back(slope); });
    if (slopes.empty())
        return 0;
    const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
    std::nth_element(slopes.begin(), middle, slopes.end());
    return *middle;
}

static double agreement(std::span<const MemorySample> samples) {
    std::int64_t grew = 0, shrank = 0, pairs = 0;
    eachPair(samples, [&](double slope) {
        grew += slope > 0;
        shrank += slope < 0;
        ++pairs;
    });
    return pairs == 0 ? 0 : std::max(0.0, static_cast<double>(grew - shrank) / static_cast<double>(pairs));
}

/// Returns how much a growth that slowed from `before` to `now` within `seconds` will still add if it keeps slowing.
static double restOfSlowing(double before, double now, double seconds) {
    const double ratio = now / before;
    return now * seconds * ratio / (1 - ratio);
}

std::optional<MemoryForecast> forecastMemory(std::span<const MemorySample> samples) {
    if (samples.size() < MemoryTrend::kFewest || samples.back().limitBytes <= 0)
        return std::nullopt;
    const auto older = samples.first(samples.size() / 2), newer = samples.subspan(samples.size() / 2);
    const double before = memoryGrowth(older);
    MemoryForecast f;
    f.bytesPerSecond = memoryGrowth(newer);
    f.confidence = std::min(agreement(samples), agreement(newer));
    if (f.bytesPerSecond <= 0)
        return std::nullopt;
    const double left =
        std::max(0.0, static_cast<double>(samples.back().limitBytes) - static_cast<double>(samples.back().usedBytes));
    const auto half = static_cast<double>(newer.front().atNs - older.front().atNs) * 1e-9;
    if (f.bytesPerSecond < kSlowing * before && restOfSlowing(before, f.bytesPerSecond, half) < left)
        return std::nullopt;
    f.secondsLeft = left / f.bytesPerSecond;
    return f;
}

bool MemoryTrend::isNearlyFull(const MemorySample& sample) {
    return static_cast<double>(sample.usedBytes) >= kFullShare * static_cast<double>(sample.limitBytes);
}

bool MemoryTrend::looksBad(const MemorySample& newest) const {
    if (!m_forecast || m_forecast->confidence < kConfidence)
        return false;
    return m_forecast->secondsLeft <= (isNearlyFull(newest) ? kWarnSeconds : kSureSeconds);
}

MemoryTrend::TrendChange MemoryTrend::add(const MemorySample& sample) {
    if (m_firstNs < 0)
        m_firstNs = sample.atNs;
    if (sample.atNs - m_firstNs < kSettleNs || (!m_samples.empty() && sample.atNs - m_samples.back().atNs < kEveryNs))
        return TrendChange::None;
    m_samples.push_back(sample);
    if (m_samples.size() > kMost)
        m_samples.erase(m_samples.begin());
    m_forecast = forecastMemory(samples());
    const bool bad = looksBad(sample);
    const bool calm = !m_forecast || m_forecast->secondsLeft >= kCalmSeconds || m_forecast->confidence < kConfidence;
    m_agreeing = (m_warns ? calm : bad) ? m_agreeing + 1 : 0;
    if (m_agreeing < kAgree)
        return TrendChange::None;
    m_agreeing = 0;
    m_warns = !m_warns;
    return m_warns ? TrendChange::Warn : TrendChange::Over;
}

void saveSamples(ByteEncoder& out, std::span<const MemorySample> samples) {
    out.number(samples.size());
    MemorySample last;
    for (const MemorySample& s : samples) {
        out.difference(s.atNs, last.atNs);
        out.difference(s.usedBytes, last.usedBytes);
        out.difference(s.limitBytes, last.limitBytes);
        last = s;
    }
}

bool loadSamples(ByteDecoder& in, std::vector<MemorySample>& samples, std::size_t most) {
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
    samples.assign(in.count(), {});
    if (samples.size() > most)
        in.fail();
    MemorySample last;
    for (MemorySample& s : samples) {
        s.atNs = clampTime(in.difference(last.atNs));
        s.usedBytes = std::clamp<std::int64_t>(in.difference(last.usedBytes), 0, kMostBytes);
        s.limitBytes = std::clamp<std::int64_t>(in.difference(last.limitBytes), 0, kMostBytes);
        if (s.atNs < last.atNs)
            in.fail();
        last = s;
    }
    return in.ok();
}

void MemoryTrend::save(ByteEncoder& out) const {
    out.integer(m_firstNs);
    out.boolean(m_warns);
    out.integer(m_agreeing);
    saveSamples(out, m_samples);
}

bool MemoryTrend::load(ByteDecoder& in) {
    m_firstNs = clampTime(in.integer());
    m_warns = in.boolean();
    m_agreeing = static_cast<int>(std::clamp<std::int64_t>(in.integer(), 0, kAgree));
    if (!loadSamples(in, m_samples, kMost))
        return false;
    m_forecast = forecastMemory(samples());
    return true;
}

} // namespace rankscope::diagnosis
