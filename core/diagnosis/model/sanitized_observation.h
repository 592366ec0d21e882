// SPDX-License-Identifier: Apache-2.0
// Boards, journals and recordings are written by other processes and may contain anything. Clamps impossible values, so
// that sums and differences of the results cannot overflow.
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/model/active_clock.h"
#include "core/diagnosis/model/observation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope::diagnosis {

inline constexpr std::int64_t kLatestNs = std::int64_t{1} << 60;   ///< 36 years of a clock
inline constexpr std::int64_t kLongestNs = std::int64_t{1} << 44;  ///< 4.9 hours, of one step or phase
inline constexpr std::int64_t kMostFrames = std::int64_t{1} << 44; ///< or samples
inline constexpr std::int64_t kLastStep = std::int64_t{1} << 53;

inline std::int64_t clampTime(std::int64_t ns) {
    return std::clamp(ns, -kLatestNs, kLatestNs);
}
inline std::int64_t clampDuration(std::int64_t ns) {
    return std::clamp(ns, -kLongestNs, kLongestNs);
}
inline std::int64_t clampFrames(std::int64_t n) {
    return std::clamp<std::int64_t>(n, 0, kMostFrames);
}
/// Clamps a length of a batch, of which -1 means that it is not known.
inline std::int64_t clampLength(std::int64_t n) {
    return std::clamp<std::int64_t>(n, -1, kMostFrames);
}
inline std::int64_t stepWithin(std::int64_t step) {
    return std::clamp<std::int64_t>(step, -1, kLastStep);
}
/// Adds to a sum of times of one step and clamps the result.
inline void saturatingAdd(std::int64_t& sum, std::int64_t more) {
    sum = clampDuration(sum + clampDuration(more));
}
/// Clamps a time that a configuration or a file contains; NaN becomes 0.
inline std::int64_t nanosecondsOf(double ns) {
    return std::isnan(ns) ? 0 : static_cast<std::int64_t>(std::clamp(ns, -0x1p60, 0x1p60));
}

/// An observation without impossible values: records with impossible times or steps are left out (the store counts
/// them), and values of boards are clamped. Copies nothing unless a value must be changed.
class SanitizedObservation {
public:
    explicit SanitizedObservation(const Observation& given);
    const Observation& get() const { return m_mended ? *m_mended : *m_given; }
    /// Converts all monotonic times to those of the clock.
    void useActiveTime(const ActiveClock& clock);

private:
    Observation& copied();

    const Observation* m_given;
    std::optional<Observation> m_mended;
    std::vector<std::vector<telemetry::AnyRecord>> m_records;
};

} // namespace rankscope::diagnosis
