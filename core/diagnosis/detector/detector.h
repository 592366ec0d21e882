// SPDX-License-Identifier: Apache-2.0
// The detector: a pure function (state, records and boards, now) -> (state, transitions). No clock, no file, no thread:
// the same code runs live, over a recorded run, and in tests with a simulated clock.
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"
#include "core/diagnosis/model/settings.h"

#include <memory>
#include <vector>

namespace rankscope::diagnosis {

/// Grows with every change of what the detector concludes from the same observations.
inline constexpr int kDetectorVersion = 6;
/// Whose saved states load() takes, too.
inline constexpr int kOldestDetectorVersion = 3;

struct DetectorState;

class Detector {
public:
    Detector(int worldSize, Settings settings);
    Detector(Detector&&) noexcept;
    Detector& operator=(Detector&&) noexcept;
    ~Detector();

    std::vector<Transition> advance(const Observation& observation);
    std::vector<Incident> open() const;
    bool anyOpen() const;

    /// All that it knows, as bytes: another one that loads them goes on exactly as this one would.
    void save(WireWriter& out) const;
    /// False when they are not a detector's of this world size and of a version since kOldestDetectorVersion; it must
    /// not be used then.
    bool load(WireReader& in);

private:
    std::unique_ptr<DetectorState> m;
};

} // namespace rankscope::diagnosis
